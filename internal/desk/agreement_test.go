package desk_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// ratedSegments reads a campaign as agreement sees it.
func ratedSegments(t *testing.T, s *storetest.Sample) (out []campaign.Rated) {
	t.Helper()
	for seg, err := range s.Store.Desk.RatedSegments(t.Context(), s.Campaign) {
		storetest.Check(t, err)
		out = append(out, seg)
	}
	return out
}

// The ratings that are read for agreement are those of the whole segment.
func TestRatedSegments(t *testing.T) {
	_, s := storetest.New(t, storetest.PerDocument(4))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	s.RateNext(t, 0, 0, 2, 4) // the second look
	s.RateNext(t, 1, 1, 2, 4)
	s.RateNext(t, 0, 1, 1, 1)
	s.RateNext(t, 1, 1, 1, 2)
	s.RateNext(t, 0, 3, 2, 1) // alone
	got := ratedSegments(t, s)
	checkRated(t, s, got)
	for i, want := range []struct {
		status campaign.Status
		given  int
		rounds []campaign.Status
		first  bool
	}{
		{campaign.Agreed, 12, []campaign.Status{campaign.Reannotate, campaign.Agreed}, false},
		{campaign.Agreed, 6, []campaign.Status{campaign.Agreed}, true},
		{campaign.Pending, 3, nil, false},
		{campaign.Pending, 0, nil, false},
	} {
		seg := got[i]
		var rounds []campaign.Status
		for _, d := range seg.Decisions {
			rounds = append(rounds, d.Status)
		}
		if seg.Status != want.status || len(seg.Given) != want.given || !slices.Equal(rounds, want.rounds) {
			t.Errorf("%s: got %+v, want %+v", seg.SegmentID, seg, want)
		}
		if len(rounds) > 0 && (seg.First() == nil || seg.First().Passed != want.first || seg.First().Round != 1 || len(seg.First().Pairs) != 1) {
			t.Errorf("%s: first decision %+v", seg.SegmentID, seg.First())
		}
	}
	if d := got[0].Decided(); d == nil || d.Round != 2 || d.Pairs[0].Reason != agreement.Agreed {
		t.Errorf("s1 was decided %+v", d)
	}
	if d := got[2].Decided(); d != nil {
		t.Errorf("s3 was decided %+v", d)
	}
}

// checkRated compares with whole segments, as they are exported.
func checkRated(t *testing.T, s *storetest.Sample, got []campaign.Rated) {
	t.Helper()
	i := 0
	for seg, err := range s.Store.Records.AllSegments(t.Context(), s.Campaign) {
		storetest.Check(t, err)
		if i == len(got) {
			t.Fatalf("%d segments were read", i)
		}
		want, have := storetest.Rated(s.Campaign.Rules, seg), got[i]
		have.Decisions = nil
		for _, list := range [][]campaign.Given{want.Given, have.Given} {
			slices.SortFunc(list, func(a, b campaign.Given) int {
				return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Annotator, b.Annotator), cmp.Compare(a.Round, b.Round))
			})
		}
		if !reflect.DeepEqual(have, want) {
			t.Errorf("got %+v\nwant %+v", have, want)
		}
		i++
	}
	if i != len(got) {
		t.Errorf("%d segments, want %d", len(got), i)
	}
}

// The campaign has error spans, fractional costs and more segments than one batch.
func TestRatedSegmentsMarked(t *testing.T) {
	db := storetest.Open(t)
	const segments = 1100
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(segments))
	var lines []campaign.RatingLine
	for i := range segments {
		for k, system := range s.Systems {
			r := campaign.Rating{Annotator: "ann1", Round: 1}
			if k > 0 {
				r.Spans = []protocol.ErrorSpan{
					{ID: "1", Side: protocol.Target, Start: 0, End: 11, Severity: "minor", Category: "Fluency", Subcategory: "Punctuation"},
					{ID: "2", Side: protocol.Source, Start: 1, End: 2, Severity: "major", Category: "Accuracy", Subcategory: "Omission"},
				}
			}
			lines = append(lines, campaign.RatingLine{SegmentID: fmt.Sprint("s", i+1), System: system, Rating: r})
		}
	}
	storetest.ImportRatings(t, s, lines...)
	got := ratedSegments(t, s)
	checkRated(t, s, got)
	if x := got[segments-1].Given; len(x) != 3 || x[0].Score != 0 || x[1].Score != -5.1 || len(x[1].Spans) != 2 {
		t.Errorf("got %+v", x)
	}
}

// The kept sums give the same figures as a computation from all ratings.
func TestAgreementBothWays(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		ordinal := storetest.Campaign(t, db.Store, storetest.Segments(40), storetest.Systems(5), storetest.Annotators(0))
		bothWays(t, ordinal, storetest.Rating)
		interval := storetest.Campaign(t, db.Store, storetest.Slug("esa"), storetest.Protocol("esa"), storetest.Segments(40), storetest.Systems(5), storetest.Annotators(0))
		bothWays(t, interval, func(score float64) protocol.Rating {
			return protocol.Rating{Scores: map[string]float64{"score": 25 * score}, NoErrors: true}
		})
	})
}

func bothWays(t *testing.T, s *storetest.Sample, rating func(score float64) protocol.Rating) {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	var lines []campaign.RatingLine
	for i := range 40 {
		who := random.Perm(4)[:random.IntN(4)]
		for k, system := range s.Systems {
			quality := random.IntN(5)
			for _, a := range who {
				if random.IntN(12) == 0 && k > 0 {
					continue // not everybody rates everything
				}
				score := float64(max(0, min(4, quality+random.IntN(4)-1)))
				lines = append(lines, campaign.RatingLine{SegmentID: fmt.Sprint("s", i+1), System: system,
					Rating: campaign.Rating{Annotator: fmt.Sprint("rater", a+1), Round: 1, Rating: rating(score)}})
			}
		}
	}
	storetest.ImportRatings(t, s, lines...)
	sameAgreement(t, s, 4)
	storetest.Check(t, s.Store.Desk.SetAside(t.Context(), s.Campaign.ID, "rater2", "a test", s.Lead.ID))
	sameAgreement(t, s, 3)
	storetest.Check(t, s.Store.Desk.RestoreAnnotator(t.Context(), s.Campaign.ID, "rater2", "a test", s.Lead.ID))
	sameAgreement(t, s, 4)
}

// sameAgreement compares both ways, where so many annotators have submitted.
func sameAgreement(t *testing.T, s *storetest.Sample, annotators int) {
	t.Helper()
	close := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
	for _, gold := range []bool{false, true} {
		r := storetest.Must(campaign.Agreement(s.Campaign, s.Store.Desk.RatedSegments(t.Context(), s.Campaign), gold))(t)
		if len(r.Annotators) != annotators {
			t.Fatalf("%v have submitted, want %d", r.Annotators, annotators)
		}
		m := storetest.Must(s.Store.Desk.Matrices(t.Context(), s.Campaign, gold))(t)
		kept := map[string]desk.Cell{}
		for level, cells := range map[string][]desk.Cell{"system": m.SystemLevel, "segment": m.SegmentLevel} {
			for _, c := range cells {
				kept[level+c.A+" "+c.B] = c
			}
		}
		for level, cells := range map[string][]agreement.Cell{"system": r.SystemLevel, "segment": r.SegmentLevel} {
			if len(cells) != annotators*(annotators-1)/2 {
				t.Errorf("%s level: %d cells", level, len(cells))
			}
			for _, c := range cells {
				if k := kept[level+c.A+" "+c.B]; k.Shared != c.Shared || k.Defined != c.N || !close(k.R, c.R) {
					t.Errorf("%s level, gold %v: sums %+v, computed %+v", level, gold, k, c)
				}
			}
		}
		if gold {
			continue
		}
		p := s.Progress(t)
		failed := float64(p.FirstFailed) / float64(p.FirstAgreed+p.FirstFailed)
		if !close(p.Alpha, r.Alpha.Alpha) || !close(failed, r.FirstFailRate) {
			t.Errorf("sums give alpha %v, first failures %v, computed %v and %v", p.Alpha, failed, r.Alpha.Alpha, r.FirstFailRate)
		}
		for i, one := range r.Each {
			at := slices.IndexFunc(p.Annotators, func(a desk.AnnotatorProgress) bool { return a.User.Login == r.Annotators[i] })
			if a := p.Annotators[at]; !close(a.LeaveOneOut, one.LeaveOneOut) || !close(a.Difference, one.Difference) {
				t.Errorf("sums of %s give r %v and difference %v, computed %+v", a.User.Login, a.LeaveOneOut, a.Difference, one)
			}
		}
		for status, n := range r.Statuses {
			if p.Segments[status] != n {
				t.Errorf("%d segments %s, counted %d", p.Segments[status], status, n)
			}
		}
	}
}

// The desk and the report count the same segments as given a second look, also when a lead
// decides before that look is complete.
func TestSentBackOfDeskAndReport(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	a := storetest.Leading{T: t, Sample: s}
	want := func(when string, n, over int) {
		t.Helper()
		back := storetest.Must(db.Desk.Standing(t.Context(), s.Campaign))(t).SentBack
		reported, ended := 0, 0
		for seg, err := range db.Desk.RatedSegments(t.Context(), s.Campaign) {
			storetest.Check(t, err)
			if seg.SentBack() {
				reported++
				if seg.Status != campaign.Reannotate {
					ended++
				}
			}
		}
		if back.Total() != n || back.Settled() != over || reported != n || ended != over {
			t.Errorf("%s: the desk counts %d sent back, %d of them over, and the report %d and %d; want %d and %d", when, back.Total(), back.Settled(), reported, ended, n, over)
		}
	}
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 0, 0, 2, 4)
	want("before the first decision", 0, 0)
	s.RateNext(t, 1, 4, 2, 0)
	want("sent back", 1, 0)
	a.Done(a.AcceptMeans("s1"))
	want("decided before anybody looked again", 1, 1)
	a.Done(a.Undo("s1"))
	s.RateNext(t, 0, 0, 2, 4)
	want("half way", 1, 0)
	a.Done(a.Discard("s1"))
	want("decided half way", 1, 1)
	a.Done(a.Undo("s1"))
	s.RateNext(t, 1, 0, 2, 4)
	want("agreed", 1, 1)
}
