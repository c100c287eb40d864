// Package typeset lets tests see that what is written as LaTeX can be set.
package typeset

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"annotate/internal/testenv"
)

// Tables has pdfLaTeX set LaTeX tables that need no more than booktabs. The test
// fails with the end of LaTeX's log where it can't.
func Tables(t *testing.T, tables string) {
	t.Helper()
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		testenv.Lacks(t, "no pdflatex; make setup installs it")
	}
	dir := t.TempDir()
	text := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + tables + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "tables.tex"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-interaction=nonstopmode", "-halt-on-error", "tables.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
}
