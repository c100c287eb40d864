package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/spool"
	"annotate/internal/wording"
)

// Unite makes whole segments of lines in any order, each with a part of a segment such as a translation or a
// rating. Lines with the same DocID and SegmentID belong to one segment. The segments come in the order of
// their first lines, with translations in byte order of the systems and ratings by round, then by login.
//
// All lines of a segment must have the same source, and the same text for each system and reference. A
// different text is a *[campaign.Problem] of the kind [ingest.Contradiction], and its segment is not yielded.
// For other fields the first value that is not empty counts. A later human score, metric score, suggestion or
// rating replaces an earlier one, and a note counts it.
//
// Unite ignores the Rows of lines. Lines are kept in a temporary file; memory holds about 16 bytes for each
// line, and the ids of the segments. Errors among the lines are yielded as they come. An error that is no
// *[campaign.Problem] is the last value.
func Unite(lines iter.Seq2[campaign.SegmentLine, error], notes *ingest.Notes) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		pieces, err := spool.New()
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		defer pieces.Close()
		u := uniting{pieces: pieces, index: map[key]int{}, notes: notes}
		if u.keep(lines, yield) {
			u.yield(yield)
		}
	}
}

// uniting has the lines of segments in a spool.
type uniting struct {
	pieces *spool.Spool
	next   []int32 // by line: the next line of its segment, or noLine
	index  map[key]int
	list   []lineChain // by segment
	notes  *ingest.Notes
}

type key struct{ doc, segment string }

// kept is a line in the spool.
type kept struct {
	File    string
	Line    int
	Segment campaign.Segment
}

// A lineChain has the first and the last line of a segment.
type lineChain struct{ first, last int32 }

const noLine = -1

// keep reads all lines. It returns false if no segments follow.
func (u *uniting) keep(lines iter.Seq2[campaign.SegmentLine, error], yield func(campaign.SegmentLine, error) bool) bool {
	for line, err := range lines {
		if _, problem := err.(*campaign.Problem); err != nil { //nolint:errorlint // lines yield problems as they are
			if !yield(line, err) || !problem {
				return false
			}
			continue
		}
		piece, err := json.Marshal(kept{line.File, line.Line, line.Segment})
		if err == nil {
			err = u.pieces.Add(piece)
		}
		if err != nil {
			yield(line, err)
			return false
		}
		n := int32(len(u.next))
		u.next = append(u.next, noLine)
		k := key{line.Segment.DocID, line.Segment.SegmentID}
		i, known := u.index[k]
		if !known {
			u.index[k] = len(u.list)
			u.list = append(u.list, lineChain{n, n})
			continue
		}
		u.next[u.list[i].last] = n
		u.list[i].last = n
	}
	return true
}

// yield yields the segments.
func (u *uniting) yield(yield func(campaign.SegmentLine, error) bool) {
	for _, chain := range u.list {
		var s united
		for n := chain.first; n != noLine; n = u.next[n] {
			piece, err := u.pieces.At(int(n))
			var line kept
			if err == nil {
				err = json.Unmarshal(piece, &line)
			}
			if err != nil {
				yield(campaign.SegmentLine{}, fmt.Errorf("read what was kept of a line: %w", err))
				return
			}
			s.add(campaign.SegmentLine{File: line.File, Line: line.Line, Segment: line.Segment}, u.notes)
		}
		for _, p := range s.problems {
			if !yield(campaign.SegmentLine{File: p.File, Line: p.Line}, p) {
				return
			}
		}
		if len(s.problems) == 0 && !yield(s.sorted(), nil) {
			return
		}
	}
}

// united is a segment that is made of lines.
type united struct {
	line     campaign.SegmentLine
	problems []*campaign.Problem
}

// add adds a line to the segment.
func (u *united) add(line campaign.SegmentLine, notes *ingest.Notes) {
	if u.line.Rows == nil {
		u.line = campaign.SegmentLine{File: line.File, Line: line.Line, Segment: line.Segment, Rows: map[campaign.Row]int{}}
		u.line.Segment.Translations, u.line.Segment.References = nil, nil
	}
	to, from := &u.line.Segment, line.Segment
	if from.Source != to.Source {
		u.differs(line, "source", from.Source, to.Source)
		return
	}
	for _, field := range []struct {
		to   *string
		from string
	}{{&to.Domain, from.Domain}, {&to.DataSource, from.DataSource}, {&to.Context, from.Context}, {&to.Note, from.Note}, {&to.Term, from.Term},
		{&to.Explication, from.Explication}} {
		*field.to = cmp.Or(*field.to, field.from)
	}
	for _, r := range from.References {
		switch i := slices.IndexFunc(to.References, func(x campaign.Reference) bool { return x.Name == r.Name }); {
		case i < 0:
			to.References = append(to.References, r)
		case to.References[i].Text != r.Text:
			u.differs(line, "references."+r.Name, r.Text, to.References[i].Text)
		}
	}
	for _, t := range from.Translations {
		u.translation(line, t, notes)
	}
}

// translation adds a translation of a line, or merges it into one that the segment has.
func (u *united) translation(line campaign.SegmentLine, t campaign.Translation, notes *ingest.Notes) {
	u.met(line, campaign.Row{System: t.System})
	for _, r := range t.Ratings {
		u.met(line, campaign.Row{System: t.System, Annotator: r.Annotator})
	}
	ts := u.line.Segment.Translations
	i := slices.IndexFunc(ts, func(x campaign.Translation) bool { return x.System == t.System })
	if i < 0 {
		u.line.Segment.Translations = append(ts, t)
		return
	}
	to := &ts[i]
	if to.Text != t.Text {
		u.differs(line, "translations."+t.System, t.Text, to.Text)
		return
	}
	again := func(what string) { notes.Add(what+", of which the last counts", line.File, line.Line) }
	for _, h := range t.HumanScores {
		to.HumanScores = put(to.HumanScores, h, func(x campaign.HumanScore) bool { return x.Name == h.Name },
			func() { again("human {score|scores} given again") })
	}
	for _, m := range t.Metrics {
		to.Metrics = put(to.Metrics, m, func(x campaign.MetricValue) bool { return x.Name == m.Name },
			func() { again("metric {score|scores} given again") })
	}
	for _, r := range t.Ratings {
		to.Ratings = put(to.Ratings, r, func(x campaign.Rating) bool { return x.Annotator == r.Annotator && x.Round == r.Round },
			func() { again("{rating|ratings} given again") })
	}
	if t.Suggested != nil {
		to.Suggested = t.Suggested
	}
	if t.Adjudication != nil {
		to.Adjudication = t.Adjudication
	}
}

// put appends x to list. If list has the same element, put replaces it and calls again.
func put[T any](list []T, x T, same func(T) bool, again func()) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = x
		again()
		return list
	}
	return append(list, x)
}

// met stores the first line of a translation or the last line of a rating. A line of another file than
// that of the segment is not stored, since rows have no name of a file.
func (u *united) met(line campaign.SegmentLine, r campaign.Row) {
	switch _, known := u.line.Rows[r]; {
	case known && r.Annotator == "":
	case line.File == u.line.File:
		u.line.Rows[r] = line.Line
	default:
		delete(u.line.Rows, r)
	}
}

// differs adds the problem that a text differs from that of an earlier line.
func (u *united) differs(line campaign.SegmentLine, field, text, earlier string) {
	same := 0
	for a, b := []rune(text), []rune(earlier); same < min(len(a), len(b)) && a[same] == b[same]; {
		same++
	}
	u.problems = append(u.problems, &campaign.Problem{
		File: line.File, Line: line.Line, Field: field, Kind: ingest.Contradiction,
		Msg: fmt.Sprintf("differs from the text that %s:%d has for the same segment: after %d equal characters it has %s, and that line has %s; "+
			"make them equal, or give one of the segments another id",
			u.line.File, u.line.Line, same, wording.Quote(string([]rune(text)[same:])), wording.Quote(string([]rune(earlier)[same:]))),
	})
}

// sorted returns the segment in the order that [Unite] describes.
func (u *united) sorted() campaign.SegmentLine {
	s := &u.line.Segment
	slices.SortFunc(s.References, func(a, b campaign.Reference) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) })
	for _, t := range s.Translations {
		slices.SortFunc(t.Metrics, func(a, b campaign.MetricValue) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(t.Ratings, func(a, b campaign.Rating) int {
			return cmp.Or(cmp.Compare(a.Round, b.Round), strings.Compare(a.Annotator, b.Annotator))
		})
	}
	return u.line
}
