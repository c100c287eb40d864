package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// longLines is the number of lines from which a table does not fit a page.
const longLines = 40

// LaTeX writes a table that fits the text width of the class article and needs the packages array, booktabs
// and longtable. A table longer than a page is a longtable that repeats its head on each page; any other is a
// float. A wide table is set in a smaller font, and divided into parts if it is still too wide. The label is "tab:"
// followed by the table's id, and in further parts the number of the part. Letters other than Latin ones need
// XeLaTeX or LuaLaTeX and a font that has them, which a comment at the beginning says.
func LaTeX(w io.Writer, t Table) error {
	var body strings.Builder
	b := bufio.NewWriter(&body)
	set, parts := fit(t)
	for i, columns := range parts {
		part := pick(t, columns)
		if i > 0 {
			part.ID += "-" + strconv.Itoa(i+1)
		}
		part.Title = strings.TrimSuffix(t.Title, ".")
		if len(parts) > 1 {
			part.Title += fmt.Sprintf(", part %d of %d", i+1, len(parts))
		}
		writeTable(b, part, set)
	}
	if err := b.Flush(); err != nil {
		return err
	}
	head := "% needs \\usepackage{array,booktabs,longtable}\n"
	if strings.ContainsFunc(body.String(), func(r rune) bool { return r > lastLatin && unicode.IsLetter(r) }) {
		head += "% has letters that pdfLaTeX lacks: needs XeLaTeX or LuaLaTeX, \\usepackage{fontspec} and \\setmainfont{…} with a font that has them, such as\n" +
			"% Noto Serif CJK SC for Chinese. With another font, TeX leaves them out and only its log tells.\n"
	}
	_, err := io.WriteString(w, head+body.String())
	return err
}

// lastLatin is the end of the Latin letters that pdfLaTeX can have.
const lastLatin = '\u024f'

func writeTable(b *bufio.Writer, t Table, set setting) {
	widths := columnWidths(t)
	long := lines(t, widths) > longLines
	caption := t.Title + "."
	if own := t.aloneCaption(); own != "" {
		caption += " " + own
	}
	caption = fmt.Sprintf("\\caption{%s}\n\\label{tab:%s}", escapeLaTeX(caption), t.ID)
	environment := "tabular"
	if long {
		environment = "longtable"
		fmt.Fprintf(b, "\\begingroup\n%s\\setlength{\\LTcapwidth}{\\linewidth}\n", set.commands)
	} else {
		fmt.Fprintf(b, "\\begin{table}[t]\n\\centering\n%s%s\n", set.commands, caption)
	}
	fmt.Fprintf(b, "\\begin{%s}{@{}", environment)
	for i, c := range t.Columns {
		switch {
		case c.Kind.Numeric():
			b.WriteString("r")
		case widths[i] < widest:
			b.WriteString("l")
		default:
			b.WriteString(wrapped(`\raggedright`))
		}
	}
	b.WriteString("@{}}\n")
	if long {
		b.WriteString(caption + "\\\\\n")
		writeHead(b, t)
		b.WriteString("\\endfirsthead\n")
		writeHead(b, t)
		b.WriteString("\\endhead\n\\bottomrule\n\\endfoot\n")
	} else {
		writeHead(b, t)
	}
	for n, row := range t.Rows {
		for i, cell := range row.Cells {
			writeCell(b, i, latexCell(t.Columns[i], cell))
		}
		b.WriteString(" \\\\\n")
		if row.RuleAfter && n < len(t.Rows)-1 {
			b.WriteString("\\midrule\n")
		}
	}
	if !long {
		b.WriteString("\\bottomrule\n")
	}
	fmt.Fprintf(b, "\\end{%s}\n", environment)
	if n := notes(t, legend(t, "bold: best", "underlined: second", "italic: third")); n != "" {
		start := "\\par\\smallskip\n"
		if long {
			start = "\\noindent"
		}
		fmt.Fprintf(b, start+"\\begin{minipage}{\\linewidth}\\footnotesize %s\\end{minipage}\n", escapeLaTeX(n))
	}
	if long {
		b.WriteString("\\par\\endgroup\n")
	} else {
		b.WriteString("\\end{table}\n")
	}
}

// writeHead writes the lines above the rows of a table.
func writeHead(b *bufio.Writer, t Table) {
	b.WriteString("\\toprule\n")
	for _, row := range Headings(t.Columns) {
		writeHeadings(b, row)
	}
	for i, c := range t.Columns {
		name := breakable(ColumnName(c))
		switch {
		case c.Kind.Numeric() && textWidth(ColumnName(c)) >= widest:
			name = `\multicolumn{1}{` + wrapped(`\raggedleft`) + "}{" + name + "}"
		case c.Kind.Numeric():
			name = `\multicolumn{1}{r}{` + name + "}"
		}
		writeCell(b, i, name)
	}
	b.WriteString(" \\\\\n\\midrule\n")
}

// writeHeadings writes a row of headings, with a rule below each heading that has a text.
func writeHeadings(b *bufio.Writer, row []Heading) {
	var rules strings.Builder
	column := 1
	for i, h := range row {
		text := ""
		if h.Text != "" {
			align := "c"
			if textWidth(h.Text) >= widest {
				align = wrapped(`\centering`)
			}
			text = fmt.Sprintf(`\multicolumn{%d}{%s}{%s}`, h.Columns, align, breakable(h.Text))
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

func latexCell(column Column, cell Cell) string {
	s := breakable(FormatCell(column, cell))
	switch {
	case s == "":
	case cell.Mark == Best:
		s = `\textbf{` + s + "}"
	case cell.Mark == Second:
		s = `\underline{` + s + "}"
	case cell.Mark == Third:
		s = `\textit{` + s + "}"
	}
	return s
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "~", `\textasciitilde{}`, "^",
	`\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, "''{}", "[", "{[}", "]", "{]}", "*", "{*}", "--",
	"-{}-{}", "`", "`{}", "'", "'{}", "−", "$-$", "–", "--", "—", "---", "…", `\ldots{}`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, "→",
	`$\rightarrow$`, "×", `$\times$`, "·", `$\cdot$`, "≥", `$\geq$`, "≤", `$\leq$`, "±", `$\pm$`, "α", `$\alpha$`, "κ", `$\kappa$`, "ρ", `$\rho$`,
	"τ", `$\tau$`, "θ", `$\theta$`, "ε", `$\varepsilon$`, "Δ", `$\Delta$`, "Σ", `$\Sigma$`, "√", `$\surd$`, "²", `\textsuperscript{2}`, "\u00a0", "~",
	"\r\n", " ", "\n", " ", "\r", " ", "\t", " ",
)

// escapeLaTeX escapes a text. It writes the symbols of reports as commands that pdfLaTeX
// knows too.
func escapeLaTeX(s string) string { return latexEscapes.Replace(s) }
