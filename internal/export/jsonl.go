package export

import (
	"io"

	"annotate/internal/campaign"
)

// JSONL writes the segments in the format "jsonl". Each line names every system of the
// campaign. A system without a translation of the segment is null. The translations of a segment that is rated
// itself are its candidates, and are left out if there are none.
func JSONL(w io.Writer, segments Source) error {
	out := lines{w: w}
	return out.each(segments, func(s campaign.Segment) {
		o := out.object()
		o.text("doc_id", s.DocID)
		o.text("segment_id", s.SegmentID)
		o.optional("domain", s.Domain)
		o.optional("data_source", s.DataSource)
		o.optional("source_lang", s.SourceLang)
		o.optional("target_lang", s.TargetLang)
		o.text("source", s.Source)
		var named []campaign.Reference
		for _, r := range s.References {
			if r.Name == campaign.MainReference {
				o.text("reference", r.Text)
			} else {
				named = append(named, r)
			}
		}
		if len(named) > 0 {
			o.begin("references")
			for _, r := range named {
				o.text(r.Name, r.Text)
			}
			o.end()
		}
		o.optional("context", s.Context)
		o.optional("note", s.Note)
		o.optional("term", s.Term)
		o.optional("explication", s.Explication)
		if s.RatedItself() {
			if len(s.Candidates) > 0 {
				o.begin("translations")
				for _, c := range s.Candidates {
					o.text(c.Name, c.Text)
				}
				o.end()
			}
			o.line()
			return
		}
		o.begin("translations")
		absent := s.Absent
		for _, t := range s.Translations {
			for len(absent) > 0 && absent[0] < t.System {
				o.null(absent[0])
				absent = absent[1:]
			}
			o.text(t.System, t.Text)
		}
		for _, system := range absent {
			o.null(system)
		}
		o.end()
		o.line()
	})
}

// null appends a member with the value null.
func (o *object) null(key string) {
	o.key(key)
	o.buf = append(o.buf, "null"...)
}
