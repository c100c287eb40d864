package campaign

import (
	"slices"
	"strings"
	"testing"
)

func TestShuffle(t *testing.T) {
	a, b := Shuffle(7, 10), Shuffle(7, 10)
	if !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if slices.Equal(a, Shuffle(8, 10)) {
		t.Errorf("seeds 7 and 8 gave the same order %v", a)
	}
	slices.Sort(a)
	for i, v := range a {
		if i != v {
			t.Fatalf("not a permutation: %v", a)
		}
	}
	// Every translation should stand at every place about equally often: 5 of
	// 1,000 shuffles each in 5 places gives 200 on average, deviation 12.6.
	var first [5]int
	for seed := range int64(1000) {
		first[Shuffle(seed, 5)[0]]++
	}
	for i, n := range first {
		if n < 137 || n > 263 {
			t.Errorf("translation %d came first %d times in 1000, want about 200", i, n)
		}
	}
}

// An assignment keeps its order of cards, and another one has its own.
func TestCardOrder(t *testing.T) {
	seen := map[string]bool{}
	for seed := range int64(20) {
		ids, again := []string{"a", "b", "c", "d"}, []string{"d", "c", "b", "a"}
		CardOrder{Seed: seed + 1}.Systems(ids)
		CardOrder{Seed: seed + 1}.Systems(again)
		if !slices.Equal(ids, again) {
			t.Errorf("seed %d: %v and %v", seed+1, ids, again)
		}
		seen[strings.Join(ids, "")] = true
	}
	if len(seen) < 5 {
		t.Errorf("20 assignments have only the orders %v", seen)
	}
}

func TestPick(t *testing.T) {
	tests := []struct {
		name       string
		candidates []Candidate
		want       string
	}{
		{"order of import", []Candidate{{SegmentID: "b", Position: 2}, {SegmentID: "a", Position: 1}}, "a"},
		{"least covered first", []Candidate{{SegmentID: "a", Coverage: 1}, {SegmentID: "b", Coverage: 0, Position: 9}}, "b"},
		{"least met among equals", []Candidate{{SegmentID: "a", Coverage: 1, Met: 3}, {SegmentID: "b", Coverage: 1, Met: 1, Position: 9}}, "b"},
		{"coverage before met", []Candidate{{SegmentID: "a", Coverage: 0, Met: 9}, {SegmentID: "b", Coverage: 1, Met: 0}}, "a"},
		{"a begun document goes on", []Candidate{{SegmentID: "a"}, {SegmentID: "b", Begun: true, Coverage: 1, Met: 5, Position: 9}}, "b"},
		{"of two begun ones the earlier", []Candidate{{SegmentID: "a", Begun: true, Position: 5}, {SegmentID: "b", Begun: true, Position: 3, Coverage: 1}}, "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Pick(tt.candidates)
			if !ok || got.SegmentID != tt.want {
				t.Errorf("got %v %v, want %s", got, ok, tt.want)
			}
		})
	}
	if _, ok := Pick(nil); ok {
		t.Error("picked from nothing")
	}
}
