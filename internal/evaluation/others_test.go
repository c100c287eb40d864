package evaluation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/intake"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// rated makes a campaign of SQM ratings whose segments are all in gold. given has the
// scores by segment, system and annotator; NaN is none.
func rated(t *testing.T, st *store.Store, pair string, given [][][]float64) campaign.Campaign {
	t.Helper()
	c := newCampaign(t, st, "sqm", pair)
	storetest.Check(t, st.Rounds.ChangeCampaign(t.Context(), c.ID, "", records.CampaignChange{Settings: []string{"gate=off", "redundancy=1"}}))
	var lines []campaign.Segment
	for i, systems := range given {
		seg := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint(i), Source: "s"}
		for k, annotators := range systems {
			tr := campaign.Translation{System: string(rune('A' + k)), Text: "t"}
			for a, score := range annotators {
				if !math.IsNaN(score) {
					tr.Ratings = append(tr.Ratings, campaign.Rating{Annotator: []string{"ana", "ben", "cem"}[a], Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}})
				}
			}
			seg.Translations = append(seg.Translations, tr)
		}
		lines = append(lines, seg)
	}
	storetest.Must(st.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	return storetest.Must(st.Records.Campaign(t.Context(), c.Slug))(t)
}

// An annotator is compared with the mean of the others, on the translations that both have
// rated.
func TestOthers(t *testing.T) {
	db, n := storetest.Open(t), math.NaN()
	c := rated(t, db.Store, "en-de", [][][]float64{{{4, 2, 3}, {0, 1, 3}}, {{3, n, n}, {2, n, n}}, {{n, 4, 0}, {n, 2, 2}}, {{1, 3, n}, {2, 4, n}}})
	alone := rated(t, db.Store, "en-fr", [][][]float64{{{4, n}, {2, n}}, {{n, 1}, {n, 3}}})
	if _, _, notes := read(t, db.Store, alone, "sqm", "sqm-A"); !slices.Contains(notes, "sqm-A has nothing to be compared with, since nobody else rated the same translations") {
		t.Errorf("notes %q", notes)
	}
	for _, tt := range []struct {
		human, metric string
		own, others   []float64 // of system A
	}{
		{"sqm", "sqm-A", []float64{4, n, n, 1}, []float64{2.5, n, n, 3}},
		{"sqm", "sqm-B", []float64{2, n, 4, 3}, []float64{3.5, n, 0, 1}},
		{"sqm-C", "sqm-A", []float64{4, 3, n, 1}, nil},
		{"sqm-A", "sqm", []float64{2.5, n, 2, 3}, nil}, // the mean leaves out the annotator
		// ana: mean 2, deviation √(5/3); ben: mean 8/3, deviation √(11/9); cem: mean 2, √1.5.
		{"sqm-z", "sqm-A", []float64{4, n, n, 1}, []float64{((2-8./3)/math.Sqrt(11./9) + 1/math.Sqrt(1.5)) / 2, n, n, (3 - 8./3) / math.Sqrt(11./9)}},
		{"sqm-A", "sqm-z", []float64{((2-8./3)/math.Sqrt(11./9) + 1/math.Sqrt(1.5)) / 2, n, (4/math.Sqrt(11./9) - 8./3/math.Sqrt(11./9) - 2/math.Sqrt(1.5)) / 2, (3 - 8./3) / math.Sqrt(11./9)}, nil},
	} {
		_, d, _ := read(t, db.Store, c, tt.human, tt.metric)
		s := scoresOf(t, d.Humans, tt.metric)
		if !equal(s.Segment["A"], tt.own) || !equal(s.Others["A"], tt.others) {
			t.Errorf("%s with %s: %v and %v, want %v and %v", tt.metric, tt.human, s.Segment["A"], s.Others["A"], tt.own, tt.others)
		}
	}
}

// Annotators who score at random do not agree with each other, and with nobody else there is
// nothing to compare with.
func TestRandomAnnotators(t *testing.T) {
	db := storetest.Open(t)
	random := rand.New(rand.NewPCG(1, 2))
	given := make([][][]float64, 60)
	for i := range given {
		for range 8 {
			given[i] = append(given[i], []float64{float64(random.IntN(5)), float64(random.IntN(5))})
		}
	}
	c := rated(t, db.Store, "en-de", given)
	s := storetest.Must(evaluation.Open(t.Context(), db.Store, c))(t)
	plan := storetest.Must(s.Plan(metaeval.Choice{HumanAsMetric: []string{"sqm-A", "sqm-B", "sqm-z"}}))(t)
	plan.Metrics = nil
	d, _, err := s.Read(t.Context(), plan, nil)
	storetest.Check(t, err)
	r := storetest.Must(metaeval.Evaluate(t.Context(), d, metaeval.Task{Preset: metaeval.MENT, Significance: true, Permutations: 20}.WithPlan(plan)))(t)
	for _, m := range r.Metrics {
		if annotator := m.Name != "sqm-z"; m.Others != annotator || (m.Rank == 0) != annotator {
			t.Errorf("%s: compared with others %v, rank %d", m.Name, m.Others, m.Rank)
		} else if annotator && (math.Abs(m.Segment.Pearson) > .1 || m.Segment.AccT > .4) {
			t.Errorf("%s: r %v, acc_t %v", m.Name, m.Segment.Pearson, m.Segment.AccT)
		}
	}
}
