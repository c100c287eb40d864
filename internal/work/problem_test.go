package work_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// resolve answers the open problem that an annotator reported.
func resolve(t *testing.T, s *storetest.Sample, login, answer string, withdraw bool) {
	t.Helper()
	for _, p := range storetest.AllProblems(t, s) {
		if p.Login == login && p.ResolvedAt.IsZero() {
			storetest.Check(t, s.Store.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, answer, withdraw, s.Lead.ID))
			return
		}
	}
	t.Fatalf("no open problem of %s", login)
}

// However many problems there are, all of them are found, and those of a segment are
// those of that segment.
func TestProblemsByPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(7), storetest.PerDocument(7))
		for i := range 7 {
			storetest.ReportProblem(t, s, i%2, s.Next(t, i%2), fmt.Sprint("odd ", i))
		}
		resolve(t, s, "ann1", "fine", false)
		var read []string
		for offset := 0; ; offset += 3 {
			list := storetest.Must(db.Work.Problems(t.Context(), s.Campaign.ID, work.ProblemFilter{Offset: offset, Limit: 3}))(t)
			if list.Total != 7 || list.Open != 6 {
				t.Fatalf("%d problems, %d open", list.Total, list.Open)
			}
			if len(list.Problems) == 0 {
				break
			}
			for _, p := range list.Problems {
				read = append(read, p.ID)
			}
		}
		var want []string
		for _, p := range storetest.AllProblems(t, s) {
			want = append(want, p.ID)
		}
		if len(want) != 7 || !slices.Equal(read, want) {
			t.Errorf("read %v, want %v", read, want)
		}
		one := storetest.AllProblems(t, s)[2]
		if list := storetest.Must(db.Work.Problems(t.Context(), s.Campaign.ID, work.ProblemFilter{SegmentID: one.SegmentRowID}))(t); list.Total != 1 || list.Problems[0].ID != one.ID {
			t.Errorf("of one segment: %+v", list)
		}
	})
}

// TestReportProblemAgain repeats a report whose answer was lost: there is one problem,
// and the same words say a new problem once it was answered.
func TestReportProblemAgain(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	a := s.Next(t, 0)
	storetest.ReportProblem(t, s, 0, a, "no sentence")
	first := storetest.AllProblems(t, s)
	storetest.ReportProblem(t, s, 0, a, "no sentence")
	if again := storetest.AllProblems(t, s); len(again) != 1 || again[0] != first[0] {
		t.Errorf("problems %+v after the repetition, want %+v", again, first)
	}
	storetest.WantCount(t, db, 1, "problems WHERE resolved_at = 0")
	storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[1].ID, a, "no sentence"), campaign.ErrNotFound)
	storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, a, "other words"), campaign.ErrDecided)
	resolve(t, s, "ann1", "it is fine", false)
	if again := s.Next(t, 0); again != a {
		t.Fatal("ann1 is not given the segment again")
	}
	storetest.ReportProblem(t, s, 0, a, "no sentence")
	if all := storetest.AllProblems(t, s); len(all) != 2 {
		t.Errorf("problems %+v, want a second one", all)
	}
}

func TestReportProblem(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	a := s.Next(t, 0)
	s.Save(t, 0, a, 0, 3)
	storetest.ReportProblem(t, s, 0, a, "not a sentence: "+storetest.HardTexts[8])

	problems := storetest.AllProblems(t, s)
	if len(problems) != 1 {
		t.Fatalf("problems %+v", problems)
	}
	p := problems[0]
	if p.Login != "ann1" || p.SegmentID != "s1" || p.DocID != "d1" || p.SegmentRowID != s.RowID(t, "d1", "s1") || p.Text != "not a sentence: "+storetest.HardTexts[8] ||
		!p.ReportedAt.Equal(db.Clock.Now()) || !p.ResolvedAt.IsZero() {
		t.Errorf("problem %+v", p)
	}
	storetest.WantCount(t, db, 1, "problems WHERE resolved_at = 0")
	// Nobody is given the segment, nothing is saved in it.
	for i := range 2 {
		storetest.WantTurn(t, s, i, s.Next(t, i), "s2")
	}
	_, err := storetest.Save(t, s, 1, work.CardSave{AssignmentID: a, Rating: storetest.Rating(1)})
	storetest.WantErr(t, err, campaign.ErrDecided)
	storetest.WantErr(t, storetest.Submit(t, s, 0, a, 1, 0, 0), campaign.ErrDecided)
	storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, a, "again"), campaign.ErrDecided)
	w := s.Work(t, 0, a)
	if !w.Held || w.Assignment.State != campaign.Reported || w.Cards[0].Revision != 1 {
		t.Errorf("work %+v, want it held, with its draft", w)
	}
	storetest.WantPlaces(t, db, "s1", 0)

	// Put back, it goes to the one who reported it first of all.
	storetest.WantInvalid(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, " ", false, s.Lead.ID), "answer")
	storetest.WantInvalid(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, "a\x00", false, s.Lead.ID), "answer")
	storetest.WantInvalid(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, strings.Repeat("文", campaign.MaxMessage+1), false, s.Lead.ID), "answer")
	resolve(t, s, "ann1", "it is fine", false)
	storetest.WantErr(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, "twice", false, s.Lead.ID), campaign.ErrNotFound)
	if again := s.Next(t, 0); again != a {
		t.Error("ann1 is not given the segment again")
	}
	if w := s.Work(t, 0, a); w.Held || w.Assignment.State != campaign.InWork || w.Cards[0].Rating.Scores["sqm"] != 3 || storetest.Places(t, db, "s1") != 1 {
		t.Errorf("work %+v, %d places, want it as it was", w, storetest.Places(t, db, "s1"))
	}
	if p := storetest.AllProblems(t, s)[0]; p.Answer != "it is fine" || !p.ResolvedAt.Equal(db.Clock.Now()) {
		t.Errorf("answered problem %+v", p)
	}
	storetest.WantLogged(t, db, s, "lead put segment back to work s1: it is fine")
	s.Rate(t, 0, a, 0, 2, 4)
}

func TestReportProblemRefuses(t *testing.T) {
	db, s := storetest.New(t)
	a := s.Next(t, 0)
	try := func(text string) error {
		return db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, a, text)
	}
	for _, text := range []string{"", " \n", "a\x00b", "a\xffb", strings.Repeat("x", 10_001)} {
		storetest.WantInvalid(t, try(text), "text")
	}
	s.Rate(t, 0, a, 0, 2, 4)
	storetest.WantErr(t, try("too late"), campaign.ErrConflict)
	if n := storetest.Count(t, db, "problems") + storetest.Count(t, db, "segments WHERE held"); n != 0 {
		t.Error("a refused report set something aside")
	}
}

// With two reports the segment waits for both answers.
func TestTwoProblems(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(1))
	a, b := s.Next(t, 0), s.Next(t, 1)
	storetest.ReportProblem(t, s, 0, a, "one")
	storetest.ReportProblem(t, s, 1, b, "two")
	resolve(t, s, "ann1", "fine", false)
	for i := range 2 {
		storetest.WantNext(t, s, i, campaign.ErrNoWork)
	}
	resolve(t, s, "ann2", "fine", false)
	if s.Next(t, 0) != a || s.Next(t, 1) != b {
		t.Error("the segment did not come back to those who had it")
	}
}

// While a problem waits for its answer the round is not decided, in whatever
// order things come.
func TestProblemHoldsTheDecision(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(1))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	a, b := s.Next(t, 0), s.Next(t, 1)
	storetest.ReportProblem(t, s, 0, a, "can't be judged")
	s.Rate(t, 1, b, 4, 2, 0)
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2) // and not gold of ann2 alone
	resolve(t, s, "ann1", "try", false)
	s.Rate(t, 0, a, 4, 2, 1)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 4, 2, 0.5)
}

func TestWithdraw(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3))
	submitted, open := s.RateNext(t, 0, 0, 2, 4), s.Next(t, 1)
	s.Save(t, 1, open, 0, 3)
	storetest.ReportProblem(t, s, 1, open, "an advertisement")
	resolve(t, s, "ann2", "out with it", true)
	storetest.WantSegment(t, s, 1, campaign.Withdrawn, 1)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 released")
	if n := len(s.All(t)[0].Translations[0].Ratings); n != 1 {
		t.Errorf("%d ratings, want none deleted", n)
	}
	storetest.WantCount(t, db, 0, "problems WHERE resolved_at = 0")
	storetest.WantLogged(t, db, s, "lead withdraw segment s1: out with it")
	for i := range 2 {
		storetest.WantTurn(t, s, i, s.Next(t, i), "s2")
	}
	// A page that was left open loses nothing, and brings nothing back.
	s.Fill(t, 1, open, 0, 2, 4)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 released")
	storetest.WantTurn(t, s, 1, s.Next(t, 1), "s2")
	s.Fill(t, 0, submitted, 0, 2, 3)
	s.Submit(t, 0, submitted)
	s.Submit(t, 1, open)
	storetest.WantSegment(t, s, 1, campaign.Withdrawn, 1)

	// Straight from the segment's page.
	row := s.RowID(t, "d1", "s2")
	withdraw := func(row, reason string) error {
		return db.Rounds.Withdraw(t.Context(), s.Campaign.ID, []string{row}, reason, s.Lead.ID)
	}
	storetest.WantInvalid(t, withdraw(row, ""), "reason")
	storetest.WantErr(t, withdraw("nothing", "x"), campaign.ErrNotFound)
	storetest.Check(t, withdraw(row, "twice in the file"))
	storetest.WantSegment(t, s, 2, campaign.Withdrawn, 1)
	storetest.WantErr(t, withdraw(row, "again"), campaign.ErrConflict)
	for i := range 2 {
		s.RateNext(t, i, 0, 2, 4) // s3
	}
	storetest.WantSegment(t, s, 3, campaign.Agreed, 1, 0, 2, 4)
	storetest.WantErr(t, withdraw(s.RowID(t, "d1", "s3"), "too late"), campaign.ErrConflict)
}
