package desk_test

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// TestSameAnswer: the flag of constant answers names the answer, and no candidate raises it, since one system may be the best
// throughout.
func TestSameAnswer(t *testing.T) {
	for id, want := range map[string]string{"inspect": "have the answer \"Drop\"", "reference": ""} {
		storetest.Each(t, func(t *testing.T, db *storetest.DB) {
			s := storetest.Campaign(t, db.Store, storetest.Protocol(id), storetest.Segments(0), storetest.Set("redundancy=1"))
			for i := range 20 {
				segment := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: fmt.Sprint("Sentence ", i), Translations: campaign.ItselfOnly()}
				answers := map[string]protocol.Answer{"keep": {Text: "no"}, "reason": {Text: "noise"}}
				if id == "reference" {
					segment.Candidates = []campaign.CandidateText{{Name: "a", Text: fmt.Sprint("Satz ", i)}, {Name: "b", Text: "Satz"}}
					answers = map[string]protocol.Answer{"best": {Text: "b"}, "edited": {Text: "Satz"}}
				}
				storetest.ImportSegments(t, s, segment)
				storetest.ImportRatings(t, s, campaign.RatingLine{DocID: "d", SegmentID: segment.SegmentID, Rating: campaign.Rating{Annotator: "ines", Round: 1, Rating: protocol.Rating{Answers: answers}}})
			}
			var got []string
			for _, a := range s.Progress(t).Annotators {
				for _, f := range a.Flags {
					got = append(got, f.Text)
				}
			}
			if said := strings.Join(got, "; "); !strings.Contains(said, want) || want == "" && said != "" {
				t.Errorf("%s: flagged is %q, want %q", id, said, want)
			}
		})
	}
}
