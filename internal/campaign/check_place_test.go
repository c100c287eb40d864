package campaign

import (
	"math"
	"slices"
	"testing"
)

func TestPlaced(t *testing.T) {
	for _, rate := range []float64{0.01, 0.05, 0.07, 0.1, 1.0 / 3, 0.5} {
		const documents = 3000
		for seed := range int64(5) {
			n, last, gaps := 0, 0, map[int]bool{}
			for k := range documents {
				placed := CheckPlaced(seed, rate, k)
				if placed {
					n++
					gaps[k-last] = true
					last = k
				}
				if CheckPlaced(seed, rate, k) != placed {
					t.Fatal("the place of a check changes")
				}
			}
			if want := rate * documents; math.Abs(float64(n)-want) > 1 {
				t.Errorf("rate %v, seed %d: %d checks, want %v", rate, seed, n, want)
			}
			if len(gaps) < 2 {
				t.Errorf("rate %v, seed %d: checks come at equal distances: %v", rate, seed, gaps)
			}
		}
	}
	for k := range 100 {
		if CheckPlaced(7, 0, k) {
			t.Fatal("a check is placed without a rate")
		}
		if CheckPlaced(int64(k), 0.5, 0) {
			t.Fatal("the first document is a check")
		}
	}
}

// Over many annotators, a document has a check as often at one place as at another.
func TestPlacedEvenly(t *testing.T) {
	const annotators, documents = 20_000, 40
	at := make([]int, documents)
	for a := range annotators {
		seed := CheckSeed("campaign", string(rune(a)), "annotator")
		for k := range documents {
			if CheckPlaced(seed, 0.05, k) {
				at[k]++
			}
		}
	}
	for k, n := range at[1:] {
		// The first block has 19 places, because the first document is never a check.
		if want := float64(annotators) / 20; math.Abs(float64(n)-want) > 0.15*want {
			t.Errorf("document %d is a check %d times of %d", k+1, n, annotators)
		}
	}
}

// The first check comes within the documents that the page of checks names.
func TestFirstWithin(t *testing.T) {
	for rate, want := range map[float64]int{0.01: 99, 0.05: 19, 0.2: 4, 0.3: 3, 1.0 / 3: 2, 0.5: 1, 0.7: 1} {
		latest := 0
		for a := range int64(2000) {
			n := 1
			for !CheckPlaced(a, rate, n) {
				n++
			}
			latest = max(latest, n)
		}
		if got := FirstCheckWithin(rate); got != want || latest != want {
			t.Errorf("rate %v: within %d, placed within %d, want %d", rate, got, latest, want)
		}
	}
}

func TestOrder(t *testing.T) {
	first := map[CheckKind]int{}
	for n := range 3000 {
		order := CheckOrder(11, n, CheckKinds)
		first[order[0]]++
		if slices.Sort(order); len(slices.Compact(order)) != 3 {
			t.Fatalf("order is %v", order)
		}
	}
	for _, kind := range CheckKinds {
		if n := first[kind]; n < 850 || n > 1150 {
			t.Errorf("%s comes first %d times of 3000", kind, n)
		}
	}
}

func TestSeed(t *testing.T) {
	seeds := map[int64]bool{CheckSeed(): true, CheckSeed(""): true, CheckSeed("ab"): true, CheckSeed("a", "b"): true, CheckSeed("b", "a"): true, CheckSeed("a", "", "b"): true}
	if len(seeds) != 6 || seeds[0] {
		t.Errorf("seeds are %v", seeds)
	}
}
