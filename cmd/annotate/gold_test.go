package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/testenv"
)

// succeed runs annotate in the folder of the test and returns its output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	var out, messages strings.Builder
	if err := run(t.Context(), args, nil, nil, &out, &messages); err != nil {
		t.Fatalf("annotate %v: %v\n%s", args, err, &messages)
	}
	return out.String()
}

// textLines are the lines of a file.
func textLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// scoreFile reads a score file by system; NaN for None.
func scoreFile(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, line := range textLines(t, path) {
		system, text, _ := strings.Cut(line, "\t")
		x := math.NaN()
		if text != "None" {
			var err error
			if x, err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		out[system] = append(out[system], x)
	}
	return out
}

// sameScore reports whether two scores are equal to 1e-9, or both None.
func sameScore(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9
}

// TestWMT23Gold takes the ratings of WMT23 en-de, as mt-metrics-eval has them,
// through a campaign: as segments and ratings in, as a directory for
// mt-metrics-eval out. Its scores are the published ones.
func TestWMT23Gold(t *testing.T) {
	dir := filepath.Dir(testenv.Data(t, "wmt23-ende/wmt23/sources"))
	lines := func(path ...string) []string { return textLines(t, filepath.Join(append([]string{dir}, path...)...)) }
	sources, documents := lines("sources", "en-de.txt"), lines("documents", "en-de.docs")
	type span struct {
		Side     string `json:"side"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		Severity string `json:"severity"`
		Category string `json:"category"`
	}
	t.Chdir(t.TempDir())
	ratings, err := os.Create("ratings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer ratings.Close()
	outputs, next := map[string][]string{}, map[string]int{}
	for _, line := range lines("human-scores", "en-de.mqm.merged.seg.rating") {
		system, text, _ := strings.Cut(line, "\t")
		if outputs[system] == nil {
			outputs[system] = lines("system-outputs", "en-de", system+".txt")
		}
		id := fmt.Sprint(next[system] + 1)
		next[system]++
		if text == "None" {
			continue
		}
		var rating struct {
			Errors []struct {
				span
				Source bool `json:"is_source_error"`
			}
		}
		if err := json.Unmarshal([]byte(text), &rating); err != nil {
			t.Fatal(err)
		}
		spans := []span{}
		for _, e := range rating.Errors {
			e.Side = "target"
			if e.Source {
				e.Side = "source"
			}
			spans = append(spans, e.span)
		}
		if err := json.NewEncoder(ratings).Encode(map[string]any{"segment_id": id, "system": system, "annotator": "merged", "spans": spans}); err != nil {
			t.Fatal(err)
		}
	}
	segments, err := os.Create("segments.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer segments.Close()
	for i, source := range sources {
		domain, document, _ := strings.Cut(documents[i], "\t")
		translations := map[string]string{}
		for system, texts := range outputs {
			translations[system] = texts[i]
		}
		if err := json.NewEncoder(segments).Encode(map[string]any{"doc_id": document, "segment_id": fmt.Sprint(i + 1), "domain": domain, "source": source, "translations": translations}); err != nil {
			t.Fatal(err)
		}
	}

	succeed(t, "campaign", "create", "wmt23", "--protocol", "mqm", "--source-lang", "en", "--target-lang", "de")
	succeed(t, "import", "wmt23", "--format", "jsonl", "segments.jsonl")
	succeed(t, "import", "wmt23", "--format", "ratings", "ratings.jsonl")
	succeed(t, "export", "wmt23", "--format", "mtme", "--out", "mtme")
	for _, level := range []string{"seg", "sys"} {
		name := "en-de.mqm." + level + ".score"
		got := scoreFile(t, filepath.Join("mtme", "human-scores", name))
		want := scoreFile(t, filepath.Join(dir, "human-scores", name))
		if len(want) != 13 {
			t.Fatalf("%s has %d systems", name, len(want))
		}
		for system, xs := range want {
			if len(got[system]) != len(xs) {
				t.Fatalf("%s: %d scores of %s, want %d", name, len(got[system]), system, len(xs))
			}
			for i, x := range xs {
				if !sameScore(got[system][i], x) {
					t.Errorf("%s: %s, score %d: got %v, want %v", name, system, i+1, got[system][i], x)
				}
			}
		}
	}
	for _, path := range []string{"sources/en-de.txt", "documents/en-de.docs", "system-outputs/en-de/refA.txt"} {
		got, want := textLines(t, filepath.Join("mtme", filepath.FromSlash(path))), lines(filepath.FromSlash(path))
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s differs", path)
		}
	}
}
