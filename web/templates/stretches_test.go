package templates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/codepoint"
)

func TestStretches(t *testing.T) {
	for _, tt := range []struct {
		name  string
		text  string
		spans []textSpan
		want  []stretch
	}{
		{"overlap", "abcdef", []textSpan{{1, 4}, {3, 5}}, []stretch{
			{Text: "a"}, {"bc", []int{0}, nil}, {"d", []int{0, 1}, []int{0}}, {"e", []int{1}, []int{1}}, {Text: "f"}}},
		{"a gap where one ends and one begins", "ab", []textSpan{{0, 1}, {1, 2}, {1, 1}}, []stretch{
			{"a", []int{0}, []int{0}}, {"", []int{2}, []int{2}}, {"b", []int{1}, []int{1}}}},
		{"code points, not units or bytes", "🙂é\n字", []textSpan{{1, 2}, {3, 4}}, []stretch{
			{Text: "🙂"}, {"é", []int{0}, []int{0}}, {Text: "\n"}, {"字", []int{1}, []int{1}}}},
		{"outside the text", "ab", []textSpan{{-3, 1}, {1, 9}, {7, 9}}, []stretch{
			{"a", []int{0}, []int{0}}, {"b", []int{1}, []int{1}}, {"", []int{2}, []int{2}}}},
	} {
		if got := cutText(tt.text, tt.spans); plain(got) != plain(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// plain makes empty and nil the same.
func plain(pieces []stretch) string { return fmt.Sprintf("%+v", pieces) }

// alphabet has everything that offsets can be wrong by: ASCII, two, three and
// four bytes, joiners, modifiers, combining marks, right-to-left letters and
// controls, line breaks, and what HTML would take for its own.
var alphabet = []rune("ab <&>\"'\n\r\tßé\u0301\u0308字。、עبّى\u200d\u200f\u202e\u2067\u2069\ufeff👩🏽🇪🇺\U0010ffff")

func randomText(r *rand.Rand) string {
	n := r.IntN(40)
	if r.IntN(10) == 0 {
		n = 500 + r.IntN(500)
	}
	var b strings.Builder
	for range n {
		b.WriteRune(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func randomSpans(r *rand.Rand, n int) []textSpan {
	spans := make([]textSpan, r.IntN(30))
	for i := range spans {
		a, b := r.IntN(n+1), r.IntN(n+1)
		if r.IntN(5) == 0 {
			b = a
		}
		spans[i] = textSpan{min(a, b), max(a, b)}
	}
	return spans
}

// TestStretchesAtRandom: the pieces are the text, each span has exactly the pieces it
// covers, and nothing is cut where nothing begins or ends.
func TestStretchesAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 17))
	for round := range 3000 {
		text := randomText(r)
		spans := randomSpans(r, codepoint.Len(text))
		pieces := cutText(text, spans)
		if problem := wrong(text, spans, pieces); problem != "" {
			t.Fatalf("round %d: %s\ntext %q\nspans %v\npieces %+v", round, problem, text, spans, pieces)
		}
	}
}

func wrong(text string, spans []textSpan, pieces []stretch) string {
	var whole strings.Builder
	covered := make([][2]int, len(spans)) // by the pieces of each span
	seen := make([]int, len(spans))
	ended := make([]int, len(spans))
	at := 0
	for k, p := range pieces {
		end := at + codepoint.Len(p.Text)
		whole.WriteString(p.Text)
		if k > 0 && !p.Gap() && !pieces[k-1].Gap() && slices.Equal(p.Spans, pieces[k-1].Spans) && pieces[k-1].Ends == nil {
			return fmt.Sprintf("piece %d is cut from the one before it for nothing", k)
		}
		if p.Spans != nil && len(p.Spans) == 0 {
			return fmt.Sprintf("piece %d has spans, none of them", k)
		}
		for i, s := range spans {
			covers := !p.Gap() && s.Start <= at && end <= s.End || p.Gap() && s == (textSpan{at, at})
			if covers != slices.Contains(p.Spans, i) {
				return fmt.Sprintf("piece %d, [%d, %d), and span %d, %v: named %v, want %v", k, at, end, i, s, !covers, covers)
			}
		}
		for _, i := range p.Spans {
			if seen[i]++; seen[i] == 1 {
				covered[i][0] = at
			}
			covered[i][1] = end
		}
		for _, i := range p.Ends {
			ended[i]++
			if spans[i].End != end {
				return fmt.Sprintf("span %d ends at %d, not with piece %d", i, spans[i].End, k)
			}
		}
		at = end
	}
	if whole.String() != text {
		return "the pieces are not the text"
	}
	for i, s := range spans {
		if covered[i] != [2]int{s.Start, s.End} || ended[i] != 1 || s.empty() && seen[i] != 1 {
			return fmt.Sprintf("span %d, %v, has the pieces from %d to %d and ends %d times", i, s, covered[i][0], covered[i][1], ended[i])
		}
	}
	return ""
}

// TestLanesAtRandom: no two spans that share a character are in one line, and
// there are only as many lines as spans lie over the most marked character.
func TestLanesAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 23))
	for range 3000 {
		spans := randomSpans(r, 30)
		lanes, n := lanesOf(spans)
		var depth [30]int
		for i, a := range spans {
			if (lanes[i] < 0) != a.empty() || lanes[i] >= n {
				t.Fatalf("line %d of %d for %v", lanes[i], n, a)
			}
			for at := a.Start; at < a.End; at++ {
				depth[at]++
			}
			for j, b := range spans[:i] {
				if lanes[i] >= 0 && lanes[i] == lanes[j] && a.Start < b.End && b.Start < a.End {
					t.Fatalf("%v and %v are both in line %d", a, b, lanes[i])
				}
			}
		}
		if want := slices.Max(depth[:]); n != want {
			t.Fatalf("%d lines for %v, want %d", n, spans, want)
		}
	}
}
