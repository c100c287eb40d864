package agreement

import (
	"fmt"
	"slices"
	"testing"
)

type turn struct {
	annotator string
	round     int
}

func (t turn) Who() (string, int) { return t.annotator, t.round }

// TestLatestRounds has a and b together in rounds 1 and 2, c with both in round 1 alone,
// and a alone in round 3.
func TestLatestRounds(t *testing.T) {
	turns := []turn{{"a", 1}, {"a", 2}, {"a", 3}, {"b", 1}, {"b", 2}, {"c", 1}}
	var pairs []string
	for i, j := range LatestShared(turns) {
		pairs = append(pairs, fmt.Sprint(turns[i], turns[j]))
	}
	if want := []string{"{a 1} {c 1}", "{a 2} {b 2}", "{b 1} {c 1}"}; !slices.Equal(pairs, want) {
		t.Errorf("pairs are %v, want %v", pairs, want)
	}
	if got, want := LatestOfTwo(turns), []turn{{"a", 2}, {"b", 2}}; !slices.Equal(got, want) {
		t.Errorf("the latest round of two is %v, want %v", got, want)
	}
	if got, want := LatestOfEach(turns), []turn{{"a", 3}, {"b", 2}, {"c", 1}}; !slices.Equal(got, want) {
		t.Errorf("the latest turns are %v, want %v", got, want)
	}
	alone := []turn{{"a", 1}, {"a", 2}, {"b", 3}}
	for i, j := range LatestShared(alone) {
		t.Errorf("%v and %v share nothing", alone[i], alone[j])
	}
	if got := LatestOfTwo(alone); got != nil {
		t.Errorf("nobody shares a round, got %v", got)
	}
}
