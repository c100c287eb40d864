package templates

import (
	"cmp"
	"slices"

	"annotate/internal/codepoint"
)

// Error spans overlap, nest and may be empty; a page is drawn from stretches that do neither. [cutText]
// gives these stretches, and [lanesOf] says in which of the lines below the text each span is drawn, so
// that overlapping ones can be told apart. Both are pure functions. A span that lies partly outside its
// text is drawn as far as the text goes.

// A textSpan is [Start, End) in code points of the text. It is empty where both are
// equal: a mark at a gap between two characters.
type textSpan struct{ Start, End int }

func (s textSpan) empty() bool { return s.Start == s.End }

// A stretch is a stretch of the text, or the gap of empty spans, for which Text is
// empty.
type stretch struct {
	Text string
	// Spans are the places, in the list given, of the spans that cover all of the
	// stretch, those that begin first and reach furthest first; or of the empty
	// spans at the gap. Nil where the text is unmarked.
	Spans []int
	// Ends are those of Spans that end here, in the same order.
	Ends []int
}

// Gap reports whether p is the place of spans without words.
func (p stretch) Gap() bool { return p.Text == "" }

// clip puts a span within a text of n code points.
func clip(s textSpan, n int) textSpan {
	s.Start = min(max(s.Start, 0), n)
	s.End = min(max(s.End, s.Start), n)
	return s
}

// before orders spans by where they begin, the longer first, then as given.
func before(spans []textSpan) []int {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(spans[a].Start, spans[b].Start), cmp.Compare(spans[b].End, spans[a].End))
	})
	return order
}

func clipped(text *codepoint.Index, spans []textSpan) []textSpan {
	out := make([]textSpan, len(spans))
	for i, s := range spans {
		out[i] = clip(s, text.Len())
	}
	return out
}

// cutText divides a text where spans begin and end. The texts of the pieces, put
// together, are the text byte for byte; no two pieces that meet have the same
// spans; every span that is not empty covers exactly the pieces that name it, and
// every empty one is named by one gap.
func cutText(text string, spans []textSpan) []stretch {
	index := codepoint.NewIndex(text)
	spans = clipped(index, spans)
	order := before(spans)
	var out []stretch
	var open []int // covering the place, in order
	at := 0
	next := 0 // in order
	for _, edge := range edges(spans, index.Len()) {
		if edge > at {
			out = append(out, stretch{Text: text[index.Byte(at):index.Byte(edge)], Spans: append([]int(nil), open...), Ends: ending(spans, open, edge)})
			at = edge
		}
		open = slices.DeleteFunc(open, func(i int) bool { return spans[i].End == edge })
		var gap []int
		for ; next < len(order) && spans[order[next]].Start == edge; next++ {
			if i := order[next]; spans[i].empty() {
				gap = append(gap, i)
			} else {
				open = append(open, i)
			}
		}
		if gap != nil {
			out = append(out, stretch{Spans: gap, Ends: gap})
		}
	}
	return out
}

// ending are the open spans that end at a place.
func ending(spans []textSpan, open []int, at int) []int {
	var out []int
	for _, i := range open {
		if spans[i].End == at {
			out = append(out, i)
		}
	}
	return out
}

// edges are the places at which something begins or ends, ascending, with both
// ends of the text.
func edges(spans []textSpan, n int) []int {
	out := make([]int, 0, 2*len(spans)+2)
	out = append(out, 0, n)
	for _, s := range spans {
		out = append(out, s.Start, s.End)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lanesOf says in which line, counted from 0, each span is drawn, and how many
// lines there are: as few as can be, and each span as near to the text as it can
// lie. Spans that share a character are never in the same line, and a span keeps
// its line from beginning to end. An empty span needs none and has line -1.
func lanesOf(spans []textSpan) (lanes []int, n int) {
	lanes = make([]int, len(spans))
	var ends []int // of the last span in each line
	for _, i := range before(spans) {
		s := spans[i]
		if s.End <= s.Start {
			lanes[i] = -1
			continue
		}
		free := slices.IndexFunc(ends, func(end int) bool { return end <= s.Start })
		if free < 0 {
			free = len(ends)
			ends = append(ends, 0)
		}
		ends[free] = s.End
		lanes[i] = free
	}
	return lanes, len(ends)
}
