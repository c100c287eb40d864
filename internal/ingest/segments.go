package ingest

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// A segmentFormat is a format with one segment a line.
type segmentFormat struct {
	name           string                // its id
	known          func(key string) bool // whether the format has a key
	source, target string                // the keys of the languages
	read           func(r *record, f fields, b *binding) campaign.Segment
}

// segment reads the segment of a line. read is false if the line is no JSON object or has
// another language pair.
func (form segmentFormat) segment(r *record, f fields, b *binding) (s campaign.Segment, read bool) {
	if !r.Object(form.known, f) || !b.Pair(r, f, form.source, form.target) {
		return s, false
	}
	s = form.read(r, f, b)
	s.SourceLang, s.TargetLang = b.Source, b.Target
	return s, true
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
			s, read := form.segment(r, f, b)
			if !read {
				return true
			}
			if found = true; len(r.Problems) > 0 {
				return true
			}
			return yield(campaign.SegmentLine{File: r.File, Line: r.Line, Segment: s}, nil)
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.SegmentLine{Line: line}, err)
		})
		if p := b.Mixed(); ok && p != nil {
			if found = true; !yield(campaign.SegmentLine{Line: p.Line}, p) {
				return
			}
		}
		if ok && !found {
			yield(campaign.SegmentLine{}, &campaign.Problem{File: opt.File, Msg: b.None("segments")})
		}
	}
}
