package work_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// with gives a span an id.
func with(id string, s protocol.ErrorSpan) protocol.ErrorSpan {
	s.ID = id
	return s
}

// saveCard saves a rating as the next revision of a card of annotator 0.
func saveCard(t *testing.T, s *storetest.Sample, assignment string, card int, r protocol.Rating) (work.Saved, error) {
	t.Helper()
	return storetest.Save(t, s, card, work.CardSave{AssignmentID: assignment, Revision: s.Work(t, 0, assignment).Cards[card].Revision, Rating: r})
}

// submitAll submits an assignment of annotator i as it is stored.
func submitAll(t *testing.T, s *storetest.Sample, i int, assignment string) error {
	t.Helper()
	return s.Store.Work.Submit(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, storetest.Revisions(s.Work(t, i, assignment)))
}

func wantReasons(t *testing.T, err error, want ...campaign.IncompleteCard) {
	t.Helper()
	e, ok := errors.AsType[*campaign.IncompleteError](err)
	if !ok || len(e.Cards) != len(want) {
		t.Fatalf("got %v, want %+v", err, want)
	}
	for i, c := range e.Cards {
		if c.Index != want[i].Index || !strings.Contains(c.Reason, want[i].Reason) {
			t.Errorf("card %+v, want %+v", c, want[i])
		}
	}
}

// What is saved is checked against the very texts, and is kept with the words it
// covers; what is submitted is what was saved.
func TestSaveAndSubmitSpans(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(2), storetest.Set("redundancy=1"))
	a := s.Next(t, 0)
	for field, bad := range map[string]protocol.ErrorSpan{
		"spans[0].text":     with("a", storetest.Span(0, 5, "Trams", "minor", "Other")),
		"spans[0].end":      with("a", storetest.Span(0, 500, "", "minor", "Other")),
		"spans[0].id":       storetest.Span(0, 5, "", "minor", "Other"),
		"spans[0].severity": with("a", storetest.Span(0, 5, "", "grave", "Other")),
		"spans[0].category": with("a", storetest.Span(0, 5, "", "minor", "Odd")),
		"spans[0].side":     with("a", storetest.Span(0, 5, "", "minor", "Source error")),
		"spans[0].comment":  {ID: "a", Side: protocol.Target, End: 5, Severity: "minor", Category: "Other", Comment: "\x00"},
	} {
		_, err := saveCard(t, s, a, 0, protocol.Rating{Spans: []protocol.ErrorSpan{bad}})
		storetest.WantInvalid(t, err, field)
	}
	omission := protocol.ErrorSpan{ID: "b", Side: protocol.Source, Start: 1, End: 3, Severity: "major", Category: "Accuracy", Subcategory: "Omission"}
	given := []protocol.ErrorSpan{with("a", storetest.Span(0, 5, "Trans", "minor", "Other")), omission}
	storetest.Must(saveCard(t, s, a, 0, protocol.Rating{Spans: given, Comment: "two"}))(t)
	if given[1].Text != "" {
		t.Error("the caller's spans were changed")
	}
	want := slices.Clone(given)
	want[1].Text = "文本"
	if card := s.Work(t, 0, a).Cards[0]; !reflect.DeepEqual(card.Rating.Spans, want) {
		t.Errorf("saved %+v, want %+v", card.Rating.Spans, want)
	}
	// An untouched card is no perfect translation.
	wantReasons(t, submitAll(t, s, 0, a), campaign.IncompleteCard{Index: 1, Reason: `an error, or "no errors"`})
	_, err := saveCard(t, s, a, 1, protocol.Rating{Spans: given[:1], NoErrors: true})
	storetest.WantInvalid(t, err, "no_errors")
	storetest.Must(saveCard(t, s, a, 1, protocol.Rating{NoErrors: true}))(t)
	storetest.Check(t, submitAll(t, s, 0, a))
	w := s.Work(t, 0, a)
	for _, tr := range s.All(t)[0].Translations {
		r, gold := tr.Ratings[0], tr.Gold.Score
		if tr.Text == w.Cards[0].Text && (!reflect.DeepEqual(r.Spans, want) || r.Comment != "two" || gold != -6) {
			t.Errorf("submitted %+v with gold %v", r, gold)
		}
		if tr.Text == w.Cards[1].Text && (len(r.Spans) != 0 || gold != 0) {
			t.Errorf("submitted %+v with gold %v, want no errors", r, gold)
		}
	}
	if w.Changed || !w.Cards[1].Rating.NoErrors {
		t.Errorf("what was submitted is shown as %+v", w)
	}
	finished, _, err := db.Desk.FinishedWork(t.Context(), s.Campaign, s.Annotators[0].ID, 0, 10)
	if err != nil || !slices.Equal(finished[0].Scores, []string{"2 errors", "no errors"}) || finished[0].Changed {
		t.Errorf("finished %+v %v", finished, err)
	}
}

// An error is saved before its severity is chosen. The segment is submitted only when
// each error has one.
func TestSaveWithoutSeverity(t *testing.T) {
	_, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(1), storetest.Set("redundancy=1"))
	a := s.Next(t, 0)
	given := protocol.Rating{Spans: []protocol.ErrorSpan{with("a", storetest.Span(0, 5, "Trans", "", "Other"))}}
	storetest.Must(saveCard(t, s, a, 0, given))(t)
	if got := s.Work(t, 0, a).Cards[0].Rating.Spans; !reflect.DeepEqual(got, given.Spans) {
		t.Errorf("saved %+v, want %+v", got, given.Spans)
	}
	wantReasons(t, submitAll(t, s, 0, a), campaign.IncompleteCard{Index: 0, Reason: `a severity for "Trans"`})
	given.Spans[0].Severity = "minor"
	storetest.Must(saveCard(t, s, a, 0, given))(t)
	storetest.Check(t, submitAll(t, s, 0, a))
}

// A setting that changed after the save is held against it when it is submitted,
// and the card is named.
func TestSubmitChecksAgain(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(2), storetest.Set("critical=yes"))
	a := s.Next(t, 0)
	storetest.Must(saveCard(t, s, a, 0, protocol.Rating{NoErrors: true}))(t)
	storetest.Must(saveCard(t, s, a, 1, protocol.Rating{Spans: []protocol.ErrorSpan{
		with("a", storetest.Span(0, 1, "", "critical", "Other")), with("b", storetest.Span(1, 2, "", "minor", "Other"))}}))(t)
	s.Change(t, "critical=no")
	wantReasons(t, submitAll(t, s, 0, a), campaign.IncompleteCard{Index: 1, Reason: `a change: there is no severity "critical"`})
	s.Change(t, "critical=yes", "max_errors=1")
	wantReasons(t, submitAll(t, s, 0, a), campaign.IncompleteCard{Index: 1, Reason: "a change: 2 errors are marked"})
	storetest.WantCount(t, db, 0, "ratings")
	s.Change(t, "max_errors=5")
	storetest.Check(t, submitAll(t, s, 0, a))
}

// The second look starts from one's own spans, links and comments, or from "no
// errors"; with a blank form it does not.
func TestSecondLookAtSpans(t *testing.T) {
	db := storetest.Open(t)
	for _, own := range []bool{true, false} {
		set := map[bool]string{true: "reannotate=own", false: "reannotate=blank"}[own]
		s := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Slug(set[11:]), storetest.Segments(1), storetest.Systems(2), storetest.Set("gate=on", set))
		var mine []protocol.Rating
		for i := range 2 {
			a := s.Next(t, i)
			for card := range 2 {
				grammar := with("b", storetest.Span(2, 4, "", "2", "Grammar"))
				grammar.Link, grammar.Comment = "a", "see there"
				r := protocol.Rating{Scores: map[string]float64{"accuracy": float64(100 - 90*i), "fluency": 50}, Comment: "mine",
					Spans: []protocol.ErrorSpan{with("a", storetest.Span(0, 2, "", "4", "Inconsistency")), grammar}}
				storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: a, CardID: s.CardID(t, i, a, card), Rating: r}))(t)
			}
			if i == 0 {
				for _, card := range s.Work(t, i, a).Cards {
					mine = append(mine, card.Rating)
				}
			}
			storetest.Check(t, submitAll(t, s, i, a))
		}
		again := s.Work(t, 0, s.Next(t, 0))
		if again.Assignment.Round != 2 {
			t.Fatalf("given %+v, want a second look", again.Assignment)
		}
		for i, card := range again.Cards {
			want := mine[i]
			if !own {
				want = protocol.Rating{Scores: map[string]float64{}}
			}
			if !reflect.DeepEqual(card.Rating, want) {
				t.Errorf("%s: card %d begins with %+v, want %+v", set, i, card.Rating, want)
			}
		}
		if err := submitAll(t, s, 0, again.Assignment.ID); own != (err == nil) {
			t.Errorf("%s: submitted unchanged: %v", set, err)
		}
	}
}

// Finished ratings that came with an import are shown and can be taken up again,
// though their spans have no ids; no spans means no errors.
func TestImportedSpansOnCards(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(2), storetest.Set("gate=on"))
	other := with("1", storetest.Span(1, 2, "r", "minor", "Odd"))
	first := storetest.MarkedRating("s1", "sys-001", storetest.Span(0, 1, "T", "major", "Other"), other)
	first.Annotator = "ann1"
	none := storetest.MarkedRating("s1", "sys-002")
	none.Annotator = "ann1"
	bad1, bad2 := storetest.MarkedRating("s1", "sys-001"), storetest.MarkedRating("s1", "sys-002", storetest.Span(0, 1, "T", "major", "Other"), storetest.Span(0, 1, "T", "major", "Other"))
	bad1.Annotator, bad2.Annotator = "ann2", "ann2"
	storetest.ImportRatings(t, s, first, none, bad1, bad2)
	s.Reload(t)
	check := func(w work.Work) {
		t.Helper()
		for _, card := range w.Cards {
			want := protocol.Rating{Scores: map[string]float64{}, NoErrors: true}
			if card.Text == storetest.Text(1, 0) {
				want = protocol.Rating{Scores: map[string]float64{}, Spans: []protocol.ErrorSpan{with("2", first.Spans[0]), other}}
			}
			if !reflect.DeepEqual(card.Rating, want) {
				t.Errorf("shown as %+v, want %+v", card.Rating, want)
			}
		}
	}
	submitted := storetest.Query[string](t, db, "SELECT a.id FROM assignments a JOIN users u ON u.id = a.user_id WHERE u.login = 'ann1' AND a.round = 1")[0]
	check(s.Work(t, 0, submitted))
	second := s.Work(t, 0, s.Next(t, 0))
	if second.Assignment.Round != 2 {
		t.Fatalf("given %+v, want the second look", second.Assignment)
	}
	check(second)
	storetest.Check(t, submitAll(t, s, 0, second.Assignment.ID))
	stored := s.All(t)[0].Translations
	if stored[0].Ratings[0].Spans[0].ID != "" || stored[0].Ratings[2].Spans[0].ID != "2" {
		t.Errorf("the import has id %q, the second look %q", stored[0].Ratings[0].Spans[0].ID, stored[0].Ratings[2].Spans[0].ID)
	}
}
