package ingest

import (
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
	base := protocolNamed(t, "mqm")
	var notes Notes
	got, problems, err := collect(MQM(strings.NewReader(string(text)), base, Options{}, &notes))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	// One mark of the published table is not closed.
	diff(t, notes.List, []Note{{Text: noteUnclosed, Count: 1, Line: 6444}})
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

	// The rows again, cut apart in the plainest way.
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
