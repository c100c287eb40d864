package ingest

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spool"
	"annotate/internal/wording"
)

// MQM reads the format "mqm-tsv", the WMT MQM table, under protocol p. It yields segments
// with the ratings of their translations, in the order of their first rows. The
// documentation of the package describes the columns.
//
// The rows of a segment may be anywhere in the file, so the whole file is read before the
// first segment is yielded. Rows go to a temporary file. Each row takes about 16 bytes of
// memory, and ids of segments take more. A segment comes with the number of its first
// line and the lines of its translations and ratings. Its translations are those that rows
// name, in byte order of the systems. Ratings have round 1 and are in byte order of the
// logins, and their spans are in the order of the rows. Seconds are 0, since the times in
// the metadata concern single errors in some rows and whole segments in others.
//
// As in [Segments], an error is either a *[campaign.Problem] of a row, after which reading
// goes on, or the last value. Problems of single rows come first. Problems of texts that
// differ between rows come with the segments. A segment with a refused row is not
// yielded. notes, which may be nil, counts what was left out or decided.
//
// The protocol must have error spans and the severities minor and major. If it has scores,
// the ratings lack them.
func MQM(r io.Reader, p *protocol.Protocol, opt Options, notes *Notes) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		if why := refusesTable(p); why != "" {
			yield(campaign.SegmentLine{}, &campaign.Problem{File: opt.File, Msg: why})
			return
		}
		rows, err := spool.New()
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		defer rows.Close()
		t := &mqmTable{
			opt: opt, binding: newBinding(opt), notes: notes, rows: rows,
			reader: mqmReader{
				p:           p,
				systems:     opt.Systems,
				source:      opt.SourceLang,
				target:      opt.TargetLang,
				headerFirst: "system",
				leaveOut:    opt.LeaveOutContradictions,
				notes:       notes,
			}, index: map[mqmRowID]int{}, systems: map[string]bool{},
		}
		if t.read(r, yield) {
			t.segments(yield)
		}
	}
}

// refusesTable returns the reason why a table cannot be read under p, if there is one.
func refusesTable(p *protocol.Protocol) string {
	if p.Spans == nil {
		return p.Name + " has no error spans; import the table into a campaign whose protocol marks errors, such as MQM"
	}
	for _, id := range []string{"minor", "major"} {
		if _, ok := p.Spans.Severity(p.Canonical(protocol.ErrorSpan{Severity: id}).Severity); !ok {
			return fmt.Sprintf(
				"%s has no severity %q, which the errors of the table have; import the table into a campaign whose protocol has it, such as MQM",
				p.Name, id,
			)
		}
	}
	return ""
}

// An mqmTable is a table being read.
type mqmTable struct {
	opt     Options
	binding *binding
	notes   *Notes
	reader  mqmReader
	rows    *spool.Spool
	lines   []int32          // by row: the number of its line
	next    []int32          // by row: the next row of its segment, or none
	index   map[mqmRowID]int // the index of each segment in list
	list    []mqmSegment     // in the order of their first rows
	systems map[string]bool
	refused bool // the header is refused
}

// An mqmRowID identifies a segment by all columns that name it.
type mqmRowID struct{ doc, docSeg, seg string }

// An mqmSegment has the rows of a segment.
type mqmSegment struct {
	id          mqmRowID
	line        int  // the line of its first row
	first, last int  // its first and last row, or none
	bad         bool // a row is refused
}

const noRow = -1

// read reads all rows of a file. It returns false if no segments follow.
func (t *mqmTable) read(r io.Reader, yield func(campaign.SegmentLine, error) bool) bool {
	found, stored := false, error(nil)
	ok := eachLine(r, "mqm-tsv", t.opt, func(r *record) bool {
		if t.refused || t.reader.skip(r) {
			return true
		}
		if t.refused = len(r.Problems) > 0; t.refused {
			found = true
			return true
		}
		if stored = t.add(r); stored != nil {
			return false
		}
		return true
	}, func(line int, err error) bool {
		found = true
		return yield(campaign.SegmentLine{Line: line}, err)
	})
	switch {
	case stored != nil:
		yield(campaign.SegmentLine{}, stored)
		return false
	case !ok:
		return false
	}
	if p := t.binding.Mixed(); p != nil {
		if found = true; !yield(campaign.SegmentLine{Line: p.Line}, p) {
			return false
		}
	}
	if !found && len(t.list) == 0 {
		yield(campaign.SegmentLine{}, &campaign.Problem{File: t.opt.File, Msg: t.binding.None("ratings")})
		return false
	}
	if t.notes != nil {
		t.notes.Systems = slices.Sorted(maps.Keys(t.systems))
	}
	return true
}

// add adds a row to its segment. If the row has problems, they are added to r.
func (t *mqmTable) add(r *record) error {
	row := t.reader.row(r)
	at := t.reader.columns.at(colDoc)
	if !t.binding.Languages(r, row.langs[0], row.langs[1], func(bool) (string, int) { return "doc", at }) {
		r.Problems = nil
		return nil
	}
	for _, n := range row.notes {
		t.notes.Add(n, t.opt.File, r.Line)
	}
	if row.kind == leftOut {
		return nil
	}
	if row.id.doc == "" || row.id.seg == "" {
		return nil
	}
	i, ok := t.index[row.id]
	if !ok {
		i = len(t.list)
		t.index[row.id] = i
		t.list = append(t.list, mqmSegment{id: row.id, line: r.Line, first: noRow, last: noRow})
	}
	s := &t.list[i]
	if len(r.Problems) > 0 {
		s.bad = true
		return nil
	}
	if !t.systems[row.system] && len(t.systems) == maxMembers {
		r.Refuse(
			t.reader.columns.at(colSystem), "system",
			"the table has more than %d systems, the most that is read; check that this column holds the names of systems", maxMembers,
		)
		s.bad = true
		return nil
	}
	t.systems[row.system] = true
	n := len(t.next)
	t.next = append(t.next, noRow)
	if s.first == noRow {
		s.first = n
	} else {
		t.next[s.last] = int32(n)
	}
	s.last = n
	t.lines = append(t.lines, int32(r.Line))
	return t.rows.Add(r.Text)
}

// segments yields the segments that the rows describe.
func (t *mqmTable) segments(yield func(campaign.SegmentLine, error) bool) {
	for _, s := range t.united() {
		line, problems, err := t.segment(s)
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		for _, p := range problems {
			if !yield(campaign.SegmentLine{Line: p.Line}, p) {
				return
			}
		}
		if s.bad || len(problems) > 0 || len(line.Segment.Translations) == 0 {
			continue
		}
		if !yield(line, nil) {
			return
		}
	}
}

// An mqmRowsOf has the rows of a segment.
type mqmRowsOf struct {
	docID, segmentID string
	line             int
	bad              bool
	parts            []mqmSegment
}

// united groups rows by segment. Usually the document and the seg_id identify a segment.
// But some tables have the same globalSegId, such as 0, in all rows; there the document
// and the position in it identify a segment.
func (t *mqmTable) united() []*mqmRowsOf {
	byPlace := t.hasOneSegID()
	if byPlace {
		t.notes.Add("{table|tables} with the same globalSegId in all rows, whose segments are named by docSegId", t.opt.File, t.list[0].line)
	}
	type id struct{ doc, segment string }
	known := map[id]*mqmRowsOf{}
	var out []*mqmRowsOf
	for _, s := range t.list {
		key := id{s.id.doc, s.id.seg}
		if byPlace {
			key.segment = s.id.docSeg
		}
		rows := known[key]
		if rows == nil {
			rows = &mqmRowsOf{docID: key.doc, segmentID: key.segment, line: s.line}
			known[key] = rows
			out = append(out, rows)
		}
		rows.bad = rows.bad || s.bad
		rows.parts = append(rows.parts, s)
	}
	return out
}

// hasOneSegID reports whether seg_id is the same in all rows, although a document has
// several segments.
func (t *mqmTable) hasOneSegID() bool {
	places := map[string]string{} // by document
	several := false
	for _, s := range t.list {
		if s.id.seg != t.list[0].id.seg || s.id.docSeg == "" {
			return false
		}
		place, ok := places[s.id.doc]
		several = several || ok && place != s.id.docSeg
		places[s.id.doc] = s.id.docSeg
	}
	return several
}

// segment makes a segment of its rows, and returns a problem for each text that differs.
// The segment has no translations if all of them are left out.
func (t *mqmTable) segment(s *mqmRowsOf) (campaign.SegmentLine, []*campaign.Problem, error) {
	out := campaign.Segment{DocID: s.docID, SegmentID: s.segmentID, SourceLang: t.binding.Source, TargetLang: t.binding.Target}
	left := map[string]bool{} // systems that are left out
	if t.opt.LeaveOutContradictions {
		var err error
		if left, err = t.contradictory(s); err != nil {
			return campaign.SegmentLine{}, nil, err
		}
	}
	first := map[campaign.Row]int{}
	met := func(r campaign.Row, line int) {
		if first[r] == 0 {
			first[r] = line
		}
	}
	var problems []*campaign.Problem
	var source commonText
	targets := map[string]*commonText{}
	clean := map[[2]string]int{} // by system and rater: the line with No-error
	for _, n := range t.rowsOf(s) {
		line := int(t.lines[n])
		text, err := t.rows.At(n)
		if err != nil {
			return campaign.SegmentLine{}, nil, err
		}
		r := &record{Place: campaign.Place{File: t.opt.File, Line: line}, Text: text}
		row := t.reader.row(r)
		if left[row.system] {
			continue
		}
		if !source.take(row.source, line) {
			t.reader.contradiction(r, colSource, "%s", source.differs(row.source, "source", "of a segment"))
		}
		i := slices.IndexFunc(out.Translations, func(x campaign.Translation) bool { return x.System == row.system })
		if i < 0 {
			i = len(out.Translations)
			out.Translations = append(out.Translations, campaign.Translation{System: row.system})
			targets[row.system] = &commonText{}
		}
		tr, target := &out.Translations[i], targets[row.system]
		if !target.take(row.target, line) {
			t.reader.contradiction(r, colTarget, "%s", target.differs(row.target, "target", "of a system's translation"))
		}
		if row.span.Side == protocol.Source {
			row.span = movedSpan(row.span, -leadingSpace(row.source))
		} else {
			row.span = movedSpan(row.span, -leadingSpace(row.target))
		}
		t.rate(r, tr, row)
		met(campaign.Row{System: row.system}, line)
		if row.kind != textsOnly {
			met(campaign.Row{System: row.system, Annotator: row.rater}, line)
		}
		if row.kind == noError {
			clean[[2]string{row.system, row.rater}] = line
		}
		problems = append(problems, r.Problems...)
	}
	slices.SortFunc(out.Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) })
	out.Source = t.taken(&source)
	for i := range out.Translations {
		system, ratings, target := out.Translations[i].System, out.Translations[i].Ratings, targets[out.Translations[i].System]
		out.Translations[i].Text = t.taken(target)
		slices.SortFunc(ratings, func(a, b campaign.Rating) int { return strings.Compare(a.Annotator, b.Annotator) })
		for j := range ratings {
			for k, span := range ratings[j].Spans {
				if span.Side == protocol.Source {
					ratings[j].Spans[k] = source.fit(span)
				} else {
					ratings[j].Spans[k] = target.fit(span)
				}
			}
			ratings[j].NoErrors = len(ratings[j].Spans) == 0
			if line := clean[[2]string{system, ratings[j].Annotator}]; line > 0 && !ratings[j].NoErrors {
				t.notes.Add(noteNoErrorToo, t.opt.File, line)
			}
		}
	}
	return campaign.SegmentLine{File: t.opt.File, Line: s.line, Segment: out, Rows: first}, problems, nil
}

// rowsOf lists the rows of a segment in the order of the file.
func (t *mqmTable) rowsOf(s *mqmRowsOf) []int {
	var out []int
	for _, part := range s.parts {
		for n := part.first; n != noRow; n = int(t.next[n]) {
			out = append(out, n)
		}
	}
	if len(s.parts) > 1 {
		slices.Sort(out)
	}
	return out
}

// maxCommentOfRows is the greatest length in bytes of the joined comments of a rating.
const maxCommentOfRows = 1 << 20

// rate adds a row to the rating it belongs to.
func (t *mqmTable) rate(r *record, tr *campaign.Translation, row mqmRow) {
	if row.kind == textsOnly {
		return
	}
	i := slices.IndexFunc(tr.Ratings, func(x campaign.Rating) bool { return x.Annotator == row.rater })
	if i < 0 {
		if i = len(tr.Ratings); i == maxMembers {
			r.Refuse(
				t.reader.columns.at(colRater), "rater",
				"more than %d annotators rated this translation; check that this column holds the names of annotators", maxMembers,
			)
			return
		}
		tr.Ratings = append(tr.Ratings, campaign.Rating{Annotator: row.rater, Round: 1})
	}
	rating := &tr.Ratings[i]
	if row.at.After(rating.SubmittedAt) {
		rating.SubmittedAt = row.at
	}
	switch {
	case row.kind == noError && len(rating.Comment)+len(row.comment) > maxCommentOfRows:
		r.Refuse(
			nowhere, "", "the comments of %s on this translation are longer than %s, the most that is kept; shorten them", wording.Quote(row.rater),
			size(maxCommentOfRows),
		)
	case row.kind == noError:
		rating.Comment = either(rating.Comment, row.comment)
	case len(rating.Spans) == maxSpans:
		r.Refuse(
			nowhere, "", "%s has more than %d errors in this translation, the most that is kept; leave out the least severe",
			wording.Quote(row.rater), maxSpans,
		)
	default:
		rating.Spans = append(rating.Spans, row.span)
	}
}
