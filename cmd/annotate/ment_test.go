package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"annotate/internal/command"
	"annotate/internal/testenv"
)

// mentLines reads the lines of a direction, as they are.
func mentLines(t *testing.T, text []byte, source string) (lines []map[string]json.RawMessage) {
	t.Helper()
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if string(line["src_lang"]) == `"`+source+`"` {
			lines = append(lines, line)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestMENT imports one direction of the MENT data and exports it again: texts
// must come back byte for byte, the averages to the last digit.
func TestMENT(t *testing.T) {
	file := testenv.Data(t, "ment/MENT.jsonl")
	t.Chdir(t.TempDir())
	annotate := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), args, nil, nil, &out, io.Discard)
		return out.String(), err
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := annotate(args...)
		if err != nil {
			t.Fatalf("annotate %v: %v", args, err)
		}
		return out
	}
	must("campaign", "create", "ment")
	// Both directions are in the file.
	if _, err := annotate("import", "ment", "--format", "ment", file); command.ExitCode(err) != 2 {
		t.Fatalf("without a language pair: got %v", err)
	}
	out := must("import", "ment", "--format", "ment", "--language-pair", "zh-en", file)
	// The numbers are those of the data's own README: 238 segments of ten systems.
	for _, want := range []string{"segments      238", "translations  2380", "human scores  2380"} {
		if !strings.Contains(out, want) {
			t.Errorf("import says\n%swhich lacks %q", out, want)
		}
	}
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := mentLines(t, original, "zh")
	got := mentLines(t, []byte(must("export", "ment", "--format", "ment")), "zh")
	if len(want) != 238 || len(got) != len(want) {
		t.Fatalf("got %d lines, want %d, which should be 238", len(got), len(want))
	}
	for i, line := range want {
		for key, raw := range line {
			var a, b any
			if json.Unmarshal(raw, &a) != nil || json.Unmarshal(got[i][key], &b) != nil || a != b {
				t.Errorf("line %d: %s: got %s, want %s", i+1, key, got[i][key], raw)
			}
		}
		if len(got[i]) != len(line)+1 { // qid
			t.Errorf("line %d: got %d keys for %d", i+1, len(got[i]), len(line))
		}
	}
}
