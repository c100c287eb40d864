package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"annotate/internal/command"
	"annotate/internal/store/storetest"
)

// TestMain puts the program into PATH. It is this one under another name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "annotate" {
		main()
	}
	dir, err := os.MkdirTemp("", "annotate-path")
	if err == nil {
		var self string
		if self, err = os.Executable(); err == nil {
			err = os.Symlink(self, filepath.Join(dir, "annotate"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// TestScript runs the scripts of testdata/script. In them, annotate runs a command line in this process, and must
// succeed; "exits N annotate …" expects another status, and "input FILE" sets the standard input of the next
// command line. "exec annotate …" starts the program, which takes many times longer.
// A script begins with an empty database, and removes it to see what a program does without one.
// Run with UPDATE=1 to write outputs that are compared into the scripts.
func TestScript(t *testing.T) {
	folder := func(name string) string {
		path, err := filepath.Abs(name) // command lines change the working directory
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, err := os.ReadFile(storetest.File(t))
	if err != nil {
		t.Fatal(err)
	}
	sample, workbooks := folder("../../internal/sample/data"), folder("../../internal/ingest/testdata")
	testscript.Run(t, testscript.Params{
		Dir:           folder("testdata/script"),
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLE", sample)
			env.Setenv("WORKBOOKS", workbooks)
			env.Values[inputKey{}] = new(string)
			return os.WriteFile(filepath.Join(env.WorkDir, "annotate.db"), empty, 0o600)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"annotate": func(ts *testscript.TestScript, neg bool, args []string) {
				if status := inProcess(t.Context(), ts, args); neg == (status == 0) {
					ts.Fatalf("exit status %d", status)
				}
			},
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 || args[1] != "annotate" {
					ts.Fatalf("usage: exits STATUS annotate [args...]")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				if status := inProcess(t.Context(), ts, args[2:]); status != want {
					ts.Fatalf("exit status %d, want %d", status, want)
				}
			},
			"input": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: input FILE")
				}
				*ts.Value(inputKey{}).(*string) = ts.ReadFile(args[0])
			},
		},
	})
}

// inputKey is the key of the standard input of the next command line among the values of a script.
type inputKey struct{}

// oneAtATime lets one command line run, in the working directory of its script.
var oneAtATime sync.Mutex

// inProcess runs a command line with the options of the script's environment, and returns the exit status.
func inProcess(ctx context.Context, ts *testscript.TestScript, args []string) int {
	input := ts.Value(inputKey{}).(*string)
	defer func() { *input = "" }()
	var env []string
	for _, o := range command.Options {
		if value := ts.Getenv(o.Env()); value != "" {
			env = append(env, o.Env()+"="+value)
		}
	}
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	status := program(ctx, args, env, strings.NewReader(*input), ts.Stdout(), ts.Stderr())
	ts.Check(os.Chdir(before))
	return status
}
