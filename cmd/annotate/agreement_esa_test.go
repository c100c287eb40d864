package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/stat"
	"annotate/internal/store"
	"annotate/internal/testenv"
)

// TestESA reads the public ESA annotations of WMT23 en-de, and those of the same
// items three months later, as two annotators of a campaign. Their agreement must equal
// the values that were published with the data.
//
// Defined alike: Pearson and Kendall's tau-b over all translations that both rated;
// the share of translations in which both or neither marked an error, of any
// severity and of one; F1 of characters, micro and per translation. Spearman and
// tau-c are none of our figures; the first is computed here from the same scores.
//
// Not defined alike: an omission has no place in these data, and no characters in
// their F1, but counts as an error. Here it is a mark without words in the source,
// one character of it, so that F1 is compared over the translations alone.
func TestESA(t *testing.T) {
	var expected struct {
		Pairs map[string]struct {
			N        int
			Pearson  float64
			Spearman float64
			KendallB float64 `json:"kendall_b"`
			Any      float64 `json:"error_presence_agree_any"`
			Minor    float64 `json:"error_presence_agree_minor"`
			Major    float64 `json:"error_presence_agree_major"`
			Both     int     `json:"span_char_tp"`
			A        int     `json:"span_char_len_a"`
			B        int     `json:"span_char_len_b"`
			Micro    float64 `json:"span_char_f1_micro"`
			Macro    float64 `json:"span_char_f1_macro_bothempty1"`
		}
	}
	readJSON(t, testenv.Data(t, "esa/expected.json"), &expected)
	want := expected.Pairs["ESA-1 vs ESA-IAA"]
	items := esaItems(t)
	first := esaRatings(t, testenv.Data(t, "esa/240315rc5ESA.scores.csv"), "first", items)
	second := esaRatings(t, testenv.Data(t, "esa/240521rc6ESA.scores.csv"), "second", items)
	if len(first) != 2691 || len(second) != 984 { // as the processed tables of the data have them
		t.Fatalf("%d and %d ratings", len(first), len(second))
	}

	t.Chdir(t.TempDir())
	writeLines(t, "segments.jsonl", esaSegments(items))
	writeLines(t, "ratings.jsonl", slices.Concat(first, second))
	succeed(t, "campaign", "create", "esa", "--protocol", "esa", "--source-lang", "en", "--target-lang", "de")
	succeed(t, "import", "esa", "--format", "jsonl", "segments.jsonl")
	succeed(t, "import", "esa", "--format", "ratings", "ratings.jsonl")

	st, err := store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: "annotate.db"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	c, err := st.Records.Campaign(t.Context(), "esa")
	if err != nil {
		t.Fatal(err)
	}
	var segments []campaign.Rated
	for s, err := range st.Desk.RatedSegments(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		segments = append(segments, s)
	}
	// agree gives the figures of the pair, where only some errors count.
	agree := func(counts func(agreement.Span) bool) campaign.AgreementReport {
		r, err := campaign.Agreement(c, keepSpans(segments, counts), false)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Pairs) != 1 || r.Pairs[0].Translations != want.N {
			t.Fatalf("%+v, want one pair with %d translations", r.Pairs, want.N)
		}
		return r
	}
	check := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	all := agree(func(agreement.Span) bool { return true })
	check("Pearson", all.Each[0].LeaveOneOut, want.Pearson) // the mean of the others is the one other
	check("Pearson the other way", all.Each[1].LeaveOneOut, want.Pearson)
	check("tau-b", all.Pairs[0].TauB, want.KendallB)
	x, y := bothScores(segments)
	check("Spearman", stat.Spearman(x, y), want.Spearman)
	check("any error", all.Pairs[0].Spans.Presence(), want.Any)
	for severity, share := range map[string]float64{"minor": want.Minor, "major": want.Major} {
		p := agree(func(s agreement.Span) bool { return s.Severity == severity }).Pairs[0]
		check(severity+" errors", p.Spans.Presence(), share)
	}
	p := agree(func(s agreement.Span) bool { return s.Side == "target" }).Pairs[0]
	if p.Spans.CharsBoth != want.Both || p.Spans.CharsA != want.A || p.Spans.CharsB != want.B {
		t.Errorf("%d characters of %d and %d, want %d of %d and %d", p.Spans.CharsBoth, p.Spans.CharsA, p.Spans.CharsB, want.Both, want.A, want.B)
	}
	check("F1 of characters", p.Spans.CharF1(), want.Micro)
}

// keepSpans yields segments with the errors that count.
func keepSpans(segments []campaign.Rated, counts func(agreement.Span) bool) iter.Seq2[campaign.Rated, error] {
	return func(yield func(campaign.Rated, error) bool) {
		for _, s := range segments {
			s.Given = slices.Clone(s.Given)
			for i, g := range s.Given {
				s.Given[i].Spans = slices.DeleteFunc(slices.Clone(g.Spans), func(sp agreement.Span) bool { return !counts(sp) })
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// bothScores returns the scores of the translations that both rated.
func bothScores(segments []campaign.Rated) (x, y []float64) {
	for _, s := range segments {
		for _, a := range s.Given {
			for _, b := range s.Given {
				if a.Annotator == "first" && b.Annotator == "second" && a.System == b.System {
					x, y = append(x, a.Score), append(y, b.Score)
				}
			}
		}
	}
	return x, y
}

// An esaItem is an annotated item: a translation of a segment.
type esaItem struct {
	ItemID     int
	DocumentID string // document#system
	SourceText string
	TargetText string
	Item       string `json:"_item"` // SYSTEM | segment | document
	system     string
	segment    int
	document   string
}

// esaItems reads the batches; tutorials and attention checks are left out.
func esaItems(t *testing.T) (items []esaItem) {
	t.Helper()
	var batches []struct{ Items []esaItem }
	readJSON(t, testenv.Data(t, "esa/batches_wmt23_en-de_esa.json"), &batches)
	for _, b := range batches {
		for _, item := range b.Items {
			parts := strings.Split(item.Item, " | ")
			if len(parts) != 3 || strings.Contains(item.DocumentID, "#bad") || strings.Contains(item.DocumentID, "#duplicate") {
				continue
			}
			n, err := strconv.Atoi(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			item.system, item.segment, item.document = parts[0], n, parts[2]
			items = append(items, item)
		}
	}
	return items
}

// esaSegments returns the segments in the format jsonl.
func esaSegments(items []esaItem) []any {
	type line struct {
		DocID        string             `json:"doc_id"`
		SegmentID    string             `json:"segment_id"`
		Source       string             `json:"source"`
		Translations map[string]*string `json:"translations"`
	}
	systems := map[string]bool{}
	for _, item := range items {
		systems[item.system] = true
	}
	slices.SortStableFunc(items, func(a, b esaItem) int { return cmp.Compare(a.segment, b.segment) })
	var lines []any
	var last *line
	for _, item := range items {
		id := strconv.Itoa(item.segment)
		if last == nil || last.SegmentID != id {
			last = &line{item.document, id, item.SourceText, map[string]*string{}}
			for name := range systems {
				last.Translations[name] = nil
			}
			lines = append(lines, last)
		}
		last.Translations[item.system] = &item.TargetText
	}
	return lines
}

// esaRatings reads the annotations of a file as ratings of one annotator, in the
// format ratings. Of two rows for the same item the one that ended later holds.
func esaRatings(t *testing.T, file, annotator string, items []esaItem) (lines []any) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	latest := map[string][]string{}
	ended := func(row []string) float64 { x, _ := strconv.ParseFloat(row[11], 64); return x }
	for _, row := range rows {
		if doc := row[7]; strings.Contains(doc, "tutorial") || strings.Contains(doc, "#bad") || strings.Contains(doc, "#duplicate") {
			continue
		}
		key := row[0] + " " + row[2] + " " + row[7]
		if was := latest[key]; was == nil || ended(row) > ended(was) {
			latest[key] = row
		}
	}
	shown := map[string][]esaItem{}
	for _, item := range items {
		key := fmt.Sprint(item.ItemID, " ", item.DocumentID)
		shown[key] = append(shown[key], item)
	}
	for key, row := range latest {
		found := shown[row[2]+" "+row[7]]
		if len(found) == 0 {
			t.Fatalf("%s was not shown", key)
		}
		lines = append(lines, esaRating(t, row, annotator, oneItem(row[0], found)))
	}
	return lines
}

// oneItem is the item that a login saw. One document was divided between two
// logins, whose numbers of items overlap: the one that ends in 07 had its first
// segments, 398 and 399, the other one 405 and 406.
func oneItem(login string, found []esaItem) esaItem {
	for _, item := range found {
		if len(found) == 1 || strings.HasSuffix(login, "07") == (item.segment < 400) {
			return item
		}
	}
	return found[0]
}

func esaRating(t *testing.T, row []string, annotator string, item esaItem) any {
	t.Helper()
	type place struct {
		ID       string `json:"id"`
		Side     string `json:"side"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		Severity string `json:"severity"`
	}
	var marks []struct {
		Start    any `json:"start_i"`
		End      any `json:"end_i"`
		Severity string
	}
	if err := json.Unmarshal([]byte(row[9]), &marks); err != nil {
		t.Fatal(err)
	}
	spans := []place{}
	for i, m := range marks {
		p := place{ID: strconv.Itoa(i + 1), Side: "source", Severity: m.Severity} // an omission
		if start, ok := m.Start.(float64); ok {
			end, ok := m.End.(float64)
			if !ok {
				t.Fatalf("span %+v", m)
			}
			p.Side, p.Start, p.End = "target", int(start), int(end)+1 // the last one is included there
		}
		spans = append(spans, p)
	}
	score, err := strconv.Atoi(row[6])
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"doc_id": item.document, "segment_id": strconv.Itoa(item.segment), "system": item.system, "annotator": annotator,
		"scores": map[string]int{"score": score}, "spans": spans,
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func writeLines(t *testing.T, file string, lines []any) {
	t.Helper()
	var out strings.Builder
	for _, line := range lines {
		if err := api.WriteJSON(&out, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// succeed runs annotate in the folder of the test.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	var messages strings.Builder
	if err := run(t.Context(), args, nil, nil, io.Discard, &messages); err != nil {
		t.Fatalf("annotate %v: %v\n%s", args, err, &messages)
	}
}
