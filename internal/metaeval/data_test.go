package metaeval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/ingest"
	"annotate/internal/metaeval"
	"annotate/internal/stat"
	"annotate/internal/testenv"
)

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

func readMTME(t testing.TB, dir, pair string) metaeval.Data {
	t.Helper()
	m, err := ingest.OpenDirectory(t.Context(), dir, pair)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Read(t.Context(), m.Humans, m.Metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func evaluate(t testing.TB, d metaeval.Data, task metaeval.Task) metaeval.Report {
	t.Helper()
	r, err := metaeval.Evaluate(context.Background(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ende is WMT23 English-German with the systems of the shared task, without the
// reference of most metrics and the synthetic reference.
func ende(t testing.TB) (metaeval.Data, metaeval.Task) {
	d := readMTME(t, testenv.Data(t, "wmt23-ende/wmt23"), "en-de")
	return d, metaeval.Task{Human: "mqm", Exclude: []string{"refA", "synthetic_ref"}, Seed: 4}
}

// ment writes a direction of the MENT data as an mt-metrics-eval directory. It invents two
// domains: even and odd lines.
func ment(t testing.TB, pair string) metaeval.Data {
	dir := t.TempDir()
	human := filepath.Join(dir, "human-scores")
	if err := os.MkdirAll(human, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testenv.Data(t, "ment/metric-scores"), filepath.Join(dir, "metric-scores")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(testenv.Data(t, "ment/MENT.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blocks := make([]strings.Builder, 10)
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var line map[string]any
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line["src_lang"] != pair[:2] {
			continue
		}
		for i := range blocks {
			score := line[fmt.Sprintf("avg_trans_%d_score", i)].(float64)
			fmt.Fprintf(&blocks[i], "system_%d\t%s\n", i, strconv.FormatFloat(score, 'g', -1, 64))
		}
	}
	var all strings.Builder
	for i := range blocks {
		all.WriteString(blocks[i].String())
	}
	if err := os.WriteFile(filepath.Join(human, pair+".ment.seg.score"), []byte(all.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return readMTME(t, dir, pair)
}

// The expected values of the published data, made with mt-metrics-eval 68a481a
// on scipy 1.10.1.
type expectedMetric struct {
	Sys       expectedSys
	SysCorpus *expectedSys `json:"sys_corpus"`
	Seg       struct {
		AccItem      float64       `json:"acc_t_item"`
		AccItemExact expectedExact `json:"acc_t_item_exact"`
		AccNoneExact expectedExact `json:"acc_t_none_exact"`
		AccSys       *float64      `json:"acc_t_sys"`
		Eps0         float64       `json:"acc_eq_item_eps0"`
		PearsonNone  float64       `json:"pearson_none"`
		SpearmanNone float64       `json:"spearman_none"`
		KendallNone  float64       `json:"kendall_b_none"`
		PearsonItem  float64       `json:"pearson_item"`
		SpearmanItem float64       `json:"spearman_item"`
		KendallItem  float64       `json:"kendall_b_item"`
		PearsonSys   float64       `json:"pearson_sys"`
		SpearmanSys  float64       `json:"spearman_sys"`
		KendallSys   float64       `json:"kendall_b_sys"`
		ItemN        int           `json:"pearson_item_n"`
		SysN         int           `json:"pearson_sys_n"`
		SPA          float64       `json:"spa_mtme_1000perm_seed4"`
		SPA200k      *float64      `json:"spa_200k_perm"`
		SPA100k      *float64      `json:"spa_100k_perm"`
	}
	SixAvg float64 `json:"six_paper_avg"`
}

type expectedSys struct {
	Agree    int     `json:"acc_agree"`
	Pairs    int     `json:"acc_pairs"`
	Acc      float64 `json:"acc"`
	Pearson  float64
	Spearman float64
	KendallB float64 `json:"kendall_b"`
	KendallC float64 `json:"kendall_c"`
}

type expectedExact struct {
	Acc        float64 `json:"acc_t"`
	EpsilonMin float64 `json:"epsilon_min"`
	EpsilonMax float64 `json:"epsilon_max"`
}

func close9(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 || math.IsNaN(got) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// checkMetric compares all statistics of a metric. scores are its system scores, for
// statistics that a report does not have.
func checkMetric(t *testing.T, r metaeval.Result, want expectedMetric, human, metric [][]float64) {
	t.Helper()
	sys := want.Sys
	if want.SysCorpus != nil { // its .sys.score is the corpus score
		sys = *want.SysCorpus
	}
	if r.System.Agree != sys.Agree || r.System.Pairs != sys.Pairs {
		t.Errorf("%s: %d of %d system pairs, want %d of %d", r.Name, r.System.Agree, r.System.Pairs, sys.Agree, sys.Pairs)
	}
	close9(t, r.Name+" system acc", r.System.Acc, sys.Acc)
	close9(t, r.Name+" system pearson", r.System.Pearson, sys.Pearson)
	close9(t, r.Name+" system spearman", r.System.Spearman, sys.Spearman)
	close9(t, r.Name+" system kendall", r.System.Kendall, sys.KendallB)
	s := want.Seg
	close9(t, r.Name+" acc_t", r.Segment.AccT, s.AccItem)
	close9(t, r.Name+" acc_t", r.Segment.AccT, s.AccItemExact.Acc)
	// The smallest of the best thresholds, as the exact reference has it.
	close9(t, r.Name+" epsilon", r.Segment.Epsilon, s.AccItemExact.EpsilonMin)
	close9(t, r.Name+" pearson", r.Segment.Pearson, s.PearsonNone)
	close9(t, r.Name+" spearman", r.Segment.Spearman, s.SpearmanNone)
	close9(t, r.Name+" kendall", r.Segment.Kendall, s.KendallNone)
	for name, c := range map[string]struct {
		f         func(x, y []float64) float64
		item, sys float64
	}{
		"pearson":  {stat.Pearson, s.PearsonItem, s.PearsonSys},
		"spearman": {stat.Spearman, s.SpearmanItem, s.SpearmanSys},
		"kendall":  {stat.TauB, s.KendallItem, s.KendallSys},
	} {
		v, n := metaeval.Average(c.f, human, metric, metaeval.ByItem)
		close9(t, r.Name+" by item "+name, v, c.item)
		v, m := metaeval.Average(c.f, human, metric, metaeval.BySystem)
		close9(t, r.Name+" by system "+name, v, c.sys)
		if n != s.ItemN || m != s.SysN {
			t.Errorf("%s %s: %d segments and %d systems, want %d and %d", r.Name, name, n, m, s.ItemN, s.SysN)
		}
	}
	v, _ := metaeval.Average(func(h, m []float64) float64 { return stat.Count(h, m).Acc23() }, human, metric, metaeval.ByItem)
	close9(t, r.Name+" acc_eq", v, s.Eps0)
	if s.AccSys != nil {
		c, err := metaeval.Calibrate(context.Background(), human, metric, metaeval.BySystem)
		if err != nil {
			t.Error(err)
		}
		close9(t, r.Name+" acc_t by system", c.Acc, *s.AccSys)
	}
	// With the flips of mt-metrics-eval only sums that equal the observed one
	// can be counted differently; the data's README expects 0.002 between 1000
	// flips and very many.
	if math.Abs(r.System.SPA-s.SPA) > 0.0005 {
		t.Errorf("%s spa: got %v, mt-metrics-eval %v", r.Name, r.System.SPA, s.SPA)
	}
	t.Logf("%s spa: got %v, mt-metrics-eval %v", r.Name, r.System.SPA, s.SPA)
	for _, many := range []*float64{s.SPA100k, s.SPA200k} {
		if many != nil && math.Abs(r.System.SPA-*many) > 0.002 {
			t.Errorf("%s spa: got %v, from many flips %v", r.Name, r.System.SPA, *many)
		}
	}
}

// matrices lays scores out for systems.
func matrixOf(s metaeval.Scores, systems []string) (out [][]float64) {
	for _, name := range systems {
		out = append(out, s.Segment[name])
	}
	return out
}

func scoresOf(t *testing.T, all []metaeval.Scores, name string) metaeval.Scores {
	t.Helper()
	i := slices.IndexFunc(all, func(s metaeval.Scores) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scores %s", name)
	}
	return all[i]
}

func TestWMT23(t *testing.T) {
	d, task := ende(t)
	var want struct {
		Systems []string
		Metrics map[string]expectedMetric
	}
	readJSON(t, testenv.Data(t, "wmt23-ende/expected.json"), &want)
	r := evaluate(t, d, task)
	if !slices.Equal(r.Systems, want.Systems) || r.Segments != 460 || len(r.LeftOut) > 0 {
		t.Errorf("systems %v, %d segments, left out %v", r.Systems, r.Segments, r.LeftOut)
	}
	if len(r.Metrics) != len(want.Metrics) || len(want.Metrics) != 6 {
		t.Fatalf("%d metrics, want %d", len(r.Metrics), len(want.Metrics))
	}
	human := matrixOf(d.Humans[0], r.Systems)
	for _, m := range r.Metrics {
		checkMetric(t, m, want.Metrics[m.Name], human, matrixOf(scoresOf(t, d.Metrics, m.Name), r.Systems))
		// The WMT23 meta score by its definition.
		close9(t, m.Name+" meta", m.Meta, (m.System.Acc+(m.System.Pearson+1)/2+m.Segment.AccT+(m.Segment.Pearson+1)/2)/4)
	}
}

func TestMENT(t *testing.T) {
	var want struct {
		Directions map[string]struct {
			Segments int `json:"n_segments"`
			Metrics  map[string]expectedMetric
		}
		Meta struct{ Paper map[string]float64 } `json:"meta_avg"`
	}
	readJSON(t, testenv.Data(t, "ment/expected.json"), &want)
	var reports []metaeval.Report
	for _, pair := range []string{"en-zh", "zh-en"} {
		d := ment(t, pair)
		r := evaluate(t, d, metaeval.Task{Preset: metaeval.MENT, Seed: 4})
		reports = append(reports, r)
		if r.Segments != want.Directions[pair].Segments || len(r.Metrics) != 4 {
			t.Errorf("%s: %d segments, %d metrics", pair, r.Segments, len(r.Metrics))
		}
		human := matrixOf(d.Humans[0], r.Systems)
		for _, m := range r.Metrics {
			w := want.Directions[pair].Metrics[m.Name]
			metric := matrixOf(scoresOf(t, d.Metrics, m.Name), r.Systems)
			checkMetric(t, m, w, human, metric)
			close9(t, pair+" "+m.Name+" acc_t_pooled", m.Segment.AccTPooled, w.Seg.AccNoneExact.Acc)
			close9(t, pair+" "+m.Name+" meta", m.Meta, w.SixAvg)
			c, err := metaeval.Calibrate(context.Background(), human, metric, metaeval.Pooled)
			if err != nil {
				t.Fatal(err)
			}
			close9(t, pair+" "+m.Name+" pooled epsilon", c.Epsilon, w.Seg.AccNoneExact.EpsilonMin)
		}
	}
	joint, _ := metaeval.Overall(reports)
	for _, o := range joint {
		close9(t, "overall "+o.Name, o.Meta, want.Meta.Paper[o.Name])
	}
}

// The digits must not depend on the number of cores.
func TestSameDigitsOnAnyCores(t *testing.T) {
	d, task := ende(t)
	task.ByDomain, task.Significance, task.Permutations = true, true, 20
	var first string
	for _, cores := range []int{1, 7} {
		before := runtime.GOMAXPROCS(cores)
		got := fmt.Sprintf("%+v", evaluate(t, d, task))
		runtime.GOMAXPROCS(before)
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("%d cores give another report", cores)
		}
	}
}
