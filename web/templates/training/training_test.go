package training

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

// TestAttempts: the page of a training says of each segment of an attempt what was right and wrong, with its feedback.
func TestAttempts(t *testing.T) {
	scores := func(right ...bool) (out []campaign.ScoreFeedback) {
		for _, r := range right {
			out = append(out, campaign.ScoreFeedback{Right: r})
		}
		return out
	}
	marks := func(verdicts ...campaign.MarkVerdict) (out []campaign.MarkFeedback) {
		for _, v := range verdicts {
			out = append(out, campaign.MarkFeedback{Verdict: v})
		}
		return out
	}
	v := TrainView{Page: pagetest.LeadPage("annotator"), Trainee: campaign.Trainee{Attempts: []campaign.TrainingAttempt{{Number: 1, Finished: true}, {Number: 2}}}}
	v.Results = []readmodel.TrainingResult{
		{ID: "r1", DocID: "d", Segment: "العربية", Attempt: 1, Value: .5, Feedback: []campaign.Feedback{
			{Scores: scores(true), Marks: marks(campaign.MarkFound, campaign.MarkMissed)}, {Scores: scores(false), Marks: marks(campaign.MarkFound, campaign.MarkSeverity, campaign.MarkSuperfluous)},
		}},
		{ID: "r2", DocID: "d", Segment: "二", Attempt: 1, Value: 1, Feedback: []campaign.Feedback{{Scores: scores(true)}, {Scores: scores(true)}}},
		{ID: "r3", DocID: "d", Segment: "三", Attempt: 2, Value: 1, Feedback: []campaign.Feedback{{Scores: scores(true)}}},
	}
	doc, _ := pagetest.Written(t, Train(v))
	rows := doc.Find("section.section table")
	for i, want := range []string{
		"Segment|Right|Scores right|Marks|Feedback", "العربية d|50 %|1 of 2|2 found, 1 found with another severity, 1 missed, 1 superfluous|Feedback", "二 d|100 %|2 of 2||Feedback",
	} {
		var cells []string
		for _, cell := range rows.Eq(0).Find("tr").Eq(i).Find("th, td").EachIter() {
			cells = append(cells, pagetest.Words(cell))
		}
		if got := strings.Join(cells, "|"); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if got := pagetest.Words(rows.Eq(1).Find("thead")); got != "Segment Right Scores right Feedback" {
		t.Errorf("an attempt without marks has the columns %q", got)
	}
	if got := rows.Eq(0).Find("td a").Eq(1).AttrOr("href", ""); !strings.HasSuffix(got, "/train/results/r2") {
		t.Errorf("the feedback is at %q", got)
	}
}
