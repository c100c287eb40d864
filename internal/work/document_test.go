package work_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// documents makes a campaign that hands out documents of 3 segments.
func documents(t *testing.T, db *storetest.DB, segments, annotators int, settings ...string) *storetest.Sample {
	t.Helper()
	return storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(3), storetest.Annotators(annotators),
		storetest.Set(append([]string{"assign=document", "context=document"}, settings...)...))
}

// systemsOf are the systems of the cards of an assignment, in their order.
func systemsOf(t *testing.T, s *storetest.Sample, annotator int, assignment string) string {
	t.Helper()
	var out []string
	for _, card := range s.Work(t, annotator, assignment).Cards {
		var system, segment int
		storetest.Must(fmt.Sscanf(card.Text, "Translation %d of segment %d.", &system, &segment))(t)
		out = append(out, fmt.Sprint(system))
	}
	return strings.Join(out, " ")
}

// A document is handed out as a whole, in its order, and to other annotators than have it.
func TestDocumentIsHandedOut(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 6, 3, "redundancy=2")
	first := s.Next(t, 0)
	for _, segment := range []string{"s1", "s2", "s3"} {
		storetest.WantStates(t, db, segment, "ann1/1 open")
	}
	storetest.WantStates(t, db, "s4")
	if again := s.Next(t, 0); again != first || storetest.SegmentOf(t, s, 0, first) != "s1" {
		t.Error("ann1 does not begin with s1")
	}
	storetest.WantTurn(t, s, 1, s.Next(t, 1), "s4")
	for _, want := range []string{"s1", "s2", "s3", "s4", "s5", "s6"} {
		storetest.WantTurn(t, s, 0, s.RateNext(t, 0, 1, 2, 3), want)
	}
	storetest.WantNext(t, s, 0, campaign.ErrNoWork)
}

// Nothing new is handed out when the quota is reached, but a document begun is finished.
func TestDocumentAndQuota(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 6, 2, "quota=4")
	for range 3 {
		s.RateNext(t, 0, 1, 2, 3)
	}
	storetest.WantNext(t, s, 0, campaign.ErrQuota)
	db.Clock.Advance(24 * time.Hour)
	storetest.WantTurn(t, s, 0, s.Next(t, 0), "s4")
}

// A document is idle as a whole. Whoever takes it over does all of it, and whoever left
// it goes on where they were if nobody has.
func TestDocumentIsReleased(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 3, 3, "redundancy=1", "release_hours=24")
	s.RateNext(t, 0, 1, 2, 3)
	db.Clock.Advance(20 * time.Hour)
	s.RateNext(t, 0, 1, 2, 3)
	db.Clock.Advance(20 * time.Hour)
	nothing := func(i int) {
		t.Helper()
		storetest.WantNext(t, s, i, campaign.ErrNoWork)
	}
	nothing(1)
	storetest.WantStates(t, db, "s3", "ann1/1 open")
	db.Clock.Advance(5 * time.Hour)
	storetest.WantTurn(t, s, 0, s.Next(t, 0), "s3")
	db.Clock.Advance(25 * time.Hour)
	for _, want := range []string{"s1", "s2", "s3"} {
		storetest.WantTurn(t, s, 1, s.RateNext(t, 1, 1, 2, 3), want)
	}
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted")
	storetest.WantStates(t, db, "s3", "ann1/1 released", "ann2/1 submitted")
	nothing(0)
	nothing(2)
}

// A second look waits until the document in work is finished, and comes in the order of
// cards that the annotator knows.
func TestDocumentAndSecondLook(t *testing.T) {
	s := documents(t, storetest.Open(t), 6, 2, "redundancy=2")
	s.RateNext(t, 0, 0, 2, 4)
	b := s.RateNext(t, 1, 0, 2, 4) // ann2 begins with d2
	if storetest.SegmentOf(t, s, 1, b) != "s4" {
		t.Fatal("ann2 did not begin with s4")
	}
	for range 2 {
		s.RateNext(t, 0, 0, 2, 4)
	}
	s.RateNext(t, 0, 4, 2, 0) // s4: both have it, and disagree
	for _, who := range []int{0, 1} {
		for _, want := range []string{"s5", "s6"} {
			storetest.WantTurn(t, s, who, s.RateNext(t, who, 0, 2, 4), want)
		}
		look := s.Next(t, who)
		storetest.WantTurn(t, s, who, look, "s4")
	}
	if got, want := systemsOf(t, s, 1, s.Next(t, 1)), systemsOf(t, s, 1, b); got != want {
		t.Errorf("the second look shows systems %s, the first %s", got, want)
	}
}

// The systems keep one order in a document, for an annotator, and say nothing beyond.
func TestOrderInDocuments(t *testing.T) {
	db := storetest.Open(t)
	ways := []string{"document", "segment"}
	if db.Driver() == database.Postgres {
		ways = ways[:1] // the same code orders the systems
	}
	for _, assign := range ways {
		s := storetest.Campaign(t, db.Store, storetest.Slug(assign), storetest.Segments(24), storetest.PerDocument(3), storetest.Systems(6),
			storetest.Set("redundancy=2", "context=document", "assign="+assign))
		orders := map[string]int{} // how many documents of an annotator have an order
		for i := range s.Annotators {
			of := map[string]string{} // by document
			for range 24 {
				id := s.Next(t, i)
				w := s.Work(t, i, id)
				order := systemsOf(t, s, i, id)
				if was, ok := of[w.DocID]; ok && was != order {
					t.Errorf("%s: systems %s in one segment of %s, %s in another", assign, was, w.DocID, order)
				} else if !ok {
					of[w.DocID] = order
					orders[order]++
				}
				s.Rate(t, i, id, 0, 1, 2, 3, 4, 2)
			}
		}
		if len(orders) < 10 {
			t.Errorf("%s: 16 documents have %d orders", assign, len(orders))
		}
	}
}

// A campaign that showed segments goes on with documents, each segment as it was begun.
func TestContextIsChanged(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(6), storetest.PerDocument(3), storetest.Systems(6))
	begun := s.RateNext(t, 0, 0, 1, 2, 3, 4, 2)
	before := systemsOf(t, s, 0, begun)
	s.Change(t, "context=document", "assign=document")
	if after := systemsOf(t, s, 0, begun); after != before {
		t.Errorf("the cards are in the order %s, before the change %s", after, before)
	}
	storetest.WantTurn(t, s, 0, s.Next(t, 0), "s2")
	storetest.WantStates(t, db, "s3", "ann1/1 open")
	if storetest.WantStates(t, db, "s4"); storetest.SegmentOf(t, s, 1, s.Next(t, 1)) != "s4" {
		t.Error("ann2 does not begin with the document that nobody has")
	}
}

// A segment that is skipped goes to another annotator alone, for the others have the ratings that they
// need.
func TestSkipInDocument(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 3, 4, "redundancy=2")
	s.RateNext(t, 0, 0, 2, 4)
	s.Skip(t, 0, s.Next(t, 0), "law is not my field")
	storetest.WantTurn(t, s, 0, s.RateNext(t, 0, 0, 2, 4), "s3")
	for range 3 {
		s.RateNext(t, 1, 0, 2, 4)
	}
	nothing := func(i int) {
		t.Helper()
		storetest.WantNext(t, s, i, campaign.ErrNoWork)
	}
	nothing(0)
	nothing(1)
	storetest.Must(storetest.MergeSegments(t, s, storetest.Segment(4, 1, s.Systems)))(t) // it is for those who have the document
	given := s.Next(t, 2)
	w := s.Work(t, 2, given)
	if storetest.SegmentOf(t, s, 2, given) != "s2" || len(w.Before) != 1 || w.Before[0].Translations == nil || w.After[0].Translations == nil {
		t.Errorf("ann3 is given %+v, want s2 with what its systems wrote around it", w)
	}
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted")
	s.Rate(t, 2, given, 0, 2, 4)
	nothing(2)
	nothing(3)
	storetest.WantStates(t, db, "s2", "ann1/1 released", "ann2/1 submitted", "ann3/1 submitted")
	if seg := s.All(t)[1]; seg.Status != campaign.Agreed {
		t.Errorf("s2 is %s", seg.Status)
	}
}

// A document of which every segment was skipped goes to another annotator as a whole.
func TestSkipOfDocument(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 3, 3, "redundancy=2", "release_hours=24")
	s.Next(t, 1)
	for range 3 {
		s.Skip(t, 0, s.Next(t, 0), "law is not my field")
	}
	s.RateNext(t, 2, 0, 2, 4)
	for _, segment := range []string{"s2", "s3"} {
		storetest.WantStates(t, db, segment, "ann1/1 released", "ann2/1 open", "ann3/1 open")
	}
	db.Clock.Advance(20 * time.Hour)
	s.RateNext(t, 2, 0, 2, 4)
	db.Clock.Advance(20 * time.Hour)
	storetest.WantNext(t, s, 0, campaign.ErrNoWork)
	storetest.WantStates(t, db, "s3", "ann1/1 released", "ann2/1 released", "ann3/1 open")
}

// A segment that comes to a document later goes to those who have the document. While they are active,
// nobody else is given it, or the document because of it.
func TestDocumentGrows(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 6, 3, "redundancy=1")
	s.RateNext(t, 0, 0, 2, 4)
	for range 3 {
		s.RateNext(t, 1, 0, 2, 4)
	}
	var added []campaign.Segment
	for i, document := range []int{1, 2} {
		added = append(added, storetest.Segment(7+i, document, s.Systems))
	}
	storetest.Must(storetest.MergeSegments(t, s, added...))(t)
	nothing := func() {
		t.Helper()
		storetest.WantNext(t, s, 2, campaign.ErrNoWork)
		if mine := s.MyProgress(t, 2); mine.Available != 0 {
			t.Errorf("ann3 reads that %d segments are left", mine.Available)
		}
	}
	nothing()
	for _, want := range []string{"s2", "s3", "s7"} {
		storetest.WantTurn(t, s, 0, s.RateNext(t, 0, 0, 2, 4), want)
	}
	nothing()
	if mine := s.MyProgress(t, 1); mine.Available != 1 {
		t.Errorf("ann2 reads that %d segments are left, want s8", mine.Available)
	}
	storetest.WantTurn(t, s, 1, s.Next(t, 1), "s8")
	storetest.WantStates(t, db, "s8", "ann2/1 open")
	db.Clock.Advance(25 * time.Hour)
	for _, want := range []string{"s4", "s5", "s6", "s8"} { // ann2 has left s8
		storetest.WantTurn(t, s, 2, s.RateNext(t, 2, 0, 2, 4), want)
	}
}

// A document that is longer than a step is handed out, released and taken up again completely, also if
// the program is killed between two steps.
func TestLongDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		storetest.SetActStep(db.Store, 3)
		s := storetest.Campaign(t, db.Store, storetest.Segments(10), storetest.PerDocument(10), storetest.Annotators(3),
			storetest.Set("assign=document", "context=document", "redundancy=1", "release_hours=24"))
		killed := func(i int, statement string) {
			t.Helper()
			works := storetest.FailStatement(db.Store, statement, 2)
			defer works()
			if _, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID); err == nil || !strings.Contains(err.Error(), "the statement fails") {
				t.Fatalf("%q did not fail: %v", statement, err)
			}
		}
		in := func(state string, want int) {
			t.Helper()
			storetest.WantCount(t, db, want, "assignments a JOIN users u ON u.id = a.user_id WHERE u.login = 'ann1' AND a.state = ?", state)
		}
		nothing := func(i int) {
			t.Helper()
			storetest.WantNext(t, s, i, campaign.ErrNoWork)
		}
		killed(0, "UPDATE all_segments SET taken")
		in("open", 3)
		nothing(1) // the rest is reserved
		storetest.WantTurn(t, s, 0, s.Next(t, 0), "s1")
		in("open", 10)
		order := systemsOf(t, s, 0, s.RateNext(t, 0, 0, 2, 4))
		db.Clock.Advance(25 * time.Hour)
		killed(0, "SET state = 'released'")
		in("released", 3)
		killed(0, "SET state = 'open'")
		in("released", 6)
		if got := storetest.SegmentOf(t, s, 0, s.Next(t, 0)); got != "s2" || systemsOf(t, s, 0, s.Next(t, 0)) != order {
			t.Errorf("ann1 comes back to %s", got)
		}
		in("open", 9)
		db.Clock.Advance(25 * time.Hour)
		for n := range 10 {
			if got, want := storetest.SegmentOf(t, s, 1, s.RateNext(t, 1, 0, 2, 4)), fmt.Sprint("s", n+1); got != want {
				t.Errorf("ann2 rated %s, want %s of the document that is taken over", got, want)
			}
		}
		nothing(0)
		nothing(2)
	})
}

// Second looks come document by document, each in its order.
func TestSecondLooksByDocument(t *testing.T) {
	db := storetest.Open(t)
	s := documents(t, db, 6, 3, "redundancy=2")
	for range 6 {
		s.RateNext(t, 0, 0, 2, 4)
	}
	for range 3 {
		for _, i := range []int{1, 2} { // each has one of the documents
			db.Clock.Advance(time.Minute)
			s.RateNext(t, i, 4, 2, 0)
		}
	}
	var got []string
	for range 6 {
		got = append(got, storetest.SegmentOf(t, s, 0, s.RateNext(t, 0, 0, 2, 4)))
	}
	if !slices.IsSorted(got) {
		t.Errorf("second looks at %s", got)
	}
}

// The page of a segment has what its systems wrote around it, and where the annotator can
// go in the document.
func TestNeighbours(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(7), storetest.PerDocument(6), storetest.Systems(4), storetest.Set("context=document", "assign=document"))
		var ids []string
		for range 6 {
			ids = append(ids, s.RateNext(t, 0, 0, 1, 2, 3))
		}
		w := s.Work(t, 0, ids[3])
		if w.InDocument != 4 || w.Previous != ids[2] || w.Next != ids[4] || len(w.Before) != 3 || len(w.After) != 2 {
			t.Fatalf("place %d, previous %s, next %s, %d before, %d after", w.InDocument, w.Previous, w.Next, len(w.Before), len(w.After))
		}
		for _, n := range slices.Concat(w.Before, w.After) {
			if n.Place == 1 {
				if n.Translations != nil {
					t.Error("segment 1 is not near, and has its translations")
				}
				continue
			}
			for i, card := range w.Cards {
				var system, segment int
				fmt.Sscanf(card.Text, "Translation %d of segment %d.", &system, &segment)
				if want := storetest.Text(n.Place, system-1); n.Translations[i] != want {
					t.Errorf("card %d has %q in segment %d, want %q", i, n.Translations[i], n.Place, want)
				}
			}
		}
		if first, last := s.Work(t, 0, ids[0]), s.Work(t, 0, ids[5]); first.Previous != "" || last.Next != "" {
			t.Errorf("before the first %q, after the last %q", first.Previous, last.Next)
		}
		parts := storetest.Must(db.Work.Document(t.Context(), s.Campaign, ids[3], s.Annotators[0].ID, w.Cards[1].ID))(t)
		var system, segment int
		fmt.Sscanf(w.Cards[1].Text, "Translation %d of segment %d.", &system, &segment)
		for i, p := range parts {
			if p.Place != i+1 || p.AssignmentID != ids[i] || p.State != campaign.Submitted || len(p.Translations) != 1 || p.Translations[0] != storetest.Text(i+1, system-1) {
				t.Errorf("part %d is %+v", i+1, p)
			}
		}
		if len(parts) != 6 {
			t.Errorf("%d parts", len(parts))
		}
		_, err := db.Work.Document(t.Context(), s.Campaign, ids[3], s.Annotators[1].ID, "")
		storetest.WantErr(t, err, campaign.ErrNotFound)
		_, err = db.Work.Document(t.Context(), s.Campaign, ids[3], s.Annotators[0].ID, "unknown")
		storetest.WantErr(t, err, campaign.ErrOutdated)
		s.Change(t, "context=segment")
		s.RateNext(t, 1, 0, 1, 2, 3) // the document that nobody had
		if w := s.Work(t, 1, s.Next(t, 1)); w.After[0].Translations != nil {
			t.Error("a campaign that shows segments shows translations of neighbours")
		}
	})
}

// TestWrittenInDocument: the document has the translations that the annotator has submitted, and nothing of a draft or of another person.
func TestWrittenInDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("reference"), storetest.Segments(0), storetest.Annotators(2), storetest.Set("redundancy=2"))
		var segments []campaign.Segment
		for i := range 3 {
			segments = append(segments, campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: "Ein Satz.", Translations: campaign.ItselfOnly()})
		}
		storetest.ImportSegments(t, s, segments...)
		save := func(i int, text string) string {
			a := s.Next(t, i)
			r := protocol.Rating{Scores: map[string]float64{}, Answers: map[string]protocol.Answer{"best": {}, "edited": {Text: text}}}
			storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: a, CardID: s.CardID(t, i, a, 0), Rating: r}))(t)
			return a
		}
		s.Submit(t, 0, save(0, "A sentence."))
		open := save(0, "A draft.")
		s.Submit(t, 1, save(1, "One sentence."))
		var got []string
		for _, p := range storetest.Must(db.Work.Document(t.Context(), s.Campaign, open, s.Annotators[0].ID, ""))(t) {
			got = append(got, p.Written)
		}
		if want := []string{"A sentence.", "", ""}; !slices.Equal(got, want) {
			t.Errorf("written are %q, want %q", got, want)
		}
	})
}
