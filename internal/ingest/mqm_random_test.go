package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

// randomText is a text of up to 20 clusters from all over Unicode, without what
// ends a cell or a line.
func randomText(rng *rand.Rand) string {
	pieces := []string{"a", "Z", " ", "é", "e\u0301", "ü", "中", "🙂", "👩\u200d🚀", "🇩🇪", "\u200f", "ع", "ب", "א", "\u202e", "\u00a0", "\u2028", "<", ">", "<v", "/v>", `"`, `""`, "|", "#", "\\", "\r", "\v", "{", "\U0010ffff", "\ufeff"}
	var b strings.Builder
	for range rng.IntN(20) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return strings.NewReplacer(openMark, "<v ", closeMark, "</v ").Replace(b.String())
}

// markText puts marks around [start, end) of a text.
func markText(text string, start, end int) string {
	runes := []rune(text)
	return string(runes[:start]) + openMark + string(runes[start:end]) + closeMark + string(runes[end:])
}

// csvField quotes a cell that looks like a quoted CSV field.
func csvField(cell string) string {
	plain, _ := unmark(cell)
	if _, quoted := unquoteCSV([]byte(plain.text)); quoted {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// Any texts that are written as a table are read unchanged.
func TestMQMRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var want []campaign.SegmentLine
		var lines []string // of the table, without its header
		write := func(cells ...string) {
			for i := range cells {
				cells[i] = csvField(cells[i])
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
		firsts := map[string]int{} // line of a segment's first row; filled below
		for n := range 1 + rng.IntN(4) {
			s := campaign.Segment{DocID: fmt.Sprint("d", n/2), SegmentID: fmt.Sprint(n), Source: "s" + randomText(rng)}
			for _, system := range []string{"A", "B", "Ĉ"}[:1+rng.IntN(3)] {
				tr := campaign.Translation{System: system, Text: randomText(rng)}
				for _, login := range []string{"r1", "r2"}[:1+rng.IntN(2)] {
					r := mqmRating(login)
					for range rng.IntN(4) {
						span := protocol.ErrorSpan{Side: protocol.Target, Severity: "minor", Category: "Style", Subcategory: "Awkward", Comment: strings.TrimRight(randomText(rng), "\r")}
						text := tr.Text
						if rng.IntN(3) == 0 {
							span.Side, text = protocol.Source, s.Source
						}
						span.Start = rng.IntN(codepoint.Len(text) + 1)
						span.End = span.Start + rng.IntN(codepoint.Len(text)-span.Start+1)
						span.Text, _ = codepoint.Slice(text, span.Start, span.End)
						r.Spans = append(r.Spans, span)
						source, target := s.Source, tr.Text
						if span.Side == protocol.Source {
							source = markText(text, span.Start, span.End)
						} else {
							target = markText(text, span.Start, span.End)
						}
						write(system, s.DocID, "1", s.SegmentID, login, source, target, "Style/Awkward", "Minor", span.Comment)
					}
					if len(r.Spans) == 0 {
						write(system, s.DocID, "1", s.SegmentID, login, s.Source, tr.Text, "No-error", "No-error", "")
					}
					r.NoErrors = len(r.Spans) == 0
					tr.Ratings = append(tr.Ratings, r)
				}
				s.Translations = append(s.Translations, tr)
			}
			want = append(want, campaign.SegmentLine{Segment: s})
		}
		// Rows of segments come one after the other, or mixed with those of others.
		if seed%2 == 1 {
			slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
		}
		firstRows := map[string]map[campaign.Row]int{} // the same of its translations and ratings
		for i, line := range lines {
			cells := strings.Split(line, "\t")
			id := cells[3]
			if firsts[id] == 0 {
				firsts[id], firstRows[id] = i+2, map[campaign.Row]int{}
			}
			for _, row := range []campaign.Row{{System: cells[0]}, {System: cells[0], Annotator: cells[4]}} {
				if firstRows[id][row] == 0 {
					firstRows[id][row] = i + 2
				}
			}
		}
		for i := range want {
			id := want[i].Segment.SegmentID
			want[i].Line, want[i].Rows = firsts[id], firstRows[id]
		}
		slices.SortFunc(want, func(a, b campaign.SegmentLine) int { return a.Line - b.Line })
		got, _ := mqmRowsText(t, "mqm", olderHeader+strings.Join(lines, "\n")+"\n", Options{})
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d segments, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if g, w := fmt.Sprintf("%#v", got[i].Segment), fmt.Sprintf("%#v", want[i].Segment); g != w {
				t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, g, w)
			}
			diff(t, got[i], want[i])
		}
	}
}
