package work_test

import (
	"testing"

	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// A save, a submission and an act of a lead take few statements, and an act takes as many for twenty
// segments as for one.
func TestStatements(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(25), storetest.PerDocument(25))
	count := func(what string, most int64, do func() error) int64 {
		t.Helper()
		n := storetest.CountQueries(db.Store, func() { storetest.Check(t, do()) })
		if n > most {
			t.Errorf("%s takes %d statements, want at most %d", what, n, most)
		}
		return n
	}
	submit := func(i int, id string) func() error {
		revisions := storetest.Revisions(s.Work(t, i, id))
		return func() error { return db.Work.Submit(t.Context(), s.Campaign, s.Annotators[i].ID, id, revisions) }
	}
	a, b := s.Next(t, 0), s.Next(t, 1)
	s.Fill(t, 0, a, 0, 2, 4)
	s.Fill(t, 1, b, 4, 2, 0)
	card := work.CardSave{AssignmentID: a, CardID: s.CardID(t, 0, a, 0), Revision: 1, Rating: storetest.Rating(0)}
	count("a save", 3, func() error {
		_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, card)
		return err
	})
	count("a submission", 17, submit(0, a))
	count("a submission that leads to a second look", 20, submit(1, b))
	for range 22 {
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 0, 2, 4)
	}
	ids := storetest.Query[string](t, db, "SELECT id FROM segments ORDER BY position")
	look := func(ids []string) func() error {
		return func() error { return db.Rounds.AnotherLook(t.Context(), s.Campaign.ID, ids, nil, "look", s.Lead.ID) }
	}
	if one, many := count("another look", 28, look(ids[1:2])), count("another look at many segments", 28, look(ids[2:22])); one != many {
		t.Errorf("another look at twenty segments takes %d statements, at one %d", many, one)
	}
}
