package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A verdict is what came of a fault.
type verdict string

const (
	applies   verdict = "applies"
	noticed   verdict = "noticed"
	unnoticed verdict = "NOT noticed"
	outdated  verdict = "outdated"
	broken    verdict = "broken"
	untried   verdict = "not tried"
)

// A tree is the work tree that faults are put into.
type tree struct {
	top     string
	tmp     string             // what the faults write
	files   []string           // all files of the tree that are no tests
	names   map[tests][]string // patterns of all faults that are tried, by together
	healthy map[tests]error    // why these tests fail without a fault, by together
}

// openTree lists the files of the work tree in the current folder.
func openTree(ctx context.Context) (*tree, error) {
	top, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	list, err := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the repository: %w", err)
	}
	t := &tree{top: top, names: map[tests][]string{}, healthy: map[tests]error{}}
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSuffix(name, "\n")
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "scripts/") {
			t.files = append(t.files, name)
		}
	}
	t.tmp, err = os.MkdirTemp("", "faults")
	return t, err
}

func (t *tree) close() { os.RemoveAll(t.tmp) }

// expect notes that the tests of a fault will run.
func (t *tree) expect(f fault) {
	for _, test := range f.tests {
		t.names[together(test)] = append(t.names[together(test)], test.pattern)
	}
}

// together is the same for tests that one go test can run. A pattern with a slash, which names a subtest, stands alone.
func together(test tests) tests {
	if strings.Contains(test.pattern, "/") {
		return test
	}
	return tests{pkg: test.pkg}
}

// find finds the file that a fault is put into: the one that it names or, if code has moved, the only other
// one of its kind with the old text.
func (t *tree) find(f fault) (verdict, string) {
	text, err := os.ReadFile(filepath.Join(t.top, f.file))
	if err == nil {
		switch strings.Count(string(text), f.old) {
		case 1:
			return applies, f.file
		case 0:
		default:
			return outdated, "the old text stands more than once in " + f.file
		}
	}
	found := ""
	for _, name := range t.files {
		if filepath.Ext(name) != filepath.Ext(f.file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(t.top, name))
		if err != nil {
			continue // git lists a file that has been removed
		}
		switch n := strings.Count(string(text), f.old); {
		case n > 1 || n == 1 && found != "":
			return outdated, "the old text is not in " + f.file + ", and more than once elsewhere"
		case n == 1:
			found = name
		}
	}
	if found == "" {
		return outdated, "the old text is not in " + f.file + ", nor elsewhere"
	}
	return applies, found
}

// try puts a fault into the code and runs its tests until one fails.
func (t *tree) try(ctx context.Context, f fault) (verdict, string) {
	for _, name := range f.needs {
		if os.Getenv(name) == "" {
			return untried, "the environment has no " + name
		}
	}
	v, file := t.find(f)
	if v != applies {
		return v, file
	}
	text, err := os.ReadFile(filepath.Join(t.top, file))
	if err != nil {
		return outdated, err.Error()
	}
	text = bytes.Replace(text, []byte(f.old), []byte(f.new), 1)
	for _, test := range f.tests {
		if err := t.passWithout(ctx, test); err != nil {
			return broken, err.Error()
		}
		var v verdict
		var why string
		if strings.HasSuffix(test.pkg, ".js") {
			v, why = t.node(ctx, test.pkg, file, text)
		} else {
			v, why = t.goTest(ctx, test, file, text)
		}
		if v != unnoticed {
			return v, why
		}
	}
	return unnoticed, file
}

// passWithout says how the tests of a package that faults name fail without any fault. Go keeps results, so this costs
// little when nothing has changed since the last time.
func (t *tree) passWithout(ctx context.Context, test tests) error {
	if strings.HasSuffix(test.pkg, ".js") {
		return nil // node runs them without the fault first
	}
	key := together(test)
	err, done := t.healthy[key]
	if !done {
		pattern := strings.Join(t.names[key], "|")
		if slices.Contains(t.names[key], "") {
			pattern = ""
		}
		out, failed := t.command(ctx, "go", "test", "-vet=off", "-ldflags=-w", "-failfast", "-timeout=9m", "-run="+pattern, test.pkg)
		if failed {
			err = fmt.Errorf("the tests of %s fail without the fault: %s", test.pkg, firstFailure(out))
		}
		t.healthy[key] = err
	}
	return err
}

// goTest runs Go tests with the text in place of a file.
func (t *tree) goTest(ctx context.Context, test tests, file string, text []byte) (verdict, string) {
	changed := filepath.Join(t.tmp, "changed"+filepath.Ext(file))
	overlay := filepath.Join(t.tmp, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(t.top, file): changed}})
	if err != nil {
		return broken, err.Error()
	}
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return broken, err.Error()
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return broken, err.Error()
	}
	out, failed := t.command(ctx, "go", "test", "-overlay="+overlay, "-vet=off", "-ldflags=-w", "-count=1", "-failfast",
		"-timeout=5m", "-run="+test.pattern, test.pkg)
	switch {
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return broken, "it does not compile:\n" + out
	case failed:
		return noticed, firstFailure(out)
	case strings.Contains(out, "[no tests to run]") || strings.Contains(out, "[no test files]"):
		return broken, "no test of " + test.pkg + " is called " + test.pattern
	}
	return unnoticed, ""
}

// node runs a file of JavaScript tests in a copy of the folder web, first as it is and then with the text in place
// of a file. Other folders, in which tests have data, are linked.
func (t *tree) node(ctx context.Context, test, file string, text []byte) (verdict, string) {
	dir := filepath.Join(t.tmp, "copy")
	defer os.RemoveAll(dir)
	if err := t.copyWeb(dir); err != nil {
		return broken, err.Error()
	}
	if _, err := os.Stat(filepath.Join(dir, test)); err != nil {
		return broken, err.Error()
	}
	run := []string{"--test", "--test-timeout=60000", "--test-reporter=tap", filepath.Join(dir, test)}
	if out, failed := t.command(ctx, "node", run...); failed {
		return broken, test + " fails without the fault: " + firstFailure(out)
	}
	if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
		return broken, err.Error()
	}
	if filepath.Ext(file) == ".js" {
		if out, failed := t.command(ctx, "node", "--check", filepath.Join(dir, file)); failed {
			return broken, "it is no JavaScript:\n" + out
		}
	}
	if out, failed := t.command(ctx, "node", run...); failed {
		return noticed, firstFailure(out)
	}
	return unnoticed, ""
}

func (t *tree) copyWeb(dir string) error {
	entries, err := os.ReadDir(t.top)
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "web"), os.DirFS(filepath.Join(t.top, "web"))); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "web" {
			continue
		}
		if err := os.Symlink(filepath.Join(t.top, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long tests may take on a loaded machine. A fault may keep them from ending.
const patience = 10 * time.Minute

// command runs a program and returns what it prints, and whether it fails.
func (t *tree) command(ctx context.Context, name string, args ...string) (out string, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.top
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	return string(text), err != nil
}

var failure = regexp.MustCompile(`(?m)^(?: *--- FAIL: .*|panic: .*|fatal error: .*| *not ok \d+ - .*)$`)

// firstFailure is the line of the output that names the test that failed.
func firstFailure(out string) string {
	if found := failure.FindString(out); found != "" {
		return strings.TrimSpace(found)
	}
	return strings.TrimSpace(out)
}
