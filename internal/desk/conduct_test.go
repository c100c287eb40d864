package desk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/store/storetest"
)

// What flags are read from equals what a plain computation gives over all ratings, read
// as an export reads them.
func TestConductEqualsAPlainComputation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for _, rules := range []string{"sqm", "mqm"} {
			s := storetest.Campaign(t, db.Store, storetest.Slug(rules), storetest.Protocol(rules), storetest.Segments(0), storetest.Annotators(0), storetest.Set("gate=report", "rounds=9"))
			r := rand.New(rand.NewPCG(1, 9))
			var segments []campaign.Segment
			for n := range 60 {
				seg := storetest.Segment(n+1, 1, s.Systems)
				if n%3 == 0 {
					seg.Translations[2].Text = seg.Translations[r.IntN(2)].Text
				}
				segments = append(segments, seg)
			}
			storetest.ImportSegments(t, s, segments...)
			storetest.ImportRatings(t, s, crowdRatings(r, s, rules)...)
			checkConducts(t, db, s)
		}
	})
}

// crowdRatings has three of four annotators rate each segment, some of them twice.
func crowdRatings(r *rand.Rand, s *storetest.Sample, rules string) (out []campaign.RatingLine) {
	for n := range 60 {
		for a := range 4 {
			if a == n%4 {
				continue
			}
			for round := 1; round <= 1+r.IntN(5)/4; round++ {
				at := time.Date(2026, 11, 1, n%24, a*10+round, 0, r.IntN(3)*1000, time.UTC).AddDate(0, 0, n/24)
				for i, system := range s.Systems {
					l := storetest.RatingLine(fmt.Sprint("s", n+1), system, fmt.Sprint("crowd", a), round, float64((n+i+r.IntN(3))%5))
					l.SubmittedAt, l.Seconds = at, float64(r.IntN(900))/float64(10*(a+1))
					if rules == "mqm" {
						l.Scores, l.Spans = nil, []protocol.ErrorSpan{}
						for range r.IntN(3) {
							l.Spans = append(l.Spans, protocol.ErrorSpan{ID: fmt.Sprint(len(l.Spans) + 1), Side: protocol.Target, End: 1, Severity: "minor", Category: "Style", Subcategory: "Awkward"})
						}
					}
					out = append(out, l)
				}
			}
		}
	}
	return out
}

func checkConducts(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	p := s.Progress(t)
	if len(p.Annotators) != 4 {
		t.Fatalf("%d annotators", len(p.Annotators))
	}
	var all []float64
	segments := s.All(t)
	for _, seg := range segments {
		for _, tr := range seg.Translations {
			for _, g := range tr.Ratings {
				if g.Seconds > 0 {
					all = append(all, g.Seconds)
				}
			}
		}
	}
	each := storetest.Must(campaign.Agreement(s.Campaign, db.Desk.RatedSegments(t.Context(), s.Campaign), false))(t).Each
	for i, a := range p.Annotators {
		if each[i].Annotator != a.User.Login || !near(a.Mean, each[i].Mean) {
			t.Errorf("%s has a mean of %v, want %+v", a.User.Login, a.Mean, each[i])
		}
		want := plainConduct(s, segments, a.User.Login)
		want.Deviation, want.AllSeconds = p.Deviation, plainMedian(all)
		got := a.Conduct
		if got.Idle != 0 {
			t.Errorf("%s is idle for %v days though nothing waits", a.User.Login, got.Idle)
		}
		for what, pair := range map[string][2]float64{
			"segment r": {got.SegmentR, want.SegmentR}, "segments": {float64(got.RSegments), float64(want.RSegments)},
			"texts": {float64(got.Texts), float64(want.Texts)}, "same": {float64(got.Same), float64(want.Same)},
			"timed": {float64(got.Timed), float64(want.Timed)}, "seconds": {got.Seconds, want.Seconds}, "all seconds": {got.AllSeconds, want.AllSeconds},
			"compared": {float64(got.Compared), float64(want.Compared)}, "difference": {got.Difference, want.Difference}, "deviation": {got.Deviation, want.Deviation},
			"last": {got.Last.Mean, want.Last.Mean}, "of last": {float64(got.Last.Ratings), float64(want.Last.Ratings)},
			"before": {got.Before.Mean, want.Before.Mean}, "of before": {float64(got.Before.Ratings), float64(want.Before.Ratings)},
		} {
			if !near(pair[0], pair[1]) {
				t.Errorf("%s, %s: %s is %v, want %v", s.Campaign.Slug, a.User.Login, what, pair[0], pair[1])
			}
		}
		if got.Last.Ratings < 50 || got.Before.Ratings < 50 || got.RSegments == 0 || got.Texts == 0 {
			t.Errorf("%s tells little: %+v", a.User.Login, got)
		}
	}
}

// plainConduct computes what is known of an annotator from the ratings themselves.
func plainConduct(s *storetest.Sample, segments []campaign.Segment, login string) campaign.Conduct {
	c := campaign.NewConduct()
	type given map[string]map[string]float64 // score by annotator and system
	var rSum, difference float64
	var rs int
	var seconds []float64
	type turn struct {
		at, position, n int
		sum             float64
	}
	var turns []turn
	values := map[float64]int{}
	for position, seg := range segments {
		rounds := map[int]given{}
		latest, at := 0, map[int]int{}
		for _, tr := range seg.Translations {
			for _, g := range tr.Ratings {
				if g.Round > seg.Round { // of a round that is not wanted now, only the time is known
					if g.Annotator == login && g.Seconds > 0 {
						seconds = append(seconds, g.Seconds)
					}
					continue
				}
				score, _ := s.Campaign.Rules.GateScore(g.Rating)
				if rounds[g.Round] == nil {
					rounds[g.Round] = given{}
				}
				if rounds[g.Round][g.Annotator] == nil {
					rounds[g.Round][g.Annotator] = map[string]float64{}
				}
				rounds[g.Round][g.Annotator][tr.System] = score
				if g.Annotator == login {
					latest, at[g.Round] = max(latest, g.Round), int(g.SubmittedAt.UnixMicro())
					if g.Seconds > 0 {
						seconds = append(seconds, g.Seconds)
					}
				}
			}
		}
		texts := map[string]bool{}
		for _, tr := range seg.Translations {
			score, ok := rounds[latest][login][tr.System]
			marked := s.Campaign.Protocol == "sqm"
			for other, scores := range rounds[latest] {
				marked = marked || other != login && scores[tr.System] != 0
			}
			if ok && marked && !texts[tr.Text] {
				texts[tr.Text] = true
				values[score]++
				c.Texts++
			}
		}
		defined := false
		for other := range 4 {
			name := fmt.Sprint("crowd", other)
			for round := 9; round > 0 && name != login; round-- {
				a, b := rounds[round][login], rounds[round][name]
				if a == nil || b == nil {
					continue
				}
				var x, y []float64
				for _, system := range s.Systems {
					x, y = append(x, a[system]), append(y, b[system])
				}
				if r := stat.Pearson(x, y); !math.IsNaN(r) {
					rSum, rs, defined = rSum+r, rs+1, true
				}
				break
			}
		}
		if defined {
			c.RSegments++
		}
		for round := 9; round > 0; round-- {
			if len(rounds[round]) < 2 {
				continue
			}
			if own := rounds[round][login]; own != nil {
				one := turn{at: at[round], position: position}
				for _, system := range s.Systems {
					sum, n := 0.0, 0.0
					for other, scores := range rounds[round] {
						if other != login {
							sum, n = sum+scores[system], n+1
						}
					}
					one.n, one.sum = one.n+1, one.sum+own[system]-sum/n
				}
				turns = append(turns, one)
				c.Compared, difference = c.Compared+one.n, difference+one.sum
			}
			break
		}
	}
	c.SegmentR, c.Difference = rSum/float64(rs), difference/float64(c.Compared)
	c.Timed, c.Seconds = len(seconds), plainMedian(seconds)
	for _, n := range values {
		c.Same = max(c.Same, n)
	}
	slices.SortFunc(turns, func(a, b turn) int {
		if a.at != b.at {
			return b.at - a.at
		}
		return b.position - a.position
	})
	var last [2]float64
	var n [2]int
	for _, one := range turns {
		switch {
		case n[0] < 50:
			n[0], last[0] = n[0]+one.n, last[0]+one.sum
		case n[1] < 50:
			n[1], last[1] = n[1]+one.n, last[1]+one.sum
		}
	}
	c.Last = campaign.Window{Ratings: n[0], Mean: last[0] / float64(n[0])}
	c.Before = campaign.Window{Ratings: n[1], Mean: last[1] / float64(n[1])}
	return c
}

// plainMedian is the median of times rounded to two significant digits.
func plainMedian(seconds []float64) float64 {
	var x []float64
	for _, s := range seconds {
		x = append(x, float64(desk.RoundedTime(s))/10)
	}
	slices.Sort(x)
	k := len(x) / 2
	if len(x)%2 == 1 {
		return x[k]
	}
	return (x[k-1] + x[k]) / 2
}
