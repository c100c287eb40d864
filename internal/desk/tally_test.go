package desk

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/stat"
)

// random makes a segment in which some of five users rated some of six systems in
// up to three rounds.
func random(r *rand.Rand, scores func() int64) Counted {
	s := Counted{Status: "agreed", Domain: fmt.Sprint("d", r.IntN(3)), Gold: true, Size: 6}
	switch r.IntN(4) {
	case 0:
		s.Status, s.Gold = "pending", false
	case 1:
		s.Status, s.Gold, s.Again, s.Waiting = "reannotate", false, true, r.IntN(3)
	}
	for i := range 6 {
		s.Systems = append(s.Systems, fmt.Sprint("sys", i))
	}
	if r.IntN(2) == 0 {
		s.First = &firstRound{Passed: r.IntN(2) == 0, Pairs: r.IntN(3), Failed: []string{"below_threshold", "below_threshold", "too_few_far"}[:r.IntN(4)]}
	}
	for user := range 5 {
		for round := 1; round <= 3 && r.IntN(3) > 0; round++ {
			t := countedTurn{User: fmt.Sprint("u", user), Round: round, Day: fmt.Sprint("2026-11-0", 1+r.IntN(4)), Millis: int64(r.IntN(9000))}
			for range s.Systems {
				x := int64(missing)
				if r.IntN(8) > 0 {
					x = scores()
					t.Ratings++
				}
				t.Scores = append(t.Scores, x)
			}
			s.Turns = append(s.Turns, t)
		}
	}
	s.Order()
	return s
}

func TestChangesEqualARecount(t *testing.T) {
	scale := newScale(0, 100, true)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		kept, segments := SumTable{}, map[int]*Counted{}
		for range 200 {
			id := r.IntN(20)
			var after *Counted
			if r.IntN(5) > 0 {
				seg := random(r, func() int64 { return int64(r.IntN(101)) * thousand })
				after = &seg
			}
			kept.Change(segments[id], after, scale)
			segments[id] = after
		}
		recount := SumTable{}
		for _, seg := range segments {
			recount.Change(nil, seg, scale)
		}
		if !maps.Equal(kept, recount) {
			t.Fatalf("seed %d: kept up %v, recounted %v", seed, kept, recount)
		}
		for _, seg := range segments {
			kept.Change(seg, nil, scale)
		}
		if len(kept) != 0 {
			t.Fatalf("seed %d: all taken away, left %v", seed, kept)
		}
	}
}

func TestSegmentsAreReadAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		seg := random(r, func() int64 { return int64(r.IntN(5)) * thousand })
		back, err := decodeCounted(seg.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := back.Encode(), seg.Encode(); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if !maps.Equal(sumsOf(*back, newCosts()), sumsOf(seg, newCosts())) {
			t.Fatalf("%s counts differently once read", seg.Encode())
		}
	}
	if s, err := decodeCounted(""); s != nil || err != nil {
		t.Errorf("the empty text gave %v, %v", s, err)
	}
	if _, err := decodeCounted("{"); err == nil {
		t.Error("half a segment was read")
	}
}

// near compares to the last digits; both may be NaN.
func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9
}

// The figures read from sums are those that package agreement computes from the
// scores themselves, which is the reference here.
func TestFiguresEqualThoseOfAgreement(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		values := []int{2, 5, 101}[seed%3]
		var segments []Counted
		for range 1 + r.IntN(30) {
			segments = append(segments, random(r, func() int64 { return int64(r.IntN(values)) * thousand }))
		}
		sums := SumTable{}
		for i := range segments {
			sums.Change(nil, &segments[i], newScale(0, 100, true))
		}
		for _, name := range []string{"all", "gold"} {
			compareMatrices(t, seed, name, segments, sums)
		}
		compareOthers(t, seed, segments, sums)
	}
}

func compareMatrices(t *testing.T, seed uint64, name string, segments []Counted, sums SumTable) {
	t.Helper()
	var m agreement.Matrices
	var users []string
	for u := range 5 {
		users = append(users, fmt.Sprint("u", u))
	}
	for _, seg := range segments {
		if name == "gold" && !seg.Gold {
			continue
		}
		turn := map[string]countedTurn{}
		for _, t := range seg.Turns {
			turn[t.User+strconv.Itoa(t.Round)] = t
		}
		for i, a := range users {
			for _, b := range users[i+1:] {
				for round := 3; round > 0; round-- {
					x, ok := turn[a+strconv.Itoa(round)]
					y, both := turn[b+strconv.Itoa(round)]
					if !ok || !both {
						continue
					}
					s := agreement.Shared{A: a, B: b}
					for k, name := range seg.Systems {
						if x.Scores[k] != missing && y.Scores[k] != missing {
							s.Systems, s.X, s.Y = append(s.Systems, name), append(s.X, float64(x.Scores[k])/thousand), append(s.Y, float64(y.Scores[k])/thousand)
						}
					}
					m.Add(s)
					break
				}
			}
		}
	}
	for _, want := range m.SegmentLevel(users) {
		s := sums[sumKey{kindTogether, want.A, want.B, name}]
		if got := segmentLevelR(s); !near(got, want.R) || int(s.N) != want.Shared || int(s.X) != want.N {
			t.Errorf("seed %d, %s: segment level got %v of %v, want %+v", seed, name, got, s, want)
		}
	}
	for _, want := range m.SystemLevel(users) {
		var systems []Sums
		for k, s := range sums {
			if k.Kind == kindSystem && k.User == want.A && k.Other == want.B && strings.HasPrefix(k.Name, name+"/") {
				systems = append(systems, s)
			}
		}
		if got := systemLevelR(systems); !near(got, want.R) {
			t.Errorf("seed %d, %s: system level got %v, want %+v", seed, name, got, want)
		}
	}
}

func compareOthers(t *testing.T, seed uint64, segments []Counted, sums SumTable) {
	t.Helper()
	var units [][]float64
	own, others := map[string][]float64{}, map[string][]float64{}
	last := map[string][]float64{}
	for _, seg := range segments {
		for i, turn := range seg.Turns {
			if i+1 == len(seg.Turns) || seg.Turns[i+1].User != turn.User {
				for _, x := range turn.Scores {
					if x != missing {
						last[turn.User] = append(last[turn.User], float64(x)/thousand)
					}
				}
			}
		}
		round, counts := 0, map[int]int{}
		for _, turn := range seg.Turns {
			if counts[turn.Round]++; counts[turn.Round] >= 2 {
				round = max(round, turn.Round)
			}
		}
		if round == 0 {
			continue
		}
		for k := range seg.Systems {
			var unit []float64
			var users []string
			for _, turn := range seg.Turns {
				if turn.Round == round && turn.Scores[k] != missing {
					unit, users = append(unit, float64(turn.Scores[k])/thousand), append(users, turn.User)
				}
			}
			units = append(units, unit)
			for i, u := range users {
				if len(unit) > 1 {
					rest := 0.0
					for j, x := range unit {
						if j != i {
							rest += x
						}
					}
					own[u], others[u] = append(own[u], unit[i]), append(others[u], rest/float64(len(unit)-1))
				}
			}
		}
	}
	byM, coincidences, byK, scores := map[int]Sums{}, map[string]Sums{}, map[string]map[int]Sums{}, map[string]Sums{}
	drift := map[string]Sums{}
	for k, s := range sums {
		n, _ := strconv.Atoi(k.Name)
		switch k.Kind {
		case kindAlpha:
			byM[n] = s
		case kindCoincidence:
			coincidences[k.Name] = s
		case kindOthers:
			if byK[k.User] == nil {
				byK[k.User] = map[int]Sums{}
			}
			byK[k.User][n] = s
		case kindScore:
			scores[k.User] = scores[k.User].Plus(s)
		case kindDrift:
			drift[k.User] = drift[k.User].Plus(s)
		}
	}
	if got, want := alphaInterval(byM), agreement.Alpha(units, agreement.Interval).Alpha; !near(got, want) {
		t.Errorf("seed %d: interval alpha %v, want %v", seed, got, want)
	}
	if got, want := alphaOrdinal(coincidences), agreement.Alpha(units, agreement.Ordinal).Alpha; !near(got, want) {
		t.Errorf("seed %d: ordinal alpha %v, want %v", seed, got, want)
	}
	for u := range 5 {
		user := fmt.Sprint("u", u)
		got := againstOthers(byK[user])
		if want := agreement.LeaveOneOut(own[user], others[user]); !near(got.LeaveOneOut, want) {
			t.Errorf("seed %d, %s: leave one out %v, want %v", seed, user, got.LeaveOneOut, want)
		}
		if want := agreement.MeanDifference(own[user], others[user]); !near(got.Difference, want*thousand) && math.Abs(got.Difference-want*thousand) > 1e-6 {
			t.Errorf("seed %d, %s: difference %v, want %v", seed, user, got.Difference, want*thousand)
		}
		// A thousandth of a unit is a millionth of a point.
		if s := drift[user]; s.N > 0 && math.Abs(float64(s.Y)/float64(s.N)/1e6-agreement.MeanDifference(own[user], others[user])) > 1e-6 {
			t.Errorf("seed %d, %s: drift %v", seed, user, s)
		}
		if got, want := scores[user].Deviation()/thousand, stat.Deviation(last[user]); !near(got, want) {
			t.Errorf("seed %d, %s: deviation %v, want %v", seed, user, got, want)
		}
	}
}

func TestByHand(t *testing.T) {
	// Two annotators, four translations, the second one point higher throughout:
	// r = 1, one further rating by nobody else.
	seg := Counted{Status: "agreed", Domain: "news", Gold: true, Size: 5, First: &firstRound{Passed: true, Pairs: 1},
		Systems: []string{"s1", "s2", "s3", "s4", "s5"}, Turns: []countedTurn{
			{User: "a", Round: 1, Day: "2026-11-20", Ratings: 5, Millis: 1500, Scores: []int64{0, 1000, 2000, 3000, 3000}},
			{User: "b", Round: 1, Day: "2026-11-21", Ratings: 4, Millis: 500, Scores: []int64{1000, 2000, 3000, 4000, missing}},
		}}
	got := sumsOf(seg, newScale(0, 4, true))
	for k, want := range map[sumKey]Sums{
		{Kind: kindStatus, Name: "agreed/news"}:                    {N: 1},
		{Kind: kindFirstRound, Name: "agreed"}:                     {N: 1},
		{Kind: kindTotal, User: "a"}:                               {N: 5, X: 1, Y: 1500},
		{Kind: kindDay, Name: "2026-11-21"}:                        {N: 4, X: 1, Y: 500},
		{Kind: kindScore, User: "a", Name: "3"}:                    {N: 2, X: 6000, XX: 18_000_000},
		{Kind: kindOthers, User: "a", Name: "1"}:                   {N: 4, X: 6000, XX: 14_000_000, Y: 10_000, YY: 30_000_000, XY: 20_000_000},
		{Kind: kindDrift, User: "a", Name: "2026-11-20"}:           {N: 4, Y: -4_000_000},
		{Kind: kindDrift, User: "b", Name: "2026-11-21"}:           {N: 4, Y: 4_000_000},
		{Kind: kindTogether, User: "a", Other: "b", Name: "all"}:   {N: 1, X: 1, Y: oneR},
		{Kind: kindSystem, User: "a", Other: "b", Name: "gold/s2"}: {N: 1, X: 1000, Y: 2000},
		{Kind: kindSystem, User: "a", Other: "b", Name: "gold/s5"}: {},
		{Kind: kindAlpha, Name: "2"}:                               {N: 4, X: 16_000, XX: 44_000_000, YY: 84_000_000},
		{Kind: kindCoincidence, Name: "2:1000:2000"}:               {N: 1},
		{Kind: kindToDo, Name: "2"}:                                {},
	} {
		if got[k] != want {
			t.Errorf("%v: got %v, want %v", k, got[k], want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		counts map[int64]int64
		want   float64
	}{
		{map[int64]int64{10: 1}, 10},
		{map[int64]int64{10: 2, 30: 1}, 10},
		{map[int64]int64{10: 1, 30: 1}, 20},
		{map[int64]int64{10: 1, 20: 1, 30: 1, 50: 3}, 40},
	} {
		if got := weightedMedian(c.counts); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.counts, got, c.want)
		}
	}
}

// A half is rounded away from zero, so that two annotators differ from each other by the same.
func TestDivide(t *testing.T) {
	for _, c := range [][3]int64{{3, 2, 2}, {-3, 2, -2}, {4, 3, 1}, {-4, 3, -1}, {-5, 3, -2}} {
		if got := divide(c[0], c[1]); got != c[2] {
			t.Errorf("%d/%d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		name   string
		scale  scoreScale
		labels string
		scores []float64
		want   []int
	}{
		{"sqm", newScale(0, 4, true), "0, 1, 2, 3, 4", []float64{0, 4, 3, 9, -1}, []int{0, 4, 3, 4, 0}},
		{"esa", newScale(0, 100, false), "0 to 9, 10 to 19, 20 to 29, 30 to 39, 40 to 49, 50 to 59, 60 to 69, 70 to 79, 80 to 89, 90 to 100", []float64{0, 9.5, 10, 89, 90, 100}, []int{0, 0, 1, 8, 9, 9}},
		{"own", newScale(1, 25, false), "1 to 3, 4 to 5, 6 to 8, 9 to 10, 11 to 12, 13 to 15, 16 to 17, 18 to 20, 21 to 22, 23 to 25", []float64{1, 3, 4, 25}, []int{0, 0, 1, 9}},
		{"below zero", newScale(-1000, 1000, false), "−1000 to −801, −800 to −601, −600 to −401, −400 to −201, −200 to −1, 0 to 199, 200 to 399, 400 to 599, 600 to 799, 800 to 1000", []float64{-1000, -800, -1, 0}, []int{0, 1, 4, 5}},
	} {
		var labels []string
		for i := range c.scale.Buckets() {
			labels = append(labels, c.scale.Label(i))
		}
		if got := strings.Join(labels, ", "); got != c.labels {
			t.Errorf("%s: labels %q, want %q", c.name, got, c.labels)
		}
		var got []int
		for _, x := range c.scores {
			got = append(got, c.scale.Bucket(c.scale.Units(x)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: buckets %v, want %v", c.name, got, c.want)
		}
	}
	costs := newCosts()
	for cost, want := range map[float64]string{0: "0", 0.1: "0", 5.9: "5", 24.9: "24", 25: "25+", 300: "25+"} {
		if got := costs.Label(costs.Bucket(costs.Units(-cost))); got != want {
			t.Errorf("a cost of %v is in %q, want %q", cost, got, want)
		}
	}
}
