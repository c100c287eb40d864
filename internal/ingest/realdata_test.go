package ingest

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"annotate/internal/testenv"
)

// The published MENT data hold two directions; either can be selected, and
// comes out as encoding/json reads it.
func TestRealMENT(t *testing.T) {
	path := testenv.Data(t, "ment/MENT.jsonl")
	for _, tt := range []struct {
		source, target string
		segments       int // of the README beside the data
	}{{"zh", "en", 238}, {"en", "zh", 213}} {
		t.Run(tt.source+"-"+tt.target, func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, problems, err := collect(Segments("ment", f, Options{SourceLang: tt.source, TargetLang: tt.target, Select: true}))
			if err != nil || len(problems) > 0 {
				t.Fatal(problems, err)
			}
			if len(got) != tt.segments {
				t.Fatalf("%d segments, want %d", len(got), tt.segments)
			}
			lines := readJSON(t, path)
			for _, s := range got {
				want := lines[s.Line-1]
				g := s.Segment
				if g.Source != want["src"] || g.References[0].Text != want["ref"] || g.SegmentID != strconv.Itoa(s.Line) || len(g.Translations) != 10 {
					t.Errorf("line %d: got %+v", s.Line, g)
				}
				for i, tr := range g.Translations {
					n := strconv.Itoa(i)
					if tr.System != "system_"+n || tr.Text != want["trans_"+n] {
						t.Errorf("line %d, trans_%s: got %+v", s.Line, n, tr)
					}
					if len(tr.HumanScores) != 1 || tr.HumanScores[0].Score != want["avg_trans_"+n+"_score"] || len(tr.Ratings) > 0 {
						t.Errorf("line %d, trans_%s: got %+v", s.Line, n, tr)
					}
				}
			}
		})
	}
}

// Without a selection the second direction is refused in one sentence, which says
// what to do.
func TestRealMENTBothDirections(t *testing.T) {
	f, err := os.Open(testenv.Data(t, "ment/MENT.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, problems, err := collect(Segments("ment", f, Options{File: "MENT.jsonl"}))
	if err != nil || len(got) != 213 || len(problems) != 1 {
		t.Fatalf("%d segments, %d problems, %v", len(got), len(problems), err)
	}
	want := "the file has several language pairs: beside 213 lines of en-zh it has 238 lines of zh-en, the first here; import one pair at a time by naming it, en-zh or zh-en (--language-pair en-zh on the command line)"
	if p := problems[0]; p.Line != 214 || p.Field != "src_lang" || p.Msg != want {
		t.Errorf("got %v", p)
	}
}

func readJSON(t *testing.T, path string) (out []map[string]any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v map[string]any
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
