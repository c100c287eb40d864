package textdiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"same", "same", "same"},
		{"It rains ropes.", "It rains cats and dogs.", "It rains [-ropes-][+cats and dogs+]."},
		{"old news", "", "[-old news-]"},
		{"下雨了", "下大雨了", "下[+大+]雨了"},
	} {
		if got := marked(Words(c.from, c.to)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func marked(list []Change) string {
	var b strings.Builder
	for _, c := range list {
		switch {
		case c.From == c.To:
			b.WriteString(c.From)
		default:
			if c.From != "" {
				fmt.Fprintf(&b, "[-%s-]", c.From)
			}
			if c.To != "" {
				fmt.Fprintf(&b, "[+%s+]", c.To)
			}
		}
	}
	return b.String()
}

// TestDistance compares with the whole table of the recurrence, and checks that the parts of a comparison are the texts.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteRune([]rune("ab é。字 ")[r.IntN(7)])
		}
		return b.String()
	}
	for range 500 {
		a, b := text(), text()
		if r.IntN(2) == 0 {
			at := r.IntN(len([]rune(a)) + 1)
			b = string(slices.Insert([]rune(a), at, 'x'))
		}
		if got, want := Characters(a, b), whole([]rune(a), []rune(b)); got != want {
			t.Fatalf("%q to %q: %d, want %d", a, b, got, want)
		}
		if got, want := WordDistance(a, b), whole(words(a), words(b)); got != want {
			t.Fatalf("words of %q to %q: %d, want %d", a, b, got, want)
		}
		var from, to strings.Builder
		for _, c := range Words(a, b) {
			from.WriteString(c.From)
			to.WriteString(c.To)
		}
		if from.String() != a || to.String() != b {
			t.Fatalf("the parts of %q and %q are %q and %q", a, b, from.String(), to.String())
		}
	}
}

func whole[T comparable](a, b []T) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for k := range table[i] {
			switch {
			case i == 0 || k == 0:
				table[i][k] = i + k
			case a[i-1] == b[k-1]:
				table[i][k] = table[i-1][k-1]
			default:
				table[i][k] = 1 + min(table[i-1][k-1], table[i-1][k], table[i][k-1])
			}
		}
	}
	return table[len(a)][len(b)]
}
