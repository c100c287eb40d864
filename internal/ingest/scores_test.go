package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScores: each file against what is read from it, a line for each score or
// problem.
func TestScores(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"a score for each segment", "dir/BLEU-refA.seg.score", "A\t1.5\nA\t-2\nB\t0\nB\t1e-3\n",
			"1 BLEU-refA A @1 1.5\n2 BLEU-refA A @2 -2\n3 BLEU-refA B @1 0\n4 BLEU-refA B @2 0.001"},
		{"a score for each system", "BLEU-refA.sys.score", "A\t1.5\r\nsystem two\t2", "1 BLEU-refA A system 1.5\n2 BLEU-refA system two system 2"},
		{"spaces instead of a tab", "m.sys.score", "A 1.5", "1 m A system 1.5"},
		{"byte order mark, empty lines", "m.sys.score", "\ufeffA\t1\n\nB\t2\n", "1 m A system 1\n3 m B system 2"},
		{"none", "m.seg.score", "A\t1\nA\tNone\nA\t3", "m.seg.score:2:3: score: None is for human scores; a metric needs a score for every segment"},
		{"not finite", "m.seg.score", "A\tnan\nA\t-inf\nA\tx", "m.seg.score:1:3: score: \"nan\" is no score; a metric needs a finite number for every segment\n" +
			"m.seg.score:2:3: score: \"-inf\" is no score; a metric needs a finite number for every segment\nm.seg.score:3:3: score: \"x\" is no score; a metric needs a finite number for every segment"},
		{"blocks apart", "m.seg.score", "A\t1\nB\t1\nA\t2", "1 m A @1 1\n3 m A @2 2\n2 m B @1 1"},
		{"interleaved", "m.seg.score", "A 1\nsystem B 3\nA 2\nsystem B 4", "1 m A @1 1\n3 m A @2 2\n2 m system B @1 3\n4 m system B @2 4"},
		{"a system twice", "m.sys.score", "A\t1\nA\t2", "m.sys.score:2:1: system: \"A\" has two scores; a .sys.score file has one for each system, so keep one"},
		{"one column", "m.sys.score", "A", "m.sys.score:1:1: the line must have a system and a score, divided by a tab, and not \"A\""},
		{"no system", "m.sys.score", "\t1", "m.sys.score:1:1: system: the name is empty"},
		{"no name", ".seg.score", "A\t1\nB\t2", ".seg.score: the metric's name in front of .seg.score is empty"},
		{"no name of systems", "dir/.sys.score", "A\t1\nB\t2", "dir/.sys.score: the metric's name in front of .sys.score is empty"},
		{"no level", "dir/Q.score", "A\t1\nB\t2", "dir/Q.score: a file named .score ends in .seg.score, with a score for each segment, or .sys.score, with one for each system; name it so"},
		{"another level", "Q.doc.score", "A\t1\nB\t2", "Q.doc.score: a file named .score ends in .seg.score, with a score for each segment, or .sys.score, with one for each system; name it so"},
		{"empty", "m.seg.score", "", "m.seg.score: the file has no scores; check that it is the right file, and that it was saved with its content"},
		{"lines", "s.jsonl", `{"metric":"COMET","system":"A","doc_id":"d","segment_id":7,"score":0.25}` + "\n" + `{"metric":"COMET","system":"A","score":0.5}`,
			"1 COMET A d/7 0.25\n2 COMET A system 0.5"},
		{"lines that lack something", "s.jsonl", `{"system":"A","segment_id":"1","score":1}` + "\n" + `{"metric":"m","segment_id":"1","score":1}` + "\n" +
			`{"metric":"m","system":"A","segment_id":"1","score":null}` + "\n" + `{"metric":"m","system":"A","doc_id":"d","score":1}` + "\n" + `{"metric":"m","system":"A","segment_id":"1","score":"1"}`,
			"s.jsonl:1: metric: missing; give the name of the metric\ns.jsonl:2: system: missing; give the name of the system\n" +
				"s.jsonl:3: score: missing; a metric needs a score for every segment\n" +
				"s.jsonl:4:37: segment_id: missing; name the segment, or leave doc_id out for the score of a whole system\n" +
				"s.jsonl:5:53: score: must be a number, not a text"},
		{"not finite in a line", "s.jsonl", `{"metric":"m","system":"A","score":1e999}`, `s.jsonl:1:36: score: "1e999" is too large for a number; correct it`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for s, err := range Scores(strings.NewReader(tt.text), Options{File: tt.file}) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				where := fmt.Sprint("@", s.Nth)
				switch {
				case s.OfSystem():
					where = "system"
				case s.SegmentID != "":
					where = s.DocID + "/" + s.SegmentID
				}
				got = append(got, fmt.Sprint(s.Line, " ", s.Metric, " ", s.System, " ", where, " ", s.Score))
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}

// TestScoreFilesReadAlike: both readers of .score files accept the same files and return
// the same problems.
func TestScoreFilesReadAlike(t *testing.T) {
	for _, text := range []string{"A\t1\nA\t2\n", "A 1\nA 2", "\ufeffA\t1\r\n\nA\t 2 \t\n", "A\t1\nB\t3\nA\t2\nB\t4\n", "A B 1\nA B 2\n",
		"A\tNone\nA\t1\n", "A\tnan\n", "A\n", "A\t1\t2\n", "\t1\n", "A\x01\t1\n", "A\t0x1p-2\nA\t1e3\n", "A\t\xff\n"} {
		var direct, directory string
		for s, err := range Scores(strings.NewReader(text), Options{File: "m.seg.score"}) {
			if err != nil {
				direct = strings.TrimPrefix(err.Error(), "m.seg.score:")
				break
			}
			direct += fmt.Sprint(s.System, " ", s.Score, "\n")
		}
		dir := t.TempDir()
		for path, content := range map[string]string{"human-scores/en-de.mqm.seg.score": "A\t1\nA\t1\n", "metric-scores/en-de/m.seg.score": text} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m, err := OpenDirectory(t.Context(), dir, "en-de")
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Read(t.Context(), nil, []string{"m"}, nil)
		if err != nil {
			directory = strings.TrimPrefix(err.Error(), filepath.Join(dir, "metric-scores/en-de/m.seg.score:"))
		} else {
			for _, system := range d.Systems {
				for _, x := range d.Metrics[0].Segment[system] {
					directory += fmt.Sprint(system, " ", x, "\n")
				}
			}
		}
		if direct != directory {
			t.Errorf("%q: the import says\n%s\nand the directory\n%s", text, direct, directory)
		}
	}
}

// TestScoresOfOtherSystems: systems that the campaign lacks give one problem, or are left
// out and named.
func TestScoresOfOtherSystems(t *testing.T) {
	table := strings.Repeat("A\t1\n", 300) + strings.Repeat("ref\t2\n", 300) + strings.Repeat("x\t2\n", 300)
	lines := `{"metric":"m","system":"ref","segment_id":"1","score":1}` + "\n" + `{"metric":"m","system":"A","segment_id":"1","score":1}` + "\n"
	for _, tt := range []struct {
		name, file, text string
		opt              Options
		scores           int
		want             string
	}{
		{"refused", "m.seg.score", table, Options{Systems: []string{"B", "A"}}, 300, `m.seg.score:301: system: the campaign has no systems "ref", "x", with 600 scores in this file; leave out such systems (--leave-out systems on the command line, a box on the page) or correct the names; the campaign's are "A", "B"`},
		{"left out", "m.seg.score", table, Options{Systems: []string{"A"}, LeaveOutSystems: true}, 300, `2 systems that the campaign does not have, whose scores were left out, first at m.seg.score:301: "ref" (300), "x" (300)`},
		{"of other data", "m.seg.score", table, Options{Systems: []string{"B"}, LeaveOutSystems: true}, 0, `m.seg.score:1: system: the campaign has none of the systems of this file, which are "A", "ref", "x"; the campaign's systems are "B"; check that the file is about the same data`},
		{"JSON lines, refused", "m.jsonl", lines, Options{Systems: []string{"A"}}, 1, `m.jsonl:1: system: the campaign has no system "ref", with 1 score in this file; leave out such systems (--leave-out systems on the command line, a box on the page) or correct the names; the campaign's are "A"`},
		{"JSON lines, left out", "m.jsonl", lines, Options{Systems: []string{"A"}, LeaveOutSystems: true}, 1, `1 system that the campaign does not have, whose scores were left out, first at m.jsonl:1: "ref" (1)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var notes Notes
			tt.opt.File, tt.opt.Notes = tt.file, &notes
			n := 0
			var said []string
			for _, err := range Scores(strings.NewReader(tt.text), tt.opt) {
				if err != nil {
					said = append(said, err.Error())
				} else {
					n++
				}
			}
			said = append(said, noted(notes)...)
			if n != tt.scores || strings.Join(said, "\n") != tt.want {
				t.Errorf("%d scores\n%s\nwant\n%s", n, strings.Join(said, "\n"), tt.want)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"one line for each segment", "dir/refB.txt", " eins \r\n\nzwei", "1 refB @1 \" eins \"\n2 refB @2 \"\"\n3 refB @3 \"zwei\""},
		{"lines", "r.jsonl", `{"doc_id":"d","segment_id":"1","references":{"refB":"b","refA":"a\n"},"reference":"r"}`,
			"1 ref d/1 \"r\"\n1 refA d/1 \"a\\n\"\n1 refB d/1 \"b\""},
		{"no id", "r.jsonl", `{"reference":"r"}`, "r.jsonl:1: segment_id: missing; give the id of the segment"},
		{"no reference", "r.jsonl", `{"segment_id":"1"}`, `r.jsonl:1: references: missing; give {"name": "text"}`},
		{"not UTF-8", "refB.txt", "a\n\xff\nb", "1 refB @1 \"a\"\nrefB.txt:2:1: byte 0xFF is not UTF-8; save the file as UTF-8\n3 refB @3 \"b\""},
		{"no name", "dir/.txt", "a\nb", "dir/.txt: the reference's name in front of .txt is empty"},
		{"empty", "refB.txt", "", "refB.txt: the file has no references; check that it is the right file, and that it was saved with its content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for s, err := range References(strings.NewReader(tt.text), Options{File: tt.file}) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				where := fmt.Sprint("@", s.Nth)
				if s.Nth == 0 {
					where = s.DocID + "/" + s.SegmentID
				}
				got = append(got, fmt.Sprintf("%d %s %s %q", s.Line, s.Reference.Name, where, s.Reference.Text))
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}
