package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
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

// mqmTableOf reads a table in which nothing is wrong, without the lines of the single rows.
func mqmTableOf(t *testing.T, protocol, data string, opt Options) ([]campaign.SegmentLine, Notes) {
	t.Helper()
	got, notes := mqmRowsText(t, protocol, data, opt)
	for i := range got {
		got[i].Rows = nil
	}
	return got, notes
}

func mqmRowsText(t *testing.T, protocol, data string, opt Options) ([]campaign.SegmentLine, Notes) {
	t.Helper()
	var notes Notes
	got, problems, err := collect(MQM(strings.NewReader(data), builtin(t, protocol), opt, &notes))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for i := range got {
		if got[i].File != opt.File {
			t.Errorf("line %d is of the file %q", got[i].Line, got[i].File)
		}
		got[i].File = ""
	}
	return got, notes
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
		name, data string
		want       []campaign.SegmentLine
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
		{"columns in another order", "target\tsystem\tdoc\tseverity\tseg_id\trater\tsource\tcategory\n" + func() (s string) {
			for _, row := range bare {
				c := strings.Split(row, "|")
				s += strings.Join([]string{c[6], c[0], c[1], c[8], c[3], c[4], c[5], c[7]}, "\t") + "\n"
			}
			return s
		}(), moved(0, false)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", tt.data, Options{})
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
		{"a source error under an alias, marked", "mqm", "<v>s</v>|ab|source issue|Minor|", "s", "ab", []protocol.ErrorSpan{source(0, 1, "s", "minor", "Source error", "")}, []string{fmt.Sprintf(noteRenamed, `"source issue"`, `"Source error"`)}},
		{"a non-translation", "mqm", "s|é🙂|Non-translation!|Major|", "s", "é🙂", []protocol.ErrorSpan{target(0, 2, "é🙂", "major", "Non-translation", "")}, []string{fmt.Sprintf(noteRenamed, `"Non-translation!"`, `"Non-translation"`)}},
		{"a non-translation without words", "mqm", "s||Non-translation!|Major|", "s", "", []protocol.ErrorSpan{target(0, 0, "", "major", "Non-translation", "")}, []string{fmt.Sprintf(noteRenamed, `"Non-translation!"`, `"Non-translation"`)}},
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
		{"an omission in the second of two translations side by side", "mqm", "<v>s</v>|<v>a</v>b|Accuracy/Omission (Translation 2)|Major|", "s", "ab",
			[]protocol.ErrorSpan{{Side: protocol.Source, Start: 0, End: 1, Text: "s", Severity: "major", Category: "Accuracy", Subcategory: "Omission (Translation 2)"}}, []string{noteInSource}},
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
				want = append(want, noteOf(count, text, 2))
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
		noteOf(2, noteCheck, 5),
		noteOf(1, noteTextsOnly, 7),
		noteOf(2, noteNoErrorToo, 4),
	})
}

// A table may have more columns than the format, in any order.
func TestMQMTwelveColumns(t *testing.T) {
	header := "#system\tdoc\tdoc_seg_id\tglobal_seg_id\trater\tlp\tsource\ttarget\tcategory\tseverity\tmetadata\tscore\n"
	got, notes := mqmTableOf(t, "mqm", header+rows("A|d|1|7|r|en-de|s|<v>a</v>b|Other|Minor|{}|-1", "A|d|1|7|q|en-de|s|ab|no-error|no-error||"), Options{File: "f"})
	other := protocol.ErrorSpan{Side: protocol.Target, End: 1, Text: "a", Severity: "minor", Category: "Other"}
	diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "7", Source: "s", Translations: []campaign.Translation{
		{System: "A", Text: "ab", Ratings: []campaign.Rating{mqmRating("q"), mqmRating("r", other)}},
	}}}})
	diff(t, noted(notes), []string{noteOf(1, fmt.Sprintf(noteColumn, `"lp"`), 1), noteOf(1, fmt.Sprintf(noteColumn, `"score"`), 1)})
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
		{"another than the campaign's", []string{"e:en-zh"}, Options{SourceLang: "en", TargetLang: "de"}, nil, "", "", "f:1:3: doc: the language pair of the campaign is en-de, and the file has 1 line of en-zh; choose a file of its language pair, or a campaign of en-zh"},
		{"selected", []string{"d:en-de", "e:en-zh", "f"}, Options{SourceLang: "en", TargetLang: "zh", Select: true}, []string{"e", "f"}, "en", "zh", ""},
		{"selected, but not there", []string{"d:en-de"}, Options{SourceLang: "en", TargetLang: "zh", Select: true}, nil, "", "", "f: the file has no ratings of en-zh; it has 1 of en-de and perhaps of other pairs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for _, d := range tt.docs {
				lines = append(lines, row(d))
			}
			tt.opt.File = "f"
			got, problems, err := collect(MQM(strings.NewReader(rows(lines...)), builtin(t, "mqm"), tt.opt, nil))
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

// noteOf is a note whose first line is a line of the file f.
func noteOf(count int, text string, line int) string {
	return Note{Text: text, Count: count, File: "f", Line: line}.String()
}
