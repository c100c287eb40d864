package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Typeset runs pdfLaTeX on LaTeX tables. The test fails if pdfLaTeX fails, or if a table is wider than the text
// or higher than the page.
func Typeset(t *testing.T, tables string) {
	t.Helper()
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		Lacks(t, "no pdflatex; make setup installs it")
	}
	dir := t.TempDir()
	text := "\\documentclass{article}\n\\usepackage{array,booktabs,longtable}\n\\begin{document}\n" + tables + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "tables.tex"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-interaction=nonstopmode", "-halt-on-error", "tables.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "Overfull") || strings.Contains(line, "Float too large") {
			t.Errorf("%s", line)
		}
	}
}
