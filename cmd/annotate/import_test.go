package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"annotate/internal/command"
)

// Standard input is read to its end before the import begins, and no file remains.
func TestImportSpoolsStdin(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in := strings.NewReader("one\ntwo\n")
	a := &app{&command.App{Stdin: in, Stderr: io.Discard}}
	files, closeAll, err := a.openInputs(a.NewProgress(), []string{"-"})
	if err != nil {
		t.Fatal(err)
	}
	if in.Len() > 0 {
		t.Errorf("%d bytes wait to be read", in.Len())
	}
	if got, err := io.ReadAll(files[0].Reader); string(got) != "one\ntwo\n" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	closeAll()
	closeAll()
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
