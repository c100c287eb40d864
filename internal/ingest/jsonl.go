package ingest

import (
	"cmp"
	"slices"
	"strings"

	"annotate/internal/campaign"
)

var jsonlFields = []string{
	"doc_id", "segment_id", "domain", "data_source", "source_lang", "target_lang",
	"source", "reference", "references", "context", "note", "term", "explication", "translations",
}

var jsonl = segmentFormat{
	name:   "jsonl",
	known:  func(key string) bool { return slices.Contains(jsonlFields, key) },
	source: "source_lang", target: "target_lang",
	read: readJSONL,
}

func readJSONL(r *record, f fields, b *binding) campaign.Segment {
	s := campaign.Segment{
		DocID:      r.id(f, "doc_id", false),
		SegmentID:  r.id(f, "segment_id", true),
		Domain:     r.label(f, "domain"),
		DataSource: r.optional(f, "data_source"),
		Source:     r.source(f, "source"),
		Context:    r.optional(f, "context"),
		Note:       r.optional(f, "note"),

		Term: r.optional(f, "term"), Explication: r.optional(f, "explication"),
	}
	s.DocID = cmp.Or(s.DocID, s.SegmentID)
	s.References = r.references(f)
	s.Translations, s.Absent = r.translations(f, b)
	return s
}

func (r *record) references(f fields) []campaign.Reference {
	var out []campaign.Reference
	if v, ok := f["references"]; ok {
		named, _ := r.members("references", v)
		for _, m := range named {
			if kind(r.text, m.val) == 'n' {
				continue
			}
			text, _ := r.str("references."+m.name, m.val)
			out = append(out, campaign.Reference{Name: m.name, Text: text})
		}
	}
	v, ok := f["reference"]
	if !ok {
		return out
	}
	text, _ := r.str("reference", v)
	i, twice := slices.BinarySearchFunc(out, campaign.MainReference, func(a campaign.Reference, name string) int { return strings.Compare(a.Name, name) })
	if !twice {
		return slices.Insert(out, i, campaign.Reference{Name: campaign.MainReference, Text: text})
	}
	if out[i].Text != text {
		r.refuse(v.start, "reference", "differs from references.%s, which is the same reference; keep one", campaign.MainReference)
	}
	return out
}

// translations returns the translations of a line, and the systems whose translation is
// null.
func (r *record) translations(f fields, b *binding) (out []campaign.Translation, absent []string) {
	v, ok := f["translations"]
	if !ok {
		r.refuse(nowhere, "translations", `missing; give {"system": "text"} with every system`)
		return nil, nil
	}
	systems, ok := r.members("translations", v)
	if !ok {
		return nil, nil
	}
	if len(systems) == 0 {
		r.refuse(v.start, "translations", "empty; give one translation by every system")
		return nil, nil
	}
	if missing := b.systemsOf(r, systems, func(system string) string { return "translations." + system }); len(missing) > 0 {
		r.refuse(v.start, "translations", `no translation by %s; give one by every system, "" if it is empty, null if there is none`, list(missing))
	}
	for _, m := range systems {
		switch kind(r.text, m.val) {
		case '"':
			text, bad := unquote(r.text[m.val.start:m.val.end])
			if bad != nil {
				r.refuse(m.val.start+bad.at, "translations."+m.name, "%s", bad.msg)
			}
			out = append(out, campaign.Translation{System: m.name, Text: text})
		case 'n':
			absent = append(absent, m.name)
		default:
			r.refuse(m.val.start, "translations."+m.name, `must be a text in double quotes, not %s; an empty translation is ""`, r.kindName(m.val))
		}
	}
	if len(absent) == len(systems) {
		r.refuse(v.start, "translations", "no translation by any system; leave the line out")
	}
	return out, absent
}
