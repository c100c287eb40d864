package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"annotate/internal/testenv"
)

// sample has every kind of column, mark and awkward text.
func sample() Table {
	return Table{
		ID: "metrics", Title: "Metrics", Caption: "50% of A_B & C #1 {x} ~ ^ \\ $5.", Note: "Undefined is –.",
		Columns: []Column{
			{Name: "metric", Kind: Text},
			{Name: "acc", Group: []string{"system"}, Kind: Hundredths, Decimals: 1, Better: Higher},
			{Name: "ρ", Group: []string{"system"}, Kind: Number, Decimals: 3, Better: Higher},
			{Name: "errors", Group: []string{"segment"}, Kind: Number, Decimals: 2, Better: Lower},
			{Name: "n", Kind: Count},
			{Name: "share", Kind: Share, Decimals: 1},
		},
		Rows: []Row{
			{Cells: []Cell{{Text: "[a]*--b|c"}, {Value: 0.8125, Mark: Best}, {Value: -0.25, Significant: true}, {Value: 1, Mark: Second}, {Value: 1234567}, {Value: 0.5}}, RuleAfter: true},
			{Cells: []Cell{{Text: "مقياس 指标"}, {Value: math.NaN()}, {Value: -0.00001, Mark: Third}, {Blank: true}, {Value: 0}, {Value: 1}}},
		},
	}
}

func TestMarkdown(t *testing.T) {
	const want = `**Metrics.** 50% of A\_B &amp; C \#1 {x} \~ ^ \\ $5.

| metric | system acc ↑ | system ρ ↑ | segment errors ↓ | n | share |
| --- | ---: | ---: | ---: | ---: | ---: |
| \[a\]\*--b\|c | **81.2** | −0.250\* | ***1.00*** | 1234567 | 50.0% |
| مقياس 指标 | – | *0.000* |  | 0 | 100.0% |

Undefined is –. Bold: best, bold italic: second, italic: third, \*: differs significantly from zero.
`
	check(t, Markdown, want)
}

func TestCSV(t *testing.T) {
	const want = `metric,system acc,system ρ,segment errors,n,share
[a]*--b|c,0.8125,-0.25,1,1234567,0.5
مقياس 指标,,-0.00001,,0,1
`
	check(t, CSV, want)
}

// An empty group leaves no space in a heading.
func TestCSVHeadings(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{Name: "Meta", Group: []string{"zh-en", ""}, Kind: Number}, {Name: "Acc.", Group: []string{"zh-en", "System level"}, Kind: Number}, {Name: "Low", Group: []string{"", "Meta"}, Kind: Number}}}
	if err := CSV(&b, table); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "zh-en Meta,zh-en System level Acc.,Meta Low\n"; got != want {
		t.Errorf("the headings are %q, want %q", got, want)
	}
	b.Reset()
	if err := Markdown(&b, table); err != nil || !strings.Contains(b.String(), "| zh-en Meta | zh-en System level Acc. | Meta Low |") {
		t.Errorf("the headings are those of %s, %v", b.String(), err)
	}
}

// TestCSVFormula: a name that looks like a formula is escaped.
func TestCSVFormula(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{Name: "=1+1", Kind: Text}}, Rows: []Row{{Cells: []Cell{{Text: "@SUM(A1)"}}}, {Cells: []Cell{{Text: ""}}}}}
	if err := CSV(&b, table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || rows[0][0] != "'=1+1" || rows[1][0] != "'@SUM(A1)" {
		t.Errorf("%q, %v", rows, err)
	}
}

func TestLaTeX(t *testing.T) {
	const want = `% needs \usepackage{array,booktabs,longtable}
% has letters that pdfLaTeX lacks: needs XeLaTeX or LuaLaTeX, \usepackage{fontspec} and \setmainfont{…} with a font that has them, such as
% Noto Serif CJK SC for Chinese. With another font, TeX leaves them out and only its log tells.
\begin{table}[t]
\centering
\small
\caption{Metrics. 50\% of A\_B \& C \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$5.}
\label{tab:metrics}
\begin{tabular}{@{}lrrrrr@{}}
\toprule
 & \multicolumn{2}{c}{system} & \multicolumn{1}{c}{segment} & \multicolumn{2}{c}{} \\
\cmidrule(lr){2-3}\cmidrule(lr){4-4}
metric & \multicolumn{1}{r}{acc $\uparrow$} & \multicolumn{1}{r}{$\rho$ $\uparrow$} & \multicolumn{1}{r}{errors $\downarrow$} & \multicolumn{1}{r}{n} & \multicolumn{1}{r}{share} \\
\midrule
{[}a{]}{*}-{}-{}b\textbar{}c & \textbf{81.2} & $-$0.250{*} & \underline{1.00} & 1234567 & 50.0\% \\
\midrule
مقياس 指标 & -- & \textit{0.000} &  & 0 & 100.0\% \\
\bottomrule
\end{tabular}
\par\smallskip
\begin{minipage}{\linewidth}\footnotesize Undefined is --. Bold: best, underlined: second, italic: third, {*}: differs significantly from zero.\end{minipage}
\end{table}
`
	check(t, LaTeX, want)
}

// TestLaTeXCompiles runs pdfLaTeX on a table with every symbol that is escaped.
func TestLaTeXCompiles(t *testing.T) {
	table := sample()
	// Other scripts are not for pdfLaTeX.
	table.Rows[1].Cells[0].Text = strings.Join([]string{"\\", "{", "}", "$", "&", "#", "%", "_", "~", "^", "<", ">", "|", `"`, "[", "]", "*", "---", "`", "'", "−", "–", "—", "…", "↑", "↓", "→", "×", "·", "≥", "≤", "±", "α", "κ", "ρ", "τ", "θ", "ε", "Δ", "Σ", "²", "\u00a0", "\n", "√"}, " ")
	var b strings.Builder
	if err := LaTeX(&b, table); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "pdfLaTeX") {
		t.Error("a table without letters of other scripts is said to have some")
	}
	testenv.Typeset(t, b.String())
}

// TestLaTeXFits: a wide table is set smaller or divided, a text wraps, and a long table continues on the next
// page with its head.
func TestLaTeXFits(t *testing.T) {
	const sentence = "Whoever reads this table learns what the campaign asked of its annotators, and in which order. "
	for _, c := range []struct {
		name                                  string
		table                                 Table
		tables, longtables, heads, scriptsize int
	}{
		{"a table that fits", matrix(9, 5, "BLEU", "acc"), 1, 0, 1, 0},
		{"76 metrics", matrix(76, 8, "XCOMET-Ensemble-refA", "acc"), 0, 1, 2, 1},
		{"12 columns", matrix(9, 8, "annotator", "severity"), 1, 0, 1, 1},
		{"divided", matrix(9, 24, "annotator", "critical errors"), 6, 0, 6, 6},
		{"76 pairs of 76 metrics", matrix(76, 76, "metric", "a-metric"), 0, 11, 22, 11},
		{"sentences", matrix(9, 2, sentence+sentence, "n"), 0, 1, 2, 0},
		{"a word without an end", matrix(3, 2, strings.Repeat("Translation_", 9), strings.Repeat("synthetic", 9)), 1, 0, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			if err := LaTeX(&b, c.table); err != nil {
				t.Fatal(err)
			}
			for text, want := range map[string]int{`\begin{table}`: c.tables, `\begin{longtable}`: c.longtables, `\toprule`: c.heads, `\scriptsize`: c.scriptsize, `\caption{`: c.tables + c.longtables} {
				if got := strings.Count(b.String(), text); got != want {
					t.Errorf("%d times %s, want %d", got, text, want)
				}
			}
			testenv.Typeset(t, b.String())
		})
	}
}

// matrix returns a table of numbers with names for its rows and columns.
func matrix(rows, columns int, row, column string) Table {
	t := Table{ID: "matrix", Title: "Matrix", Caption: "A table of numbers.", Note: "All numbers are alike.", Columns: []Column{{Name: "name", Kind: Text}}}
	for i := range columns {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("%s%d", column, i+1), Kind: Number, Decimals: 3})
	}
	for i := range rows {
		cells := []Cell{{Text: fmt.Sprintf("%s%d", row, i+1)}}
		for range columns {
			cells = append(cells, Cell{Value: -0.512})
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}

func check(t *testing.T, write func(io.Writer, Table) error, want string) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, sample()); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// A p that rounds to 0 says below what it is.
func TestPValue(t *testing.T) {
	column := Column{Kind: PValue, Decimals: 3}
	for p, want := range map[float64]string{0: "<0.001", 0.0009: "<0.001", 0.001: "0.001", 0.0314: "0.031", 1: "1.000"} {
		if got := FormatCell(column, Cell{Value: p}); got != want {
			t.Errorf("%v is written %s, want %s", p, got, want)
		}
	}
	if got := FormatCell(column, Cell{Value: 0.0001, Significant: true}); got != "<0.001*" {
		t.Errorf("a significant p is written %s", got)
	}
}

// The legend says of a marked p that it is significant, and of another marked value that it is not zero.
func TestLegendOfSignificance(t *testing.T) {
	for kind, want := range map[Kind]string{PValue: "*: Significant.", Number: "*: differs significantly from zero."} {
		table := Table{Columns: []Column{{Kind: kind, Decimals: 3}}, Rows: []Row{{Cells: []Cell{{Value: 0.01, Significant: true}}}}}
		if got := Notes(table); !strings.EqualFold(got, want) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
