package ingest

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// mtmeFiles is a small directory. Lines of systems are mixed in one file, and
// white space divides another.
func mtmeFiles() map[string]string {
	return map[string]string{
		"sources/en-de.txt":                           "one, two\n\nthree\n",
		"documents/en-de.docs":                        "news\td1\nnews d1\nchat\td2\textra\n",
		"system-outputs/en-de/A.txt":                  "eins\r\n\r\ndrei\r\n",
		"system-outputs/en-de/B.b.txt":                "eins\nzwei\ndrei",
		"system-outputs/en-de/refA.txt":               "\n\n\n",
		"system-outputs/en-de/README.md":              "no system",
		"system-outputs/en-de/A.txt.bak":              "no system",
		"system-outputs/en-de/.hidden":                "",
		"human-scores/en-de.mqm.seg.score":            "\ufeffA\t-1.5\r\nA\tNone\r\nA\t0\r\nB.b\t-5\r\nB.b\t-2\r\nB.b\t-1e1",
		"human-scores/en-de.mqm.sys.score":            "A\t-0.75\nB.b\tNone\n",
		"human-scores/en-de.mqm.domain.score":         "news\tA\t-1.5\nchat A 0\n",
		"human-scores/en-de.mqm.doc.score":            "not read",
		"human-scores/en-de.wmt.z.seg.score":          "A None\nA None\nA None\n",
		"human-scores/en-de.mqm.merged.seg.rating":    "not read",
		"human-scores/zh-en.mqm.seg.score":            "not read",
		"metric-scores/en-de/BLEU-refA.seg.score":     "A\t1\nB.b\t4\nA\t2\nB.b\t5\nA\t3\n\nB.b\t6\n",
		"metric-scores/en-de/BLEU-refA.sys.score":     "A 10\nB.b 20\n",
		"metric-scores/en-de/X.Y-src.sys.score":       "A\t1\nB.b\t2\nrefA\t3\n",
		"metric-scores/en-de/README":                  "not read",
		"metric-scores/en-de/folder.seg.score/a.file": "not read",
	}
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMTME(t *testing.T) {
	m, err := OpenDirectory(t.Context(), writeFiles(t, mtmeFiles()), "en-de")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, m.Systems, []string{"A", "B.b", "refA"})
	diff(t, m.Segments, 3)
	diff(t, m.Domains, []string{"news", "news", "chat"})
	diff(t, m.Documents, []string{"d1", "d1", "d2"})
	diff(t, m.Humans, []string{"mqm", "wmt.z"})
	diff(t, m.Metrics, []string{"BLEU-refA", "X.Y-src"})
	var read []string
	d, err := m.Read(t.Context(), []string{"mqm"}, m.Metrics, func(file string) { read = append(read, filepath.Base(file)) })
	if err != nil {
		t.Fatal(err)
	}
	diff(t, read, []string{"en-de.mqm.seg.score", "en-de.mqm.sys.score", "en-de.mqm.domain.score", "BLEU-refA.seg.score", "BLEU-refA.sys.score", "X.Y-src.sys.score"})
	diff(t, d.Systems, m.Systems)
	diff(t, d.Segments, 3)
	diff(t, d.Lengths, []int{3, 0, 1})
	diff(t, d.LanguagePair, "en-de")
	human := d.Humans[0]
	if a := human.Segment["A"]; len(a) != 3 || a[0] != -1.5 || !math.IsNaN(a[1]) || a[2] != 0 {
		t.Errorf("A has %v", a)
	}
	diff(t, human.Segment["B.b"], []float64{-5, -2, -10})
	if v := human.System; len(v) != 2 || v["A"] != -0.75 || !math.IsNaN(v["B.b"]) {
		t.Errorf("systems have %v", v)
	}
	diff(t, human.Domain, map[string]map[string]float64{"news": {"A": -1.5}, "chat": {"A": 0}})
	bleu, xy := d.Metrics[0], d.Metrics[1]
	diff(t, bleu.Segment, map[string][]float64{"A": {1, 2, 3}, "B.b": {4, 5, 6}})
	diff(t, bleu.System, map[string]float64{"A": 10, "B.b": 20})
	if xy.Segment != nil || xy.System["refA"] != 3 {
		t.Errorf("got %+v", xy)
	}
}

// Without sources, documents and system outputs the scores say what there is.
func TestMTMEBare(t *testing.T) {
	files := mtmeFiles()
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.Contains(name, "-scores/") })
	files["metric-scores/en-de/More-src.seg.score"] = "C 1\nC 2\nC 3\n"
	dir := writeFiles(t, files)
	m, err := OpenDirectory(t.Context(), dir, "en-de")
	if err != nil || m.Segments != -1 {
		t.Fatal(m, err)
	}
	if _, err := m.Read(t.Context(), []string{"mqm"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	d, err := m.Read(t.Context(), nil, []string{"More-src"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, d.Segments, 3)
	diff(t, d.Systems, []string{"A", "B.b", "C"}) // also those of files that were read before

	files["metric-scores/en-de/More-src.seg.score"] = "C 1\nC 2\n"
	m, err = OpenDirectory(t.Context(), writeFiles(t, files), "en-de")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Read(t.Context(), []string{"mqm"}, m.Metrics, nil); err == nil || !strings.HasSuffix(err.Error(), `More-src.seg.score:2: system "C" has 2 scores and needs 3, one for each segment; add the lines that are missing`) {
		t.Errorf("got %v", err)
	}
	files["human-scores/en-de.mqm.seg.score"] = "A 1\nA 2\nB 1\nB 2\nB 3\n"
	if m, err = OpenDirectory(t.Context(), writeFiles(t, files), "en-de"); err != nil {
		t.Fatal(err)
	}
	if _, err = m.Read(t.Context(), []string{"mqm"}, nil, nil); err == nil || !strings.HasSuffix(err.Error(), `en-de.mqm.seg.score:5: system "B" has 3 scores and needs 2, one for each segment; add the lines that are missing`) {
		t.Errorf("got %v", err)
	}
}

func TestMTMERefuses(t *testing.T) {
	const bleu, mqm = "metric-scores/en-de/BLEU-refA.seg.score", "human-scores/en-de.mqm.seg.score"
	tests := []struct {
		name, file, text string // "-" takes the file away
		want             string // DIR stands for the directory
	}{
		{"no human score", mqm, "-", ""}, // there are sys scores still
		{"sources", "sources/en-de.txt", "one\n", "DIR/documents/en-de.docs:2: the file has 3 lines, and DIR/sources/en-de.txt has 1; both need one line for each segment"},
		{"no line of an output", "system-outputs/en-de/A.txt", "", "DIR/system-outputs/en-de/A.txt:1: the file has 0 lines, and DIR/sources/en-de.txt has 3; both need one line for each segment"},
		{"an output that is short", "system-outputs/en-de/B.b.txt", "eins\nzwei\n", "DIR/system-outputs/en-de/B.b.txt:3: the file has 2 lines, and DIR/sources/en-de.txt has 3; both need one line for each segment"},
		{"an output that is long", "system-outputs/en-de/B.b.txt", "a\nb\nc\nd\n", "DIR/system-outputs/en-de/B.b.txt:4: the file has 4 lines, and DIR/sources/en-de.txt has 3; both need one line for each segment"},
		{"an output that is not utf-8", "system-outputs/en-de/A.txt", "a\n\xff\n", "DIR/system-outputs/en-de/A.txt:2:1: byte 0xFF is not UTF-8; save the file as UTF-8"},
		{"documents", "documents/en-de.docs", "news d1\nnews\nchat d2\n", "DIR/documents/en-de.docs:2: the line must have the name of a domain, a tab, and the name of a document"},
		{"too many", bleu, "A 1\nA 2\nA 3\nA 4\n", "DIR/" + bleu + `:4: system "A" has more scores than the 3 segments in DIR/sources/en-de.txt; leave out the lines that are too many`},
		{"too few", bleu, "A 1\nA 2\nA 3\nB.b 1\n", "DIR/" + bleu + `:4: system "B.b" has 1 score and needs 3, one for each segment in DIR/sources/en-de.txt; add the lines that are missing`},
		{"unknown system", bleu, "A 1\nC 2\n", "DIR/" + bleu + `:2: there is no system "C" in system-outputs/en-de, which has "A", "B.b", "refA"; correct the name, or add the output of the system`},
		{"none", bleu, "A 1\nA None\n", "DIR/" + bleu + ":2:3: score: None is for human scores; a metric needs a score for every segment"},
		{"nan", bleu, "A nan\n", "DIR/" + bleu + `:1:3: score: "nan" is no score; a metric needs a finite number for every segment`},
		{"inf", bleu, "A\t-inf\n", "DIR/" + bleu + `:1:3: score: "-inf" is no score; a metric needs a finite number for every segment`},
		{"too large", bleu, "A\t1e999\n", "DIR/" + bleu + `:1:3: score: "1e999" is no score; a metric needs a finite number for every segment`},
		{"no number", bleu, "A\tgood\n", "DIR/" + bleu + `:1:3: score: "good" is no score; a metric needs a finite number for every segment`},
		{"human nan", mqm, "A\tNaN\n", "DIR/" + mqm + `:1:3: score: "NaN" is no score; give a finite number, or None for a missing score`},
		{"human none spelt", mqm, "A\tnone\n", "DIR/" + mqm + `:1:3: score: "none" is no score; give a finite number, or None for a missing score`},
		{"one field", bleu, "A\n", "DIR/" + bleu + `:1:1: the line must have a system and a score, divided by a tab, and not "A"`},
		{"three fields", bleu, "A\t1\t2\n", "DIR/" + bleu + `:1:1: the line must have a system and a score, divided by a tab, and not "A\t1\t2"`},
		{"empty", bleu, "\n \n", "DIR/" + bleu + ": the file has no scores; check that it is the right file, and that it was saved with its content"},
		{"not utf-8", bleu, "A\t1\nA\xff\t1\n", "DIR/" + bleu + ":2:2: byte 0xFF is not UTF-8; save the file as UTF-8"},
		{"utf-16", bleu, "\xff\xfeA\x00", "DIR/" + bleu + ": format: the file is UTF-16; save it as UTF-8"},
		{"a system twice", "human-scores/en-de.mqm.sys.score", "A 1\nA 1\n", `DIR/human-scores/en-de.mqm.sys.score:2: this is a second score of system "A"; keep one line for each system`},
		{"a domain twice", "human-scores/en-de.mqm.domain.score", "chat A 1\nchat A 1\n", `DIR/human-scores/en-de.mqm.domain.score:2: this is a second score of system "A" in domain "chat"; keep one line for each system`},
		{"unknown domain", "human-scores/en-de.mqm.domain.score", "blog A 1\n", `DIR/human-scores/en-de.mqm.domain.score:1: there is no domain "blog" in documents/en-de.docs; correct the name, or leave the line out`},
		{"domain fields", "human-scores/en-de.mqm.domain.score", "A\t1\n", `DIR/human-scores/en-de.mqm.domain.score:1:1: the line must have a domain, a system and a score, divided by a tab, and not "A\t1"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := mtmeFiles()
			if files[tt.file] = tt.text; tt.text == "-" {
				delete(files, tt.file)
			}
			dir := writeFiles(t, files)
			m, err := OpenDirectory(t.Context(), dir, "en-de")
			if err == nil {
				_, err = m.Read(t.Context(), m.Humans, m.Metrics, nil)
			}
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if _, ok := errors.AsType[*campaign.Problem](err); !ok {
				t.Fatalf("got %v", err)
			}
			if got := strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(dir), "DIR"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Files are read side by side, and the error is that of the first file that has one.
func TestMTMEFirstError(t *testing.T) {
	files := mtmeFiles()
	for _, name := range []string{"K-src", "L-src", "M-src", "N-src"} {
		files["metric-scores/en-de/"+name+".seg.score"] = "A 1\nA 2\nA 3\n"
	}
	files["metric-scores/en-de/L-src.seg.score"] = strings.Repeat("A 1\nB.b 1\n", 3) + "A 1\n"
	files["metric-scores/en-de/M-src.seg.score"] = "A\n"
	m, err := OpenDirectory(t.Context(), writeFiles(t, files), "en-de")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Read(t.Context(), m.Humans, m.Metrics, nil); err == nil || !strings.Contains(err.Error(), `L-src.seg.score:7: system "A" has more scores`) {
		t.Errorf("got %v", err)
	}
}

func TestMTMENotFound(t *testing.T) {
	dir := writeFiles(t, mtmeFiles())
	for _, tt := range []struct{ dir, pair, want string }{
		{filepath.Join(dir, "nosuch"), "en-de", "there is no folder human-scores in it; name the folder of a test set, which has the folders human-scores and metric-scores"},
		{dir, "en-fr", "no human scores for en-fr; there are scores for en-de, zh-en"},
		{dir, "zh-en", "there are no metric scores; put files such as BLEU-refA.seg.score into this folder"},
	} {
		m, err := OpenDirectory(t.Context(), tt.dir, tt.pair)
		if err == nil {
			err = m.HasMetrics()
		}
		if p, ok := errors.AsType[*campaign.Problem](err); !ok || p.Msg != tt.want {
			t.Errorf("%s %s: got %v", tt.dir, tt.pair, err)
		}
	}
}
