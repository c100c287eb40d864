package desk_test

import (
	"reflect"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// An annotator's page counts what the annotator did with suggested errors, also while the work is set aside.
func TestFatesOfSuggestions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Segments(1), storetest.Systems(2))
		mark := func(id string, end int) protocol.ErrorSpan {
			return protocol.ErrorSpan{ID: id, Side: protocol.Target, Start: 0, End: end, Severity: "minor"}
		}
		fates := func() []readmodel.Fates {
			return storetest.Must(db.Desk.AnnotatorDetail(t.Context(), s.Campaign, s.Annotators[0].Login))(t).Fates
		}
		if got := fates(); got != nil {
			t.Errorf("without suggestions: %+v", got)
		}
		storetest.Must(db.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, storetest.SuggestionLines(
			campaign.SuggestionLine{SegmentID: "s1", System: s.Systems[0], Suggestions: protocol.Suggestions{Origin: "xcomet", Spans: []protocol.ErrorSpan{mark("1", 5), mark("2", 7), mark("3", 9)}}},
			campaign.SuggestionLine{SegmentID: "s1", System: s.Systems[1], Suggestions: protocol.Suggestions{Origin: "gemba", Spans: []protocol.ErrorSpan{mark("1", 5)}}},
		), intake.ImportOptions{}))(t)

		// The three of xcomet are accepted, changed and rejected, and the one of gemba is rejected.
		assignment := s.Next(t, 0)
		for _, card := range s.Work(t, 0, assignment).Cards {
			rating := protocol.Rating{Scores: map[string]float64{"score": 50}, NoErrors: true}
			rejected := "1"
			if len(card.Suggestions) == 3 {
				accepted, changed := mark("a", 5), mark("b", 7)
				accepted.Suggestion, changed.Suggestion, changed.Severity = "1", "2", "major"
				rating.Spans, rating.NoErrors, rejected = []protocol.ErrorSpan{accepted, changed}, false, "3"
			}
			rating.Suggestions = []protocol.Outcome{{ID: rejected, Became: protocol.Rejected}}
			storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: rating}))(t)
		}
		s.Submit(t, 0, assignment)
		want := []readmodel.Fates{{Origin: "gemba", Rejected: 1}, {Origin: "xcomet", Accepted: 1, Changed: 1, Rejected: 1}}
		if got := fates(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		storetest.SetAside(t, s, 0)
		if got := fates(); !reflect.DeepEqual(got, want) {
			t.Errorf("with the work set aside: %+v, want %+v", got, want)
		}
	})
}
