package ingest

import (
	"io"
	"iter"
	"path/filepath"
	"strings"

	"annotate/internal/campaign"
)

// References reads references of segments that are in the campaign. A file NAME.txt has a
// line for each segment in the order of the campaign, and NAME is the name of the
// reference. An empty line means that the segment has no such reference. Any other file has
// JSON lines with the ids of a segment and "reference" or "references" as in jsonl. Errors
// are as in [Scores].
func References(r io.Reader, opt Options) iter.Seq2[campaign.ReferenceText, error] {
	if name, ok := strings.CutSuffix(filepath.Base(opt.File), ".txt"); ok {
		return referenceText(r, opt, name)
	}
	return referenceLines(r, opt)
}

func referenceText(r io.Reader, opt Options, name string) iter.Seq2[campaign.ReferenceText, error] {
	return func(yield func(campaign.ReferenceText, error) bool) {
		none := campaign.ReferenceText{}
		if msg := badFileName("reference", name, ".txt"); msg != "" {
			yield(none, &campaign.Problem{File: opt.File, Msg: msg})
			return
		}
		found := false
		for line, err := range textLines(r, textFile, opt) {
			found = true
			if err != nil {
				if !yield(none, err) {
					return
				}
				continue
			}
			ref := campaign.ReferenceText{
				Place: campaign.Place{File: opt.File, Line: line.Line}, Nth: line.Line, Reference: campaign.Reference{Name: name, Text: line.Text},
			}
			if !yield(ref, nil) {
				return
			}
		}
		if !found {
			yield(none, &campaign.Problem{File: opt.File, Msg: noneIn("references")})
		}
	}
}

var referenceFields = []string{"doc_id", "segment_id", "reference", "references"}

func referenceLines(r io.Reader, opt Options) iter.Seq2[campaign.ReferenceText, error] {
	return objectLines(r, "references", referenceFields, opt, func(r *record, f fields) (out []campaign.ReferenceText) {
		docID, segmentID := r.ID(f, "doc_id", false), r.ID(f, "segment_id", true)
		refs := references(r, f)
		if len(refs) == 0 && len(r.Problems) == 0 {
			r.Refuse(nowhere, "references", `missing; give {"name": "text"}`)
		}
		for _, ref := range refs {
			out = append(out, campaign.ReferenceText{Place: r.Place, DocID: docID, SegmentID: segmentID, Reference: ref})
		}
		return out
	})
}
