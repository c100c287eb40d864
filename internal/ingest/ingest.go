package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// DefaultMaxLine is the longest line read if [Options] says nothing, in bytes.
const DefaultMaxLine = 16 << 20

// Options say what is known about an input before it is read. The zero value
// takes everything from the file.
type Options struct {
	File string // the name of the input in messages
	// SourceLang and TargetLang are the campaign's languages. Where one is
	// empty, the first line that names it binds the rest of the file.
	SourceLang, TargetLang string
	// Select leaves out lines of another language pair instead of refusing
	// them. It needs both languages.
	Select bool
	// Systems are the systems of the campaign; nil: those of the first line
	// bind the rest.
	Systems []string
	MaxLine int // the longest line in bytes; 0: DefaultMaxLine
	// LeaveOutSystems leaves out the scores of systems that are not in Systems,
	// instead of refusing the file.
	LeaveOutSystems bool
	// LeaveOutContradictions leaves out translations whose rows in a table
	// contradict each other, instead of refusing the table.
	LeaveOutContradictions bool
	// Notes, if set, are told what of the lines was ignored or not checked.
	Notes *Notes
}

// A segmentFormat is a format with one segment a line.
type segmentFormat struct {
	name           string                // its id
	known          func(key string) bool // the keys it looks at
	source, target string                // the keys of the languages
	read           func(r *record, f fields, b *binding) campaign.Segment
}

var segmentFormats = []segmentFormat{jsonl, ment}

// Segments reads the segments of a file in the order of its lines. A line that
// can't be used gives one or more errors of type *[campaign.Problem] instead of
// a segment, and reading goes on; any other error (the stream broke, there is no
// such format) is the last value. The problems of a line are in order of their
// columns, at most 20 of them. A file without a segment is a Problem too.
// What is yielded stays valid.
//
// The languages of a segment are those that bind the file up to its line, in
// the campaign's spelling, and empty while no line has named them. Its Status
// and Round are left zero. Whether (DocID, SegmentID) is unique is left to the
// store, since memory here does not grow with the file.
func Segments(id string, r io.Reader, opt Options) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		i := slices.IndexFunc(segmentFormats, func(f segmentFormat) bool { return f.name == id })
		if i < 0 {
			yield(campaign.SegmentLine{}, fmt.Errorf("there is no format %q for segments; use %s", id, strings.Join(format.Segments(), " or ")))
			return
		}
		if opt.Select && (opt.SourceLang == "" || opt.TargetLang == "") {
			yield(campaign.SegmentLine{}, errors.New("a language pair is selected, but not named"))
			return
		}
		form, b, f := segmentFormats[i], newBinding(opt), fields{}
		found := false
		ok := eachLine(r, form.name, opt, func(r *record) bool {
			if !r.object(form.known, f) || !b.pair(r, f, form.source, form.target) {
				return true
			}
			s := form.read(r, f, b)
			if found = true; len(r.problems) > 0 {
				return true
			}
			s.SourceLang, s.TargetLang = b.source, b.target
			return yield(campaign.SegmentLine{Line: r.n, Segment: s}, nil)
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.SegmentLine{Line: line}, err)
		})
		if p := b.mixed(); ok && p != nil {
			if found = true; !yield(campaign.SegmentLine{Line: p.Line}, p) {
				return
			}
		}
		if ok && !found {
			msg := noneIn("segments")
			if b.left > 0 {
				msg = b.nothing("segments")
			}
			yield(campaign.SegmentLine{}, &campaign.Problem{File: opt.File, Msg: msg})
		}
	}
}

// eachLine calls read for every line of a file in the named format that is not
// blank, and refused for each error: that the first one is of another format, the problems that read leaves in the record, and what keeps a line
// from being read at all. It stops when one of them is false or the stream
// broke, and reports whether it came to the end of the file.
func eachLine(in io.Reader, format string, opt Options, read func(*record) bool, refused func(line int, err error) bool) bool {
	lines := newLineReader(in, opt)
	if p := lines.kind(format); p != nil {
		return refused(0, p)
	}
	for first := true; ; {
		text, err := lines.next()
		switch err {
		case nil:
		case io.EOF:
			return true
		case errTooLong:
			if !refused(lines.n, &campaign.Problem{File: opt.File, Line: lines.n, Msg: fmt.Sprintf("the line is longer than %s, the most that is read; shorten or divide its texts", size(lines.max))}) {
				return false
			}
			continue
		default:
			refused(lines.n, err)
			return false
		}
		r := &record{file: opt.File, n: lines.n, text: text, notes: opt.Notes}
		if r.blank() {
			continue
		}
		if first {
			if p := anotherFormat(r, format); p != nil {
				return refused(r.n, p)
			}
			first = false
		}
		if !read(r) {
			return false
		}
		slices.SortStableFunc(r.problems, func(a, b *campaign.Problem) int { return cmp.Compare(a.Column, b.Column) })
		for _, p := range r.problems {
			if !refused(r.n, p) {
				return false
			}
		}
	}
}
