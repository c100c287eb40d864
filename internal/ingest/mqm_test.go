package ingest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

const (
	olderHeader = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
	newerHeader = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
)

// rows writes a table whose cells are divided by "|".
func rows(lines ...string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n"), "|", "\t") + "\n"
}

// mqmTableOf reads a table in which nothing is wrong.
// mqmTableOf reads a table without the lines of the single rows.
func mqmTableOf(t *testing.T, protocol, input string, opt Options) ([]campaign.SegmentLine, Notes) {
	t.Helper()
	got, notes := mqmRowsOf(t, protocol, input, opt)
	for i := range got {
		got[i].Rows = nil
	}
	return got, notes
}

func mqmRowsOf(t *testing.T, protocol, input string, opt Options) ([]campaign.SegmentLine, Notes) {
	t.Helper()
	var notes Notes
	got, problems, err := collect(MQM(strings.NewReader(input), protocolNamed(t, protocol), opt, &notes))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	return got, notes
}

func noted(notes Notes) (out []string) {
	for _, n := range notes.List {
		out = append(out, n.String())
	}
	return out
}

func mqmRating(annotator string, spans ...protocol.ErrorSpan) campaign.Rating {
	return campaign.Rating{Annotator: annotator, Round: 1, Rating: protocol.Rating{Spans: spans, NoErrors: len(spans) == 0}}
}

// The same two segments in all the shapes a table comes in. The rows of the first
// segment lie apart, systems and raters are out of order.
func TestMQMGenerations(t *testing.T) {
	older := []string{
		"B|d1|1|7|rater2|a 🙂 é|x <v>🙂 é</v> y|Accuracy/Mistranslation|Major|why?",
		"A|d1|1|7|rater1|a 🙂 é|x|No-error|No-error|",
		"B|d1|2|8|rater1|zwei|two|no-error|no-error|",
		"B|d1|1|7|rater1|a 🙂 é|x 🙂 é <v>y</v>|FLUENCY/punctuation|minor|",
		"B|d1|1|7|rater2|<v>a 🙂</v> é|x 🙂 é y|accuracy/omission|neutral|",
	}
	want := []campaign.SegmentLine{
		{Line: 2, Segment: campaign.Segment{DocID: "d1", SegmentID: "7", Source: "a 🙂 é", Translations: []campaign.Translation{
			{System: "A", Text: "x", Ratings: []campaign.Rating{mqmRating("rater1")}},
			{System: "B", Text: "x 🙂 é y", Ratings: []campaign.Rating{
				mqmRating("rater1", protocol.ErrorSpan{Side: protocol.Target, Start: 6, End: 7, Text: "y", Severity: "minor", Category: "Fluency", Subcategory: "Punctuation"}),
				mqmRating("rater2",
					protocol.ErrorSpan{Side: protocol.Target, Start: 2, End: 5, Text: "🙂 é", Severity: "major", Category: "Accuracy", Subcategory: "Mistranslation", Comment: "why?"},
					protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 3, Text: "a 🙂", Severity: "neutral", Category: "Accuracy", Subcategory: "Omission"}),
			}},
		}}},
		{Line: 4, Segment: campaign.Segment{DocID: "d1", SegmentID: "8", Source: "zwei", Translations: []campaign.Translation{
			{System: "B", Text: "two", Ratings: []campaign.Rating{mqmRating("rater1")}},
		}}},
	}
	bare := make([]string, len(older)) // without the comment, and its column
	newer := make([]string, len(older))
	for i, row := range older {
		cells := strings.Split(row, "|")
		bare[i] = strings.Join(cells[:9], "|")
		newer[i] = bare[i]
		if cells[9] != "" {
			newer[i] += `|{"note":"` + cells[9] + `","marked_text":["x"]}`
		}
	}
	moved := func(by int, comment bool) []campaign.SegmentLine {
		out := slices.Clone(want)
		for i := range out {
			out[i].Line += by
		}
		if !comment {
			out[0].Segment.Translations = slices.Clone(out[0].Segment.Translations)
			b := &out[0].Segment.Translations[1]
			b.Ratings = slices.Clone(b.Ratings)
			b.Ratings[1].Spans = slices.Clone(b.Ratings[1].Spans)
			b.Ratings[1].Spans[0].Comment = ""
		}
		return out
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, tt := range []struct {
		name, input string
		want        []campaign.SegmentLine
	}{
		{"older", olderHeader + rows(older...), want},
		{"older, no line end at the end", strings.TrimSuffix(olderHeader+rows(older...), "\n"), want},
		{"older, CRLF and BOM", "\ufeff" + crlf(olderHeader+rows(older...)), want},
		{"older, blank lines", olderHeader + rows(older[0], "", older[1], "\t\t", older[2], older[3], older[4]), []campaign.SegmentLine{want[0], {Line: 6, Segment: want[1].Segment}}},
		{"older, no header", rows(older...), moved(-1, true)},
		{"older, nine columns", strings.Replace(olderHeader, "\tcomment", "", 1) + rows(bare...), moved(0, false)},
		{"older, nine columns, no header", rows(bare...), moved(-1, false)},
		{"older, comment left out at the end", olderHeader + rows(append([]string{older[0]}, bare[1:]...)...), want},
		{"older, header once more", olderHeader + olderHeader + rows(older...), moved(1, true)},
		{"newer", newerHeader + rows(newer...), want},
		{"newer, header behind #", "#" + newerHeader + rows(newer...), want},
		{"newer, header behind # and a space, in capitals", "# " + strings.ToUpper(newerHeader) + rows(newer...), want},
		{"newer, no header", rows(newer...), moved(-1, true)},
		{"newer, comments before the header", "# exported\n# today\n" + newerHeader + rows(newer...), moved(2, true)},
		{"newer, comments and no header", "# exported\n" + rows(newer...), want},
		{"newer, notes as text", newerHeader + rows(older...), want},
		{"as mqm_viewer", strings.NewReplacer("docSegId", "doc_seg_id", "globalSegId", "global_seg_id").Replace(newerHeader) + rows(newer...), want},
		{"columns in another order", "target\tsystem\tx\tdoc\tseverity\tseg_id\trater\tsource\tcategory\n" + func() (s string) {
			for _, row := range bare {
				c := strings.Split(row, "|")
				s += strings.Join([]string{c[6], c[0], "ignored", c[1], c[8], c[3], c[4], c[5], c[7]}, "\t") + "\n"
			}
			return s
		}(), moved(0, false)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", tt.input, Options{})
			diff(t, got, tt.want)
			diff(t, notes, Notes{Systems: []string{"A", "B"}})
		})
	}
}

// What is done with single rows; each has one rating, by r, of system A.
func TestMQMRows(t *testing.T) {
	target := func(start, end int, text, severity, category, sub string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: text, Severity: severity, Category: category, Subcategory: sub}
	}
	source := func(start, end int, text, severity, category, sub string) protocol.ErrorSpan {
		s := target(start, end, text, severity, category, sub)
		s.Side = protocol.Source
		return s
	}
	for _, tt := range []struct {
		name, protocol string
		cells          string // source|target|category|severity|metadata
		source, target string
		want           []protocol.ErrorSpan
		notes          []string
	}{
		{"a mark at both ends", "mqm", "s|<v>ab</v>|Other|Minor|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "minor", "Other", "")}, nil},
		{"a mark without words", "mqm", "s|a<v></v>b|Other|Minor|", "s", "ab", []protocol.ErrorSpan{target(1, 1, "", "minor", "Other", "")}, nil},
		{"signs that are no marks", "mqm", "a < b <|<V> <<v><v ></v> <vv> <|Other|Minor|", "a < b <", "<V> <<v > <vv> <", []protocol.ErrorSpan{target(5, 9, "<v >", "minor", "Other", "")}, nil},
		{"marks on both sides", "mqm", "<v>s</v>|a<v>b</v>|Accuracy/Addition|Major|", "s", "ab", []protocol.ErrorSpan{target(1, 2, "b", "major", "Accuracy", "Addition")}, []string{noteBothSides}},
		{"an omission with its place", "mqm", "a<v>s</v>|<v></v>b|Accuracy/Omission|Major|", "as", "b", []protocol.ErrorSpan{source(1, 2, "s", "major", "Accuracy", "Omission")}, []string{noteInSource}},
		{"an omission beside words", "esa", "<v>s</v>|a<v>b</v>|omission|Major|", "s", "ab", []protocol.ErrorSpan{source(0, 1, "s", "major", "omission", "")}, []string{noteInSource}},
		{"words in the source alone", "mqm", "<v>s</v>|a<v></v>b|Accuracy/Mistranslation|Major|", "s", "ab", []protocol.ErrorSpan{source(0, 1, "s", "major", "Accuracy", "Mistranslation")}, []string{noteInSource}},
		{"an omission of no words", "mqm", "<v></v>s|a<v>b</v>|Accuracy/Omission|Major|", "s", "ab", []protocol.ErrorSpan{target(1, 2, "b", "major", "Accuracy", "Omission")}, []string{noteBothSides}},
		{"no words on both sides", "mqm", "s<v></v>|a<v></v>b|Accuracy/Omission|Major|", "s", "ab", []protocol.ErrorSpan{target(1, 1, "", "major", "Accuracy", "Omission")}, []string{noteBothSides}},
		{"several marks", "mqm", "s|a<v>b</v>c<v>d</v>e|Style/Awkward|Major|", "s", "abcde", []protocol.ErrorSpan{target(1, 4, "bcd", "major", "Style", "Awkward")}, []string{noteSeveral}},
		{"marks within marks", "mqm", "s|a<v>b<v>c</v></v>|Style/Awkward|Major|", "s", "abc", []protocol.ErrorSpan{target(1, 3, "bc", "major", "Style", "Awkward")}, []string{noteSeveral}},
		{"a mark not closed", "mqm", "s|ab <v>?|Fluency/Punctuation|Minor|", "s", "ab ?", []protocol.ErrorSpan{target(3, 4, "?", "minor", "Fluency", "Punctuation")}, []string{noteUnclosed}},
		{"no mark", "mqm", "s|ab|Other|Major|", "s", "ab", []protocol.ErrorSpan{target(0, 0, "", "major", "Other", "")}, []string{noteNoMark}},
		{"a source error without a mark", "mqm", "s|ab|Source error/-|Minor|", "s", "ab", []protocol.ErrorSpan{source(0, 0, "", "minor", "Source error", "")}, []string{noteNoSource}},
		{"a source error under an alias, marked", "mqm", "<v>s</v>|ab|source issue|Minor|", "s", "ab", []protocol.ErrorSpan{source(0, 1, "s", "minor", "Source error", "")}, nil},
		{"a non-translation", "mqm", "s|é🙂|Non-translation!|Major|", "s", "é🙂", []protocol.ErrorSpan{target(0, 2, "é🙂", "major", "Non-translation", "")}, nil},
		{"a non-translation without words", "mqm", "s||Non-translation!|Major|", "s", "", []protocol.ErrorSpan{target(0, 0, "", "major", "Non-translation", "")}, nil},
		{"a non-translation with a mark", "mqm", "s|a<v>b</v>|Non-translation|Major|", "s", "ab", []protocol.ErrorSpan{target(1, 2, "b", "major", "Non-translation", "")}, nil},
		{"underscores", "mqm", "s|ab|non_translation|major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "Non-translation", "")}, nil},
		{"underscores, with a subcategory that is not known", "mqm", "s|<v>ab</v>|locale_convention/name|major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "Locale convention", "name")}, nil},
		{"unknown names are kept", "mqm", "s|<v>ab</v>|mt_hallucination/Odd/Case|Grave|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "Grave", "mt_hallucination", "Odd/Case")}, nil},
		{"no category", "mqm", "s|<v>ab</v>||Major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "", "")}, nil},
		{"a slash at the end", "mqm", "s|<v>ab</v>|accuracy/|Major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "Accuracy", "")}, nil},
		{"two slashes at the end", "mqm", "s|<v>ab</v>|Odd/Kind// |Major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "Odd", "Kind")}, nil},
		{"missing punctuation", "esa", "s|a<v></v>b|/Missing punctuation|Minor|", "s", "ab", []protocol.ErrorSpan{target(1, 1, "", "minor", "", "missing punctuation")}, nil},
		{"no error, in another spelling", "mqm", "s|ab| no_error |No Error|", "s", "ab", nil, nil},
		{"no error, no category", "mqm", "s|ab||No-error|", "s", "ab", nil, nil},
		{"no error, no severity", "mqm", "s|ab|No-error||", "s", "ab", nil, nil},
		{"no error, but a mark", "mqm", "s|a<v>b</v>|No-error|No-error|", "s", "ab", nil, []string{noteMarkedClean}},
		{"CSV quotes", "mqm", `"""s"""|"a ""<v>b</v>"""|Other|Minor|`, `"s"`, `a "b"`, []protocol.ErrorSpan{target(3, 4, "b", "minor", "Other", "")}, []string{noteQuoted + " x2"}},
		{"a mark before the quotation marks of CSV", "mqm", `s|<v>"a</v> ""b"""|Other|Minor|`, "s", `a "b"`, []protocol.ErrorSpan{target(0, 1, "a", "minor", "Other", "")}, []string{noteQuoted}},
		{"a mark around the quotation marks of CSV", "mqm", `s|<v>"a ""b"""</v>|Other|Minor|`, "s", `a "b"`, []protocol.ErrorSpan{target(0, 5, `a "b"`, "minor", "Other", "")}, []string{noteQuoted}},
		{"a mark between two quotation marks", "mqm", `s|"a "<v>"b""</v>"|Other|Minor|`, "s", `a "b"`, []protocol.ErrorSpan{target(2, 5, `"b"`, "minor", "Other", "")}, []string{noteQuoted}},
		{"a quotation mark alone, in CSV quotes", "mqm", `""""|x|No-error|No-error|`, `"`, `x`, nil, []string{noteQuoted}},
		{"quotation marks that are text", "mqm", `"s"|"a" "<v>b</v>"|Other|Minor|`, `"s"`, `"a" "b"`, []protocol.ErrorSpan{target(5, 6, "b", "minor", "Other", "")}, nil},
		{"two and three quotation marks", "mqm", `""|"""|No-error|No-error|`, `""`, `"""`, nil, nil},
		{"doubled, but not around", "mqm", `a ""b""|""a|No-error|No-error|`, `a ""b""`, `""a`, nil, nil},
		{"metadata in CSV quotes", "mqm", `s|<v>ab</v>|Other|Minor|"{""note"":""n""}"`, "s", "ab", []protocol.ErrorSpan{{Side: protocol.Target, End: 2, Text: "ab", Severity: "minor", Category: "Other", Comment: "n"}}, []string{noteQuoted}},
		{"ESA keeps the category", "esa", "s|a<v>b</v>|Accuracy/Omission|Major|", "s", "ab", []protocol.ErrorSpan{target(1, 2, "b", "major", "Accuracy", "Omission")}, nil},
		{"ESA and a non-translation", "esa", "s|ab|Non-translation!|Major|", "s", "ab", []protocol.ErrorSpan{target(0, 2, "ab", "major", "Non-translation!", "")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, tt.protocol, newerHeader+rows("A|d|1|1|r|"+tt.cells), Options{File: "f"})
			diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: tt.source, Translations: []campaign.Translation{
				{System: "A", Text: tt.target, Ratings: []campaign.Rating{mqmRating("r", tt.want...)}},
			}}}})
			var want []string
			for _, n := range tt.notes {
				text, twice := strings.CutSuffix(n, " x2")
				count := 1
				if twice {
					count = 2
				}
				want = append(want, fmt.Sprintf("%d %s, first at f:2", count, text))
			}
			diff(t, noted(notes), want)
		})
	}
}

// Times, comments on translations without errors, attention checks, rows that are
// no ratings.
func TestMQMMetadata(t *testing.T) {
	got, notes := mqmTableOf(t, "mqm", newerHeader+rows(
		`A|d|1|1|r|s|<v>a</v>b|Other|Minor|{"timestamp": 1695000000500, "note": "n\n🙂", "timing": {"x": {"count": 1, "timeMS": 900}}}`,
		`A|d|1|1|r|s|a<v>b</v>|Other|Minor|{"timestamp": 1695000000250.75}`,
		`A|d|1|1|q|s|ab|No-error|No-error|{"timestamp": 0, "note": "fine"}`,
		`A|d|1|1|hotw|s changed|a deliberate error|Found|HOTW-test|{"note": "injected"}`,
		`A|d|1|1|hotw|s changed|a deliberate error|HOTW-test|Missed|`,
		`B|d|1|1||s|unrated|||{"segment": {"metrics": {"x": 1}}}`,
		`A|d|1|1|q|s|a<v>b</v>|Other|Minor|{}`,
		`A|d|1|1|r|s|ab|No-error|No-error|`,
	), Options{File: "f"})
	other := func(start int, text, comment string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: start + 1, Text: text, Severity: "minor", Category: "Other", Comment: comment}
	}
	q, r := mqmRating("q", other(1, "b", "")), mqmRating("r", other(0, "a", "n\n🙂"), other(1, "b", ""))
	q.Comment = "fine"
	r.SubmittedAt = time.Date(2023, 9, 18, 1, 20, 0, 500e6, time.UTC) // 1695000000.5 s
	diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: "s", Translations: []campaign.Translation{
		{System: "A", Text: "ab", Ratings: []campaign.Rating{q, r}}, {System: "B", Text: "unrated"},
	}}}})
	diff(t, noted(notes), []string{
		"2 " + noteCheck + ", first at f:5",
		"1 " + noteTextsOnly + ", first at f:7",
		"2 " + noteNoErrorToo + ", first at f:4",
	})
}

// Without running numbers a segment is named by its place; else by its number.
func TestMQMSegmentIDs(t *testing.T) {
	ids := func(got []campaign.SegmentLine) (out []string) {
		for _, s := range got {
			out = append(out, s.Segment.DocID+" "+s.Segment.SegmentID)
		}
		return out
	}
	same := func(doc, place, seg string) string {
		return "A|" + doc + "|" + place + "|" + seg + "|r|s" + doc + place + "|t|No-error|No-error"
	}
	for _, tt := range []struct {
		name string
		rows []string
		want []string
		note string
	}{
		{"numbered within documents", []string{same("d", "1", "1"), same("e", "1", "1"), same("d", "2", "2")}, []string{"d 1", "e 1", "d 2"}, ""},
		{"always 0", []string{same("d", "1", "0"), same("e", "1", "0"), same("d", "2", "0"), same("d", "1", "0")}, []string{"d 1", "e 1", "d 2"}, "1 table with the same globalSegId in all rows, whose segments are named by docSegId, first at :1"},
		{"always 0, one segment a document", []string{same("d", "1", "0"), same("e", "2", "0")}, []string{"d 0", "e 0"}, ""},
		{"places that say nothing", []string{"A|d|1|5|r|s|t|No-error|No-error", "B|d|9|5|r|s|t|No-error|No-error", "A|d|1|6|r|s|t|No-error|No-error"}, []string{"d 5", "d 6"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", rows(tt.rows...), Options{})
			diff(t, ids(got), tt.want)
			if s := strings.Join(noted(notes), "\n"); s != tt.note {
				t.Errorf("noted %q, want %q", s, tt.note)
			}
		})
	}
}

// The pair behind a document's name must be that of the campaign or the file.
func TestMQMLanguages(t *testing.T) {
	row := func(doc string) string { return "A|" + doc + "|1|1|r|s|t|No-error|No-error" }
	for _, tt := range []struct {
		name           string
		docs           []string
		opt            Options
		want           []string // documents
		source, target string
		problem        string
	}{
		{"no pair", []string{"d:x", "http://a/b"}, Options{SourceLang: "en", TargetLang: "de"}, []string{"d:x", "http://a/b"}, "en", "de", ""},
		{"hyphens that are no pair", []string{"d:foo-bar", "e:p-12"}, Options{}, []string{"d:foo-bar", "e:p-12"}, "", "", ""},
		{"the campaign's, of three letters", []string{"d:ces-hsb"}, Options{SourceLang: "ces", TargetLang: "hsb"}, []string{"d"}, "ces", "hsb", ""},
		{"the campaign's", []string{"d:1:en-DE", "e"}, Options{SourceLang: "en", TargetLang: "de"}, []string{"d:1", "e"}, "en", "de", ""},
		{"the file's", []string{"e", "d:en-pt_BR"}, Options{}, []string{"e", "d"}, "en", "pt_BR", ""},
		{"two pairs", []string{"d:en-de", "e:en-zh"}, Options{}, nil, "", "", "f:2:3: doc: the file has several language pairs: beside 1 line of en-de it has 1 line of en-zh, the first here; import one pair at a time by naming it, en-de or en-zh (--language-pair en-de on the command line)"},
		{"another than the campaign's", []string{"e:en-zh"}, Options{SourceLang: "en", TargetLang: "de"}, nil, "", "", "f:1:3: doc: the campaign is en-de, and the file has 1 line of en-zh; choose a file of its language pair, or a campaign of en-zh"},
		{"selected", []string{"d:en-de", "e:en-zh", "f"}, Options{SourceLang: "en", TargetLang: "zh", Select: true}, []string{"e", "f"}, "en", "zh", ""},
		{"selected, but not there", []string{"d:en-de"}, Options{SourceLang: "en", TargetLang: "zh", Select: true}, nil, "", "", "f: no ratings of en-zh in the file; it has 1 of en-de and maybe other pairs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for _, d := range tt.docs {
				lines = append(lines, row(d))
			}
			tt.opt.File = "f"
			got, problems, err := collect(MQM(strings.NewReader(rows(lines...)), protocolNamed(t, "mqm"), tt.opt, nil))
			if err != nil {
				t.Fatal(err)
			}
			if tt.problem != "" {
				if len(problems) != 1 || problems[0].Error() != tt.problem {
					t.Errorf("got %v, want %s", problems, tt.problem)
				}
				return
			}
			var docs []string
			for _, s := range got {
				docs = append(docs, s.Segment.DocID)
				if s.Segment.SourceLang != tt.source || s.Segment.TargetLang != tt.target {
					t.Errorf("%s is %s-%s", s.Segment.DocID, s.Segment.SourceLang, s.Segment.TargetLang)
				}
			}
			diff(t, docs, tt.want)
		})
	}
}

func TestMQMRefused(t *testing.T) {
	const needs = "there is no such column in the header; the table needs system, doc, seg_id (or globalSegId), rater, source, target, category and severity"
	older := func(lines ...string) string { return olderHeader + rows(lines...) }
	good := "A|d|1|1|r|s|t|No-error|No-error|"
	for _, tt := range []struct {
		protocol string
		refusal
	}{
		{"sqm", refusal{"SQM", older(good), Options{}, []string{"SQM has no error spans; import the table into a campaign whose protocol marks errors, such as MQM"}}},
		{"rate", refusal{"RATE", older(good), Options{}, []string{`RATE has no severity "minor", with which the table grades errors; import it into a campaign whose protocol has, such as MQM`}}},
		{"mqm", refusal{"an empty file", "", Options{}, []string{"no ratings in the file; check that it is the file you mean, and that it was saved with its content"}}},
		{"mqm", refusal{"a header alone", olderHeader, Options{}, []string{"no ratings in the file; check that it is the file you mean, and that it was saved with its content"}}},
		{"mqm", refusal{"attention checks alone", rows("A|d|1|1|r|s|t|Found|HOTW-test"), Options{}, []string{"no ratings in the file; check that it is the file you mean, and that it was saved with its content"}}},
		{"mqm", refusal{"UTF-16", "\xff\xfes\x00", Options{}, []string{"format: the file is UTF-16; save it as UTF-8"}}},
		{"mqm", refusal{"a header that lacks columns", "system\tdoc\tdoc_id\trater\tsource\ttarget\tcategory\tscore\tseg\n" + rows(good), Options{}, []string{
			"1: seg_id: " + needs, "1: severity: " + needs,
		}}},
		{"mqm", refusal{"a column twice", strings.Replace(olderHeader, "comment", "‸globalSegId", 1) + rows(good), Options{}, []string{"‸ seg_id: a second column of this name; keep one"}}},
		{"mqm", refusal{"two headers", olderHeader + rows(good) + newerHeader + rows(good), Options{}, []string{"3: another header, with other columns than the first line; import the tables one by one"}}},
		{"mqm", refusal{"too few columns", older("A|d|1|1|r|s|t"), Options{}, []string{"2: 7 columns where the header has 10; a tab divides columns and can't be part of a text"}}},
		{"mqm", refusal{"too many columns", older("A|d|1|1|r|s|t|u|No-error|No-error|c"), Options{}, []string{"2: 11 columns where the header has 10; a tab divides columns and can't be part of a text"}}},
		{"mqm", refusal{"too few, no header", rows("A|d|1|1|r"), Options{}, []string{"1: 5 columns; a table without a header has 9 or 10: system, doc, doc_id, seg_id, rater, source, target, category, severity and maybe a comment or metadata"}}},
		{"mqm", refusal{"not a table", `{"segment_id":1}` + "\n", Options{}, []string{"format: the file has JSON objects, and mqm-tsv is a text file whose columns are divided by tabs; choose the format that it is in"}}},
		{"mqm", refusal{"not UTF-8", older("A|d|1|1|r|‸\xff|t|No-error|No-error"), Options{}, []string{"‸ byte 0xFF is not UTF-8; save the file as UTF-8"}}},
		{"mqm", refusal{"U+0000", older("A|d|1|1|r|s|t‸\x00|No-error|No-error"), Options{}, []string{"‸ U+0000 in a text; remove it"}}},
		{"mqm", refusal{"empty cells", older("‸|‸|1|‸||‸||Other|Minor|"), Options{}, []string{
			"‸ system: the name is empty", "‸ doc: the id is empty", "‸ seg_id: the id is empty", "2:6: rater: missing; give the login of the annotator", "‸ source: empty; give the source text",
		}}},
		{"mqm", refusal{"a system that is not there", older("‸C|d|1|1|r|s|t|No-error|No-error|"), Options{Systems: []string{"A", "B"}}, []string{`‸ system: there is no system "C"; the campaign's systems are "A", "B"`}}},
		{"mqm", refusal{"no login", older("A|d|1|1|‸rater 1|s|t|No-error|No-error|"), Options{}, []string{`‸ rater: "rater 1" can't be an annotator; use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit`}}},
		{"mqm", refusal{"no severity", older("A|d|1|1|r|s|t|Other|‸|"), Options{}, []string{"‸ severity: missing; say how grave the error is, or No-error in category and severity"}}},
		{"mqm", refusal{"a subcategory of nothing", older("A|d|1|1|r|s|t|‸/x|Minor|"), Options{}, []string{`‸ category: there is none for the subcategory "x"; name the one it belongs to, or leave the subcategory out`}}},
		{"mqm", refusal{"an error that is none", older("A|d|1|1|r|s|t|Other|‸No-error|"), Options{}, []string{`‸ severity: is "No-error", but the category is "Other"; a row without an error has No-error in both`}}},
		{"mqm", refusal{"none that is an error", older("A|d|1|1|r|s|t|‸No-error|Minor|"), Options{}, []string{`‸ category: is "No-error", but the severity is "Minor"; a row without an error has No-error in both`}}},
		{"mqm", refusal{"a mark not opened", older("A|d|1|1|r|‸s</v>|‸t</v><v>u</v>|Other|Minor|"), Options{}, []string{
			"‸ source: </v> without a <v> before it; mark each error as <v>words</v>", "‸ target: </v> without a <v> before it; mark each error as <v>words</v>",
		}}},
		{"mqm", refusal{"metadata cut short", newerHeader + rows(`A|d|1|1|r|s|t|Other|Minor|‸{"note":`), Options{}, []string{"‸ metadata: not JSON: the line ends in the middle of the object; write each object on one line"}}},
		{"mqm", refusal{"metadata of other kinds", newerHeader + rows(`A|d|1|1|r|s|t|Other|Minor|‸{"note":1,"timestamp":"now"}`), Options{}, []string{
			"‸ metadata.note: must be a text in double quotes, not a number", "2:27: metadata.timestamp: must be a number, not a text",
		}}},
		{"mqm", refusal{"a time before all times", newerHeader + rows(`A|d|1|1|r|s|t|Other|Minor|‸{"timestamp":-1}`), Options{}, []string{"‸ metadata.timestamp: must be a time in milliseconds since 1970, not -1"}}},
		// Every text is compared with the first of its kind; only the first that differs is told.
		{"mqm", refusal{"texts that differ", older(
			"A|d|1|1|r|s one|tea|No-error|No-error|", "B|d|1|1|r|‸s two|‸other|No-error|No-error|", "A|d|1|1|q|s three|‸te🙂|Other|Minor|", "A|d|1|1|p|s one|toe|No-error|No-error|", "A|d|2|2|p|fine|toe|No-error|No-error|"),
			Options{}, []string{
				`‸ source: is not the text of line 2: after 2 equal characters it goes on with "two", there with "one"; without <v> and </v> the source must be the same in all rows of a segment`,
			}}},
	} {
		if tt.name == "texts that differ" {
			tt.input = strings.Replace(tt.input, "‸other", "other", 1)
			tt.want = append(tt.want, `‸ target: is not the text of line 2: after 2 equal characters it goes on with "🙂", there with "a"; without <v> and </v> the target must be the same in all rows of a system's translation`)
		}
		tt.run(t, func(input string, opt Options) ([]*campaign.Problem, error) {
			_, problems, err := collect(MQM(strings.NewReader(input), protocolNamed(t, tt.protocol), opt, nil))
			return problems, err
		})
	}
}

// TestMQMRealTables: what published tables have and the plain format has not.
func TestMQMRealTables(t *testing.T) {
	nine := strings.Replace(olderHeader, "\tcomment", "", 1)
	span := func(start, end int, text, comment string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: text, Severity: "minor", Category: "Other", Comment: comment}
	}
	for _, tt := range []struct {
		name, input, source, target string
		ratings                     []campaign.Rating
		notes                       []string
	}{
		{"a blank at the end of a mark, below", nine + rows("A|d|1|1|r|s|Good day.|No-error|No-error", "A|d|1|1|q|s|<v>Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 9, "Good day.", "")), mqmRating("r")}, []string{"1 " + noteEnds + ", first at f:3"}},
		{"blanks at both ends of a mark, above", nine + rows("A|d|1|1|q|s |<v>\u3000 Good</v> day.|Other|Minor", "A|d|1|1|r|s|Good <v>day.</v>|Other|Minor", "A|d|1|1|q|s|<v>  Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 4, "Good", ""), span(0, 9, "Good day.", "")), mqmRating("r", span(5, 9, "day.", ""))}, []string{"2 " + noteEnds + ", first at f:3"}},
		{"a mark around nothing but a blank", nine + rows("A|d|1|1|q|s|day.<v> </v>|Other|Minor", "A|d|1|1|r|s|day.|No-error|No-error"),
			"s", "day.", []campaign.Rating{mqmRating("q", span(4, 4, "", "")), mqmRating("r")}, []string{"1 " + noteEnds + ", first at f:3"}},
		{"blanks that all rows have", nine + rows("A|d|1|1|q| s|<v> a</v> |Other|Minor", "A|d|1|1|r| s| a |No-error|No-error"),
			" s", " a ", []campaign.Rating{mqmRating("q", span(0, 2, " a", "")), mqmRating("r")}, nil},
		{"a quotation mark inside a mark", nine + rows(`A|d|1|1|q|s|<v>"He</v> said ""hi"""|Other|Minor`, `A|d|1|1|r|s|"He said ""hi"""|No-error|No-error`),
			"s", `He said "hi"`, []campaign.Rating{mqmRating("q", span(0, 2, "He", "")), mqmRating("r")}, []string{"2 " + noteQuoted + ", first at f:2"}},
		{"a tenth cell under nine names", nine + rows("A|d|1|1|q|s|<v>a</v>|Other|Minor|why?", `A|d|1|1|r|s|<v>a</v>|Other|Minor|{"note":"n"}`, "A|d|1|1|r|s|a|No-error|No-error|"),
			"s", "a", []campaign.Rating{mqmRating("q", span(0, 1, "a", "why?")), mqmRating("r", span(0, 1, "a", "n"))}, []string{"2 " + noteTenth + ", first at f:2", "1 " + noteNoErrorToo + ", first at f:4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", tt.input, Options{File: "f"})
			diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: tt.source, Translations: []campaign.Translation{{System: "A", Text: tt.target, Ratings: tt.ratings}}}}})
			diff(t, noted(notes), tt.notes)
		})
	}
}

// TestMQMContradictions: rows of one translation that contradict each other are
// refused at their first places; on demand those translations are left out, and named.
func TestMQMContradictions(t *testing.T) {
	input := olderHeader + rows(
		"A|d|1|1|r|s|tea|No-error|No-error|", "A|d|1|1|q|s|toe|No-error|No-error|", "B|d|1|1|r|s|fine|No-error|No-error|", // targets
		"A|d|2|2|r|one|a|No-error|No-error|", "B|d|2|2|r|two|b|No-error|No-error|", "C|d|2|2|r|two|c|No-error|No-error|", // sources
		"A|d|3|3|r|s|a|Other|No-error|", "B|d|3|3|r|s|b|No-error|No-error|", // an error that is none
		"A|d|4|4|r|s|a|No-error|Minor|", // alone in its segment
		"A|d|5|5|r|s|a|No-error|No-error|")
	_, problems, err := collect(MQM(strings.NewReader(input), protocolNamed(t, "mqm"), Options{}, nil))
	if err != nil || len(problems) != 4 {
		t.Fatalf("got %v, %v", problems, err)
	}
	for _, p := range problems {
		if p.Kind != Contradiction {
			t.Errorf("%v is of kind %q", p, p.Kind)
		}
	}
	got, notes := mqmTableOf(t, "mqm", input, Options{File: "f", LeaveOutContradictions: true})
	var kept []string
	for _, line := range got {
		for _, tr := range line.Segment.Translations {
			kept = append(kept, fmt.Sprint(line.Segment.SegmentID, " ", line.Segment.Source, " ", tr.System, " ", tr.Text, " ", len(tr.Ratings)))
		}
	}
	diff(t, kept, []string{"1 s B fine 1", "2 two B b 1", "2 two C c 1", "3 s B b 1", "5 s A a 1"})
	diff(t, noted(notes), []string{"4 " + noteContradicts + `, first at f:2: segment "1" of document "d" by "A", segment "2" of document "d" by "A", segment "3" of document "d" by "A", segment "4" of document "d" by "A"`})
}

// What one segment may hold is bounded, so that a table can't take all memory or
// time.
func TestMQMBounds(t *testing.T) {
	table := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(rows(row(i)))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, input, want string
	}{
		{"systems", table(1001, func(i int) string { return fmt.Sprintf("A%d|d|1|1|r|s|t|No-error|No-error", i) }), "f:1001:1: system: the table has more than 1000 systems, the most that is read; check that this column holds the names of systems"},
		{"annotators", table(1001, func(i int) string { return fmt.Sprintf("A|d|1|1|r%d|s|t|No-error|No-error", i) }), "f:1001:9: rater: more than 1000 annotators rated this translation; check that this column holds the names of annotators"},
		{"errors", table(10_001, func(int) string { return "A|d|1|1|r|s|<v>t</v>|Other|Minor" }), `f:10001: "r" has more than 10000 errors in this translation, the most that is kept; leave the least grave out`},
		{"comments", table(3, func(int) string { return "A|d|1|1|r|s|t|No-error|No-error|" + strings.Repeat("x", 500_000) }), `f:3: the comments of "r" on this translation are longer than 1 MiB, the most that is kept; shorten them`},
	} {
		got, problems, err := collect(MQM(strings.NewReader(tt.input), protocolNamed(t, "mqm"), Options{File: "f"}, nil))
		if err != nil || len(got) > 0 || len(problems) != 1 || problems[0].Error() != tt.want {
			t.Errorf("%s: %d segments, %v, %v", tt.name, len(got), problems, err)
		}
	}
}

// A segment with a refused row is not yielded, the others are.
func TestMQMReadingGoesOn(t *testing.T) {
	input := olderHeader + rows("A|d|1|1|r|s|t|No-error|No-error|", "A|d|2|2|bad login|s|t|No-error|No-error|", "A|d|3|3|r|s|t|No-error|No-error|", "A|d|2|2|r|s|t|No-error|No-error|", "A|d|3|3|q|s|other|No-error|No-error|", "A|d|4|4|q|s||No-error|No-error|")
	got, problems, err := collect(MQM(strings.NewReader(input), protocolNamed(t, "mqm"), Options{}, nil))
	var lines []int
	for _, s := range got {
		lines = append(lines, s.Line)
	}
	if err != nil || len(problems) != 2 || problems[0].Line != 3 || problems[1].Line != 6 || !slices.Equal(lines, []int{2, 7}) {
		t.Errorf("got segments of lines %v, %v, %v", lines, problems, err)
	}
	// Nothing is left behind, wherever the reader is left.
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for range MQM(strings.NewReader(input), protocolNamed(t, "mqm"), Options{}, nil) {
		break
	}
	for range MQM(errReader{os.ErrClosed}, protocolNamed(t, "mqm"), Options{}, nil) {
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Setenv("TMPDIR", dir+"/none")
	if _, _, err := collect(MQM(strings.NewReader(input), protocolNamed(t, "mqm"), Options{}, nil)); err == nil {
		t.Error("no error without a place for the rows")
	}
}

// randomText is a text of up to 20 clusters from all over Unicode, without what
// ends a cell or a line.
func randomText(rng *rand.Rand) string {
	pieces := []string{"a", "Z", " ", "é", "e\u0301", "ü", "中", "🙂", "👩\u200d🚀", "🇩🇪", "\u200f", "ع", "ب", "א", "\u202e", "\u00a0", "\u2028", "<", ">", "<v", "/v>", `"`, `""`, "|", "#", "\\", "\r", "\v", "{", "\U0010ffff", "\ufeff"}
	var b strings.Builder
	for range rng.IntN(20) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return strings.NewReplacer(openMark, "<v ", closeMark, "</v ").Replace(b.String())
}

// markText puts marks around [start, end) of a text.
func markText(text string, start, end int) string {
	runes := []rune(text)
	return string(runes[:start]) + openMark + string(runes[start:end]) + closeMark + string(runes[end:])
}

// csvField writes a cell as it has to be: in the quotation marks of a CSV file if
// it looks as if it were already.
func csvField(cell string) string {
	plain, _ := unmark(cell)
	if _, quoted := unquoteCSV([]byte(plain.text)); quoted {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// What is written as a table is read again, whatever the texts.
func TestMQMRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var want []campaign.SegmentLine
		var lines []string // of the table, without its header
		write := func(cells ...string) {
			for i := range cells {
				cells[i] = csvField(cells[i])
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
		firsts := map[string]int{} // line of a segment's first row; filled below
		for n := range 1 + rng.IntN(4) {
			s := campaign.Segment{DocID: fmt.Sprint("d", n/2), SegmentID: fmt.Sprint(n), Source: "s" + randomText(rng)}
			for _, system := range []string{"A", "B", "Ĉ"}[:1+rng.IntN(3)] {
				tr := campaign.Translation{System: system, Text: randomText(rng)}
				for _, login := range []string{"r1", "r2"}[:1+rng.IntN(2)] {
					r := mqmRating(login)
					for range rng.IntN(4) {
						span := protocol.ErrorSpan{Side: protocol.Target, Severity: "minor", Category: "Style", Subcategory: "Awkward", Comment: strings.TrimRight(randomText(rng), "\r")}
						text := tr.Text
						if rng.IntN(3) == 0 {
							span.Side, text = protocol.Source, s.Source
						}
						span.Start = rng.IntN(codepoint.Len(text) + 1)
						span.End = span.Start + rng.IntN(codepoint.Len(text)-span.Start+1)
						span.Text, _ = codepoint.Slice(text, span.Start, span.End)
						r.Spans = append(r.Spans, span)
						source, target := s.Source, tr.Text
						if span.Side == protocol.Source {
							source = markText(text, span.Start, span.End)
						} else {
							target = markText(text, span.Start, span.End)
						}
						write(system, s.DocID, "1", s.SegmentID, login, source, target, "Style/Awkward", "Minor", span.Comment)
					}
					if len(r.Spans) == 0 {
						write(system, s.DocID, "1", s.SegmentID, login, s.Source, tr.Text, "No-error", "No-error", "")
					}
					r.NoErrors = len(r.Spans) == 0
					tr.Ratings = append(tr.Ratings, r)
				}
				s.Translations = append(s.Translations, tr)
			}
			want = append(want, campaign.SegmentLine{Segment: s})
		}
		// Rows of segments come one after the other, or mixed with those of others.
		if seed%2 == 1 {
			slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
		}
		firstRows := map[string]map[campaign.Row]int{} // the same of its translations and ratings
		for i, line := range lines {
			cells := strings.Split(line, "\t")
			id := cells[3]
			if firsts[id] == 0 {
				firsts[id], firstRows[id] = i+2, map[campaign.Row]int{}
			}
			for _, row := range []campaign.Row{{System: cells[0]}, {System: cells[0], Annotator: cells[4]}} {
				if firstRows[id][row] == 0 {
					firstRows[id][row] = i + 2
				}
			}
		}
		for i := range want {
			id := want[i].Segment.SegmentID
			want[i].Line, want[i].Rows = firsts[id], firstRows[id]
		}
		slices.SortFunc(want, func(a, b campaign.SegmentLine) int { return a.Line - b.Line })
		got, _ := mqmRowsOf(t, "mqm", olderHeader+strings.Join(lines, "\n")+"\n", Options{})
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d segments, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if g, w := fmt.Sprintf("%#v", got[i].Segment), fmt.Sprintf("%#v", want[i].Segment); g != w {
				t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, g, w)
			}
			diff(t, got[i], want[i])
		}
	}
}
