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

// DefaultMaxLine is the default of [Options].MaxLine, in bytes.
const DefaultMaxLine = 16 << 20

// Options are the options of all readers. With the zero value, languages and systems come
// from the file.
type Options struct {
	File string // the name of the input in messages
	// SourceLang and TargetLang are the campaign's languages. If one is empty, all lines
	// must have the same language as the first line that names one.
	SourceLang, TargetLang string
	// Select leaves out lines of another language pair instead of refusing
	// them. It needs both languages.
	Select bool
	// Systems are the systems of the campaign. If it is nil, all lines must have the
	// systems of the first line.
	Systems []string
	MaxLine int // the longest line in bytes; 0: DefaultMaxLine
	// LeaveOutSystems leaves out the scores of systems that are not in Systems,
	// instead of refusing the file.
	LeaveOutSystems bool
	// LeaveOutContradictions leaves out translations whose rows in a table
	// contradict each other, instead of refusing the table.
	LeaveOutContradictions bool
	// Notes, if set, counts what was ignored or not checked.
	Notes *Notes
}

// A segmentFormat is a format with one segment a line.
type segmentFormat struct {
	name           string                // its id
	known          func(key string) bool // whether the format has a key
	source, target string                // the keys of the languages
	read           func(r *record, f fields, b *binding) campaign.Segment
}

var segmentFormats = []segmentFormat{jsonl, ment}

// Segments reads the segments of a file in the order of its lines. For a line that
// cannot be used it yields one or more errors of type *[campaign.Problem] instead of a
// segment, and goes on. Any other error, such as a failing stream or an unknown format,
// is the last value. The problems of a line are sorted by column, and there are at most
// 20. A file without segments is a Problem too. Yielded values stay valid.
//
// The languages of a segment are those of the campaign or the file up to that line, in
// the campaign's spelling. They are empty as long as no line has named them. Status and
// Round are zero. The store checks whether (DocID, SegmentID) is unique, since memory
// here does not grow with the file.
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

// eachLine calls read for each line of a file that is not blank. It calls refused for each
// error: a first line in another format, the problems that read adds to the record, and a
// line that cannot be read. It stops if read or refused returns false, or if the stream
// fails. It reports whether it reached the end of the file.
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

// objectLines yields what read makes of the lines of a file, which are objects with the given
// keys. numbered adds the number of the line. A line to whose record read adds a problem is not
// yielded but for the problem, and a file without a line is an error.
func objectLines[V, T any](in io.Reader, format string, keys []string, opt Options, read func(*record, fields) V, numbered func(line int, v V) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f, found := fields{}, false
		var none V
		known := func(key string) bool { return slices.Contains(keys, key) }
		ok := eachLine(in, format, opt, func(r *record) bool {
			found = true
			if !r.object(known, f) {
				return true
			}
			v := read(r, f)
			return len(r.problems) > 0 || yield(numbered(r.n, v), nil)
		}, func(line int, err error) bool {
			found = true
			return yield(numbered(line, none), err)
		})
		if ok && !found {
			yield(numbered(0, none), &campaign.Problem{File: opt.File, Msg: noneIn(format)})
		}
	}
}
