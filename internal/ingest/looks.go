package ingest

import (
	"bytes"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// A look recognises the lines of a format by their keys.
type look struct {
	format string
	own    func(has func(keys ...string) bool) bool // the line may be in this format, even if with mistakes
	surely func(has func(keys ...string) bool) bool // the line is certainly in this format, unless an earlier look's surely is true
}

// has reports whether a line has all of the keys.
type has = func(keys ...string) bool

var looks = []look{
	{"ment", func(h has) bool { return h("trans_0") || h("src") && !h("translations") }, func(h has) bool { return h("trans_0") }},
	{"jsonl", func(h has) bool { return h("translations") || h("source") }, func(h has) bool { return h("translations") }},
	{"scores", func(h has) bool { return h("metric") || h("score") && !h("judge") }, func(h has) bool { return h("metric", "score") }},
	{"judgements", func(h has) bool { return h("judge") || h("trace") }, func(h has) bool { return h("judge", "system") }},
	{"ratings", func(h has) bool {
		return h("annotator") || !h("judge") && (h("scores") || h("round") || h("seconds") || h("submitted_at"))
	}, func(h has) bool { return h("system", "annotator") }},
	{"suggestions", func(h has) bool { return h("spans") && !h("annotator") && !h("judge") || h("origin") }, func(h has) bool { return h("system", "spans") }},
	{"references", func(h has) bool { return h("reference") || h("references") }, func(h has) bool { return h("segment_id", "references") }},
	{format.Table, func(has) bool { return false }, func(has) bool { return false }},
	{"mqm-tsv", func(has) bool { return false }, func(has) bool { return false }},
}

// looksLike returns the format of a line, if that is certainly not the given format. It
// returns an empty text if the line may be in the given format or its format is unknown.
func looksLike(text []byte, format string) string {
	text = bytes.TrimLeft(text, " \t")
	if !bytes.HasPrefix(text, []byte("{")) {
		if format != "mqm-tsv" && bytes.HasPrefix(text, []byte("system\t")) && bytes.Count(text, []byte("\t")) >= 8 {
			return "mqm-tsv"
		}
		return ""
	}
	v, err := scanJSON(text)
	if err != nil {
		return ""
	}
	var names []string
	for key := range jsonMembers(text, v) {
		name, _ := unquoteJSON(text[key.Start:key.End])
		names = append(names, name)
	}
	there := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(names, k) })
	}
	if i := slices.IndexFunc(looks, func(l look) bool { return l.format == format }); i < 0 || looks[i].own(there) {
		return ""
	}
	if i := slices.IndexFunc(looks, func(l look) bool { return l.surely(there) }); i >= 0 {
		return looks[i].format
	}
	return ""
}

// anotherFormat returns a problem if the first line of a file is in another format, and
// otherwise nil. Without it, every line would give the same problem. The field of the
// problem is "format", which is not a key of any format.
func anotherFormat(r *record, format string) *campaign.Problem {
	other := looksLike(r.Text, format)
	if other == "" {
		return nil
	}
	return &campaign.Problem{File: r.File, Line: r.Line, Field: "format", Msg: "this looks like " + other + "; choose the format " + other, Option: "--format " + other}
}
