package export_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

// published reads a file of the published data as lines.
func published(t testing.TB, name ...string) []string {
	t.Helper()
	text, err := os.ReadFile(testenv.Data(t, name...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// wmtError is an error of a .seg.rating file.
type wmtError struct {
	Start    int     `json:"start"`
	End      int     `json:"end"`
	Category string  `json:"category"`
	Severity string  `json:"severity"`
	Score    float64 `json:"score"`
	Source   bool    `json:"is_source_error"`
}

// ratingLine takes a line of a .seg.rating file apart; false for None.
func ratingLine(t testing.TB, line string) (system string, errs []wmtError, ok bool) {
	t.Helper()
	cells := strings.Split(line, "\t")
	if cells[1] == "None" {
		return cells[0], nil, false
	}
	var r struct {
		Errors []wmtError `json:"errors"`
	}
	if err := json.Unmarshal([]byte(cells[1]), &r); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return cells[0], r.Errors, true
}

// wmt23 reads the ratings of WMT23 en-de as a campaign, with the protocol as its
// settings and its categories make it.
func wmt23(t testing.TB) (*protocol.Protocol, []campaign.Segment) {
	t.Helper()
	p, _ := protocol.Lookup("mqm")
	var own protocol.Own
	settings := map[string]string{"source_error": "zero"}
	p = p.With(protocol.Options{Settings: settings})
	sources := published(t, "wmt23-ende", "wmt23", "sources", "en-de.txt")
	documents := published(t, "wmt23-ende", "wmt23", "documents", "en-de.docs")
	ratings := published(t, "wmt23-ende", "wmt23", "human-scores", "en-de.mqm.merged.seg.rating")
	segments := make([]campaign.Segment, len(sources))
	for i, text := range sources {
		domain, document, _ := strings.Cut(documents[i], "\t")
		segments[i] = campaign.Segment{DocID: document, SegmentID: fmt.Sprint(i + 1), Domain: domain, Source: text, Status: campaign.Ungated, Round: 1}
	}
	row := map[string]int{}
	outputs := map[string][]string{}
	for _, line := range ratings {
		system, errs, rated := ratingLine(t, line)
		i := row[system]
		row[system]++
		if outputs[system] == nil {
			outputs[system] = published(t, "wmt23-ende", "wmt23", "system-outputs", "en-de", system+".txt")
		}
		tr := campaign.Translation{System: system, Text: outputs[system][i]}
		if rated {
			r := campaign.Rating{Annotator: "merged", Round: 1, Rating: protocol.Rating{NoErrors: len(errs) == 0}}
			for _, e := range errs {
				s := protocol.ErrorSpan{Side: protocol.Target, Start: e.Start, End: e.End, Severity: e.Severity, Category: e.Category}
				if e.Source {
					s.Side = protocol.Source
				}
				s = p.Canonical(s)
				if p.Spans != nil {
					own.Add(p, s)
				}
				placed, bad := protocol.Texts{Source: segments[i].Source, Translation: tr.Text}.Place(s)
				if bad != nil {
					t.Fatalf("%s, segment %d: %s: %s", system, i+1, bad.Field, bad.Msg)
				}
				r.Spans = append(r.Spans, placed)
			}
			tr.Ratings = []campaign.Rating{r}
		}
		segments[i].Translations = append(segments[i].Translations, tr)
	}
	for i := range segments {
		slices.SortFunc(segments[i].Translations, func(a, b campaign.Translation) int { return cmp.Compare(a.System, b.System) })
	}
	q, _ := protocol.Lookup("mqm")
	return q.With(protocol.Options{Settings: settings, Own: own}), segments
}

// bySystemScores reads a score file: "system<TAB>score" or, as the TED data have
// it, "system<TAB>score id"; NaN for None.
func bySystemScores(t testing.TB, lines []string) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, line := range lines {
		if line == "" {
			continue
		}
		cells := strings.Fields(line)
		x := math.NaN()
		if cells[1] != "None" {
			var err error
			if x, err = strconv.ParseFloat(cells[1], 64); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
		}
		out[cells[0]] = append(out[cells[0]], x)
	}
	return out
}

// equalScores compares every cell, to 1e-9, and counts those that have a score.
func equalScores(t testing.TB, what string, got, want map[string][]float64) (rated int) {
	t.Helper()
	for system, xs := range want {
		if len(got[system]) != len(xs) {
			t.Fatalf("%s: %d scores of %s, want %d", what, len(got[system]), system, len(xs))
		}
		for i, x := range xs {
			y := got[system][i]
			if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-9 {
				t.Errorf("%s: %s, score %d: got %v, want %v", what, system, i+1, y, x)
			}
			if !math.IsNaN(x) {
				rated++
			}
		}
	}
	return rated
}

func fileLines(t testing.TB, files tree, path string) []string {
	t.Helper()
	if files[path] == nil {
		t.Fatalf("there is no %s", path)
	}
	return strings.Split(strings.TrimSuffix(files[path].String(), "\n"), "\n")
}

// TestPublishedWMT23: the published spans give the published segment and system scores, and
// are exported unchanged.
func TestPublishedWMT23(t *testing.T) {
	p, segments := wmt23(t)
	files, notes := mtme(t, p, values(segments))
	if len(notes) != 2 || !strings.HasPrefix(notes[1], "annotators are letters in the files") {
		t.Errorf("notes %q", notes)
	}
	rated := equalScores(t, "segments", bySystemScores(t, fileLines(t, files, "human-scores/en-de.mqm.seg.score")),
		bySystemScores(t, published(t, "wmt23-ende", "wmt23", "human-scores", "en-de.mqm.seg.score")))
	if rated != 13*460 { // 13 systems, 460 of 557 segments each
		t.Errorf("%d cells are rated, want %d", rated, 13*460)
	}
	if n := equalScores(t, "systems", bySystemScores(t, fileLines(t, files, "human-scores/en-de.mqm.sys.score")),
		bySystemScores(t, published(t, "wmt23-ende", "wmt23", "human-scores", "en-de.mqm.sys.score"))); n != 13 {
		t.Errorf("%d systems", n)
	}

	// Two categories are spelt in two ways in the WMT data; ours is the other one.
	spelling := map[string]string{"source issue": "source error", "terminology/inconsistent": "terminology/inconsistent use of terminology"}
	want := map[string][]string{}
	for _, line := range published(t, "wmt23-ende", "wmt23", "human-scores", "en-de.mqm.merged.seg.rating") {
		system, errs, ok := ratingLine(t, line)
		for i, e := range errs {
			errs[i].Category = cmp.Or(spelling[e.Category], e.Category)
		}
		want[system] = append(want[system], fmt.Sprint(ok, errs))
	}
	got := map[string][]string{}
	for _, line := range fileLines(t, files, "human-scores/en-de.mqm.seg.rating") {
		system, errs, ok := ratingLine(t, line)
		got[system] = append(got[system], fmt.Sprint(ok, errs))
	}
	for system, lines := range want {
		for i, line := range lines {
			if got[system][i] != line {
				t.Errorf("%s, segment %d: got %s, want %s", system, i+1, got[system][i], line)
			}
		}
	}
	for _, path := range []string{"sources/en-de.txt", "documents/en-de.docs", "system-outputs/en-de/AIRC.txt"} {
		if !slices.Equal(fileLines(t, files, path), published(t, "wmt23-ende", "wmt23", filepath.FromSlash(path))) {
			t.Errorf("%s differs", path)
		}
	}
}

// readTable reads a WMT table as a campaign that is in gold, with the protocol
// as its categories make it.
func readTable(t testing.TB, table []byte, p *protocol.Protocol) (*protocol.Protocol, []campaign.Segment) {
	t.Helper()
	var own protocol.Own
	var segments []campaign.Segment
	for line, err := range ingest.MQM(bytes.NewReader(table), p, ingest.Options{SourceLang: "en", TargetLang: "de"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		s := line.Segment
		s.Status, s.Round = campaign.Ungated, 1
		for _, tr := range s.Translations {
			for _, r := range tr.Ratings {
				for _, span := range r.Spans {
					own.Add(p, span)
				}
			}
		}
		segments = append(segments, s)
	}
	return p.With(protocol.Options{Settings: map[string]string{"critical": "yes", "source_error": "severity"}, Own: own}), segments
}

// TestPublishedTED: the table of the TED talks comes in and goes out again byte
// for byte, but for one mark without an end, and gives the published scores.
func TestPublishedTED(t *testing.T) {
	want := strings.Join(published(t, "mqm-ted-ende", "mqm_ted_ende.tsv"), "\n") + "\n"
	p, _ := protocol.Lookup("mqm")
	p, segments := readTable(t, []byte(want), p)
	var got bytes.Buffer
	if notes, err := export.MQM(&got, p, values(segments)); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(want, "\n")
	if len(g) != len(w) || len(w) != 8437 { // the last one is empty
		t.Fatalf("%d lines, want %d", len(g), len(w))
	}
	for i := range w {
		// In line 6444 the mark has no end: the reader takes it to the end of the
		// text, and so it is written.
		if i+1 == 6444 {
			w[i] = strings.Replace(w[i], "<v>?\t", "<v>?</v>\t", 1)
		}
		if g[i] != w[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}

	files, _ := mtme(t, p, values(segments))
	scores := bySystemScores(t, fileLines(t, files, "human-scores/en-de.mqm.seg.score"))
	// The published list names the reference ref-A, and has all 606 segments of the
	// talks in its order, unrated ones too; the table has 529 of them.
	rank := map[int]int{}
	for i, s := range segments {
		id, err := strconv.Atoi(s.SegmentID)
		if err != nil {
			t.Fatal(err)
		}
		rank[id] = i
	}
	rated, none := 0, 0
	for _, line := range published(t, "mqm-ted-ende", "mqm_ted_ende.avg_seg_scores.tsv")[1:] {
		cells := strings.Fields(line)
		system := cells[0]
		if system == "ref-A" {
			system = "ref"
		}
		id, err := strconv.Atoi(cells[2])
		if err != nil {
			t.Fatal(err)
		}
		i, known := rank[id]
		if cells[1] == "None" {
			if none++; known && !math.IsNaN(scores[system][i]) {
				t.Errorf("%s, segment %d: got %v, want None", system, id, scores[system][i])
			}
			continue
		}
		x, err := strconv.ParseFloat(cells[1], 64)
		if rated++; err != nil || !known || math.Abs(scores[system][i]-x) > 1e-9 {
			t.Errorf("%s, segment %d: want %v (%v)", system, id, x, err)
		}
	}
	if rated != 7406 || none+rated != 606*14 {
		t.Errorf("%d rated cells and %d without a score", rated, none)
	}
	var expected struct {
		Systems map[string]float64 `json:"system_scores"`
	}
	if err := json.Unmarshal([]byte(strings.Join(published(t, "mqm-ted-ende", "expected.json"), "\n")), &expected); err != nil {
		t.Fatal(err)
	}
	systems := map[string][]float64{}
	for system, x := range expected.Systems {
		systems[system] = []float64{x}
	}
	if n := equalScores(t, "systems", bySystemScores(t, fileLines(t, files, "human-scores/en-de.mqm.sys.score")), systems); n != 14 {
		t.Errorf("%d systems", n)
	}
}
