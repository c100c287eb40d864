package main

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"annotate/internal/testenv"
)

// The form of the JSON report is a contract, and its numbers are those of
// mt-metrics-eval, as expected.json beside the data has them.
func TestMetaevalJSON(t *testing.T) {
	dir := testenv.Data(t, "wmt23-ende/wmt23")
	var out strings.Builder
	err := run(t.Context(), []string{
		"metaeval", "--mtme", dir, "--language-pair", "en-de", "--human", "mqm", "--metric", "BLEU", "--metric", "MetricX-23-QE-src",
		"--exclude-system", "refA", "--exclude-system", "synthetic_ref", "--by-domain", "--format", "json",
	}, nil, nil, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	var report object
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	keys := func(what string, o any, want ...string) {
		t.Helper()
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(o.(object))); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", what, got, want)
		}
	}
	keys("report", report, "language_pair", "human", "preset", "seed", "permutations", "systems", "segments", "metrics", "domains")
	keys("domains", report["domains"], "news", "social", "speech", "user_review")
	news := report["domains"].(object)["news"]
	keys("news", news, "segments", "metrics")
	for _, m := range append(report["metrics"].([]any), news.(object)["metrics"].([]any)...) {
		keys("metric", m, "name", "system", "segment", "meta", "rank")
		keys("system", m.(object)["system"], "acc", "pearson", "spearman", "kendall", "spa")
		keys("segment", m.(object)["segment"], "acc_t", "epsilon", "acc_t_pooled", "pearson", "spearman", "kendall")
	}
	if report["language_pair"] != "en-de" || report["human"] != "mqm" || report["preset"] != "wmt23" || report["seed"] != 4.0 || report["permutations"] != 1000.0 || report["segments"] != 460.0 || len(report["systems"].([]any)) != 12 {
		t.Errorf("got %v", report)
	}
	best := report["metrics"].([]any)[0].(object)
	if best["name"] != "MetricX-23-QE-src" || best["rank"] != 1.0 {
		t.Errorf("the best is %v", best["name"])
	}
	segment := best["segment"].(object)
	if segment["acc_t_pooled"] != nil {
		t.Errorf("acc_t_pooled is %v", segment["acc_t_pooled"])
	}
	for name, want := range map[string]float64{"acc_t": 0.5964426877470356, "epsilon": 0.17616629600524902, "pearson": 0.6260471767428168, "kendall": 0.5090124525744317} {
		if got := segment[name].(float64); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

// Without --metric, WMT23 en-de ranks the metrics that mt-metrics-eval ranks: those
// without a reference and those of refA. Variants of other references beside them,
// as the whole test set has them, change nothing.
func TestMetaevalMetrics(t *testing.T) {
	published := testenv.Data(t, "wmt23-ende")
	text, err := os.ReadFile(filepath.Join(published, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Systems []string
		Metrics map[string]any
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(expected.Metrics))
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(published, "wmt23"))); err != nil {
		t.Fatal(err)
	}
	scores := filepath.Join(dir, "metric-scores", "en-de")
	for _, name := range []string{"BLEU-synthetic_ref", "COMET-synthetic_ref", "Other-synthetic_ref", "COMET-all", "COMET-refA.synthetic_ref"} {
		text, err := os.ReadFile(filepath.Join(scores, "COMET-refA.seg.score"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(scores, name+".seg.score"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type result struct {
		Systems []string
		Metrics []struct{ Name string }
	}
	metaeval := func(dir string, flags ...string) (names, systems []string, said string) {
		t.Helper()
		var out, stderr strings.Builder
		err := run(t.Context(), append([]string{"metaeval", "--mtme", dir, "--language-pair", "en-de", "--permutations", "2", "--format", "json"}, flags...), nil, nil, &out, &stderr)
		if err != nil {
			t.Fatal(err)
		}
		var r result
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Metrics {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		return names, r.Systems, stderr.String()
	}
	for _, dir := range []string{filepath.Join(published, "wmt23"), dir} {
		for _, flags := range [][]string{nil, {"--exclude-system", "refA"}, {"--reference", "refA"}} {
			names, systems, said := metaeval(dir, flags...)
			if flags == nil && !strings.Contains(said, "annotate: refA is the standard reference, and is left out of the systems; --include-reference refA would judge it\n") {
				t.Errorf("stderr does not name refA: %s", said)
			}
			if !slices.Equal(names, want) || !slices.Equal(systems, expected.Systems) {
				t.Errorf("%v: ranks %v of %v; want %v of %v", flags, names, systems, want, expected.Systems)
			}
		}
	}
	// A reference that is judged as a system is no reference.
	names, systems, said := metaeval(filepath.Join(published, "wmt23"), "--include-reference", "refA")
	if !slices.Equal(names, []string{"GEMBA-MQM-src", "MetricX-23-QE-src"}) || !slices.Contains(systems, "refA") {
		t.Errorf("ranks %v of %v", names, systems)
	}
	for _, name := range []string{"BLEU-refA", "COMET-refA", "XCOMET-Ensemble-refA", "chrF-refA"} {
		if !strings.Contains(said, "annotate: "+name+" is left out, since its reference refA is judged as a system\n") {
			t.Errorf("stderr does not name %s: %s", name, said)
		}
	}
	if all, _, _ := metaeval(dir, "--exclude-system", "refA", "--all-references"); len(all) != len(want)+5 {
		t.Errorf("--all-references ranks %v", all)
	}
}

// Averages by item and by system equal those of mt-metrics-eval and do not change the meta
// score. A metrics file selects metrics, and negates a metric that it declares as
// lower-is-better.
func TestMetaevalAverages(t *testing.T) {
	published := testenv.Data(t, "wmt23-ende")
	text, err := os.ReadFile(filepath.Join(published, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Metrics map[string]struct{ Seg map[string]any }
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	preset := filepath.Join(t.TempDir(), "metrics.json")
	file := `{"metrics": [{"name": "COMET", "group": "neural"}, {"name": "chrF-refA", "lower_is_better": true}], "exclude_systems": ["refA"]}`
	if err := os.WriteFile(preset, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	type result struct {
		Average  string
		Williams []struct{ P [][]*float64 }
		Metrics  []struct {
			Name, Group   string
			LowerIsBetter bool `json:"lower_is_better"`
			Segment       map[string]float64
			Meta          float64
		}
	}
	metaeval := func(flags ...string) (r result) {
		t.Helper()
		var out strings.Builder
		err := run(t.Context(), append([]string{"metaeval", "--mtme", filepath.Join(published, "wmt23"), "--language-pair", "en-de", "--permutations", "2", "--format", "json", "--metrics-file", preset}, flags...), nil, nil, &out, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	pooled := metaeval("--williams")
	if p := pooled.Williams[0].P[0][1]; len(pooled.Williams) != 1 || p == nil || *p > 0.05 {
		t.Errorf("Williams' test gives %v", pooled.Williams)
	}
	for by, suffix := range map[string]string{"item": "_item", "system": "_sys"} {
		r := metaeval("--average", by)
		if r.Average != by || len(r.Metrics) != 2 || r.Metrics[0].Name != "COMET-refA" || r.Metrics[0].Group != "neural" || !r.Metrics[1].LowerIsBetter {
			t.Fatalf("got %+v", r)
		}
		for i, m := range r.Metrics {
			for key, of := range map[string]string{"pearson": "pearson", "spearman": "spearman", "kendall": "kendall_b"} {
				want := expected.Metrics[m.Name].Seg[of+suffix].(float64)
				if m.LowerIsBetter {
					want = -want
				}
				if math.Abs(m.Segment[key]-want) > 1e-9 {
					t.Errorf("%s by %s of %s is %v, want %v", key, by, m.Name, m.Segment[key], want)
				}
			}
			if m.Meta != pooled.Metrics[i].Meta {
				t.Errorf("by %s the meta score of %s is %v, pooled %v", by, m.Name, m.Meta, pooled.Metrics[i].Meta)
			}
		}
	}
	for text, want := range map[string]string{
		`{"metrics": [{"name": "COMET", "lower": true}]}`: `metrics.json:1: json: unknown field "lower"`,
		`{"metrics": [{"group": "neural"}]}`:              "metrics[0] has no name",
		`{} {}`:                                           "there is more text after the JSON object",
		`{"metrics": [{"name": "Nope"}]}`:                 `--metric: there is no metric "Nope"`,
	} {
		if err := os.WriteFile(preset, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := run(t.Context(), []string{"metaeval", "--mtme", filepath.Join(published, "wmt23"), "--language-pair", "en-de", "--metrics-file", preset}, nil, nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
