package ingest

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

// The published TED data come out as they are: every row is found again, with
// exactly the words it marks, and the scores are those computed from the file by
// the rules of WMT.
func TestRealMQM(t *testing.T) {
	path := testenv.Data(t, "mqm-ted-ende/mqm_ted_ende.tsv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	base := builtin(t, "mqm")
	var notes Notes
	got, problems, err := collect(MQM(strings.NewReader(string(text)), base, Options{}, &notes))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	// The published table calls a subcategory by another name, and one of its marks is not closed.
	renamed := fmt.Sprintf(noteRenamed, `"Terminology/Inconsistent use of terminology"`, `"Terminology/Inconsistent use"`)
	diff(t, notes.List, []Note{{Text: renamed, Count: 41, Line: 545}, {Text: noteUnclosed, Count: 1, Line: 6444}})
	var own protocol.Own
	type at struct{ system, segment, rater string }
	found := map[at]campaign.Rating{}
	translations, spans := 0, 0
	for _, line := range got {
		translations += len(line.Segment.Translations)
		for _, tr := range line.Segment.Translations {
			texts := protocol.Texts{Source: line.Segment.Source, Translation: tr.Text}
			for _, r := range tr.Ratings {
				found[at{tr.System, line.Segment.SegmentID, r.Annotator}] = r
				spans += len(r.Spans)
				for _, s := range r.Spans {
					if _, bad := texts.Place(s); bad != nil || codepoint.Len(s.Text) != s.End-s.Start {
						t.Errorf("line %d: %v: %+v", line.Line, bad, s)
					}
					own.Add(base, s)
				}
			}
		}
	}
	// Counted with a script of a few lines: 529 segments by 14 systems, each rated
	// once; 8,435 rows, of which 4,404 say No-error.
	if len(got) != 529 || translations != 7406 || len(found) != 7406 || spans != 8435-4404 || len(notes.Systems) != 14 {
		t.Errorf("%d segments, %d translations, %d ratings, %d spans, %d systems", len(got), translations, len(found), spans, len(notes.Systems))
	}
	diff(t, own, protocol.Own{Categories: []string{"Fluency/Display"}})

	// The rows again, split in the simplest way.
	seen := map[at]int{}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[1:] {
		cells := strings.Split(line, "\t")
		key := at{cells[0], cells[3], cells[4]}
		r, ok := found[key]
		if !ok {
			t.Fatalf("row %d is lost", n+2)
		}
		if cells[8] == "No-error" {
			if !r.NoErrors || len(r.Spans) > 0 {
				t.Errorf("row %d: %+v", n+2, r)
			}
			continue
		}
		s := r.Spans[seen[key]]
		seen[key]++
		side, marked := protocol.Target, cells[6]
		if strings.Contains(cells[5], "<v>") {
			side, marked = protocol.Source, cells[5]
		}
		before, rest, _ := strings.Cut(marked, "<v>")
		words, _, _ := strings.Cut(rest, "</v>")
		category, sub, _ := strings.Cut(cells[7], "/")
		if sub == "Inconsistent use of terminology" {
			sub = "Inconsistent use"
		}
		want := protocol.ErrorSpan{
			Side: side, Start: len([]rune(before)), End: len([]rune(before + words)), Text: words,
			Severity: strings.ToLower(cells[8]), Category: category, Subcategory: sub, Comment: cells[9],
		}
		if s != want {
			t.Errorf("row %d: got %+v, want %+v", n+2, s, want)
		}
	}

	rules := base.With(protocol.Options{Settings: map[string]string{"source_error": "severity"}, Own: own})
	expected, err := os.ReadFile(testenv.Data(t, "mqm-ted-ende/expected_seg_scores.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(expected), "\n"), "\n")[1:]
	if len(rows) != len(found) {
		t.Errorf("%d scores are expected of %d ratings", len(rows), len(found))
	}
	for _, row := range rows { // system, seg_id, score, raters
		cells := strings.Split(row, "\t")
		want, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		x, ok := rules.Human("mqm", found[at{cells[0], cells[1], cells[3]}].Rating)
		if !ok || math.Abs(x-want) > 1e-9 {
			t.Errorf("%s: got %v", row, x)
		}
	}
}

// TestMQMRealTables: peculiarities of published tables.
func TestMQMRealTables(t *testing.T) {
	nine := strings.Replace(olderHeader, "\tcomment", "", 1)
	span := func(start, end int, text, comment string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: text, Severity: "minor", Category: "Other", Comment: comment}
	}
	for _, tt := range []struct {
		name, data, source, target string
		ratings                    []campaign.Rating
		notes                      []string
	}{
		{"a blank at the end of a mark, below", nine + rows("A|d|1|1|r|s|Good day.|No-error|No-error", "A|d|1|1|q|s|<v>Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 9, "Good day.", "")), mqmRating("r")}, []string{noteOf(1, noteEnds, 3)}},
		{"blanks at both ends of a mark, above", nine + rows("A|d|1|1|q|s |<v>\u3000 Good</v> day.|Other|Minor", "A|d|1|1|r|s|Good <v>day.</v>|Other|Minor", "A|d|1|1|q|s|<v>  Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 4, "Good", ""), span(0, 9, "Good day.", "")), mqmRating("r", span(5, 9, "day.", ""))}, []string{noteOf(2, noteEnds, 3)}},
		{"a mark around nothing but a blank", nine + rows("A|d|1|1|q|s|day.<v> </v>|Other|Minor", "A|d|1|1|r|s|day.|No-error|No-error"),
			"s", "day.", []campaign.Rating{mqmRating("q", span(4, 4, "", "")), mqmRating("r")}, []string{noteOf(1, noteEnds, 3)}},
		{"blanks that all rows have", nine + rows("A|d|1|1|q| s|<v> a</v> |Other|Minor", "A|d|1|1|r| s| a |No-error|No-error"),
			" s", " a ", []campaign.Rating{mqmRating("q", span(0, 2, " a", "")), mqmRating("r")}, nil},
		{"a quotation mark inside a mark", nine + rows(`A|d|1|1|q|s|<v>"He</v> said ""hi"""|Other|Minor`, `A|d|1|1|r|s|"He said ""hi"""|No-error|No-error`),
			"s", `He said "hi"`, []campaign.Rating{mqmRating("q", span(0, 2, "He", "")), mqmRating("r")}, []string{noteOf(2, noteQuoted, 2)}},
		{"a tenth cell under nine names", nine + rows("A|d|1|1|q|s|<v>a</v>|Other|Minor|why?", `A|d|1|1|r|s|<v>a</v>|Other|Minor|{"note":"n"}`, "A|d|1|1|r|s|a|No-error|No-error|"),
			"s", "a", []campaign.Rating{mqmRating("q", span(0, 1, "a", "why?")), mqmRating("r", span(0, 1, "a", "n"))}, []string{noteOf(2, noteTenth, 2), noteOf(1, noteNoErrorToo, 4)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", tt.data, Options{File: "f"})
			diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: tt.source, Translations: []campaign.Translation{{System: "A", Text: tt.target, Ratings: tt.ratings}}}}})
			diff(t, noted(notes), tt.notes)
		})
	}
}
