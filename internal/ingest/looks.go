package ingest

import (
	"bytes"
	"slices"

	"annotate/internal/campaign"
)

// A look tells the lines of a format by their keys.
type look struct {
	format string
	own    func(has func(keys ...string) bool) bool // may be a line of this format, if not a sound one
	surely func(has func(keys ...string) bool) bool // is hardly one of any other; asked in the order of looks
}

// has reports whether a line has all of the keys.
type has = func(keys ...string) bool

var looks = []look{
	{"ment", func(h has) bool { return h("trans_0") || h("src") && !h("translations") }, func(h has) bool { return h("trans_0") }},
	{"jsonl", func(h has) bool { return h("translations") || h("source") }, func(h has) bool { return h("translations") }},
	{"scores", func(h has) bool { return h("metric") || h("score") }, func(h has) bool { return h("metric", "score") }},
	{"ratings", func(h has) bool {
		return h("annotator") || h("scores") || h("round") || h("seconds") || h("submitted_at")
	}, func(h has) bool { return h("system", "annotator") }},
	{"suggestions", func(h has) bool { return h("spans") && !h("annotator") || h("origin") }, func(h has) bool { return h("system", "spans") }},
	{"references", func(h has) bool { return h("reference") || h("references") }, func(h has) bool { return h("segment_id", "references") }},
	{"mqm-tsv", func(has) bool { return false }, func(has) bool { return false }},
}

// looksLike names the format that a line is surely in, where it is none of the
// format that is read; empty: it may be of that format, or of none we know.
func looksLike(text []byte, format string) string {
	text = bytes.TrimLeft(text, " \t")
	if !bytes.HasPrefix(text, []byte("{")) {
		if format != "mqm-tsv" && bytes.HasPrefix(text, []byte("system\t")) && bytes.Count(text, []byte("\t")) >= 8 {
			return "mqm-tsv"
		}
		return ""
	}
	v, err := scan(text)
	if err != nil {
		return ""
	}
	var names []string
	for key := range members(text, v) {
		name, _ := unquote(text[key.start:key.end])
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

// anotherFormat is the one problem of a file whose first line is of another
// format: every further line would be refused for the same reason. Its field is
// "format", which no format has as a key.
func anotherFormat(r *record, format string) *campaign.Problem {
	other := looksLike(r.text, format)
	if other == "" {
		return nil
	}
	return &campaign.Problem{File: r.file, Line: r.n, Field: "format", Msg: "this looks like " + other + "; use --format " + other + ", or choose " + other + " on the page"}
}
