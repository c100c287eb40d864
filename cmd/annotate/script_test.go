package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"annotate": main})
}

// TestScript runs the scripts of testdata/script. In them, annotate is the
// program, which must succeed; "exits N annotate …" expects another status.
// Run with UPDATE=1 to write outputs that are compared into the scripts.
func TestScript(t *testing.T) {
	sample, err := filepath.Abs("../../internal/sample/data")
	if err != nil {
		t.Fatal(err)
	}
	workbooks, err := filepath.Abs("../../internal/ingest/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLE", sample)
			env.Setenv("WORKBOOKS", workbooks)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else a race build sleeps a second at each exit
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v: exit status %d, want %d\n%s", args[1:], got, want, ts.ReadFile("stderr"))
	}
}
