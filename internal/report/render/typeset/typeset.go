// Package typeset lets tests check that LaTeX accepts generated tables.
package typeset

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"annotate/internal/testenv"
)

// Tables runs pdfLaTeX on LaTeX tables that need only booktabs. If pdfLaTeX fails, the test
// fails with the end of its log.
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
