package work_test

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

func TestSubmitIncomplete(t *testing.T) {
	db, s := storetest.New(t, storetest.Systems(4))
	a := s.Next(t, 0)
	s.Save(t, 0, a, 2, 3)
	storetest.Must(storetest.Save(t, s, 3, work.CardSave{AssignmentID: a, Rating: protocol.Rating{Comment: "only words"}}))(t)
	err := storetest.Submit(t, s, 0, a, 0, 0, 1, 1)
	e, ok := errors.AsType[*campaign.IncompleteError](err)
	if !ok {
		t.Fatalf("got %v, want what is missing", err)
	}
	cards := s.Work(t, 0, a).Cards
	want := []campaign.IncompleteCard{
		{ID: cards[0].ID, Index: 0, Reason: "a score"}, {ID: cards[1].ID, Index: 1, Reason: "a score"}, {ID: cards[3].ID, Index: 3, Reason: "a score"},
	}
	if !reflect.DeepEqual(e.Cards, want) {
		t.Errorf("cards %+v, want %+v", e.Cards, want)
	}
	storetest.WantErr(t, storetest.Submit(t, s, 0, a, 0, 0, 1), campaign.ErrOutdated)
	storetest.WantErr(t, storetest.Submit(t, s, 0, a), campaign.ErrOutdated)
	if n := storetest.Count(t, db, "ratings") + storetest.Count(t, db, "assignments WHERE state = 'submitted'"); n != 0 {
		t.Error("a refused submission left something")
	}
}

// Only what the annotator saw is submitted.
func TestSubmitStale(t *testing.T) {
	_, s := storetest.New(t)
	a := s.Next(t, 0)
	for card := range 3 {
		s.Save(t, 0, a, card, 2)
	}
	s.Save(t, 0, a, 1, 4) // in another window
	wantConflict(t, storetest.Submit(t, s, 0, a, 1, 1, 1), 1, 2, 4)
	wantConflict(t, storetest.Submit(t, s, 0, a, 0, 2, 1), 0, 1, 2)
	storetest.Check(t, storetest.Submit(t, s, 0, a, 1, 2, 1))
}

// Ratings are what the drafts were, to the letter, and the sums are right.
func TestSubmitKeepsDrafts(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Set("redundancy=1"))
	a := s.Next(t, 0)
	db.Clock.Advance(time.Hour)
	want := map[string]campaign.Rating{} // by text
	for i, card := range s.Work(t, 0, a).Cards {
		r := protocol.Rating{Scores: map[string]float64{"sqm": float64(i)}, Comment: storetest.HardTexts[4+i]}
		storetest.Must(storetest.Save(t, s, i, work.CardSave{AssignmentID: a, Rating: r, Seconds: 0.1 * float64(i+1)}))(t)
		want[card.Text] = campaign.Rating{Annotator: "ann1", Round: 1, Rating: protocol.Rating{Scores: r.Scores, Comment: r.Comment}, Seconds: 0.1 * float64(i+1),
			SubmittedAt: db.Clock.Now().Add(time.Minute)}
	}
	db.Clock.Advance(time.Minute)
	s.Submit(t, 0, a)
	for _, tr := range s.All(t)[0].Translations {
		if len(tr.Ratings) != 1 || !reflect.DeepEqual(tr.Ratings[0], want[tr.Text]) {
			t.Errorf("%q is rated %+v, want %+v", tr.Text, tr.Ratings, want[tr.Text])
		}
	}
	facts := storetest.Must(db.Records.ExportFacts(t.Context(), s.Campaign.ID))(t)
	if facts.Ratings != 3 || !reflect.DeepEqual(facts.Logins, []string{"ann1"}) {
		t.Errorf("facts %+v", facts)
	}
	w := s.Work(t, 0, a)
	if w.Assignment.State != campaign.Submitted || !w.SubmittedAt.Equal(db.Clock.Now()) || w.Over == "" || w.Changed {
		t.Errorf("work %+v", w)
	}
}

// Until the round is decided, what was submitted can be changed and submitted
// again; afterwards it stands.
func TestRevise(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a, b := s.Next(t, 0), s.Next(t, 1)
	s.Rate(t, 0, a, 0, 2, 4)
	first := db.Clock.Now()
	scores := func() []float64 {
		var out []float64
		for _, tr := range s.All(t)[0].Translations {
			out = append(out, tr.Ratings[0].Scores["sqm"])
		}
		return out
	}
	db.Clock.Advance(time.Hour)
	s.Fill(t, 0, a, 1, 2, 3) // saved, but not submitted again
	if w := s.Work(t, 0, a); !w.Changed || w.Over != "" || w.Assignment.State != campaign.Submitted {
		t.Errorf("work %+v, want it submitted and changed since", w)
	}
	if got := scores(); !reflect.DeepEqual(got, []float64{0, 2, 4}) {
		t.Errorf("a change that is not submitted counts: %v", got)
	}
	s.Submit(t, 0, a)
	if w := s.Work(t, 0, a); w.Changed || !w.SubmittedAt.Equal(first) {
		t.Errorf("changed %v, submitted at %v, want the first time %v", w.Changed, w.SubmittedAt, first)
	}
	if got := scores(); !reflect.DeepEqual(got, []float64{1, 2, 3}) {
		t.Errorf("scores %v, want the revised ones", got)
	}
	storetest.WantCount(t, db, 3, "ratings")

	s.Fill(t, 0, a, 4, 4, 4) // saved in time, never submitted
	s.Rate(t, 1, b, 0, 2, 4) // decided
	w := s.Work(t, 0, a)
	if w.Over == "" {
		t.Error("the work is not shown as decided")
	}
	for _, card := range w.Cards {
		if card.Rating.Scores["sqm"] == 4 && card.Text != storetest.Text(1, 2) {
			t.Errorf("card %q shows %v, want what was submitted", card.Text, card.Rating.Scores)
		}
	}
	_, err := storetest.Save(t, s, 0, work.CardSave{AssignmentID: a, Revision: 3, Rating: storetest.Rating(0)})
	storetest.WantErr(t, err, campaign.ErrDecided)
	storetest.WantErr(t, storetest.Submit(t, s, 0, a, 3, 3, 3), campaign.ErrDecided)
	if got := scores(); !reflect.DeepEqual(got, []float64{1, 2, 3}) {
		t.Errorf("scores %v after the decision, want %v", got, []float64{1, 2, 3})
	}
}

// The state of the campaign counts as it is when the submission arrives, not as
// the page knew it.
func TestSubmitWhileNotOpen(t *testing.T) {
	_, s := storetest.New(t)
	a := s.Next(t, 0)
	s.Fill(t, 0, a, 0, 2, 4)
	before := s.Campaign
	for _, state := range []campaign.State{campaign.Paused, campaign.Closed} {
		s.SetState(t, state)
		s.Campaign = before
		storetest.WantErr(t, storetest.Submit(t, s, 0, a, 1, 1, 1), campaign.ErrNotOpen)
	}
	s.SetState(t, campaign.Open)
	storetest.Check(t, storetest.Submit(t, s, 0, a, 1, 1, 1))
}

// A double click, or two windows.
func TestSubmitTwiceAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(10), storetest.Set("redundancy=1"))
		for range 10 {
			a := s.Next(t, 0)
			s.Fill(t, 0, a, 0, 2, 4)
			errs := make([]error, 4)
			var wg sync.WaitGroup
			for i := range errs {
				wg.Go(func() { errs[i] = storetest.Submit(t, s, 0, a, 1, 1, 1) })
			}
			wg.Wait()
			storetest.Check(t, errors.Join(errs...))
		}
		if n, d := storetest.Count(t, db, "ratings"), storetest.Count(t, db, "decisions"); n != 30 || d != 10 {
			t.Errorf("%d ratings and %d decisions, want 30 and 10", n, d)
		}
	})
}

// TestSaveDuringSubmit: what another window saves while a segment is submitted is no part of the submission, and stays saved.
func TestSaveDuringSubmit(t *testing.T) {
	db := storetest.Postgres(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=2"))
	storetest.ImportSegments(t, s, campaign.Segment{DocID: "d", SegmentID: "s", Source: "As it is", Translations: campaign.ItselfOnly()})
	a := s.Next(t, 0)
	card := s.CardID(t, 0, a, 0)
	save := func(revision int, r protocol.Rating) {
		storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: a, CardID: card, Revision: revision, Rating: r}))(t)
	}
	rating := protocol.Rating{Scores: map[string]float64{"difficulty": 4}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}}} // the text is as it began
	save(0, rating)
	rating.Comment = "from another window"
	end := storetest.BeforeStatement(db.Store, "UPDATE drafts SET scores", 1, func(*gorm.DB) { save(1, rating) })
	s.Submit(t, 0, a)
	end()
	if got := s.Work(t, 0, a).Cards[0]; got.Revision != 2 || got.Rating.Comment != "from another window" {
		t.Errorf("revision %d is %+v", got.Revision, got.Rating)
	}
	if got := storetest.Query[string](t, db, "SELECT comment FROM ratings"); len(got) != 1 || got[0] != "" {
		t.Errorf("submitted are the comments %q", got)
	}
}

// A page whose submission was stored, but not answered, submits once more. That
// changes nothing and is no error, whatever has happened since; it is one once a
// card was changed.
func TestSubmitAgain(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a, b := s.Next(t, 0), s.Next(t, 1)
	s.Rate(t, 0, a, 0, 2, 4)
	revisions := storetest.Revisions(s.Work(t, 0, a))
	state := func() []string {
		return storetest.Query[string](t, db, "SELECT assignment_id || scores || submitted_at || '/' || seconds FROM ratings ORDER BY id")
	}
	again := func(when string) {
		t.Helper()
		before := state()
		db.Clock.Advance(time.Minute)
		for range 2 {
			if err := db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, a, revisions); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		if after := state(); !reflect.DeepEqual(after, before) {
			t.Errorf("%s the ratings were %q and are %q", when, before, after)
		}
	}
	again("in time")
	s.Rate(t, 1, b, 4, 2, 0)
	again("once the round is decided")
	for _, state := range []campaign.State{campaign.Paused, campaign.Closed, campaign.Open} {
		s.SetState(t, state)
		again("in a campaign that is " + string(state))
	}
	for id := range revisions {
		revisions[id]++
		storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, a, revisions), campaign.ErrDecided)
		revisions[id]--
	}
	storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[1].ID, a, revisions), campaign.ErrNotFound)
}

// Time that was saved after a submission comes in with the next one.
func TestSubmitMoreTime(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a := s.Next(t, 0)
	s.Rate(t, 0, a, 0, 2, 4)
	db.Clock.Advance(time.Hour)
	card := s.Work(t, 0, a).Cards[1]
	storetest.Must(storetest.Save(t, s, 1, work.CardSave{AssignmentID: a, Revision: card.Revision, Rating: card.Rating, Seconds: 30}))(t)
	s.Submit(t, 0, a)
	if got := storetest.Query[float64](t, db, "SELECT max(seconds) FROM ratings"); got[0] != 30 {
		t.Errorf("%v seconds, want 30", got)
	}
}

// Nobody works longer on all cards of a page than the clock on the wall has moved.
func TestSubmitSharesTime(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Systems(2))
	a := s.Next(t, 0)
	s.Fill(t, 0, a, 2, 4)
	db.Clock.Advance(time.Minute)
	for i, card := range s.Work(t, 0, a).Cards {
		storetest.Must(storetest.Save(t, s, i, work.CardSave{AssignmentID: a, Revision: card.Revision, Rating: card.Rating, Seconds: 60}))(t)
	}
	s.Submit(t, 0, a)
	if got := storetest.Query[float64](t, db, "SELECT seconds FROM ratings"); !slices.Equal(got, []float64{30, 30}) {
		t.Errorf("%v seconds, want 30 for each card", got)
	}
}
