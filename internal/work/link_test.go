package work_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// inDocuments makes a campaign under RATE that hands out documents of 3 segments by 2 systems.
func inDocuments(t *testing.T, db *storetest.DB, settings ...string) *storetest.Sample {
	t.Helper()
	return storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Segments(6), storetest.PerDocument(3), storetest.Systems(2),
		storetest.Set(append([]string{"assign=document", "context=document", "redundancy=2"}, settings...)...))
}

// cardBy is the place of the card with the translation by a system, from 0.
func cardBy(t *testing.T, w work.Work, system int) int {
	t.Helper()
	i := slices.IndexFunc(w.Cards, func(c work.Card) bool { return strings.HasPrefix(c.Text, fmt.Sprintf("Translation %d ", system+1)) })
	if i < 0 {
		t.Fatal("no such card")
	}
	return i
}

// saveOn saves spans on the card of a system, with scores.
func saveOn(t *testing.T, s *storetest.Sample, annotator int, assignment string, system int, spans ...protocol.ErrorSpan) error {
	t.Helper()
	w := s.Work(t, annotator, assignment)
	card := w.Cards[cardBy(t, w, system)]
	_, err := s.Store.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[annotator].ID, work.CardSave{
		AssignmentID: assignment, CardID: card.ID, Revision: card.Revision,
		Rating: protocol.Rating{Scores: map[string]float64{"accuracy": 50, "fluency": float64(30 + 10*system)}, Spans: spans},
	})
	return err
}

// plain submits an assignment without errors, and returns its segment.
func plain(t *testing.T, s *storetest.Sample, annotator int, assignment string) string {
	t.Helper()
	storetest.Check(t, saveOn(t, s, annotator, assignment, 0))
	storetest.Check(t, saveOn(t, s, annotator, assignment, 1))
	storetest.Check(t, submitAll(t, s, annotator, assignment))
	return storetest.SegmentOf(t, s, annotator, assignment)
}

// linkedTo is an inconsistency with a link; empty: without.
func linkedTo(id, link string) protocol.ErrorSpan {
	s := with(id, storetest.Span(0, 11, "Translation", "3", "Inconsistency"))
	s.Link = link
	return s
}

// linksOf lists "id>link" of the spans on the card of a system.
func linksOf(t *testing.T, w work.Work, system int) (out []string) {
	t.Helper()
	for _, s := range w.Cards[cardBy(t, w, system)].Rating.Spans {
		out = append(out, s.ID+">"+s.Link)
	}
	return out
}

func wantLinks(t *testing.T, w work.Work, system int, want ...string) {
	t.Helper()
	if got := linksOf(t, w, system); !slices.Equal(got, want) {
		t.Errorf("marks are %q, want %q", got, want)
	}
}

const goneTarget = `the error that "Translation" is linked to does not exist, or was removed; choose another one, or remove the link`

// An error is linked to another one by the annotator on the same system in the document, be it
// saved or submitted, and to nothing else.
func TestLinkInDocument(t *testing.T) {
	db := storetest.Open(t)
	s := inDocuments(t, db)
	first := s.Next(t, 0)
	second, third := storetest.TurnOf(t, db, "s2", "ann1", 1), storetest.TurnOf(t, db, "s3", "ann1", 1)
	other := s.Next(t, 1) // s4 of another document
	refused := func(why string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("a link to %s is saved", why)
			return
		}
		storetest.WantInvalid(t, err, "spans[0].link")
	}
	refused("nothing", saveOn(t, s, 0, second, 0, linkedTo("b", "a")))
	storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", "")))
	storetest.Check(t, saveOn(t, s, 0, first, 1, linkedTo("z", "")))
	storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a")))
	refused("another system's", saveOn(t, s, 0, second, 0, linkedTo("b", "z")))
	refused("another document's", saveOn(t, s, 1, other, 0, linkedTo("d", "a")))
	storetest.Check(t, saveOn(t, s, 0, second, 1))
	storetest.Check(t, submitAll(t, s, 0, first))
	storetest.Check(t, submitAll(t, s, 0, second))
	storetest.Check(t, saveOn(t, s, 0, third, 0, linkedTo("c", "a"), linkedTo("e", "b"), linkedTo("f", "c")))
	storetest.Check(t, saveOn(t, s, 0, third, 1))
	storetest.Check(t, submitAll(t, s, 0, third))
	// The other annotator marks the same document, and never meets these.
	for range 3 {
		plain(t, s, 1, s.Next(t, 1))
	}
	again := s.Next(t, 1)
	if storetest.SegmentOf(t, s, 1, again) != "s1" {
		t.Fatal("ann2 does not go on with s1")
	}
	refused("another annotator's", saveOn(t, s, 1, storetest.TurnOf(t, db, "s2", "ann2", 1), 0, linkedTo("y", "a")))
}

// What a link leads to can be removed. The work on the linked error goes on, but it is
// submitted only when the link leads to something again.
func TestLinkToRemovedError(t *testing.T) {
	db := storetest.Open(t)
	s := inDocuments(t, db)
	first := s.Next(t, 0)
	second := storetest.TurnOf(t, db, "s2", "ann1", 1)
	storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", "")))
	storetest.Check(t, saveOn(t, s, 0, first, 1))
	storetest.Check(t, submitAll(t, s, 0, first))
	storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a")))
	storetest.Check(t, saveOn(t, s, 0, second, 1))
	storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("new", ""))) // saved, and not submitted again
	storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a"), linkedTo("c", "")))
	card := cardBy(t, s.Work(t, 0, second), 0)
	wantReasons(t, submitAll(t, s, 0, second), campaign.IncompleteCard{Index: card, Reason: goneTarget})
	storetest.WantInvalid(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a"), linkedTo("c", "gone")), "spans[1].link")
	storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "new"), linkedTo("c", "")))
	storetest.Check(t, submitAll(t, s, 0, second))
}

// Where the page shows segments, links stay within one rating.
func TestLinkInSegment(t *testing.T) {
	s := inDocuments(t, storetest.Open(t), "context=segment", "assign=segment")
	first := s.Next(t, 0)
	storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", ""), linkedTo("b", "a")))
	storetest.Check(t, saveOn(t, s, 0, first, 1))
	storetest.Check(t, submitAll(t, s, 0, first))
	storetest.WantInvalid(t, saveOn(t, s, 0, s.Next(t, 0), 0, linkedTo("c", "a")), "spans[0].link")
}

// A second look starts from the links that the new round answers: those to segments that the
// annotator has a second look at, too.
func TestLinksInSecondLooks(t *testing.T) {
	for _, reannotate := range []string{"own", "blank"} {
		t.Run(reannotate, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *storetest.DB) {
				s := inDocuments(t, db, "redundancy=1", "reannotate="+reannotate)
				first := s.Next(t, 0)
				second, third := storetest.TurnOf(t, db, "s2", "ann1", 1), storetest.TurnOf(t, db, "s3", "ann1", 1)
				storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", "")))
				storetest.Check(t, saveOn(t, s, 0, third, 0, linkedTo("c", "")))
				storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a"), linkedTo("d", "c"), linkedTo("e", "b")))
				for _, id := range []string{first, second, third} {
					storetest.Check(t, saveOn(t, s, 0, id, 1))
					storetest.Check(t, submitAll(t, s, 0, id))
				}
				for _, segment := range []string{"s1", "s2"} {
					storetest.Check(t, storetest.Leading{T: t, Sample: s}.AnotherLook(segment, "ann1", "ann2"))
				}
				look := storetest.TurnOf(t, db, "s2", "ann1", 2)
				if reannotate == "blank" {
					wantLinks(t, s.Work(t, 0, look), 0)
					storetest.WantInvalid(t, saveOn(t, s, 0, look, 0, linkedTo("b", "a")), "spans[0].link")
					return
				}
				wantLinks(t, s.Work(t, 0, look), 0, "b>a", "d>", "e>b")
				wantLinks(t, s.Work(t, 0, second), 0, "b>a", "d>c", "e>b") // round 1 keeps them
				storetest.Check(t, submitAll(t, s, 0, look))
				wantLinks(t, s.Work(t, 0, look), 0, "b>a", "d>", "e>b")

				// What is removed in the second look at s1 is no target in s2 any more.
				storetest.Check(t, saveOn(t, s, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0))
				storetest.WantInvalid(t, saveOn(t, s, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0, linkedTo("n", "c")), "spans[0].link")
			})
		})
	}
}

// The segments of a document have the annotator's own marks on the translations by the system
// of a card, and nobody else's.
func TestMarksInDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := inDocuments(t, db)
		marks := func(annotator int, assignment string, system int) (out []string) {
			t.Helper()
			w := s.Work(t, annotator, assignment)
			for _, p := range storetest.Must(s.Store.Work.Document(t.Context(), s.Campaign, assignment, s.Annotators[annotator].ID, w.Cards[cardBy(t, w, system)].ID))(t) {
				for _, m := range p.Marks {
					out = append(out, fmt.Sprint(p.Place, " ", m.ID, " ", m.Text))
				}
			}
			return out
		}
		want := func(got []string, want ...string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("marks %q, want %q", got, want)
			}
		}
		first := s.Next(t, 0)
		second := storetest.TurnOf(t, db, "s2", "ann1", 1)
		storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", ""), linkedTo("same", "")))
		storetest.Check(t, saveOn(t, s, 0, first, 1, linkedTo("z", "")))
		storetest.Check(t, submitAll(t, s, 0, first))
		storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", ""), linkedTo("same", "")))
		want(marks(0, second, 0), "1 a Translation", "1  Translation", "2 b Translation", "2  Translation")
		want(marks(0, first, 1), "1 z Translation")
		storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", "")))
		want(marks(0, first, 0), "1 a Translation", "2 b Translation", "2 same Translation")

		for range 3 {
			plain(t, s, 1, s.Next(t, 1))
		}
		mine := s.Next(t, 1)
		want(marks(1, mine, 0))
		storetest.Check(t, saveOn(t, s, 1, mine, 0, linkedTo("y", "")))
		want(marks(1, mine, 0), "1 y Translation")
		want(marks(0, first, 0), "1 a Translation", "2 b Translation", "2 same Translation")
	})
}

// An adjudicator links errors across the segments that they adjudicate, and never learns from
// a link of the annotators' who is who in another segment.
func TestLinksOfAdjudications(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := inDocuments(t, db, "redundancy=1")
		first := s.Next(t, 0)
		second := storetest.TurnOf(t, db, "s2", "ann1", 1)
		storetest.Check(t, saveOn(t, s, 0, first, 0, linkedTo("a", "")))
		storetest.Check(t, saveOn(t, s, 0, second, 0, linkedTo("b", "a"), linkedTo("c", "b")))
		for _, id := range []string{first, second} {
			storetest.Check(t, saveOn(t, s, 0, id, 1))
			storetest.Check(t, submitAll(t, s, 0, id))
		}
		judge := storetest.AddUser(t, db, "judge").ID
		s.Join(t, "judge", campaign.Adjudicator)
		open := func(segment string) string {
			row := s.RowID(t, "d1", segment)
			storetest.Check(t, s.Store.Rounds.AskForAdjudication(t.Context(), s.Campaign.ID, []string{row}, "please decide", s.Lead.ID))
			return storetest.Must(s.Store.Work.OpenAdjudication(t.Context(), s.Campaign.ID, row, judge))(t)
		}
		one, two := open("s1"), open("s2")
		w := storetest.Must(s.Store.Work.LoadWork(t.Context(), s.Campaign, two, judge))(t)
		spans := w.Cards[cardBy(t, w, 0)].Peers[0].Spans
		if len(spans) != 2 || spans[0].Link != "" || spans[1].Link != "b" {
			t.Errorf("the annotators' marks are %+v", spans)
		}
		save := func(assignment string, system int, spans ...protocol.ErrorSpan) error {
			w := storetest.Must(s.Store.Work.LoadWork(t.Context(), s.Campaign, assignment, judge))(t)
			card := w.Cards[cardBy(t, w, system)]
			_, err := s.Store.Work.SaveCard(t.Context(), s.Campaign, judge, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision,
				Rating: protocol.Rating{Scores: map[string]float64{"accuracy": 50, "fluency": 50}, Spans: spans}})
			return err
		}
		storetest.WantInvalid(t, save(two, 0, linkedTo("q", "a")), "spans[0].link")
		storetest.Check(t, save(one, 0, linkedTo("p", "")))
		storetest.Check(t, save(one, 1))
		w = storetest.Must(s.Store.Work.LoadWork(t.Context(), s.Campaign, one, judge))(t)
		storetest.Check(t, s.Store.Work.Submit(t.Context(), s.Campaign, judge, one, storetest.Revisions(w)))
		storetest.Check(t, save(two, 0, linkedTo("q", "p")))
		storetest.Check(t, save(two, 1))
		w = storetest.Must(s.Store.Work.LoadWork(t.Context(), s.Campaign, two, judge))(t)
		storetest.Check(t, s.Store.Work.Submit(t.Context(), s.Campaign, judge, two, storetest.Revisions(w)))
	})
}
