package evaluation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/intake"
	"annotate/internal/metaeval"
	"annotate/internal/store/storetest"
)

// judgedCampaign makes a campaign with human scores of two systems, a reference, and
// scores of "j-ref" for the first n segments of each, as a metric or as a judge. Of the
// segments in unread the judge gave an answer that could not be read.
func judgedCampaign(t *testing.T, db *storetest.DB, slug string, asJudge bool, n int, unread ...int) campaign.Campaign {
	t.Helper()
	s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(0))
	systems := []string{"A", "B", "C"}
	score := func(i, k int) float64 { return float64((7*i + 5*k) % 11) }
	var lines []campaign.Segment
	for i := range 12 {
		seg := storetest.Segment(i+1, 1, systems)
		seg.References = []campaign.Reference{{Name: "ref", Text: "a reference"}}
		for k := range seg.Translations {
			seg.Translations[k].HumanScores = []campaign.HumanScore{{Name: "ment", Score: float64((3*i + 2*k) % 5)}}
		}
		lines = append(lines, seg)
	}
	storetest.Must(db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	var scores []campaign.MetricScore
	var judgements []campaign.JudgementLine
	for k, system := range systems {
		for i := range n {
			x := score(i, k)
			j := campaign.JudgementLine{SegmentID: fmt.Sprintf("s%d", i+1), System: system, Judgement: campaign.Judgement{Judge: "j-ref", Status: campaign.JudgementOK, Score: &x}}
			if slices.Contains(unread, i) {
				j.Status, j.Score = campaign.JudgementUnparsable, nil
			}
			judgements = append(judgements, j)
			scores = append(scores, campaign.MetricScore{Metric: "j-ref", System: system, SegmentID: fmt.Sprintf("s%d", i+1), Score: score(i, k), Group: "judge"})
		}
	}
	var err error
	if asJudge {
		_, err = db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(judgements...), intake.ImportOptions{})
	} else {
		_, err = db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(scores), intake.ImportOptions{})
	}
	storetest.Check(t, err)
	return s.Campaign
}

// The score of a judge gives the same results as the same score of a metric.
func TestJudgeIsAMetric(t *testing.T) {
	db := storetest.Open(t)
	var results []metaeval.Result
	for _, asJudge := range []bool{false, true} {
		c := judgedCampaign(t, db, fmt.Sprintf("c-%t", asJudge), asJudge, 12)
		_, d, notes := read(t, db.Store, c, "ment")
		if len(notes) > 0 {
			t.Errorf("notes %q", notes)
		}
		r := storetest.Must(metaeval.Evaluate(t.Context(), d, metaeval.Task{Human: "ment", Seed: 4, Permutations: 100}))(t)
		for _, m := range r.Metrics {
			if m.Name == "j-ref" {
				results = append(results, m)
			}
		}
	}
	if len(results) != 2 || fmt.Sprint(results[0]) != fmt.Sprint(results[1]) || results[0].Group != metaeval.Judge {
		t.Errorf("as a metric and as a judge the results are\n%+v", results)
	}
}

// A judge uses no reference, whatever its name.
func TestJudgeHasNoReference(t *testing.T) {
	db := storetest.Open(t)
	for _, asJudge := range []bool{false, true} {
		c := judgedCampaign(t, db, fmt.Sprintf("c-%t", asJudge), asJudge, 12)
		s := storetest.Must(evaluation.Open(t.Context(), db.Store, c))(t)
		s.References = append(s.References, "other")
		p, err := s.Plan(metaeval.Choice{Reference: "other"})
		if err != nil || strings.Contains(strings.Join(p.Metrics, " "), "j-ref") != asJudge {
			t.Errorf("a judge: %t, the plan has %v, %v", asJudge, p.Metrics, err)
		}
	}
}

// What a judge's answer could not be read of is left out and named. A judge that has not
// judged everything is left out as a metric is.
func TestUnreadAnswers(t *testing.T) {
	db := storetest.Open(t)
	_, d, notes := read(t, db.Store, judgedCampaign(t, db, "unread", true, 12, 3, 7), "ment")
	if len(notes) != 1 || !strings.Contains(notes[0], "j-ref gave 6 answers that could not be read") {
		t.Errorf("notes %q", notes)
	}
	if row := scoresOf(t, d.Metrics, "j-ref").Segment["A"]; len(row) != 12 || row[3] == row[3] || row[4] != row[4] {
		t.Errorf("scores %v", row)
	}
	_, d, notes = read(t, db.Store, judgedCampaign(t, db, "begun", true, 11, 3), "ment")
	if len(notes) != 1 || !strings.Contains(notes[0], "j-ref is left out, since it lacks scores where there is a human score: of A 1 translation, of B 1 translation, of C 1 translation; run the judge on") {
		t.Errorf("notes %q", notes)
	}
}
