package desk_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// near reports whether two numbers are equal but for rounding, or both NaN.
func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9
}

func TestDeskByHand(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.FourSegments(t, db)
		p := s.Progress(t)
		if p.Segments[campaign.Agreed] != 2 || p.Segments[campaign.Reannotate] != 1 || p.Segments[campaign.Pending] != 1 || p.Segments.Total() != 4 {
			t.Errorf("segments %v", p.Segments)
		}
		if p.FirstDecided != 3 || p.FirstFailed != 1 || p.FirstAgreed != 2 || p.SentBack[campaign.Reannotate] != 1 {
			t.Errorf("first decisions %d, failed %d, agreed %d, sent back %v", p.FirstDecided, p.FirstFailed, p.FirstAgreed, p.SentBack)
		}
		if len(p.Reasons) != 1 || p.Reasons[0] != (readmodel.ReasonCount{Reason: "below_threshold", Pairs: 1, Segments: 1}) {
			t.Errorf("reasons %v", p.Reasons)
		}
		// One segment of 4 translations by 2, and a second look of 4 by 2.
		if p.Open != 16 || p.Ratings != 24 || len(p.Days) != 7 || p.Days[6] != (readmodel.DayWork{Day: "2026-11-20", Ratings: 24}) {
			t.Errorf("open %d, ratings %d, days %v", p.Open, p.Ratings, p.Days)
		}
		if !math.IsNaN(p.DaysLeft()) {
			t.Errorf("on the first day there are %v days left", p.DaysLeft())
		}
		db.Clock.Advance(36 * time.Hour)
		if p, err := db.Desk.Standing(t.Context(), s.Campaign); err != nil || math.Abs(p.DaysLeft()-16/(24.0/1.5)) > 0.01 { // the first rating is some minutes older
			t.Errorf("days left %v, want 1", p.DaysLeft())
		}
		db.Clock.Advance(-36 * time.Hour)
		if p.FirstFailed != 1 || p.FirstAgreed != 2 || p.Segments[campaign.Discarded] != 0 || p.SentBack.Settled() != 0 {
			t.Errorf("round 1 failed %d and passed %d, discarded %d, settled after a second look %d", p.FirstFailed, p.FirstAgreed, p.Segments[campaign.Discarded], p.SentBack.Settled())
		}
		// ann1 gave 0 1 2 3, 2 2 2 2, 0 1 2 3: 20 in 12; ann2 10 + 9 + 6 = 25 in 12.
		a, b := p.Annotators[0], p.Annotators[1]
		if !near(a.Mean, 20.0/12) || !near(b.Mean, 25.0/12) || !near(a.Difference, -5.0/12) || !near(b.Difference, 5.0/12) || !math.IsNaN(a.Conduct.Drift()) {
			t.Errorf("means %v %v, differences %v %v, drift %v", a.Mean, b.Mean, a.Difference, b.Difference, a.Conduct.Drift())
		}
		if a.Compared != 12 || a.Today != 12 || a.Segments != 3 || a.Ratings != 12 || a.Open != 1 || a.Second != 1 {
			t.Errorf("annotator %+v", a)
		}
		m, err := db.Desk.Matrices(t.Context(), s.Campaign, false)
		if err != nil || len(m.SegmentLevel) != 1 {
			t.Fatal(m, err)
		}
		// r of 1 and -1, and one undefined.
		if c := m.SegmentLevel[0]; !near(c.R, 0) || c.Shared != 3 || c.Defined != 2 || c.A != "ann1" || c.B != "ann2" {
			t.Errorf("segment level %+v", c)
		}
		if m, err = db.Desk.Matrices(t.Context(), s.Campaign, true); err != nil || !near(m.SegmentLevel[0].R, 1) || m.SegmentLevel[0].Shared != 2 {
			t.Errorf("in gold %+v, %v", m.SegmentLevel, err)
		}
		checkOrders(t, db, s)
		checkPairSegments(t, db, s)
		checkQueue(t, db, s)
		checkDetail(t, db, s)
	})
}

func checkPairSegments(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	list, total, err := db.Desk.PairSegments(t.Context(), s.Campaign, "ann2", "ann1", false, 0, 10)
	if err != nil || total != 3 || len(list) != 3 {
		t.Fatal(list, total, err)
	}
	if list[0].SegmentID != "s3" || !near(list[0].R, -1) || list[1].SegmentID != "s1" || !near(list[1].Difference, 1) || !math.IsNaN(list[2].R) || !near(list[2].Difference, 0.25) {
		t.Errorf("segments behind the cell: %+v", list)
	}
	if list, total, err = db.Desk.PairSegments(t.Context(), s.Campaign, "ann1", "ann2", true, 1, 10); err != nil || total != 2 || len(list) != 1 || list[0].SegmentID != "s2" {
		t.Errorf("in gold, from the second on: %+v of %d, %v", list, total, err)
	}
	if _, _, err = db.Desk.PairSegments(t.Context(), s.Campaign, "ann1", "nobody", false, 0, 10); err == nil {
		t.Error("nobody was found")
	}
}

func checkQueue(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	q, err := db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 10})
	if err != nil || q.Counts[""] != 1 || q.Counts[desk.QueueWaiting] != 1 || len(q.Entries) != 1 {
		t.Fatalf("queue %+v, %v", q, err)
	}
	e := q.Entries[0]
	if e.SegmentID != "s3" || e.Round != 2 || !near(e.LowestR, -1) || len(e.Pairs) != 1 || len(e.Turns) != 2 || e.Turns[0].Login != "ann1" || e.Turns[0].Begun {
		t.Errorf("entry %+v", e)
	}
	s.Remove(t, "ann2")
	for only, want := range map[string]int{"": 1, desk.QueueWaiting: 0, desk.QueueStranded: 1, desk.QueueHeld: 0} {
		q, err := db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: only, Sort: desk.SortLowest, Limit: 10})
		if err != nil || q.Counts[only] != want || len(q.Entries) != want || q.Counts[desk.QueueStranded] != 1 || q.Counts[desk.QueueWaiting] != 0 {
			t.Errorf("%q: %+v, %v", only, q, err)
		}
	}
}

func checkDetail(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	d := storetest.Must(db.Desk.AnnotatorDetail(t.Context(), s.Campaign, "ann1"))(t)
	if len(d.Days) != 1 || d.Days[0].Ratings != 12 || !near(d.Days[0].Difference, -5.0/12) || len(d.With) != 1 || d.With[0].Shared != 3 {
		t.Errorf("days %+v, with %+v", d.Days, d.With)
	}
	if len(d.Last) != 3 || d.Last[0].SegmentID != "s3" || !near(d.Last[2].Difference, -1) || !near(d.Last[2].Mean, 1.5) {
		t.Errorf("last turns %+v", d.Last)
	}
	if got := d.Scores.Counts; len(got) != 5 || got[2] != 6 || got[4] != 0 || d.All.Ratings != 24 {
		t.Errorf("scores %+v, all %+v", d.Scores, d.All)
	}
	if _, err := db.Desk.AnnotatorDetail(t.Context(), s.Campaign, "lead"); err == nil {
		t.Error("the lead has a page as an annotator")
	}
}

func checkOrders(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	for _, c := range []struct {
		filter desk.SegmentFilter
		want   string
	}{
		{desk.SegmentFilter{Reverse: true}, "s4 s3 s2 s1"},
		{desk.SegmentFilter{Sort: desk.SortLowest}, "s3 s1 s2 s4"},
		{desk.SegmentFilter{Sort: desk.SortChanged}, "s3 s2 s1 s4"},
		{desk.SegmentFilter{Sort: desk.SortStatus}, "s1 s2 s4 s3"},
		{desk.SegmentFilter{Sort: desk.SortRound, Reverse: true}, "s3 s4 s2 s1"},
		{desk.SegmentFilter{Sort: desk.SortID, Reverse: true}, "s4 s3 s2 s1"},
		{desk.SegmentFilter{Sort: desk.SortLowest, Status: campaign.Agreed}, "s1 s2"},
		{desk.SegmentFilter{Text: "S3", Sort: desk.SortChanged}, "s3"},
		{desk.SegmentFilter{Text: "源文本", Status: campaign.Agreed, Domain: "news", Sort: desk.SortID}, "s1 s2"},
	} {
		c.filter.Limit = 10
		list, total, err := db.Desk.Segments(t.Context(), s.Campaign.ID, c.filter)
		var got []string
		for _, e := range list {
			got = append(got, e.SegmentID)
		}
		if err != nil || strings.Join(got, " ") != c.want || total != len(list) {
			t.Errorf("%+v: got %q of %d, want %q; %v", c.filter, got, total, c.want, err)
		}
	}
}

// Pages ask whether anything has changed. A saved draft is no change.
func TestVersionRisesWithWhatIsCounted(t *testing.T) {
	db, s := storetest.New(t)
	version := func() int64 {
		n := storetest.Must(db.Desk.Version(t.Context(), s.Campaign.ID))(t)
		return n
	}
	a := s.Next(t, 0)
	before := version()
	s.Fill(t, 0, a, 1, 2, 3)
	if got := version(); got != before {
		t.Errorf("drafts raised the version from %d to %d", before, got)
	}
	s.Submit(t, 0, a)
	if got := version(); got <= before {
		t.Errorf("a submission left the version at %d", got)
	}
	before = version()
	s.Change(t, "timezone=Asia/Tokyo") // counts days anew: the end of the test checks them
	if got := version(); got <= before {
		t.Errorf("a setting left the version at %d", got)
	}
}

func TestCheckTalliesFindsWhatIsWrong(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.FourSegments(t, db)
	for _, wrong := range []string{
		"UPDATE tallies SET xx = xx + 1 WHERE kind = 'others'",
		"UPDATE all_segment_tallies SET lowest = 0 WHERE position = 1",
		"DELETE FROM segment_pairs",
		"DELETE FROM all_segment_tallies WHERE position = 4",
		"UPDATE ratings SET gate_score = 1",
		"UPDATE campaign_tallies SET timezone = 'Asia/Tokyo'",
		"DELETE FROM campaign_tallies",
	} {
		storetest.Exec(t, db, wrong)
		found, err := db.Desk.CheckTallies(t.Context(), s.Campaign.ID)
		if err != nil || len(found) == 0 {
			t.Errorf("%s: found %v, %v", wrong, found, err)
		}
		// Doctor's repair counts anew, and decides anew where ratings have changed.
		storetest.Check(t, db.Doctor(t.Context(), true, func(store.Finding) {}))
		if found, err := db.Desk.CheckTallies(t.Context(), s.Campaign.ID); err != nil || len(found) != 0 {
			t.Errorf("%s: after a recount found %v, %v", wrong, found, err)
		}
	}
}
