package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPasses(t *testing.T) {
	rule := Rule{Margin: 25, Tolerance: 10}
	for _, c := range []struct {
		kind           Kind
		score, against float64
		want           bool
	}{
		{Degraded, 50, 75, true}, {Degraded, 51, 75, false}, {Degraded, 80, 75, false}, {Degraded, 0, 10, false},
		{Repeat, 50, 60, true}, {Repeat, 50, 61, false}, {Repeat, 70, 60, true},
		{Known, 50, 50, true}, {Known, 39, 50, false},
	} {
		if got := rule.Passes(c.kind, c.score, c.against); got != c.want {
			t.Errorf("%s: %v against %v passes: %v", c.kind, c.score, c.against, got)
		}
	}
	if !(Rule{Margin: 0.3}).Passes(Degraded, 0.6, 0.9) { // 0.9-0.3 is a little above 0.6
		t.Error("a score on the limit fails")
	}
}

// With equal chances the test is that of the binomial distribution.
func TestAtLeast(t *testing.T) {
	equal := func(n int, p float64) []float64 { return slices.Repeat([]float64{p}, n) }
	for _, c := range []struct {
		chances []float64
		n       int
		want    float64
	}{
		{equal(10, 0.5), 8, 56.0 / 1024}, {equal(10, 0.5), 10, 1.0 / 1024}, {equal(10, 0.5), 0, 1}, {equal(3, 0.2), 1, 1 - 0.512},
		{nil, 0, 1}, {nil, 1, 0}, {equal(2, 0.5), 3, 0}, {[]float64{1, 0, 0.5}, 2, 0.5}, {[]float64{0.1, 0.2, 0.3}, 3, 0.006}, {[]float64{0.1, 0.2, 0.3}, 1, 1 - 0.9*0.8*0.7},
	} {
		if got := AtLeast(c.chances, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at least %d of %v: %v, want %v", c.n, c.chances, got, c.want)
		}
	}
}

// The sum of the chances of all outcomes, enumerated, is what AtLeast gives.
func TestAtLeastEnumerated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		chances := make([]float64, r.IntN(9))
		for i := range chances {
			chances[i] = r.Float64()
		}
		n, want := r.IntN(10), 0.0
		for outcome := range 1 << len(chances) {
			p, passed := 1.0, 0
			for i, c := range chances {
				if outcome>>i&1 == 1 {
					p, passed = p*c, passed+1
				} else {
					p *= 1 - c
				}
			}
			if passed >= n {
				want += p
			}
		}
		if got := AtLeast(chances, n); math.Abs(got-want) > 1e-9 {
			t.Fatalf("at least %d of %v: %v, want %v", n, chances, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	rule := Rule{Margin: 25, Tolerance: 10}
	items := func(kind Kind, n int, score, against float64) []Item {
		return slices.Repeat([]Item{{kind, score, against}}, n)
	}
	spread := []float64{20, 40, 60, 80, 90, 95, 100, 100}
	for _, c := range []struct {
		name         string
		work         []float64
		items        []Item
		enough, flag bool
	}{
		{"no checks", spread, nil, false, false},
		{"one check, failed", spread, items(Degraded, 1, 90, 90), false, false},
		{"all failed", spread, items(Degraded, 10, 90, 90), true, true},
		{"all passed", spread, items(Degraded, 10, 20, 90), true, false},
		{"one score for everything", slices.Repeat([]float64{80}, 100), items(Degraded, 10, 80, 80), true, true},
		{"one score for everything, repeats", slices.Repeat([]float64{80}, 100), items(Repeat, 10, 80, 80), false, false},
		{"high scores, repeats", []float64{100, 100, 100, 100, 100, 100, 100, 90, 95, 40}, items(Repeat, 10, 100, 100), false, false},
	} {
		got := Judge(c.work, c.items, rule, 0.05)[0]
		if got.Enough != c.enough || got.Flag != c.flag {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	copied := Judge([]float64{60, 70, 80, 85, 90}, append(items(Repeat, 30, 90, 90), items(Degraded, 8, 85, 90)...), rule, 0.05)
	if copied[0].Flag || !Flagged(copied) {
		t.Errorf("who passes repeats without reading is flagged: %v, %+v", Flagged(copied), copied)
	}
	if steady := Judge(spread, append(items(Repeat, 10, 20, 90), items(Degraded, 10, 20, 90)...), rule, 0.05); Flagged(steady) || !steady[2].Flag {
		t.Errorf("who fails repeats alone is flagged: %v, %+v", Flagged(steady), steady)
	}
	got := Judge(spread, append(items(Known, 2, 50, 55), items(Degraded, 3, 20, 90)...), rule, 0.05)
	if len(got) != 3 || got[0].Taken != 5 || got[0].Passed != 5 || got[1].Kind != Degraded || got[1].Taken != 3 || got[2].Kind != Known || got[2].Taken != 2 {
		t.Errorf("results are %+v", got)
	}
	if want := 4.0 / 10; math.Abs(got[1].Chance-want) > 1e-12 { // 20, 40 and 60 of 8 pass, with one added
		t.Errorf("chance is %v, want %v", got[1].Chance, want)
	}
	if none := Judge(spread, nil, rule, 0.05)[0]; !math.IsNaN(none.P) || !math.IsNaN(none.Chance) {
		t.Errorf("without checks: %+v", none)
	}
}

// An annotator who does not read is let through with a chance of at most the level.
func TestJudgeLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rule, through := Rule{Margin: 25, Tolerance: 10}, 0
	const annotators = 2000
	for range annotators {
		work := make([]float64, 200)
		for i := range work {
			work[i] = float64(r.IntN(101))
		}
		var items []Item
		for range 12 {
			items = append(items, Item{Degraded, float64(r.IntN(101)), work[r.IntN(200)]}, Item{Repeat, float64(r.IntN(101)), work[r.IntN(200)]})
		}
		got := Judge(work, items, rule, 0.05)[0]
		if !got.Enough {
			t.Fatalf("too few checks: %+v", got)
		}
		if !got.Flag {
			through++
		}
	}
	if through > annotators*6/100 {
		t.Errorf("%d of %d who do not read are not flagged", through, annotators)
	}
}

// The chance of a check is the share of all scores that pass, with one pass and one failure added.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		rule := Rule{Margin: float64(r.IntN(40)) / 10, Tolerance: float64(r.IntN(30)) / 10}
		work := make([]float64, r.IntN(60))
		for i := range work {
			work[i] = float64(r.IntN(101)) / 10
		}
		items := make([]Item, r.IntN(40))
		for i := range items {
			items[i] = Item{Kinds[r.IntN(3)], float64(r.IntN(101)) / 10, float64(r.IntN(301)) / 30}
		}
		for i, got := range trials(work, items, rule) {
			n := 1
			for _, x := range work {
				if rule.Passes(items[i].Kind, x, items[i].Against) {
					n++
				}
			}
			if want := float64(n) / float64(len(work)+2); got.chance != want {
				t.Fatalf("the chance of %+v under %+v with %v is %v, want %v", items[i], rule, work, got.chance, want)
			}
		}
	}
}

// Many trials give the same as without leaving anything out.
func TestAtLeastOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	chances, all := make([]float64, 1500), make([]float64, 1501)
	all[0] = 1
	for i := range chances {
		chances[i] = r.Float64()
		for k := i + 1; k > 0; k-- {
			all[k] = all[k]*(1-chances[i]) + all[k-1]*chances[i]
		}
		all[0] *= 1 - chances[i]
	}
	for _, n := range []int{1, 300, 600, 700, 750, 760, 800, 900, 1200, 1500} {
		want := 0.0
		for k := 1500; k >= n; k-- { // from the smallest
			want += all[k]
		}
		if got := AtLeast(chances, n); math.Abs(got-want) > 1e-12 {
			t.Errorf("at least %d: %v, want %v", n, got, want)
		}
	}
}

// BenchmarkJudge judges 5,000 checks of one annotator.
func BenchmarkJudge(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 12))
	work, items := make([]float64, 3000), make([]Item, 5000)
	for i := range work {
		work[i] = float64(r.IntN(101))
	}
	for i := range items {
		items[i] = Item{Kinds[i%2], float64(r.IntN(101)), float64(r.IntN(101))}
	}
	rule := Rule{Margin: 25, Tolerance: 10}
	for b.Loop() {
		Judge(work, items, rule, 0.05)
	}
}
