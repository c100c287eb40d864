package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHostileFiles: the program refuses a file of at most 1 MB, of each kind that it reads, that would fill
// the memory or keep a processor busy, and says why. A process of its own reads it, and takes at most 300 MB
// and 10 s of processor time. Package sheet has the workbooks.
func TestHostileFiles(t *testing.T) {
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	bomb := func() string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		block := make([]byte, 1<<20)
		for range 900 {
			if _, err := z.Write(block); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}()
	const segments = `{"segment_id":"s1","source":"a","translations":{"A":"x"}}` + "\n"
	nested, keys := strings.Repeat("[", 1<<20-1), "{"+strings.TrimSuffix(lines(50_000, func(i int) string { return fmt.Sprintf(`"key%d":0,`, i) }), ",\n")
	keys = strings.ReplaceAll(keys, "\n", "") + "}"
	rating := func(i int) string {
		return fmt.Sprintf(`{"segment_id":"s1","system":"A","annotator":"a%d","scores":{"score":5}}`, i)
	}
	score := func(kind string) func(int) string {
		return func(i int) string { return fmt.Sprintf(`{"segment_id":"s1","system":"A",%q:"m%d","score":1}`, kind, i) }
	}
	run := func(t *testing.T, dir string, args ...string) (string, *exec.Cmd, error) {
		c := exec.CommandContext(t.Context(), "annotate", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOGC=100")
		out, err := c.CombinedOutput()
		return string(out), c, err
	}
	// campaigns are folders with a database that has a segment.
	campaigns := map[string]string{"esa": t.TempDir(), "mqm": t.TempDir()}
	for protocol, dir := range campaigns {
		if err := os.WriteFile(filepath.Join(dir, "base.jsonl"), []byte(segments), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"campaign", "create", "c", "--protocol", protocol, "--source-lang", "en", "--target-lang", "de"}, {"import", "c", "--format", "jsonl", "base.jsonl"}} {
			if out, _, err := run(t, dir, args...); err != nil {
				t.Fatal(out)
			}
		}
	}
	for _, tt := range []struct{ format, name, text, want string }{
		{"jsonl", "nested", nested, "more than 200 levels of nesting"},
		{"jsonl", "many keys", keys, "segment_id: missing"},
		{"jsonl", "many systems", `{"segment_id":"s","source":"a","translations":` + keys + "}", "more than 1000 names"},
		{"jsonl", "gz", bomb, "the file is no text"},
		{"jsonl", "zip", "PK\x03\x04" + bomb, "the file is a zip archive"},
		{"jsonl", "empty objects", strings.Repeat("{}\n", 300_000), "segment_id: missing"},
		{"ment", "nested", nested, "more than 200 levels of nesting"},
		{"ment", "gz", bomb, "the file is no text"},
		{"ratings", "nested", nested, "more than 200 levels of nesting"},
		{"ratings", "many annotators", lines(12_000, rating), "more than 500 annotators"},
		{"ratings", "annotators of a segment", lines(400, rating), "ratings of round 1 by 400 annotators, and 50 at most"},
		{"scores", "nested", nested, "more than 200 levels of nesting"},
		{"scores", "empty objects", strings.Repeat("{}\n", 300_000), "metric: missing"},
		{"references", "nested", nested, "more than 200 levels of nesting"},
		{"suggestions", "nested", nested, "more than 200 levels of nesting"},
		{"judgements", "nested", nested, "more than 200 levels of nesting"},
		{"judgements", "many judges", lines(12_000, score("judge")), "more than 100 judges"},
		{"mqm-tsv", "columns", "x" + strings.Repeat("\tx", 1<<19-1), "the row has 524288 columns"},
		{"mqm-tsv", "gz", bomb, "the file is no text"},
		{"table", "columns", "source" + strings.Repeat(",a", 500_000), "a second column"},
		{"table", "open quotation mark", "source,A\n\"" + strings.Repeat("x\n", 500_000), "quot"},
		{"table", "gz", bomb, "200 times"},
		{"table", "zip", "PK\x03\x04" + bomb, "the file is damaged or cut short"},
		{"protocol", "nested", nested[:200<<10], "exceeded max depth"},
		{"protocol", "long", keys, "256"},
		{"protocol", "gz", bomb[:200<<10], "UTF-8"},
	} {
		t.Run(tt.format+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := map[string]string{"table": "f.csv", "mqm-tsv": "f.tsv", "protocol": "f.json"}[tt.format]
			if name == "" {
				name = "f.jsonl"
			}
			if len(tt.text) > 1<<20 {
				t.Fatalf("the file has %d bytes", len(tt.text))
			}
			if err := os.CopyFS(dir, os.DirFS(campaigns[map[bool]string{true: "mqm", false: "esa"}[tt.format == "mqm-tsv"]])); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"import", "c", "--format", tt.format, name}
			if tt.format == "protocol" {
				args = []string{"campaign", "create", "p", "--protocol", name}
			}
			out, c, err := run(t, dir, args...)
			used, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok {
				t.Fatal("the memory of a process is not known here")
			}
			took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
			said, _, _ := strings.Cut(out, "\n")
			t.Logf("%d bytes, peak %d MB, %v of processor time: %.200s", len(tt.text), used.Maxrss>>10, took.Round(10*time.Millisecond), said)
			if err == nil || c.ProcessState.ExitCode() != 2 || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d, %.500s\nwant %s", c.ProcessState.ExitCode(), out, tt.want)
			}
			if used.Maxrss>>10 > 300 || took > 10*time.Second {
				t.Errorf("it took %d MB and %v of processor time", used.Maxrss>>10, took)
			}
		})
	}
}
