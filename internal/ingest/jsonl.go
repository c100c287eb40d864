package ingest

import (
	"cmp"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
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
		DocID:      r.ID(f, "doc_id", false),
		SegmentID:  r.ID(f, "segment_id", true),
		Domain:     r.Label(f, "domain"),
		DataSource: r.Optional(f, "data_source"),
		Source:     r.Source(f, "source"),
		Context:    r.Optional(f, "context"),
		Note:       r.Optional(f, "note"),

		Term: r.Optional(f, "term"), Explication: r.Optional(f, "explication"),
	}
	s.DocID = cmp.Or(s.DocID, s.SegmentID)
	s.References = references(r, f)
	if b.ofSegments {
		s.Candidates, s.Translations = candidates(r, f), campaign.ItselfOnly()
	} else {
		s.Translations, s.Absent = translations(r, f, b)
	}
	return s
}

func references(r *record, f fields) []campaign.Reference {
	var out []campaign.Reference
	if v, ok := f["references"]; ok {
		named, _ := r.Members("references", v)
		for _, m := range named {
			if jsonKind(r.Text, m.Val) == 'n' {
				continue
			}
			text, _ := r.Str("references."+m.Name, m.Val)
			out = append(out, campaign.Reference{Name: m.Name, Text: text})
		}
	}
	v, ok := f["reference"]
	if !ok {
		return out
	}
	text, _ := r.Str("reference", v)
	i, twice := slices.BinarySearchFunc(out, campaign.MainReference,
		func(a campaign.Reference, name string) int { return strings.Compare(a.Name, name) })
	if !twice {
		return slices.Insert(out, i, campaign.Reference{Name: campaign.MainReference, Text: text})
	}
	if out[i].Text != text {
		r.Refuse(v.Start, "reference", "differs from references.%s, which is a text of the same reference; keep one of them", campaign.MainReference)
	}
	return out
}

// candidates returns the translations of a line whose segment is rated itself, in byte order of their names.
func candidates(r *record, f fields) (out []campaign.CandidateText) {
	v, ok := f["translations"]
	if !ok {
		return nil
	}
	systems, _ := r.Members("translations", v)
	for _, m := range systems {
		if jsonKind(r.Text, m.Val) == 'n' {
			continue
		}
		if text, ok := r.Str("translations."+m.Name, m.Val); ok {
			out = append(out, campaign.CandidateText{Name: m.Name, Text: text})
		}
	}
	if len(out) > protocol.MaxCandidates {
		r.Refuse(
			v.Start, "translations", "the segment has %d candidates, and an annotator can choose from %d at most; leave some out", len(out),
			protocol.MaxCandidates,
		)
	}
	return out
}

// translations returns the translations of a line, and the systems whose translation is
// null.
func translations(r *record, f fields, b *binding) (out []campaign.Translation, absent []string) {
	v, ok := f["translations"]
	if !ok {
		r.Refuse(nowhere, "translations", `missing; give {"system": "text"} with every system`)
		return nil, nil
	}
	systems, ok := r.Members("translations", v)
	if !ok {
		return nil, nil
	}
	if len(systems) == 0 {
		r.Refuse(v.Start, "translations", "empty; give one translation by every system")
		return nil, nil
	}
	if missing := b.Systems(r, systems, func(system string) string { return "translations." + system }); len(missing) > 0 {
		r.Refuse(v.Start, "translations", `no translation by %s; give one by every system, "" if it is empty, null if there is none`, list(missing))
	}
	out = make([]campaign.Translation, 0, len(systems))
	for _, m := range systems {
		switch jsonKind(r.Text, m.Val) {
		case '"':
			text, bad := unquoteJSON(r.Text[m.Val.Start:m.Val.End])
			if bad != nil {
				r.Refuse(m.Val.Start+bad.At, "translations."+m.Name, "%s", bad.Msg)
			}
			out = append(out, campaign.Translation{System: m.Name, Text: text})
		case 'n':
			absent = append(absent, m.Name)
		default:
			r.Refuse(m.Val.Start, "translations."+m.Name, `must be a text in double quotes, not %s; an empty translation is ""`, r.KindName(m.Val))
		}
	}
	if len(absent) == len(systems) {
		r.Refuse(v.Start, "translations", "no translation by any system; leave the line out")
	}
	return out, absent
}
