package ingest

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"annotate/internal/campaign"
)

// eachLine calls read for each line of a file that is not blank. In a plain text, whose format is textFile
// or empty, blank lines count like others. It calls refused for each
// error: a first line in another format, the problems that read adds to the record, and a
// line that cannot be read. It stops if read or refused returns false, or if the stream
// fails. It reports whether it reached the end of the file. The record is valid until read returns.
func eachLine(in io.Reader, format string, opt Options, read func(*record) bool, refused func(line int, err error) bool) bool {
	lines := newLineReader(in, opt)
	defer lines.close()
	if p := lines.Kind(format); p != nil {
		return refused(0, p)
	}
	plain := lookOf(format).form == plainLines
	r := &record{Notes: opt.Notes} // one for all lines: a file may have millions
	for first := true; ; {
		text, err := lines.Next()
		switch err {
		case nil:
		case io.EOF:
			return true
		case errTooLong:
			if !refused(
				lines.Line,
				&campaign.Problem{
					File: opt.File,
					Line: lines.Line,
					Msg:  fmt.Sprintf("the line is longer than %s, the most that is read; shorten or divide its texts", size(lines.Max)),
				},
			) {
				return false
			}
			continue
		default:
			refused(lines.Line, err)
			return false
		}
		r.Place, r.Text, r.Problems = campaign.Place{File: opt.File, Line: lines.Line}, text, nil
		if !plain && r.blank() {
			continue
		}
		if first && !plain {
			if p := anotherFormat(r, format); p != nil {
				return refused(r.Line, p)
			}
			first = false
		}
		if !read(r) {
			return false
		}
		slices.SortStableFunc(r.Problems, func(a, b *campaign.Problem) int { return cmp.Compare(a.Column, b.Column) })
		for _, p := range r.Problems {
			if !refused(r.Line, p) {
				return false
			}
		}
	}
}

// objectLines yields what read makes of the lines of a file, which are objects with the given keys. Of
// a line to whose record read adds a problem it yields the problem alone. A file without a line is an
// error.
func objectLines[T any](in io.Reader, format string, keys []string, opt Options, read func(*record, fields) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f, found := fields{}, false
		var none T
		known := func(key string) bool { return slices.Contains(keys, key) }
		ok := eachLine(in, format, opt, func(r *record) bool {
			found = true
			if !r.Object(known, f) {
				return true
			}
			lines := read(r, f)
			return len(r.Problems) > 0 || !slices.ContainsFunc(lines, func(v T) bool { return !yield(v, nil) })
		}, func(_ int, err error) bool {
			found = true
			return yield(none, err)
		})
		if ok && !found {
			yield(none, &campaign.Problem{File: opt.File, Msg: noneIn(format)})
		}
	}
}
