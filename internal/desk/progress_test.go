package desk_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// Much has happened in the campaign whose progress is read.
func TestProgress(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Annotators(3))
		var segments []campaign.Segment
		for n := range 8 {
			seg := storetest.Segment(n+1, n/4+1, []string{"b", "a"})
			seg.Domain = []string{"news", "social", "news", ""}[n%4]
			segments = append(segments, seg)
		}
		storetest.ImportSegments(t, s, segments...)
		save2 := func(i int, a string, x, y, seconds float64) {
			t.Helper()
			for _, card := range s.Work(t, i, a).Cards {
				r := storetest.Rating(x)
				if card.Text[12] == '2' { // "Translation 2 …"
					r = storetest.Rating(y)
				}
				storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: a, CardID: card.ID, Rating: r, Seconds: seconds}))(t)
			}
		}
		rate := func(i int, x, y float64) {
			t.Helper()
			a := s.Next(t, i)
			db.Clock.Advance(time.Minute)
			save2(i, a, x, y, 10)
			s.Submit(t, i, a)
		}
		// ann1 and ann2 get documents of their own, then the other's.
		rate(0, 1, 2) // s1
		rate(0, 1, 2) // s2
		rate(1, 3, 3) // s5
		db.Clock.Set(storetest.Start.Add(24 * time.Hour))
		rate(1, 3, 3)         // s6
		begun := s.Next(t, 0) // s3
		db.Clock.Advance(time.Minute)
		save2(0, begun, 4, 4, 1)
		storetest.ReportProblem(t, s, 1, s.Next(t, 1), "odd") // s7
		rate(2, 1, 2)                                         // the first that waits for a second annotator, met least

		p := s.Progress(t)
		if p.Segments.Total() != 8 || p.Segments[campaign.Agreed] != 1 || p.Segments[campaign.Pending] != 7 || p.Segments.Settled() != 1 || p.Segments.InGold() != 1 {
			t.Errorf("segments %v", p.Segments)
		}
		var domains []string
		for _, d := range p.Domains {
			domains = append(domains, fmt.Sprintf("%q %d", d.Name, d.Segments.Total()))
		}
		if want := []string{`"" 2`, `"news" 4`, `"social" 2`}; !slices.Equal(domains, want) {
			t.Errorf("domains %v, want %v", domains, want)
		}
		if p.Ratings != 10 || p.OpenProblems != 1 || !slices.Equal(p.Systems, []string{"a", "b"}) {
			t.Errorf("%d ratings, %d problems, systems %q", p.Ratings, p.OpenProblems, p.Systems)
		}
		var got []string
		for _, a := range p.Annotators {
			got = append(got, fmt.Sprintf("%s: %d segments, %d ratings, %v s, %d open, %d second, %d today, submitted %s, seen %s", a.User.Login,
				a.Segments, a.Ratings, a.Seconds, a.Open, a.Second, a.Today, a.Submitted.Format(time.DateTime), a.LastSeen.Format(time.DateTime)))
		}
		want := []string{
			"ann1: 2 segments, 4 ratings, 40 s, 1 open, 0 second, 0 today, submitted 2026-11-20 09:02:00, seen 2026-11-21 09:02:00",
			"ann2: 2 segments, 4 ratings, 40 s, 0 open, 0 second, 2 today, submitted 2026-11-21 09:01:00, seen 2026-11-21 09:02:00",
			"ann3: 1 segments, 2 ratings, 20 s, 0 open, 0 second, 2 today, submitted 2026-11-21 09:03:00, seen 2026-11-21 09:03:00",
		}
		if !slices.Equal(got, want) {
			t.Errorf("annotators\n%q, want\n%q", got, want)
		}
		mine := s.MyProgress(t, 1)
		// Left for ann2: s1 or s2 (the other one is full), s3, s4 and s8.
		if want := (desk.MyProgress{Done: 2, Today: 2, Available: 4}); mine != want {
			t.Errorf("ann2 sees %+v, want %+v", mine, want)
		}
		mine = s.MyProgress(t, 0)
		if mine.Done != 2 || mine.Today != 0 || mine.Begun != 1 || mine.Second != 0 {
			t.Errorf("ann1 sees %+v", mine)
		}
		days := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t)
		wantDays := []desk.WorkDay{
			{Login: "ann1", Name: "ann1", Day: "2026-11-20", Segments: 2, Ratings: 4, Seconds: 40},
			{Login: "ann2", Name: "ann2", Day: "2026-11-20", Segments: 1, Ratings: 2, Seconds: 20},
			{Login: "ann2", Name: "ann2", Day: "2026-11-21", Segments: 1, Ratings: 2, Seconds: 20},
			{Login: "ann3", Name: "ann3", Day: "2026-11-21", Segments: 1, Ratings: 2, Seconds: 20},
		}
		if !reflect.DeepEqual(days, wantDays) {
			t.Errorf("days\n%+v, want\n%+v", days, wantDays)
		}
	})
}

// Days are those of the campaign's time zone, even when the clocks change.
func TestWorkDaysOfTimeZones(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Set("redundancy=1", "timezone=Asia/Tokyo"))
		for _, at := range []time.Time{ // 15:00 UTC is midnight in Tokyo
			time.Date(2026, 11, 20, 14, 59, 59, 999_999_000, time.UTC), time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC),
			time.Date(2026, 11, 21, 14, 59, 59, 0, time.UTC),
		} {
			db.Clock.Set(at)
			s.RateNext(t, 0, 1, 2, 3)
		}
		var got []string
		for _, d := range storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t) {
			got = append(got, fmt.Sprint(d.Day, " ", d.Segments))
		}
		if want := []string{"2026-11-20 1", "2026-11-21 2"}; !slices.Equal(got, want) {
			t.Errorf("days %v, want %v", got, want)
		}
		if mine := s.MyProgress(t, 0); mine.Today != 6 {
			t.Errorf("%d ratings today, want 6", mine.Today)
		}
	})
}

func TestFinishedWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(7), storetest.PerDocument(7), storetest.Set("rounds=2"))
	for n := range 6 {
		db.Clock.Advance(time.Minute)
		a := s.Next(t, 0)
		s.Fill(t, 0, a, float64(n%5), 2, 4)
		if n == 5 {
			storetest.Must(storetest.Save(t, s, 0, work.CardSave{AssignmentID: a, Revision: 1,
				Rating: protocol.Rating{Scores: map[string]float64{"sqm": 1}, Comment: "a remark"}}))(t)
		}
		s.Submit(t, 0, a)
	}
	s.RateNext(t, 1, 4, 2, 0) // s1 comes back
	again := s.Next(t, 0)
	db.Clock.Advance(time.Minute)
	s.Submit(t, 0, again)

	page, total, err := db.Desk.FinishedWork(t.Context(), s.Campaign, s.Annotators[0].ID, 0, 3)
	if err != nil || total != 7 || len(page) != 3 {
		t.Fatalf("%d of %d, %v", len(page), total, err)
	}
	if w := page[0]; w.AssignmentID != again || w.Round != 2 || w.SegmentID != "s1" || w.Decided || !w.SubmittedAt.Equal(db.Clock.Now()) {
		t.Errorf("the latest is %+v, want the second look at s1", w)
	}
	if w := page[1]; w.SegmentID != "s6" || w.DocID != "d1" || w.Comments != 1 || len(w.Scores) != 3 || w.Scores[0] != "1" || w.Decided ||
		w.Source != storetest.Segment(6, 1, nil).Source {
		t.Errorf("second is %+v, want s6", w)
	}
	if cards := s.Work(t, 0, page[2].AssignmentID).Cards; len(cards) == 3 {
		for k, card := range cards {
			if want := fmt.Sprint(card.Rating.Scores["sqm"]); page[2].Scores[k] != want {
				t.Errorf("score %d is %s, want %s as on the card", k, page[2].Scores[k], want)
			}
		}
	}
	page, total, err = db.Desk.FinishedWork(t.Context(), s.Campaign, s.Annotators[0].ID, 6, 3)
	if err != nil || total != 7 || len(page) != 1 || page[0].SegmentID != "s1" || page[0].Round != 1 || !page[0].Decided {
		t.Errorf("last page %+v of %d, %v, want the first look at s1, decided", page, total, err)
	}
	page, total, err = db.Desk.FinishedWork(t.Context(), s.Campaign, s.Lead.ID, 0, 3)
	if err != nil || total != 0 || len(page) != 0 {
		t.Errorf("the lead has finished %+v of %d, %v", page, total, err)
	}
}

// The number of queries for the progress of a campaign does not depend on the number of
// annotators. The standing alone takes fewer.
func TestProgressTakesFewQueries(t *testing.T) {
	db := storetest.Open(t)
	var progress, standing []int64
	for _, annotators := range []int{2, 4} {
		// So many ratings that drift is read, which needs the latest of each annotator.
		s := storetest.Campaign(t, db.Store, storetest.Slug(fmt.Sprint("with", annotators)), storetest.Systems(40), storetest.Segments(3),
			storetest.Annotators(annotators), storetest.Set(fmt.Sprint("redundancy=", annotators), "gate=report"))
		scores := make([]float64, 40)
		for i := range scores {
			scores[i] = float64(i % 5)
		}
		for i := range annotators {
			for range 3 {
				s.RateNext(t, i, scores...)
			}
		}
		progress = append(progress, storetest.CountQueries(db.Store, func() {
			p := s.Progress(t)
			if len(p.Annotators) != annotators || p.Members != annotators || p.Annotators[0].Conduct.Before.Ratings == 0 {
				t.Errorf("%d annotators, %d of them members, the first with %+v", len(p.Annotators), p.Members, p.Annotators[0].Conduct)
			}
			for _, a := range p.Annotators {
				if a.Submitted.After(p.Submitted) || a.Submitted.IsZero() {
					t.Errorf("%s submitted at %v, anybody at %v", a.User.Login, a.Submitted, p.Submitted)
				}
			}
		}))
		standing = append(standing, storetest.CountQueries(db.Store, func() {
			if p := storetest.Must(db.Desk.Standing(t.Context(), s.Campaign))(t); p.Ratings != annotators*120 || p.Segments.Total() != 3 {
				t.Errorf("%d ratings, %d segments", p.Ratings, p.Segments.Total())
			}
		}))
	}
	t.Logf("progress %d, standing %d", progress, standing)
	if progress[0] != progress[1] || progress[1] > 21 {
		t.Errorf("progress takes %d queries", progress)
	}
	if standing[0] != standing[1] || standing[1] > 6 {
		t.Errorf("a standing takes %d queries", standing)
	}
}

// A segment counts once in an annotator's own progress, however often they rate it, and has
// one place there. One that they first rate in a later round counts, too.
func TestProgressOfWhoJoinsLater(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.Annotators(3))
		a, late := storetest.Leading{T: t, Sample: s}, s.Annotators[2].ID
		mine := func(user string, want desk.MyProgress) {
			t.Helper()
			got := storetest.Must(db.Desk.MyProgress(t.Context(), s.Campaign, user))(t)
			if got != want || got.Left() != 3-got.Done+got.Second {
				t.Errorf("progress %+v with %d left, want %+v", got, got.Left(), want)
			}
		}
		storetest.RateBoth(t, db, s, 1, 4, 2, 0)
		storetest.RateFirst(t, db, s, 2, 2, 0, 2, 4)
		db.Clock.Advance(time.Minute)
		a.Done(a.FurtherAnnotator("s1", "ann3"))
		mine(late, desk.MyProgress{Done: 1, Today: 3, Joining: 1, Available: 1})
		turn := storetest.TurnOf(t, db, "s1", "ann3", 2)
		s.Rate(t, 2, turn, 4, 2, 0)
		mine(late, desk.MyProgress{Done: 2, Today: 6, Available: 1})
		second := storetest.TurnOf(t, db, "s1", "ann1", 2)
		mine(s.Annotators[0].ID, desk.MyProgress{Done: 1, Today: 3, Second: 1, Available: 2})
		for _, want := range []struct {
			user, turn string
			place      int
		}{{late, turn, 2}, {s.Annotators[0].ID, second, 1}} {
			if got := storetest.Must(db.Desk.FinishedPlace(t.Context(), s.Campaign.ID, want.user, want.turn))(t); got != want.place {
				t.Errorf("the segment is number %d, want %d", got, want.place)
			}
		}
	})
}

// TestOpenBesideProblem: an annotator who reported a problem and then began another segment has one open segment, and was last at work when it began.
func TestOpenBesideProblem(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	storetest.ReportProblem(t, s, 0, s.Next(t, 0), "odd")
	db.Clock.Advance(time.Hour)
	s.Next(t, 0)
	if a := s.Progress(t).Annotators[0]; a.Open != 1 || !a.LastSeen.Equal(db.Clock.Now()) {
		t.Errorf("ann1 has %d open and was last at work %v, want 1 and now", a.Open, a.LastSeen)
	}
}

// TestImportersAreNotAtWork: an import says nothing about when its annotators were at work but what the file says.
func TestImportersAreNotAtWork(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(0))
	at := storetest.Start.Add(-30 * 24 * time.Hour)
	dated := storetest.TurnLines(s, "s1", "dated", 1, 0, 2, 4)
	for i := range dated {
		dated[i].SubmittedAt = at.Add(time.Duration(i-len(dated)+1) * time.Hour)
	}
	storetest.ImportRatings(t, s, append(dated, storetest.TurnLines(s, "s2", "undated", 1, 0, 2, 4)...)...)
	for _, a := range s.Progress(t).Annotators {
		if want := map[string]time.Time{"dated": at}[a.Login]; !a.LastSeen.Equal(want) {
			t.Errorf("%s was last at work %v, want %v", a.Login, a.LastSeen, want)
		}
	}
}

// TestImportedWorkIsChanged: an annotator who changes their own imported work was at work then.
func TestImportedWorkIsChanged(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	storetest.RateBoth(t, db, s, 1, 4, 2, 0) // sends the segment back to both
	second := storetest.TurnLines(s, "s1", "ann1", 2, 0, 2, 4)
	for i := range second {
		second[i].SubmittedAt = storetest.Start.Add(24 * time.Hour)
	}
	db.Clock.Advance(10 * 24 * time.Hour)
	storetest.ImportRatings(t, s, second...)
	s.Rate(t, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0, 3, 4)
	if got := s.Progress(t).Annotators[0].LastSeen; !got.Equal(db.Clock.Now()) {
		t.Errorf("ann1 was last at work %v, want now", got)
	}
}

// TestAskedIsNotAtWork: who is handed a segment by what others do was not at work then.
func TestAskedIsNotAtWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3))
	lead := storetest.Leading{T: t, Sample: s}
	s.RateNext(t, 0, 0, 2, 4)
	rated := db.Clock.Now()
	db.Clock.Advance(5 * 24 * time.Hour)
	s.RateNext(t, 1, 4, 2, 0) // sends the segment back to both
	failed := db.Clock.Now()
	db.Clock.Advance(time.Hour)
	lead.Done(lead.Replace("s1", "ann2", "ann3"))
	want := map[string]time.Time{"ann1": rated, "ann2": failed, "ann3": {}}
	for _, a := range s.Progress(t).Annotators {
		if !a.LastSeen.Equal(want[a.User.Login]) {
			t.Errorf("%s was last at work %v, want %v", a.User.Login, a.LastSeen, want[a.User.Login])
		}
		if idle := a.User.Login == "ann1"; (a.Conduct.Idle > 5) != idle {
			t.Errorf("%s is idle for %v days", a.User.Login, a.Conduct.Idle)
		}
	}
}

// TestQuotaCountsChecks: what annotators and leads read of the day's quota is what work ends by.
func TestQuotaCountsChecks(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(12), storetest.PerDocument(1),
		storetest.Set("check_rate=0.5", "check_kinds=repeat", "repeat_after=2", "quota=0"))
	s.RateAll(t, func(int, string, string) float64 { return 3 })
	checked := 0
	for i, a := range s.Progress(t).Annotators {
		own := s.MyProgress(t, i)
		if a.Today+a.Checked != own.Today {
			t.Errorf("%s: the lead reads %d ratings and %d of checks, the annotator %d", a.User.Login, a.Today, a.Checked, own.Today)
		}
		checked += a.Checked
	}
	if checked == 0 {
		t.Error("no check was taken")
	}
}

// An annotator of a campaign without segments is told apart from one who has rated all there are.
func TestNoSegments(t *testing.T) {
	db := storetest.Open(t)
	for segments, want := range []bool{true, false} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(fmt.Sprint("c", segments)), storetest.Segments(segments))
		if segments > 0 {
			s.RateNext(t, 0, 0, 2, 4)
		}
		if p := s.MyProgress(t, 0); p.Available != 0 || p.Empty != want {
			t.Errorf("of %d segments: %+v", segments, p)
		}
	}
}
