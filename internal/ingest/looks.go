package ingest

import (
	"bytes"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// A look is what is known of the files of a format before they are read.
type look struct {
	format string
	shape  string             // what its files are
	form   lineForm           // what its lines are
	own    func(has has) bool // a line of JSON may be in this format, even if with mistakes; nil: it is not
	surely func(has has) bool // a line of JSON is certainly in this format, unless surely is true of an earlier look
}

// has reports whether a line has all of the keys.
type has = func(keys ...string) bool

// A lineForm is what the lines of a format are.
type lineForm int

const (
	jsonLines  lineForm = iota
	tabLines            // columns with tabs between
	plainLines          // texts
)

// The formats in messages of .score files and of .txt files of references.
const scoreFile, textFile = ".score", ".txt"

const isLines = " is a text file with one JSON object a line"

// looks has all formats. A file in the format "" is any text.
var looks = []look{
	{
		format.MENT,
		format.MENT + isLines,
		jsonLines,
		func(h has) bool { return h("trans_0") || h("src") && !h("translations") },
		func(h has) bool { return h("trans_0") },
	},
	{
		format.JSONL,
		format.JSONL + isLines,
		jsonLines,
		func(h has) bool { return h("translations") || h("source") },
		func(h has) bool { return h("translations") || h("source", "reference") || h("source", "references") },
	},
	{format.Scores, "scores are files named METRIC.seg.score or METRIC.sys.score, or text files with one JSON object a line", jsonLines,
		func(h has) bool { return h("metric") || h("score") && !h("judge") }, func(h has) bool { return h("metric", "score") }},
	{
		format.Judgements,
		format.Judgements + isLines,
		jsonLines,
		func(h has) bool { return h("judge") || h("trace") },
		func(h has) bool { return h("judge", "system") },
	},
	{
		format.RATE,
		format.RATE + isLines,
		jsonLines,
		func(h has) bool { return h("line_id") || h("translation") },
		func(h has) bool { return h("line_id", "system", "annotator") },
	},
	{format.Ratings, format.Ratings + isLines, jsonLines, func(h has) bool {
		return h("annotator") || !h("judge") && (h("scores") || h("round") || h("seconds") || h("submitted_at"))
	}, func(h has) bool { return h("system", "annotator") }},
	{
		format.Suggestions,
		format.Suggestions + isLines,
		jsonLines,
		func(h has) bool { return h("spans") && !h("annotator") && !h("judge") || h("origin") },
		func(h has) bool { return h("system", "spans") },
	},
	{
		format.Terms,
		format.Terms + isLines,
		jsonLines,
		func(h has) bool { return h("explication") || h("start") && h("end") },
		func(h has) bool { return h("segment_id", "start", "end") },
	},
	{format.References, "references are a file named NAME.txt with one a line, or a text file with one JSON object a line", jsonLines,
		func(h has) bool { return h("reference") || h("references") }, func(h has) bool { return h("segment_id", "references") }},
	{format: format.Table, form: tabLines},
	{format: format.MQM, shape: "mqm-tsv is a text file whose columns are divided by tabs", form: tabLines},
	{format: scoreFile, shape: "a .score file is a text file with a system, a tab and a score on each line", form: tabLines},
	{format: textFile, shape: "references in a .txt file are a text file with one a line", form: plainLines},
	{format: "", shape: "it has to be text in UTF-8", form: plainLines},
}

// lookOf returns the look of a format.
func lookOf(format string) look {
	return looks[slices.IndexFunc(looks, func(l look) bool { return l.format == format })]
}

// looksLike returns the format of a line, if that is certainly not the given format. It
// returns an empty text if the line may be in the given format or its format is unknown.
func looksLike(text []byte, of string) string {
	text = bytes.TrimLeft(text, " \t")
	if !bytes.HasPrefix(text, []byte("{")) {
		if of != format.MQM && bytes.HasPrefix(text, []byte("system\t")) && bytes.Count(text, []byte("\t")) >= 8 {
			return format.MQM
		}
		return ""
	}
	there := keysOf(text)
	if there == nil {
		return ""
	}
	if l := lookOf(of); l.form == plainLines || l.format == scoreFile || l.own != nil && l.own(there) {
		return ""
	}
	if i := slices.IndexFunc(looks, func(l look) bool { return l.surely != nil && l.surely(there) }); i >= 0 {
		return looks[i].format
	}
	return ""
}

// keysOf returns a function that reports whether a JSON object has some keys. It is nil if the text is not JSON.
func keysOf(text []byte) has {
	v, err := scanJSON(text)
	if err != nil {
		return nil
	}
	var names []string
	for key := range jsonMembers(text, v) {
		name, _ := unquoteJSON(text[key.Start:key.End])
		names = append(names, name)
	}
	return func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(names, k) })
	}
}

// anotherFormat returns a problem if the first line of a file is in another format, and
// otherwise nil. Without it, every line would give the same problem. The field of the
// problem is "format", which is not a key of any format.
func anotherFormat(r *record, format string) *campaign.Problem {
	other := looksLike(r.Text, format)
	if other == "" {
		return nil
	}
	return &campaign.Problem{
		File:   r.File,
		Line:   r.Line,
		Field:  "format",
		Msg:    "this looks like " + other + "; choose the format " + other,
		Option: "--format " + other,
	}
}
