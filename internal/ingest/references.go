package ingest

import (
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
)

// References reads references of segments that are in the campaign. A file NAME.txt has a
// line for each segment in the order of the campaign, and NAME is the name of the
// reference. An empty line means that the segment has no such reference. Any other file has
// JSON lines with the ids of a segment and "reference" or "references" as in jsonl. Errors
// are as in [Scores].
func References(r io.Reader, opt Options) iter.Seq2[campaign.NumberedReference, error] {
	if name, ok := strings.CutSuffix(filepath.Base(opt.File), ".txt"); ok {
		return referenceText(r, opt, name)
	}
	return referenceLines(r, opt)
}

func referenceText(r io.Reader, opt Options, name string) iter.Seq2[campaign.NumberedReference, error] {
	return func(yield func(campaign.NumberedReference, error) bool) {
		if msg := badFileName("reference", name, ".txt"); msg != "" {
			yield(campaign.NumberedReference{}, &campaign.Problem{File: opt.File, Msg: msg})
			return
		}
		lines := newLineReader(r, opt)
		if p := lines.Kind(textFile); p != nil {
			yield(campaign.NumberedReference{}, p)
			return
		}
		for {
			text, err := lines.Next()
			if err == io.EOF {
				if lines.Line == 1 {
					yield(campaign.NumberedReference{}, &campaign.Problem{File: opt.File, Msg: noneIn("references")})
				}
				return
			}
			rec := &record{File: opt.File, Line: lines.Line, Text: text}
			switch {
			case err == errTooLong:
				rec.Refuse(nowhere, "", "the line is longer than %s, the most that is read; shorten or divide its text", size(lines.Max))
			case err != nil:
				yield(campaign.NumberedReference{}, err)
				return
			case !utf8.Valid(text):
				rec.Refuse(nowhere, "", "the line is not UTF-8; save the file as UTF-8")
			case strings.ContainsRune(string(text), 0):
				rec.Refuse(nowhere, "", "a text has the character U+0000, which cannot be stored; remove it")
			}
			if len(rec.Problems) > 0 {
				if !yield(campaign.NumberedReference{Line: lines.Line}, rec.Problems[0]) {
					return
				}
				continue
			}
			ref := campaign.ReferenceText{Place: lines.Line, Reference: campaign.Reference{Name: name, Text: string(text)}}
			if !yield(campaign.NumberedReference{Line: lines.Line, Text: ref}, nil) {
				return
			}
		}
	}
}

var referenceFields = []string{"doc_id", "segment_id", "reference", "references"}

func referenceLines(r io.Reader, opt Options) iter.Seq2[campaign.NumberedReference, error] {
	return func(yield func(campaign.NumberedReference, error) bool) {
		f, found := fields{}, false
		known := func(key string) bool { return slices.Contains(referenceFields, key) }
		ok := eachLine(r, "references", opt, func(r *record) bool {
			found = true
			var out campaign.ReferenceText
			var refs []campaign.Reference
			if r.Object(known, f) {
				out.DocID, out.SegmentID = r.ID(f, "doc_id", false), r.ID(f, "segment_id", true)
				if refs = references(r, f); len(refs) == 0 && len(r.Problems) == 0 {
					r.Refuse(nowhere, "references", `missing; give {"name": "text"}`)
				}
			}
			if len(r.Problems) > 0 {
				return true
			}
			for _, ref := range refs {
				out.Reference = ref
				if !yield(campaign.NumberedReference{Line: r.Line, Text: out}, nil) {
					return false
				}
			}
			return true
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.NumberedReference{Line: line}, err)
		})
		if ok && !found {
			yield(campaign.NumberedReference{}, &campaign.Problem{File: opt.File, Msg: "the file has no references; a text file with one line for each segment is named NAME.txt"})
		}
	}
}
