package work_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// An idle assignment frees its place, keeps its drafts, and is accepted late.
func TestIdleIsReleased(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=2", "release_hours=24"))
	idle, other := s.Next(t, 0), s.Next(t, 1)
	s.Save(t, 0, idle, 0, 3)
	nothing := func() {
		t.Helper()
		storetest.WantNext(t, s, 2, campaign.ErrNoWork)
	}
	db.Clock.Advance(23 * time.Hour)
	nothing()
	s.Save(t, 0, idle, 0, 4) // a sign of life
	s.Save(t, 1, other, 0, 4)
	db.Clock.Advance(23 * time.Hour)
	nothing()
	s.Save(t, 1, other, 0, 4)
	db.Clock.Advance(61 * time.Minute)
	third := s.Next(t, 2)
	storetest.WantStates(t, db, "s1", "ann1/1 released", "ann2/1 open", "ann3/1 open")
	if w := s.Work(t, 0, idle); w.Cards[0].Revision != 2 || w.Cards[0].Rating.Scores["sqm"] != 4 {
		t.Errorf("the draft became %+v", w.Cards[0])
	}
	s.Rate(t, 1, other, 0, 2, 4)
	s.Rate(t, 2, third, 0, 2, 4)
	if seg := s.All(t)[0]; seg.Status != campaign.Agreed {
		t.Fatalf("s1 is %s, want agreed by those who stayed", seg.Status)
	}
	s.Rate(t, 0, idle, 4, 2, 0) // late, and of another opinion
	seg := s.All(t)[0]
	if seg.Status != campaign.Reannotate || len(seg.Translations[0].Ratings) != 3 {
		t.Errorf("s1 is %s with %d ratings, want that of one annotator more to count like any other", seg.Status, len(seg.Translations[0].Ratings))
	}
	storetest.WantCount(t, db, 1, "decisions WHERE current")
	// Now that it is submitted and decided, it stands.
	storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, idle, storetest.Revisions(s.Work(t, 0, idle))), campaign.ErrDecided)
}

// Somebody who comes back while the place is free goes on where they were.
func TestReleasedIsTakenUpAgain(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Set("redundancy=1"))
	a := s.Next(t, 0)
	s.Save(t, 0, a, 2, 3)
	db.Clock.Advance(25 * time.Hour)
	if again := s.Next(t, 0); again != a {
		t.Error("ann1 is given another segment than the one begun")
	}
	storetest.WantStates(t, db, "s1", "ann1/1 open")
	if w := s.Work(t, 0, a); w.Cards[2].Revision != 1 || storetest.Places(t, db, "s1") != 1 {
		t.Errorf("revision %d, %d places taken", w.Cards[2].Revision, storetest.Places(t, db, "s1"))
	}
}

// A save in a page that was left open takes the place up again.
func TestSaveTakesUpAgain(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=2"))
	a, b := s.Next(t, 0), s.Next(t, 1)
	db.Clock.Advance(25 * time.Hour)
	c := s.Next(t, 2) // both are released
	storetest.WantPlaces(t, db, "s1", 1)
	s.Save(t, 0, a, 0, 3)
	storetest.WantStates(t, db, "s1", "ann1/1 open", "ann2/1 released", "ann3/1 open")
	storetest.WantPlaces(t, db, "s1", 2)
	s.Rate(t, 0, a, 0, 2, 4)
	s.Rate(t, 2, c, 0, 2, 4) // decided
	s.Save(t, 1, b, 0, 3)    // kept, but the segment is done
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 released", "ann3/1 submitted")
	if w := s.Work(t, 1, b); w.Cards[0].Revision != 1 {
		t.Error("the save was lost")
	}
}

func TestReleaseHoursZero(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Set("redundancy=1", "release_hours=0"))
	a := s.Next(t, 0)
	db.Clock.Advance(365 * 24 * time.Hour)
	storetest.WantNext(t, s, 1, campaign.ErrNoWork)
	if again := s.Next(t, 0); again != a {
		t.Error("released with release_hours=0")
	}
}

// Pages left open that are submitted, a report, and requests for work, which release what is idle, at the
// same moment: none of them fails, what was submitted stands, and the counts stay right.
func TestPlacesAtTheSameTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(12), storetest.PerDocument(1), storetest.Systems(1), storetest.Annotators(6))
		for range 12 {
			var begun [3]string
			for i := range begun {
				id, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
				if errors.Is(err, campaign.ErrNoWork) {
					continue
				}
				storetest.Check(t, err)
				begun[i] = id
			}
			db.Clock.Advance(25 * time.Hour)
			var wg sync.WaitGroup
			for i, id := range begun {
				if id == "" {
					continue
				}
				wg.Go(func() {
					var err error
					switch i {
					case 0:
						err = db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[i].ID, id, "no sentence")
					default:
						err = s.TryRate(t.Context(), i, id, 3)
					}
					if err != nil {
						t.Errorf("annotator %d: %v", i, err)
					}
				})
			}
			for i := 3; i < 6; i++ {
				wg.Go(func() {
					id, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
					if err == nil {
						err = s.TryRate(t.Context(), i, id, 3)
					}
					if err != nil && !errors.Is(err, campaign.ErrNoWork) {
						t.Errorf("annotator %d: %v", i, err)
					}
				})
			}
			wg.Wait()
			for _, id := range begun[1:] {
				if id != "" && storetest.Count(t, db, "assignments WHERE id = ? AND state = 'submitted'", id) != 1 {
					t.Error("what was submitted does not stand")
				}
			}
		}
		if wrong := storetest.Query[string](t, db, `SELECT segment_id FROM segments s WHERE taken <> (SELECT count(*) FROM assignments a
			WHERE a.segment_id = s.id AND a.round = 1 AND a.state IN ('open', 'submitted'))`); len(wrong) > 0 {
			t.Errorf("wrong number of places of %q", wrong)
		}
		if wrong := storetest.Query[string](t, db, `SELECT segment_id FROM segments s WHERE NOT s.held AND s.status = 'pending' AND s.taken >= 2
			AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = s.id AND a.state = 'open')`); len(wrong) > 0 {
			t.Errorf("%q are complete and not decided", wrong)
		}
	})
}
