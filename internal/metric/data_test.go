package metric

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/testenv"
)

// A direction is one language pair of a data set.
type direction struct {
	references []string
	systems    map[string][]string
}

// readMENT reads both directions by language pair.
func readMENT(t testing.TB) map[string]direction {
	t.Helper()
	f, err := os.Open(testenv.Data(t, "ment/MENT.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]direction{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var line map[string]any
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		pair := fmt.Sprintf("%s-%s", line["src_lang"], line["trans_lang"])
		d := all[pair]
		if d.systems == nil {
			d.systems = map[string][]string{}
		}
		d.references = append(d.references, line["ref"].(string))
		for i := range 10 {
			name := "system_" + strconv.Itoa(i)
			d.systems[name] = append(d.systems[name], line["trans_"+strconv.Itoa(i)].(string))
		}
		all[pair] = d
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// readScores reads a file of "system<TAB>score", by system.
func readScores(t testing.TB, file string) map[string][]float64 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string][]float64{}
	for line := range strings.Lines(string(b)) {
		system, score, _ := strings.Cut(strings.TrimSpace(line), "\t")
		x, err := strconv.ParseFloat(score, 64)
		if err != nil {
			t.Fatal(err)
		}
		scores[system] = append(scores[system], x)
	}
	return scores
}

// TestMENT: every segment's and every system's score of the MENT data, with the
// counts behind them, is sacreBLEU's.
func TestMENT(t *testing.T) {
	data := readMENT(t)
	b, err := os.ReadFile(testenv.Data(t, "ment/expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Directions map[string]struct {
			SacreBLEU struct {
				Signatures map[string]string
				Corpus     map[string]map[string]float64
			}
		}
	}
	if err := json.Unmarshal(b, &expected); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for pair, d := range data {
		want := expected.Directions[pair].SacreBLEU
		for _, c := range []struct {
			name, file          string
			corpus              string // in expected.json
			ofSegment, ofSystem string // the signatures there
		}{
			{"BLEU-ref", "sentBLEU-ref", "BLEU", "BLEU_sentence", "BLEU_corpus"},
			{"chrF-ref", "chrF-ref", "chrF", "chrF", "chrF"},
			{"chrF++-ref", "chrF++-ref", "chrF++", "chrF++", "chrF++"},
		} {
			m, _ := Lookup(c.name, pair[3:])
			checkSignature(t, m.Signature(SegmentLevel, 1), want.Signatures[c.ofSegment])
			checkSignature(t, m.Signature(SystemLevel, 1), want.Signatures[c.ofSystem])
			file := testenv.Data(t, "ment/metric-scores/"+pair+"/"+c.file+".seg.score")
			compared += checkScores(t, m, d, file)
			for system, scores := range readScores(t, strings.Replace(file, ".seg.", ".sys.", 1)) {
				checkScore(t, m, system, scores[0], want.Corpus[c.corpus][system])
			}
		}
	}
	if compared != 3*10*(213+238) { // the data's README counts so many segments
		t.Errorf("compared %d scores", compared)
	}
}

// checkSignature compares signatures without their versions.
func checkSignature(t *testing.T, got, want string) {
	t.Helper()
	const version = "version:"
	before, _, _ := strings.Cut(got, version)
	if wanted, _, _ := strings.Cut(want, version); before != wanted || wanted == "" {
		t.Errorf("got signature %s, want %s", got, want)
	}
}

// checkScores compares the scores of all systems with those in a .seg.score file
// and the .sys.score file beside it, and counts the segments.
func checkScores(t *testing.T, m Metric, d direction, file string) (compared int) {
	t.Helper()
	segments, systems := readScores(t, file), readScores(t, strings.Replace(file, ".seg.", ".sys.", 1))
	totals := map[string]*Counts{}
	for i, reference := range d.references {
		compare, err := m.Against(reference)
		if err != nil {
			t.Fatal(err)
		}
		for system, translations := range d.systems {
			counts := compare(translations[i])
			compared++
			if got, want := m.Segment(counts), segments[system][i]; !close(got, want) {
				t.Errorf("%s: %s of segment %d is %v, want %v", system, m.Name(), i, got, want)
			}
			if totals[system] == nil {
				totals[system] = new(Counts)
			}
			totals[system].Add(counts)
		}
	}
	for system, total := range totals {
		checkScore(t, m, system, m.System(*total), systems[system][0])
	}
	return compared
}

func readLines(t testing.TB, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// TestWMT23: the scores that the WMT23 metrics task published for its baselines.
func TestWMT23(t *testing.T) {
	const dir = "wmt23-ende/wmt23/"
	d := direction{readLines(t, testenv.Data(t, dir+"references/en-de.refA.txt")), map[string][]string{}}
	for system := range readScores(t, testenv.Data(t, dir+"metric-scores/en-de/BLEU-refA.sys.score")) {
		d.systems[system] = readLines(t, testenv.Data(t, dir+"system-outputs/en-de/"+system+".txt"))
	}
	compared := checkScores(t, BLEU{}, d, testenv.Data(t, dir+"metric-scores/en-de/BLEU-refA.seg.score"))
	compared += checkScores(t, CHRF{}, d, testenv.Data(t, dir+"metric-scores/en-de/chrF-refA.seg.score"))
	if compared != 2*13*557 { // two metrics, thirteen systems
		t.Errorf("compared %d scores", compared)
	}
}
