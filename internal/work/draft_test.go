package work_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

func wantConflict(t *testing.T, err error, index, revision int, score float64) {
	t.Helper()
	storetest.WantErr(t, err, campaign.ErrConflict)
	e, ok := errors.AsType[*work.ConflictError](err)
	if !ok {
		t.Errorf("got %v, want a conflict", err)
		return
	}
	if e.Index != index || e.Card.Revision != revision || e.Card.Rating.Scores["sqm"] != score {
		t.Errorf("conflict about card %d, which holds %+v, want card %d in revision %d with %v", e.Index, e.Card, index, revision, score)
	}
}

func TestSaveRevisions(t *testing.T) {
	db := storetest.Open(t)
	db.Clock.Set(storetest.Start.Add(123_456_789)) // finer than is stored
	s := storetest.Campaign(t, db.Store)
	a := s.Next(t, 0)
	db.Clock.Advance(time.Hour)
	for revision := range 4 {
		db.Clock.Advance(time.Second)
		saved, err := storetest.Save(t, s, 1, work.CardSave{AssignmentID: a, Revision: revision, Seconds: float64(revision) + 0.5,
			Rating: protocol.Rating{Scores: map[string]float64{"sqm": float64(revision)}, Comment: storetest.HardTexts[revision+3]}})
		storetest.Check(t, err)
		w := s.Work(t, 0, a)
		card := w.Cards[1]
		if saved.Revision != revision+1 || card.Revision != revision+1 || !saved.At.Equal(card.SavedAt) || card.SavedAt.Sub(db.Clock.Now()).Abs() > time.Microsecond {
			t.Errorf("acknowledged %+v, stored %+v", saved, card)
		}
		if card.Rating.Scores["sqm"] != float64(revision) || card.Rating.Comment != storetest.HardTexts[revision+3] || card.Seconds != float64(revision)+0.5 {
			t.Errorf("stored %+v", card)
		}
		if w.Cards[0].Revision != 0 || w.Cards[2].Revision != 0 || !w.Cards[0].SavedAt.IsZero() {
			t.Errorf("other cards changed: %+v", w.Cards)
		}
	}
	for _, stale := range []int{0, 1, 3, 5} {
		_, err := storetest.Save(t, s, 1, work.CardSave{AssignmentID: a, Revision: stale, Rating: storetest.Rating(0)})
		wantConflict(t, err, 1, 4, 3)
	}
	// A card that was never saved has no revision to be based on.
	_, err := storetest.Save(t, s, 2, work.CardSave{AssignmentID: a, Revision: 1, Rating: storetest.Rating(0)})
	if e, ok := errors.AsType[*work.ConflictError](err); !ok || e.Card.Revision != 0 {
		t.Errorf("got %v, want a conflict with a card that was never saved", err)
	}
	// A score can be taken back.
	storetest.Must(storetest.Save(t, s, 1, work.CardSave{AssignmentID: a, Revision: 4}))(t)
	if card := s.Work(t, 0, a).Cards[1]; len(card.Rating.Scores) != 0 || card.Rating.Comment != "" {
		t.Errorf("after emptying the card it holds %+v", card)
	}
}

func TestRepeatedSave(t *testing.T) {
	db, s := storetest.New(t)
	a := s.Next(t, 0)
	first := work.CardSave{AssignmentID: a, Revision: 0, SaveID: "one", Rating: storetest.Rating(3)}
	want := storetest.Must(storetest.Save(t, s, 0, first))(t)
	db.Clock.Advance(time.Minute)
	for range 2 {
		if got := storetest.Must(storetest.Save(t, s, 0, first))(t); got != want {
			t.Errorf("the repeated save is acknowledged with %+v, want %+v", got, want)
		}
	}
	second := work.CardSave{AssignmentID: a, Revision: 1, SaveID: "two", Rating: storetest.Rating(4)}
	storetest.Must(storetest.Save(t, s, 0, second))(t)
	_, err := storetest.Save(t, s, 0, first) // long overtaken
	wantConflict(t, err, 0, 2, 4)
	_, err = storetest.Save(t, s, 0, work.CardSave{AssignmentID: a, Revision: 0, SaveID: "two", Rating: storetest.Rating(1)})
	wantConflict(t, err, 0, 2, 4)
	// Without an id two saves are two saves.
	nameless := work.CardSave{AssignmentID: a, Rating: storetest.Rating(2)}
	storetest.Must(storetest.Save(t, s, 1, nameless))(t)
	_, err = storetest.Save(t, s, 1, nameless)
	wantConflict(t, err, 1, 1, 2)
}

// Of several windows that save the same card at once exactly one is first, each
// time; the same request sent twice is not two.
func TestSaveAtTheSameTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		a := s.Next(t, 0)
		card := s.CardID(t, 0, a, 0)
		for revision := range 10 {
			errs := make([]error, 6)
			var wg sync.WaitGroup
			for i := range errs {
				wg.Go(func() {
					_, errs[i] = db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{
						AssignmentID: a, CardID: card, Revision: revision, SaveID: fmt.Sprint(revision, "/", i/2), Rating: storetest.Rating(float64(i / 2)),
					})
				})
			}
			wg.Wait()
			card := s.Work(t, 0, a).Cards[0]
			if card.Revision != revision+1 {
				t.Fatalf("revision %d after %d rounds", card.Revision, revision+1)
			}
			for i, err := range errs {
				if won := card.Rating.Scores["sqm"] == float64(i/2); won != (err == nil) {
					t.Errorf("window %d: %v, stored is %v", i, err, card.Rating.Scores)
				}
				if err != nil {
					wantConflict(t, err, 0, revision+1, card.Rating.Scores["sqm"])
				}
			}
		}
	})
}

func TestSaveRefuses(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.PerDocument(1))
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
	a, theirs := s.Next(t, 0), s.Next(t, 1)
	scores := func(name string, v float64) protocol.Rating {
		return protocol.Rating{Scores: map[string]float64{name: v}}
	}
	for _, tt := range []struct {
		field  string
		change func(*work.CardSave)
	}{
		{"sqm", func(c *work.CardSave) { c.Rating = scores("sqm", 5) }},
		{"sqm", func(c *work.CardSave) { c.Rating = scores("sqm", -1) }},
		{"sqm", func(c *work.CardSave) { c.Rating = scores("sqm", 2.5) }},
		{"sqm", func(c *work.CardSave) { c.Rating = scores("sqm", math.NaN()) }},
		{"stars", func(c *work.CardSave) { c.Rating = scores("stars", 3) }},
		{"comment", func(c *work.CardSave) { c.Rating.Comment = strings.Repeat("x", protocol.MaxComment+1) }},
		{"comment", func(c *work.CardSave) { c.Rating.Comment = "a\x00b" }},
		{"comment", func(c *work.CardSave) { c.Rating.Comment = "a\xffb" }},
		{"save_id", func(c *work.CardSave) { c.SaveID = strings.Repeat("x", 65) }},
		{"save_id", func(c *work.CardSave) { c.SaveID = "\x00" }},
	} {
		c := work.CardSave{AssignmentID: a, Rating: storetest.Rating(3)}
		tt.change(&c)
		_, err := storetest.Save(t, s, 0, c)
		storetest.WantInvalid(t, err, tt.field)
	}
	for name, c := range map[string]work.CardSave{
		"no assignment":   {AssignmentID: "nothing"},
		"someone else's":  {AssignmentID: theirs},
		"empty id":        {},
		"other campaigns": {AssignmentID: other.Next(t, 0)},
	} {
		if _, err := storetest.Save(t, s, 0, c); !errors.Is(err, campaign.ErrNotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	_, err := db.Work.LoadWork(t.Context(), s.Campaign, theirs, s.Annotators[0].ID)
	storetest.WantErr(t, err, campaign.ErrNotFound)
	storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, theirs, storetest.Revisions(s.Work(t, 1, theirs))), campaign.ErrNotFound)
	storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, theirs, "x"), campaign.ErrNotFound)
	for _, state := range []campaign.State{campaign.Paused, campaign.Closed} {
		s.SetState(t, state)
		_, err := storetest.Save(t, s, 0, work.CardSave{AssignmentID: a})
		storetest.WantErr(t, err, campaign.ErrNotOpen)
		storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, a, "x"), campaign.ErrNotOpen)
	}
	storetest.WantCount(t, db, 0, "drafts")
}

// Nobody works longer on a card than the clock on the wall has moved.
func TestSecondsAreClamped(t *testing.T) {
	db, s := storetest.New(t)
	a := s.Next(t, 0)
	db.Clock.Advance(90 * time.Second)
	for revision, tt := range []struct{ given, want float64 }{{12.25, 12.25}, {90, 90}, {91, 90}, {1e12, 90}, {-5, 0}, {math.Inf(1), 90}} {
		storetest.Must(storetest.Save(t, s, 0, work.CardSave{AssignmentID: a, Revision: revision, Seconds: tt.given}))(t)
		if got := s.Work(t, 0, a).Cards[0].Seconds; got != tt.want {
			t.Errorf("%v seconds are stored as %v, want %v", tt.given, got, tt.want)
		}
	}
}

// Each annotator has an order of their own, which stays.
func TestOrderOfCards(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(1), storetest.Systems(12), storetest.Annotators(4), storetest.Set("redundancy=4"))
	order := func(i int, a string) []string {
		var texts []string
		for _, c := range s.Work(t, i, a).Cards {
			texts = append(texts, c.Text)
		}
		return texts
	}
	seen := map[string]bool{}
	for i := range 4 {
		a := s.Next(t, i)
		first := order(i, a)
		s.Save(t, i, a, 5, 3)
		if again := order(i, a); !slices.Equal(again, first) {
			t.Errorf("the order went from %q to %q", first, again)
		}
		seen[strings.Join(first, "|")] = true
		slices.Sort(first)
		if len(slices.Compact(first)) != 12 {
			t.Errorf("cards %q, want each translation once", first)
		}
	}
	// 12! orders: with four draws two are equal once in 80 million runs.
	if len(seen) < 4 {
		t.Errorf("four annotators see %d orders", len(seen))
	}
}

// The page of an assignment: context, reference where it is shown, and nothing
// that tells systems apart.
func TestLoadWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0), storetest.Set("redundancy=1"))
	var segments []campaign.Segment
	for n := range 30 {
		seg := storetest.Segment(n+1, 1, []string{"secret-b", "secret-a"})
		seg.Context, seg.Note = fmt.Sprint("context ", n+1), fmt.Sprint("note ", n+1)
		seg.References = []campaign.Reference{{Name: "a", Text: "other"}, {Name: "ref", Text: fmt.Sprint("reference ", n+1)}}
		segments = append(segments, seg)
	}
	storetest.ImportSegments(t, s, segments...)
	storetest.ImportSegments(t, s, storetest.Segment(1, 2, []string{"secret-b", "secret-a"}))
	db.Rows = true
	storetest.Exec(t, db, "UPDATE all_segments SET status = 'withdrawn' WHERE position < 25") // so that s25 comes next
	a := s.Next(t, 0)
	w := s.Work(t, 0, a)
	if w.DocID != "d1" || w.InDocument != 25 || w.DocumentLen != 30 || w.Source != segments[24].Source || w.Context != "context 25" || w.Note != "note 25" {
		t.Errorf("work %+v", w)
	}
	if len(w.Before) != 20 || w.Before[0].Source != segments[4].Source || w.Before[19].Source != segments[23].Source {
		t.Errorf("before: %+v", w.Before)
	}
	if len(w.After) != 5 || w.After[0].Source != segments[25].Source || w.After[4].Source != segments[29].Source {
		t.Errorf("after: %+v", w.After)
	}
	if w.Reference != nil {
		t.Error("the reference is there without show_reference")
	}
	if strings.Contains(fmt.Sprintf("%+v", w), "secret-") {
		t.Error("the work holds the name of a system")
	}
	s.Change(t, "show_reference=yes")
	if w := s.Work(t, 0, a); w.Reference == nil || *w.Reference != "reference 25" {
		t.Errorf("reference %v, want the one called ref", w.Reference)
	}
}

// A card has an id in one assignment alone: neither another annotator's page nor a
// second look has it, and it stays when the page is loaded again.
func TestCardIDs(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	seen := map[string]bool{}
	look := func(i int, a string) {
		t.Helper()
		for place, card := range s.Work(t, i, a).Cards {
			if card.ID == "" || seen[card.ID] {
				t.Errorf("card %d of annotator %d has the id %q, which another one has", place, i, card.ID)
			}
			if again := s.CardID(t, i, a, place); again != card.ID {
				t.Errorf("the id was %q and is %q", card.ID, again)
			}
			seen[card.ID] = true
		}
	}
	a, b := s.Next(t, 0), s.Next(t, 1)
	look(0, a)
	look(1, b)
	s.Rate(t, 0, a, 0, 2, 4)
	s.Rate(t, 1, b, 4, 2, 0)
	look(0, s.Next(t, 0))
	for _, id := range []string{"", "0", s.CardID(t, 1, s.Next(t, 1), 0)} {
		_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: s.Next(t, 0), CardID: id, Rating: storetest.Rating(1)})
		storetest.WantErr(t, err, campaign.ErrOutdated)
	}
}

// While an assignment is released, an import may add translations. A page that was
// opened before saves on the cards it shows, and is told before it submits.
func TestTranslationsAreAddedUnderAPage(t *testing.T) {
	db := storetest.Open(t)
	const systems = 12
	s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Protocol("mqm"))
	texts := map[string]string{}
	for i := range systems {
		texts[fmt.Sprint("old", i)] = fmt.Sprint("text ", i)
	}
	all := maps.Clone(texts)
	for i := range systems {
		all[fmt.Sprint("new", i)] = fmt.Sprint("new text ", i)
	}
	storetest.Must(storetest.MergeSegments(t, s, storetest.MarkedSegment("1", "one", texts), storetest.MarkedSegment("2", "two", all)))(t)
	a := s.Next(t, 0)
	page := s.Work(t, 0, a)
	db.Clock.Advance(1000 * time.Hour)
	s.Next(t, 1) // releases what is idle
	s.Remove(t, s.Annotators[1].Login)
	storetest.Must(storetest.MergeSegments(t, s, storetest.MarkedSegment("1", "one", all)))(t)
	seen := map[string]int{}
	for i, card := range page.Cards {
		r := protocol.Rating{NoErrors: true, Comment: "about " + card.Text}
		saved, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: a, CardID: card.ID, Rating: r})
		if err != nil {
			t.Fatalf("card %d: %v", i, err)
		}
		seen[card.ID] = saved.Revision
	}
	now := s.Work(t, 0, a)
	if len(now.Cards) != 2*systems {
		t.Fatalf("%d cards, want %d", len(now.Cards), 2*systems)
	}
	for _, card := range now.Cards {
		want := ""
		if strings.HasPrefix(card.Text, "text") {
			want = "about " + card.Text
		}
		if card.Rating.Comment != want {
			t.Errorf("%q has the comment %q", card.Text, card.Rating.Comment)
		}
	}
	storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, a, seen), campaign.ErrOutdated)
}
