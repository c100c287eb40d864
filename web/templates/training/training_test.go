package training

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

// TestFeedbackOnASegment: where the segment is rated itself, the feedback compares answers, and names no translation.
func TestFeedbackOnASegment(t *testing.T) {
	for id, want := range map[string]string{"inspect": "Answers", "sqm": "Translation A"} {
		doc, _ := pagetest.Written(t, Result(ResultView{
			Page: pagetest.LeadPage(""), Protocol: pagetest.Lookup(t, id), Result: readmodel.TrainingResult{Feedback: []campaign.Feedback{{Value: 1}}, Texts: []string{""}},
		}))
		if got := pagetest.Words(doc.Find("#card-0")); got != want {
			t.Errorf("%s: the card is headed %q, want %q", id, got, want)
		}
	}
}
