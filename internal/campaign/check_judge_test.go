package campaign

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPasses(t *testing.T) {
	rule := hundred
	for _, c := range []struct {
		kind           CheckKind
		score, against float64
		want           bool
	}{
		{DegradedCheck, 50, 75, true}, {DegradedCheck, 51, 75, false}, {DegradedCheck, 80, 75, false}, {DegradedCheck, 20, 30, true}, {DegradedCheck, 21, 30, false},
		{RepeatCheck, 50, 60, true}, {RepeatCheck, 50, 61, false}, {RepeatCheck, 70, 60, true},
		{KnownCheck, 50, 50, true}, {KnownCheck, 39, 50, false},
	} {
		if got := rule.Passes(c.kind, c.score, c.against); got != c.want {
			t.Errorf("%s: %v against %v passes: %v", c.kind, c.score, c.against, got)
		}
	}
	if !(CheckRule{Margin: 0.3, Low: -1}).Passes(DegradedCheck, 0.6, 0.9) { // 0.9-0.3 is a little above 0.6
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
		if got := atLeast(c.chances, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at least %d of %v: %v, want %v", c.n, c.chances, got, c.want)
		}
	}
}

// hundred is the rule of a scale from 0 to 100.
var hundred = CheckRule{Margin: 25, Tolerance: 10, High: 100}

// items are so many checks, each of a document of its own.
func items(kind CheckKind, n int, score, against float64) (out []CheckItem) {
	for i := range n {
		name := string(kind) + string(rune('a'+i))
		out = append(out, CheckItem{Kind: kind, Score: score, Against: against, Document: name, Source: name, Original: name})
	}
	return out
}

func TestJudge(t *testing.T) {
	spread := []float64{20, 40, 60, 80, 90, 95, 100, 100}
	varied := []float64{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	one := slices.Repeat([]float64{80}, 100)
	for _, c := range []struct {
		name                string
		work                []float64
		items               []CheckItem
		enough, reads, flag bool
	}{
		{"no checks", spread, nil, false, false, false},
		{"one check, failed", spread, items(DegradedCheck, 1, 90, 90), false, false, false},
		{"all failed", spread, items(DegradedCheck, 10, 90, 90), true, false, true},
		{"all passed", spread, items(DegradedCheck, 10, 20, 90), true, true, false},
		{"one score for everything", one, items(DegradedCheck, 10, 80, 80), true, false, true},
		{"one score for everything, repeats", one, items(RepeatCheck, 10, 80, 80), false, false, false},
		{"high scores, repeats", []float64{100, 100, 100, 100, 100, 100, 100, 90, 95, 40}, items(RepeatCheck, 10, 100, 100), false, false, false},
		// Passing both would be improbable without reading, but two documents are too few.
		{"two failed", one, items(DegradedCheck, 2, 80, 80), false, false, false},
		// A careful annotator misses one of three now and then.
		{"two of three passed", one, append(items(DegradedCheck, 1, 80, 80), items(KnownCheck, 2, 40, 40)...), true, true, false},
		{"one of three passed", spread, append(items(DegradedCheck, 2, 90, 90), items(KnownCheck, 1, 20, 20)...), true, false, false},
		// 0.4^4 is 0.026, and 0.4^5 is 0.010.
		{"four failed", one, items(DegradedCheck, 4, 80, 80), true, false, false},
		{"five failed", one, items(DegradedCheck, 5, 80, 80), true, false, true},
		{"repeats alone failed", varied, items(RepeatCheck, 10, 0, 90), true, false, true},
		// 8 of 11: three careful misses in the texts that tell most.
		{"three degraded failed, eight others passed", spread, append(items(DegradedCheck, 3, 90, 90), items(RepeatCheck, 8, 20, 20)...), true, true, false},
		// An original without room below, as in a system of bad translations, is no evidence.
		{"no room", slices.Repeat([]float64{10}, 100), items(DegradedCheck, 10, 10, 10), false, false, false},
	} {
		got := JudgeChecks(c.work, c.items, hundred, 0.05)
		if d := DecidingChecks(got); d.Enough != c.enough || d.Reads != c.reads || ChecksFlag(got) != c.flag {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	copied := JudgeChecks([]float64{60, 70, 80, 85, 90}, append(items(RepeatCheck, 30, 90, 90), items(DegradedCheck, 8, 85, 90)...), hundred, 0.05)
	if copied[0].Flag || !ChecksFlag(copied) || DecidingChecks(copied).Kind != DegradedCheck {
		t.Errorf("who passes repeats without reading is flagged: %v, %+v", ChecksFlag(copied), copied)
	}
	random := JudgeChecks(varied, append(items(RepeatCheck, 12, 0, 90), append(items(DegradedCheck, 4, 50, 90), items(DegradedCheck, 7, 90, 90)[4:]...)...), hundred, 0.05)
	if ChecksFlag(random) != random[0].Flag || !random[0].Flag || random[1].Flag {
		t.Errorf("who fails nearly all repeats and half of the degraded texts is flagged: %v, %+v", ChecksFlag(random), random)
	}
	if steady := JudgeChecks(varied, append(items(RepeatCheck, 10, 0, 90), items(DegradedCheck, 10, 20, 90)...), hundred, 0.05); ChecksFlag(steady) || !steady[2].Flag {
		t.Errorf("who fails repeats alone is flagged: %v, %+v", ChecksFlag(steady), steady)
	}
	got := JudgeChecks(spread, append(items(KnownCheck, 2, 50, 55), items(DegradedCheck, 3, 20, 90)...), hundred, 0.05)
	if len(got) != 3 || got[0].Taken != 5 || got[0].Passed != 5 || got[1].Kind != DegradedCheck || got[1].Taken != 3 || got[2].Kind != KnownCheck || got[2].Taken != 2 {
		t.Errorf("results are %+v", got)
	}
	if want := 4.0 / 10; math.Abs(got[1].Chance-want) > 1e-12 || math.Abs(got[1].P-want*want*want) > 1e-12 { // 20, 40 and 60 of 8 pass, with one added
		t.Errorf("chance and p are %v and %v, want %v and its cube", got[1].Chance, got[1].P, want)
	}
	if two := JudgeChecks(spread, append(items(DegradedCheck, 5, 20, 90), items(KnownCheck, 1, 0, 90)...), hundred, 0.05); math.Abs(two[0].Careful-(1-math.Pow(0.6, 5)*0.4)) > 1e-12 {
		t.Errorf("a careful annotator passes at most 5 of these 6 with a chance of %v", two[0].Careful)
	}
	if none := JudgeChecks(spread, nil, hundred, 0.05)[0]; !math.IsNaN(none.P) || !math.IsNaN(none.Careful) || !math.IsNaN(none.Chance) {
		t.Errorf("without checks: %+v", none)
	}
}

// What depends on the same text counts once.
func TestJudgeCountsTextsOnce(t *testing.T) {
	one := slices.Repeat([]float64{80}, 100)
	failed := func(document, source, original string) CheckItem {
		return CheckItem{DegradedCheck, 80, 80, document, source, original}
	}
	for _, c := range []struct {
		name      string
		items     []CheckItem
		documents int
	}{
		{"translations of one segment", []CheckItem{failed("d", "s", "a"), failed("d", "s", "b"), failed("d", "s", "c"), failed("d", "s", "d"), failed("d", "s", "e"), failed("d", "s", "f")}, 1},
		{"segments of one document", []CheckItem{failed("d", "s1", "a"), failed("d", "s2", "b"), failed("d", "s3", "c")}, 1},
		{"copies of one source text", []CheckItem{failed("d1", "s", "a"), failed("d2", "s", "b"), failed("d3", "s", "c")}, 1},
		{"copies of one translation", []CheckItem{failed("d1", "s1", "a"), failed("d2", "s2", "a"), failed("d3", "s3", "a")}, 1},
		{"copies beside a text of one's own", []CheckItem{failed("d1", "s", "a"), failed("d2", "s", "a"), failed("d2", "t", "b"), failed("d3", "u", "c")}, 3},
	} {
		if got := JudgeChecks(one, c.items, hundred, 0.05)[0]; got.Documents != c.documents || got.Taken != len(c.items) || got.Flag {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	// A document is passed if at least half of its checks are.
	half := []CheckItem{failed("d", "s", "a"), {DegradedCheck, 0, 80, "d", "s", "b"}}
	third := append(half, failed("d", "s", "c"))
	if a, b := JudgeChecks(one, half, hundred, 0.05)[0], JudgeChecks(one, third, hundred, 0.05)[0]; a.DocumentsPassed != 1 || b.DocumentsPassed != 0 {
		t.Errorf("with one of two passed %+v, with one of three %+v", a, b)
	}
	uneven := []float64{0, 0, 80, 80, 80, 80, 80, 80}
	if got, want := JudgeChecks(uneven, half, hundred, 0.05)[0].P, 1-0.7*0.7; math.Abs(got-want) > 1e-12 {
		t.Errorf("somebody who does not read passes one of two with a chance of %v, want %v", got, want)
	}
}

// What cannot be passed, or cannot be failed, does not count.
func TestUncounted(t *testing.T) {
	inf := math.Inf(-1)
	five := CheckRule{Margin: 1, Tolerance: 0.5, High: 4, Step: 1}
	sum := CheckRule{Margin: 5, Tolerance: 1, Low: inf, Errors: true}
	for _, c := range []struct {
		rule    CheckRule
		kind    CheckKind
		against float64
		want    string
	}{
		{hundred, DegradedCheck, 25, ""}, {hundred, DegradedCheck, 24, "no room below the original"}, {hundred, DegradedCheck, 0, "no room below the original"},
		{five, DegradedCheck, 1, ""}, {five, DegradedCheck, 0, "no room below the original"},
		{sum, DegradedCheck, 0, ""}, {sum, DegradedCheck, -2.5, ""}, {sum, DegradedCheck, -3, "errors in the original weigh too much"},
		{sum, RepeatCheck, -2, ""}, {sum, KnownCheck, -6, "errors in the original weigh too much"}, {sum, KnownCheck, 5, "no score passes"},
		{CheckRule{Margin: 5, Low: -4, Errors: true}, DegradedCheck, 0, "no room below the original"},
		{hundred, KnownCheck, 50, ""}, {hundred, KnownCheck, 120, "no score passes"},
		{five, KnownCheck, 2.5, ""}, {CheckRule{Tolerance: 0.3, High: 4, Step: 1}, KnownCheck, 2.5, "no score passes"}, {CheckRule{Tolerance: 0.3, High: 4}, KnownCheck, 2.5, ""},
		{CheckRule{Tolerance: 4, High: 4, Step: 1}, RepeatCheck, 0, "every score passes"}, {CheckRule{Tolerance: 3, High: 4, Step: 1}, RepeatCheck, 0, ""},
		{CheckRule{Tolerance: 3, High: 4, Step: 1}, RepeatCheck, 2, "every score passes"},
	} {
		if got := c.rule.Uncounted(c.kind, c.against); got != c.want {
			t.Errorf("%s against %v under %+v: %q, want %q", c.kind, c.against, c.rule, got, c.want)
		}
	}
	// Whoever marks the dropped half as one major error passes, whatever small errors the original had.
	for _, against := range []float64{0, -1, -2} {
		if !sum.Passes(DegradedCheck, -5, against) || sum.Passes(DegradedCheck, -4, against) {
			t.Errorf("errors of 5 pass against %v: %v, of 4: %v", against, sum.Passes(DegradedCheck, -5, against), sum.Passes(DegradedCheck, -4, against))
		}
	}
}

// An annotator whose pass rates are those of careful annotators at the least is flagged with a chance of at most the
// level, whatever the numbers of checks. The chance is computed from all outcomes.
func TestCarefulAreFlaggedSeldom(t *testing.T) {
	const level = 0.05
	one := slices.Repeat([]float64{80}, 200) // so that what they fail is what one who does not read fails
	chance := func(n, k int, p float64) float64 {
		chances := slices.Repeat([]float64{p}, n)
		return atLeast(chances, k) - atLeast(chances, k+1)
	}
	highest := 0.0
	for d := range 13 {
		for k := range 13 {
			flagged := 0.0
			for dp := range d + 1 {
				for kp := range k + 1 {
					all := slices.Concat(items(DegradedCheck, dp, 0, 80), items(DegradedCheck, d, 80, 80)[dp:], items(KnownCheck, kp, 40, 40), items(KnownCheck, k, 80, 40)[kp:])
					if ChecksFlag(JudgeChecks(one, all, hundred, level)) {
						flagged += chance(d, dp, carefully[DegradedCheck]) * chance(k, kp, carefully[KnownCheck])
					}
				}
			}
			if highest = max(highest, flagged); flagged > level {
				t.Errorf("with %d degraded and %d known texts %.3f of the careful annotators are flagged", d, k, flagged)
			}
		}
	}
	if highest < level/4 {
		t.Errorf("at most %.3f are flagged: the test is needlessly weak", highest)
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
		if got := atLeast(chances, n); math.Abs(got-want) > 1e-12 {
			t.Errorf("at least %d: %v, want %v", n, got, want)
		}
	}
}
