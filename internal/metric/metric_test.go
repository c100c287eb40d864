package metric

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// near is the tolerance for the scores of the reference implementation. It allows for
// rounding of the logarithm in the last digits.
const near = 1e-9

func close(a, b float64) bool { return math.Abs(a-b) <= near }

// vectors are the cases of testdata/text_metrics.json, made with sacreBLEU
// 2.6.0: single pairs, and corpora of pairs.
type vectors struct {
	Cases []struct {
		Corpus     bool
		Tokenize   Tokenizer
		Hyp, Ref   string
		HypTok     string  `json:"hyp_tok"`
		RefTok     string  `json:"ref_tok"`
		BLEU       float64 `json:"sentence_bleu"`
		Counts     []int
		Totals     []int
		BP         float64
		Precisions []float64
		CHRF       float64
		CHRFPP     float64
		Pairs      [][2]string
		CorpusBLEU float64 `json:"corpus_bleu"`
		SysLen     int     `json:"sys_len"`
		RefLen     int     `json:"ref_len"`
		CorpusCHRF float64 `json:"corpus_chrf"`
		CorpusPP   float64 `json:"corpus_chrfpp"`
	}
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/text_metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// counts compares a translation with its references.
func counts(t testing.TB, m Metric, translation string, references ...string) Counts {
	t.Helper()
	compare, err := m.Against(references...)
	if err != nil {
		t.Fatalf("%s against %q: %v", m.Name(), references, err)
	}
	return compare(translation)
}

// segment scores a translation.
func segment(t testing.TB, m Metric, translation string, references ...string) float64 {
	t.Helper()
	return m.Segment(counts(t, m, translation, references...))
}

// system scores a corpus.
func system(t testing.TB, m Metric, translations []string, references ...[]string) float64 {
	t.Helper()
	result, err := Score(t.Context(), m, SystemLevel, translations, references...)
	if err != nil {
		t.Fatal(err)
	}
	return result.Score
}

func TestVectors(t *testing.T) {
	pairs, corpora := 0, 0
	for _, c := range readVectors(t).Cases {
		b := BLEU{Tokenizer: c.Tokenize}
		plusPlus := CHRF{WordOrder: 2}
		if c.Corpus {
			corpora++
			var hyps, refs []string
			for _, p := range c.Pairs {
				hyps, refs = append(hyps, p[0]), append(refs, p[1])
			}
			checkScore(t, b, "corpus", system(t, b, hyps, refs), c.CorpusBLEU)
			checkScore(t, CHRF{}, "corpus", system(t, CHRF{}, hyps, refs), c.CorpusCHRF)
			checkScore(t, plusPlus, "corpus", system(t, plusPlus, hyps, refs), c.CorpusPP)
			var total Counts
			for i := range hyps {
				total.Add(counts(t, b, hyps[i], refs[i]))
			}
			checkCounts(t, "corpus", total, c.Counts, c.Totals, c.BP)
			if total.length != c.SysLen || total.reference != c.RefLen {
				t.Errorf("corpus: lengths %d and %d, want %d and %d", total.length, total.reference, c.SysLen, c.RefLen)
			}
			continue
		}
		pairs++
		if got := strings.Join(c.Tokenize.Split(c.Hyp), " "); got != c.HypTok {
			t.Errorf("%s: %q: got %q, want %q", c.Tokenize, c.Hyp, got, c.HypTok)
		}
		if got := strings.Join(c.Tokenize.Split(c.Ref), " "); got != c.RefTok {
			t.Errorf("%s: %q: got %q, want %q", c.Tokenize, c.Ref, got, c.RefTok)
		}
		n := counts(t, b, c.Hyp, c.Ref)
		checkCounts(t, c.Hyp, n, c.Counts, c.Totals, c.BP)
		p, _ := precisions(n)
		for i := range p {
			if !close(p[i], c.Precisions[i]) {
				t.Errorf("%q: precision %d is %v, want %v", c.Hyp, i+1, p[i], c.Precisions[i])
			}
		}
		checkScore(t, b, c.Hyp, b.Segment(n), c.BLEU)
		checkScore(t, CHRF{}, c.Hyp, segment(t, CHRF{}, c.Hyp, c.Ref), c.CHRF)
		checkScore(t, plusPlus, c.Hyp, segment(t, plusPlus, c.Hyp, c.Ref), c.CHRFPP)
	}
	if pairs != 37 || corpora != 2 {
		t.Errorf("read %d pairs and %d corpora, want 37 and 2", pairs, corpora)
	}
}

// checkScore compares a score with the score of sacreBLEU. Scores of chrF must be equal to the last
// digit, because chrF needs no logarithm.
func checkScore(t *testing.T, m Metric, what string, got, want float64) {
	t.Helper()
	if _, exact := m.(CHRF); got != want && (exact || !close(got, want)) {
		t.Errorf("%s of %q = %v, want %v", m.Name(), what, got, want)
	}
}

func checkCounts(t *testing.T, what string, c Counts, matched, totals []int, bp float64) {
	t.Helper()
	for i, n := range c.orders {
		if n.matched != matched[i] || n.translation != totals[i] {
			t.Errorf("%q: order %d: %d of %d, want %d of %d", what, i+1, n.matched, n.translation, matched[i], totals[i])
		}
	}
	if got := brevityPenalty(c); !close(got, bp) {
		t.Errorf("%q: brevity penalty %v, want %v", what, got, bp)
	}
}

// all are metrics with every setting.
var all = []Metric{
	BLEU{}, BLEU{Tokenizer: TokZh}, BLEU{Tokenizer: TokChar}, BLEU{Tokenizer: TokNone},
	CHRF{}, CHRF{WordOrder: 2}, CHRF{WordOrder: 1},
}

// texts makes n texts with difficult characters.
func texts(rng *rand.Rand, n int) []string {
	parts := []string{"the", "cat", "sat.", "(on)", "3.14", "…", "猫", "坐在", "。", "😀", "👩‍👩‍👧", "e\u0301", "é", "ＡＢ", "한국어", "ไทย", "עברית", "10-year", "&quot;", "\u00a0", "\t", "-", ".."}
	all := make([]string, n)
	for i := range all {
		var b strings.Builder
		for range 1 + rng.IntN(20) {
			b.WriteString(parts[rng.IntN(len(parts))])
			if rng.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		all[i] = b.String()
	}
	return all
}

func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hyps, refs, others := texts(rng, 300), texts(rng, 300), texts(rng, 300)
	order := rng.Perm(len(hyps))
	permuted := func(s []string) []string {
		p := make([]string, len(s))
		for i, j := range order {
			p[i] = s[j]
		}
		return p
	}
	for _, m := range all {
		name := m.Signature(SegmentLevel, 1)
		score := system(t, m, hyps, refs, others)
		if got := system(t, m, permuted(hyps), permuted(refs), permuted(others)); got != score {
			t.Errorf("%s: %v in another order, %v in this", name, got, score)
		}
		// For chrF the first of equal references counts, and which that is may change what the sum is made of.
		if got := system(t, m, hyps, others, refs); got != score && m.Name() == "BLEU" {
			t.Errorf("%s: %v with the references exchanged, %v without", name, got, score)
		}
		if got := system(t, m, hyps, hyps); !close(got, 100) {
			t.Errorf("%s: %v for the references themselves", name, got)
		}
		// Repeating the segments repeats every count. Smoothing weighs less then.
		if got, want := system(t, m, slices.Concat(hyps, hyps), slices.Concat(refs, refs)), system(t, m, hyps, refs); !close(got, want) && m.Name() != "BLEU" {
			t.Errorf("%s: %v for the corpus twice, %v for it once", name, got, want)
		}
		segments, err := Score(t.Context(), m, SegmentLevel, hyps, refs, others)
		if err != nil {
			t.Fatal(err)
		}
		for i := range hyps {
			got := segments.Scores[i]
			if want := segment(t, m, hyps[i], refs[i], others[i]); got != want {
				t.Errorf("%s: segment %d is %v among others, %v alone", name, i, got, want)
			}
			if got < 0 || got > 100 || math.IsNaN(got) {
				t.Errorf("%s: %v is out of range for %q", name, got, hyps[i])
			}
			// A reference more can only add matches; only a closer length can cost.
			if one := segment(t, m, hyps[i], refs[i]); m.Name() != "BLEU" && got < one-near {
				t.Errorf("%s: %v with two references, %v with one of them", name, got, one)
			}
			if got := segment(t, m, hyps[i], hyps[i]); !close(got, 100) && !isBlank(hyps[i]) {
				t.Errorf("%s: %v for the reference %q itself", name, got, hyps[i])
			}
			if got := segment(t, m, hyps[i], refs[i], "", ""); got != segment(t, m, hyps[i], refs[i]) {
				t.Errorf("%s: empty references changed the score to %v", name, got)
			}
		}
	}
}

// Metrics that are compared together count as each does alone, in whatever order and selection.
func TestTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hyps, refs := texts(rng, 100), texts(rng, 100)
	for _, metrics := range [][]Metric{{BLEU{}, CHRF{}, CHRF{WordOrder: 2}}, {CHRF{WordOrder: 2}, CHRF{WordOrder: 1}, CHRF{}}, {CHRF{}, CHRF{}}, {CHRF{}}, {}} {
		for i := range hyps {
			compare, err := Together(metrics, refs[i]+".")
			if err != nil {
				t.Fatal(err)
			}
			for k, got := range compare(hyps[i]) {
				if want := counts(t, metrics[k], hyps[i], refs[i]+"."); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s of %v: %v, want %v", metrics[k].Name(), metrics, got, want)
				}
			}
		}
	}
	if _, err := Together([]Metric{BLEU{}}, ""); !errors.Is(err, ErrNoReference) {
		t.Errorf("an empty reference: %v", err)
	}
}

// isBlank: nothing but white space is not 100 even against itself.
func isBlank(text string) bool { return len(strings.FieldsFunc(text, isSpace)) == 0 }

// TestCores: the counts are integers, so their sum does not depend on the number of cores.
func TestCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hyps, refs := texts(rng, 1000), texts(rng, 1000)
	for _, m := range all {
		var total Counts
		for i := range hyps {
			total.Add(counts(t, m, hyps[i], refs[i]))
		}
		if got, want := system(t, m, hyps, refs), m.System(total); got != want {
			t.Errorf("%s: %v on all cores, %v on one", m.Signature(SystemLevel, 1), got, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, m := range all {
		if got := segment(t, m, "", "something"); got > 1e-12 {
			t.Errorf("%s of nothing = %v, want 0", m.Name(), got)
		}
		// White space is a reference, if one without words.
		if got := segment(t, m, "something", " "); got > 1e-12 {
			t.Errorf("%s against white space = %v, want 0", m.Name(), got)
		}
		if segment, system := m.Segment(Counts{}), system(t, m, nil, nil); !math.IsNaN(segment) || !math.IsNaN(system) {
			t.Errorf("%s of no segment = %v and %v, want NaN", m.Name(), segment, system)
		}
		for _, refs := range [][]string{nil, {""}, {"", ""}} {
			if _, err := m.Against(refs...); err != ErrNoReference {
				t.Errorf("%s against %q: got %v, want %v", m.Name(), refs, err, ErrNoReference)
			}
		}
		_, err := Score(t.Context(), m, SystemLevel, []string{"a", "b"}, []string{"a", ""})
		if !errors.Is(err, ErrNoReference) || err.Error() != "segment 2: no reference" {
			t.Errorf("%s of a segment without reference: got %v", m.Name(), err)
		}
	}
}

func TestScoreStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Score(ctx, BLEU{}, SystemLevel, []string{"a"}, []string{"a"}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestScorePanicsOnMisuse(t *testing.T) {
	var c Counts
	c.Add(Counts{orders: make([]gramCount, 4)})
	for name, call := range map[string]func(){
		"no references": func() { Score(t.Context(), BLEU{}, SystemLevel, nil) },
		"lengths":       func() { Score(t.Context(), BLEU{}, SystemLevel, []string{"a"}, []string{"a", "b"}) },
		"orders":        func() { c.Add(Counts{orders: make([]gramCount, 6)}) },
		"tokenizer":     func() { Tokenizer("intl").Split("a") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "metric: ") {
					t.Errorf("got panic %v, want one that names the package", msg)
				}
			}()
			call()
		})
	}
}

func TestSignature(t *testing.T) {
	for _, c := range []struct {
		m          Metric
		level      Level
		references int
		name, want string
	}{
		// As sacreBLEU prints them, but for the version.
		{BLEU{}, SystemLevel, 1, "BLEU", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:annotate-1"},
		{BLEU{Tokenizer: TokZh}, SegmentLevel, 2, "BLEU", "nrefs:2|case:mixed|eff:yes|tok:zh|smooth:exp|version:annotate-1"},
		{CHRF{}, SystemLevel, 1, "chrF2", "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:annotate-1"},
		{CHRF{WordOrder: 2}, SegmentLevel, 1, "chrF2++", "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:annotate-1"},
	} {
		if got := c.m.Signature(c.level, c.references); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if got := c.m.Name(); got != c.name {
			t.Errorf("got %s, want %s", got, c.name)
		}
	}
}

// TestReferences: references that are empty do not count.
func TestReferences(t *testing.T) {
	for _, c := range []struct {
		references [][]string
		want       string
	}{
		{[][]string{{"a", "b"}}, "nrefs:1|"},
		{[][]string{{"a", "b"}, {"c", "d"}}, "nrefs:2|"},
		{[][]string{{"a", "b"}, {"", "d"}}, "nrefs:var|"},
		{[][]string{{"a", ""}, {"", "d"}}, "nrefs:1|"},
	} {
		got, err := Score(t.Context(), CHRF{}, SystemLevel, []string{"a", "b"}, c.references...)
		if err != nil || !strings.HasPrefix(got.Signature, c.want) {
			t.Errorf("%q: got %s, %v, want %s…", c.references, got.Signature, err, c.want)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range Names() {
		m, ok := Lookup(name, "zh")
		if !ok || !strings.HasPrefix(m.Name()[:4], name[:4]) {
			t.Errorf("%s: got %v, %v", name, m, ok)
		}
	}
	if m, _ := Lookup("BLEU-ref", "ja"); m != (BLEU{Tokenizer: TokChar}) {
		t.Errorf("BLEU-ref into Japanese: got %+v", m)
	}
	if m, _ := Lookup("chrF++-ref", "de"); m.Name() != "chrF2++" {
		t.Errorf("chrF++-ref: got %s", m.Name())
	}
	if m, ok := Lookup("COMET-ref", "de"); ok {
		t.Errorf("COMET-ref: got %v", m)
	}
}
