package intake_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// New scores of a metric take the place of its earlier ones at once, or not at all.
func TestImportScoresIsHidden(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.Systems(2))
		imports := func(lines iter.Seq2[campaign.NumberedScore, error]) (readmodel.ImportReport, error) {
			return db.Intake.ImportScores(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{})
		}
		a, b := s.Systems[0], s.Systems[1]
		old := append(storetest.ScoresInOrder("m", a, 1, 2, 3), storetest.ScoresInOrder("m", b, 4, 5, 6)...)
		old = append(old, campaign.MetricScore{Metric: "m", System: a, Score: .5}, campaign.MetricScore{Metric: "m", System: b, Score: .6})
		storetest.Must(imports(storetest.ScoreLines(old)))(t)
		before := metricScores(t, db.Store, s.Campaign)

		again := append(storetest.ScoresInOrder("m", a, 7, 8, 9), storetest.ScoresInOrder("n", a, 1, 1, 1)...)
		again = append(again, campaign.MetricScore{Metric: "m", System: a, Score: .7})
		broken := errors.New("the cable was cut")
		_, err := imports(func(yield func(campaign.NumberedScore, error) bool) {
			for line := range storetest.ScoreLines(again) {
				if !yield(line, nil) {
					return
				}
			}
			yield(campaign.NumberedScore{}, broken)
		})
		storetest.WantErr(t, err, broken)
		if now := metricScores(t, db.Store, s.Campaign); fmt.Sprint(now) != fmt.Sprint(before) {
			t.Errorf("after an import that failed %q, before it %q", now, before)
		}

		report, err := imports(during(storetest.ScoreLines(again), len(again), func() {
			if now := metricScores(t, db.Store, s.Campaign); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("in the middle of the import %q, before it %q", now, before)
			}
		}))
		if err != nil || report.MetricScores != 7 || report.Replaced != 4 || strings.Join(report.Metrics, " ") != "m n" {
			t.Errorf("%+v, %v", report, err)
		}
		for from, want := range map[string]int{
			"metrics WHERE NOT staged": 2, "metric_scores x JOIN metrics m ON m.id = x.metric_id WHERE NOT m.staged": 9, "metric_system_scores x JOIN metrics m ON m.id = x.metric_id WHERE NOT m.staged": 2,
			"metrics WHERE staged AND replaced_by = ''": 0, "staged_imports": 0,
		} {
			if n := storetest.Count(t, db, from); n != want {
				t.Errorf("%d rows of %s, want %d", n, from, want)
			}
		}
		if now := metricScores(t, db.Store, s.Campaign); !strings.Contains(fmt.Sprint(now), "m "+b+" s1 4") || !strings.Contains(fmt.Sprint(now), "m "+a+" s1 7") {
			t.Errorf("afterwards %q", now)
		}
	})
}
