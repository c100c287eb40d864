package work_test

import (
	"errors"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestCandidateWithoutText: nobody can save or submit that a candidate without a text is the best one; ratings that say so, from an
// archive, come in.
func TestCandidateWithoutText(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("reference"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=2"))
		for _, id := range []string{"1", "2"} {
			storetest.ImportSegments(t, s, campaign.Segment{DocID: "d", SegmentID: id, Source: "Eins.", Translations: campaign.ItselfOnly(),
				Candidates: []campaign.CandidateText{{Name: "a", Text: "One."}, {Name: "b"}}})
		}
		best := func(name string) protocol.Rating {
			return protocol.Rating{Scores: map[string]float64{}, Answers: map[string]protocol.Answer{"best": {Text: name}, "edited": {Text: "One!"}}}
		}
		storetest.ImportRatings(t, s, campaign.RatingLine{DocID: "d", SegmentID: "1", Rating: campaign.Rating{Annotator: s.Annotators[0].Login, Round: 1, Rating: best("b")}})
		load := func(id string) work.Work {
			return storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, id, s.Annotators[0].ID))(t)
		}
		save := func(w work.Work, text string) error {
			for _, c := range w.Cards[0].Candidates {
				if c.Text == text {
					_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: w.Assignment.ID, CardID: w.Cards[0].ID, Revision: w.Cards[0].Revision, Rating: best(c.ID)})
					return err
				}
			}
			t.Fatalf("no candidate has the text %q", text)
			return nil
		}
		id := s.Next(t, 0)
		invalid, ok := errors.AsType[*campaign.InvalidError](save(load(id), ""))
		if !ok || invalid.Field != "best" {
			t.Errorf("choosing the candidate without a text: %v", invalid)
		}
		storetest.Check(t, save(load(id), "One."))
		storetest.Exec(t, db, `UPDATE drafts SET answers = '{"best":"b","edited":"One!"}'`) // as an earlier version of the program saved it
		submit := func() error {
			return db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, id, storetest.Revisions(load(id)))
		}
		if _, ok := errors.AsType[*campaign.IncompleteError](submit()); !ok {
			t.Error("the candidate without a text is submitted")
		}
		storetest.Check(t, save(load(id), "One."))
		storetest.Check(t, submit())
	})
}
