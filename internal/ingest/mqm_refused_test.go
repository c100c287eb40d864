package ingest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"annotate/internal/campaign"
)

func TestMQMRefused(t *testing.T) {
	const needs = "the header has no such column; the table needs system, doc, seg_id (or globalSegId), rater, source, target, category and severity"
	older := func(lines ...string) string { return olderHeader + rows(lines...) }
	good := "A|d|1|1|r|s|t|No-error|No-error|"
	for _, tt := range []struct {
		protocol string
		refusal
	}{
		{"sqm", refuse("SQM", older(good), "SQM has no error spans; import the table into a campaign whose protocol marks errors, such as MQM")},
		{"rate", refuse("RATE", older(good), `RATE has no severity "minor", which the errors of the table have; import the table into a campaign whose protocol has it, such as MQM`)},
		{"mqm", refuse("an empty file", "", "the file has no ratings; check that it is the right file, and that it was saved with its content")},
		{"mqm", refuse("a header alone", olderHeader, "the file has no ratings; check that it is the right file, and that it was saved with its content")},
		{"mqm", refuse("attention checks alone", rows("A|d|1|1|r|s|t|Found|HOTW-test"), "the file has no ratings; check that it is the right file, and that it was saved with its content")},
		{"mqm", refuse("UTF-16", "\xff\xfes\x00", "format: the file is UTF-16; save it as UTF-8")},
		{"mqm", refuse("a header that lacks columns", "system\tdoc\tdoc_id\trater\tsource\ttarget\tcategory\tscore\tseg\n"+rows(good),
			"1: seg_id: "+needs, "1: severity: "+needs,
		)},
		{"mqm", refuse("a column twice", strings.Replace(olderHeader, "comment", "‸globalSegId", 1)+rows(good), "‸ seg_id: a second column of this name; keep one")},
		{"mqm", refuse("two headers", olderHeader+rows(good)+newerHeader+rows(good), "3: this is another header, and its columns are not those of the first line; import each table by itself")},
		{"mqm", refuse("too few columns", older("A|d|1|1|r|s|t"), "2: the row has 7 columns, and the header has 10; fill in the missing ones")},
		{"mqm", refuse("too many columns", older("A|d|1|1|r|s|t|u|No-error|No-error|c"), "2: the row has 11 columns, and the header has 10; a tab divides columns, so remove the tabs in texts")},
		{"mqm", refuse("too few, no header", rows("A|d|1|1|r"), "1: the row has 5 columns; a table without a header has 9 or 10: system, doc, doc_id, seg_id, rater, source, target, category, severity and maybe a comment or metadata")},
		{"mqm", refuse("not a table", `{"segment_id":1}`+"\n", "format: the file has JSON objects, and mqm-tsv is a text file whose columns are divided by tabs; choose the format that it is in")},
		{"mqm", refuse("not UTF-8", older("A|d|1|1|r|‸\xff|t|No-error|No-error"), "‸ byte 0xFF is not UTF-8; save the file as UTF-8")},
		{"mqm", refuse("U+0000", older("A|d|1|1|r|s|t‸\x00|No-error|No-error"), "‸ a text has the character U+0000, which cannot be stored; remove it")},
		{"mqm", refuse("empty cells", older("‸|‸|1|‸||‸||Other|Minor|"),
			"‸ system: the name is empty", "‸ doc: the id is empty", "‸ seg_id: the id is empty", "2:6: rater: missing; give the login of the annotator", "‸ source: empty; give the source text",
		)},
		{"mqm", refuse("a system that is not there", older("‸C|d|1|1|r|s|t|No-error|No-error|"), `‸ system: there is no system "C"; the campaign's systems are "A", "B"`).under(Options{Systems: []string{"A", "B"}})},
		{"mqm", refuse("no login", older("A|d|1|1|‸rater 1|s|t|No-error|No-error|"), `‸ rater: "rater 1" can't be an annotator; use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit`)},
		{"mqm", refuse("no severity", older("A|d|1|1|r|s|t|Other|‸|"), "‸ severity: missing; give the severity of the error, or write No-error as category and severity")},
		{"mqm", refuse("a subcategory of nothing", older("A|d|1|1|r|s|t|‸/x|Minor|"), `‸ category: missing, although the error has the subcategory "x"; give the category that the subcategory belongs to, or leave the subcategory out`)},
		{"mqm", refuse("an error that is none", older("A|d|1|1|r|s|t|Other|‸No-error|"), `‸ severity: is "No-error", but the category is "Other"; a row without an error has No-error in both`)},
		{"mqm", refuse("none that is an error", older("A|d|1|1|r|s|t|‸No-error|Minor|"), `‸ category: is "No-error", but the severity is "Minor"; a row without an error has No-error in both`)},
		{"mqm", refuse("a mark not opened", older("A|d|1|1|r|‸s</v>|‸t</v><v>u</v>|Other|Minor|"),
			"‸ source: </v> without a <v> before it; mark each error as <v>words</v>", "‸ target: </v> without a <v> before it; mark each error as <v>words</v>",
		)},
		{"mqm", refuse("metadata cut short", newerHeader+rows(`A|d|1|1|r|s|t|Other|Minor|‸{"note":`), "‸ metadata: not JSON: the line ends in the middle of the object; write each object on one line")},
		{"mqm", refuse("metadata of other kinds", newerHeader+rows(`A|d|1|1|r|s|t|Other|Minor|‸{"note":1,"timestamp":"now"}`),
			"‸ metadata.note: must be a text in double quotes, not a number", "2:27: metadata.timestamp: must be a number, not a text",
		)},
		{"mqm", refuse("a time before all times", newerHeader+rows(`A|d|1|1|r|s|t|Other|Minor|‸{"timestamp":-1}`), "‸ metadata.timestamp: must be a time in milliseconds since 1970, not -1")},
		// Every text is compared with the first of its kind; only the first that differs is told.
		{"mqm", refuse("texts that differ", older(
			"A|d|1|1|r|s one|tea|No-error|No-error|", "B|d|1|1|r|‸s two|‸other|No-error|No-error|", "A|d|1|1|q|s three|‸te🙂|Other|Minor|", "A|d|1|1|p|s one|toe|No-error|No-error|", "A|d|2|2|p|fine|toe|No-error|No-error|"),
			`‸ source: differs from the text of line 2: after 2 equal characters it has "two", and that line has "one"; apart from <v> and </v>, the source must be the same in all rows of a segment`,
		)},
	} {
		if tt.Name == "texts that differ" {
			tt.Input = strings.Replace(tt.Input, "‸other", "other", 1)
			tt.Want = append(tt.Want, `‸ target: differs from the text of line 2: after 2 equal characters it has "🙂", and that line has "a"; apart from <v> and </v>, the target must be the same in all rows of a system's translation`)
		}
		tt.Run(t, func(data string, opt Options) ([]*campaign.Problem, error) {
			_, problems, err := collect(MQM(strings.NewReader(data), builtin(t, tt.protocol), opt, nil))
			return problems, err
		})
	}
}

// TestMQMContradictions: rows of one translation that contradict each other are
// refused at their first places; on demand those translations are left out, and named.
func TestMQMContradictions(t *testing.T) {
	data := olderHeader + rows(
		"A|d|1|1|r|s|tea|No-error|No-error|", "A|d|1|1|q|s|toe|No-error|No-error|", "B|d|1|1|r|s|fine|No-error|No-error|", // targets
		"A|d|2|2|r|one|a|No-error|No-error|", "B|d|2|2|r|two|b|No-error|No-error|", "C|d|2|2|r|two|c|No-error|No-error|", // sources
		"A|d|3|3|r|s|a|Other|No-error|", "B|d|3|3|r|s|b|No-error|No-error|", // an error that is none
		"A|d|4|4|r|s|a|No-error|Minor|", // alone in its segment
		"A|d|5|5|r|s|a|No-error|No-error|")
	_, problems, err := collect(MQM(strings.NewReader(data), builtin(t, "mqm"), Options{}, nil))
	if err != nil || len(problems) != 4 {
		t.Fatalf("got %v, %v", problems, err)
	}
	for _, p := range problems {
		if p.Kind != Contradiction {
			t.Errorf("%v is of kind %q", p, p.Kind)
		}
	}
	got, notes := mqmTableOf(t, "mqm", data, Options{File: "f", LeaveOutContradictions: true})
	var kept []string
	for _, line := range got {
		for _, tr := range line.Segment.Translations {
			kept = append(kept, fmt.Sprint(line.Segment.SegmentID, " ", line.Segment.Source, " ", tr.System, " ", tr.Text, " ", len(tr.Ratings)))
		}
	}
	diff(t, kept, []string{"1 s B fine 1", "2 two B b 1", "2 two C c 1", "3 s B b 1", "5 s A a 1"})
	diff(t, noted(notes), []string{noteOf(4, noteContradicts, 2) + `: segment "1" of document "d" by "A", segment "2" of document "d" by "A", segment "3" of document "d" by "A", segment "4" of document "d" by "A"`})
}

// The size of a segment is limited, so that a table cannot use up memory or time.
func TestMQMBounds(t *testing.T) {
	table := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(rows(row(i)))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, data, want string
	}{
		{"systems", table(1001, func(i int) string { return fmt.Sprintf("A%d|d|1|1|r|s|t|No-error|No-error", i) }), "f:1001:1: system: the table has more than 1000 systems, the most that is read; check that this column holds the names of systems"},
		{"annotators", table(1001, func(i int) string { return fmt.Sprintf("A|d|1|1|r%d|s|t|No-error|No-error", i) }), "f:1001:9: rater: more than 1000 annotators rated this translation; check that this column holds the names of annotators"},
		{"errors", table(10_001, func(int) string { return "A|d|1|1|r|s|<v>t</v>|Other|Minor" }), `f:10001: "r" has more than 10000 errors in this translation, the most that is kept; leave out the least severe`},
		{"comments", table(3, func(int) string { return "A|d|1|1|r|s|t|No-error|No-error|" + strings.Repeat("x", 500_000) }), `f:3: the comments of "r" on this translation are longer than 1 MiB, the most that is kept; shorten them`},
	} {
		got, problems, err := collect(MQM(strings.NewReader(tt.data), builtin(t, "mqm"), Options{File: "f"}, nil))
		if err != nil || len(got) > 0 || len(problems) != 1 || problems[0].Error() != tt.want {
			t.Errorf("%s: %d segments, %v, %v", tt.name, len(got), problems, err)
		}
	}
}

// A segment with a refused row is not yielded, the others are.
func TestMQMReadingGoesOn(t *testing.T) {
	data := olderHeader + rows("A|d|1|1|r|s|t|No-error|No-error|", "A|d|2|2|bad login|s|t|No-error|No-error|", "A|d|3|3|r|s|t|No-error|No-error|", "A|d|2|2|r|s|t|No-error|No-error|", "A|d|3|3|q|s|other|No-error|No-error|", "A|d|4|4|q|s||No-error|No-error|")
	got, problems, err := collect(MQM(strings.NewReader(data), builtin(t, "mqm"), Options{}, nil))
	var lines []int
	for _, s := range got {
		lines = append(lines, s.Line)
	}
	if err != nil || len(problems) != 2 || problems[0].Line != 3 || problems[1].Line != 6 || !slices.Equal(lines, []int{2, 7}) {
		t.Errorf("got segments of lines %v, %v, %v", lines, problems, err)
	}
	// No temporary file remains, wherever the caller stops reading.
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for range MQM(strings.NewReader(data), builtin(t, "mqm"), Options{}, nil) {
		break
	}
	for range MQM(iotest.ErrReader(os.ErrClosed), builtin(t, "mqm"), Options{}, nil) {
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Setenv("TMPDIR", dir+"/none")
	if _, _, err := collect(MQM(strings.NewReader(data), builtin(t, "mqm"), Options{}, nil)); err == nil {
		t.Error("no error without a place for the rows")
	}
}
