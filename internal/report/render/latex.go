package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"annotate/internal/report"
)

// LaTeX writes a table as a floating environment that needs only the package booktabs.
// Texts in scripts other than Latin need XeLaTeX or LuaLaTeX and a suitable font. The
// label is "tab:" followed by the table's id.
func LaTeX(w io.Writer, t report.Table) error {
	b := bufio.NewWriter(w)
	b.WriteString("% needs \\usepackage{booktabs}\n\\begin{table}[t]\n\\centering\n\\small\n")
	caption := strings.TrimSuffix(t.Title, ".") + "."
	if t.Caption != "" {
		caption += " " + t.Caption
	}
	fmt.Fprintf(b, "\\caption{%s}\n\\label{tab:%s}\n\\begin{tabular}{@{}", escapeLaTeX(caption), t.ID)
	for _, c := range t.Columns {
		if c.Kind.Numeric() {
			b.WriteString("r")
		} else {
			b.WriteString("l")
		}
	}
	b.WriteString("@{}}\n\\toprule\n")
	for _, row := range Headings(t.Columns) {
		writeHeadings(b, row)
	}
	for i, c := range t.Columns {
		name := escapeLaTeX(Name(c))
		if c.Kind.Numeric() {
			name = `\multicolumn{1}{r}{` + name + "}"
		}
		writeCell(b, i, name)
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for n, row := range t.Rows {
		for i, cell := range row.Cells {
			writeCell(b, i, latexCell(t.Columns[i], cell))
		}
		b.WriteString(" \\\\\n")
		if row.RuleAfter && n < len(t.Rows)-1 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if n := notes(t, legend(t, "bold: best", "underlined: second", "italic: third")); n != "" {
		fmt.Fprintf(b, "\\par\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize %s\\end{minipage}\n", escapeLaTeX(n))
	}
	b.WriteString("\\end{table}\n")
	return b.Flush()
}

// writeHeadings writes a row of headings, with a rule below each heading that has a text.
func writeHeadings(b *bufio.Writer, row []Heading) {
	var rules strings.Builder
	column := 1
	for i, h := range row {
		text := ""
		if h.Text != "" {
			text = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, h.Columns, escapeLaTeX(h.Text))
			fmt.Fprintf(&rules, `\cmidrule(lr){%d-%d}`, column, column+h.Columns-1)
		} else if h.Columns > 1 {
			text = fmt.Sprintf(`\multicolumn{%d}{c}{}`, h.Columns)
		}
		writeCell(b, i, text)
		column += h.Columns
	}
	b.WriteString(" \\\\\n")
	if rules.Len() > 0 {
		b.WriteString(rules.String() + "\n")
	}
}

func writeCell(b *bufio.Writer, i int, text string) {
	if i > 0 {
		b.WriteString(" & ")
	}
	b.WriteString(text)
}

func latexCell(column report.Column, cell report.Cell) string {
	s := escapeLaTeX(Cell(column, cell))
	switch {
	case s == "":
	case cell.Mark == report.Best:
		s = `\textbf{` + s + "}"
	case cell.Mark == report.Second:
		s = `\underline{` + s + "}"
	case cell.Mark == report.Third:
		s = `\textit{` + s + "}"
	}
	return s
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, "''{}", "[", "{[}", "]", "{]}", "*", "{*}", "--", "-{}-{}", "`", "`{}", "'", "'{}",
	"−", "$-$", "–", "--", "—", "---", "…", `\ldots{}`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, "→", `$\rightarrow$`, "×", `$\times$`, "·", `$\cdot$`, "≥", `$\geq$`, "≤", `$\leq$`, "±", `$\pm$`,
	"α", `$\alpha$`, "κ", `$\kappa$`, "ρ", `$\rho$`, "τ", `$\tau$`, "θ", `$\theta$`, "ε", `$\varepsilon$`, "Δ", `$\Delta$`, "Σ", `$\Sigma$`, "√", `$\surd$`,
	"²", `\textsuperscript{2}`, "\u00a0", "~", "\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// escapeLaTeX escapes a text. It writes the symbols of reports as commands that pdfLaTeX
// knows too.
func escapeLaTeX(s string) string { return latexEscapes.Replace(s) }
