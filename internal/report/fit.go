package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// All widths here are estimates in points for Computer Modern at 10 points.
const (
	lineWidth = 345.0            // the text width of the class article at 10 points
	widestEms = 14               // columns of longer texts wrap; three of them fit a line in the smallest size
	widest    = 10.0 * widestEms // widestEms as a width
	longWord  = 20               // longer words may break at every tenth letter
)

// wrapped is the type of a column whose texts wrap.
func wrapped(align string) string {
	return fmt.Sprintf(`>{%s\arraybackslash}p{%dem}`, align, widestEms)
}

// A setting is a way to set a table that saves width.
type setting struct {
	commands string
	scale    float64 // the width of a letter, relative to its width at 10 points
	gap      float64 // between two columns
}

// settings lists the settings to try for a table, the most readable first. The scales are the quads of cmr9,
// cmr8 and cmr7, whose letters are wider than those of cmr10 at the same size.
var settings = []setting{
	{"\\small\n", 0.925, 12},
	{"\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n", 0.85, 6},
	{"\\scriptsize\n\\setlength{\\tabcolsep}{2pt}\n", 0.797, 4},
}

// fit returns the setting of a table and the columns of each of its parts. Every part begins with the
// first columns of texts, at most two, which name the rows.
func fit(t Table) (setting, [][]int) {
	all := make([]int, len(t.Columns))
	for i := range all {
		all[i] = i
	}
	for _, s := range settings {
		if s.width(t) <= lineWidth {
			return s, [][]int{all}
		}
	}
	s := settings[len(settings)-1]
	named := 0
	for named < min(2, len(all)-1) && t.Columns[named].Kind == Text {
		named++
	}
	var parts [][]int
	part := slices.Clone(all[:named])
	for _, column := range all[named:] {
		wider := append(slices.Clone(part), column)
		if len(part) > named && s.width(pick(t, wider)) > lineWidth {
			parts = append(parts, part)
			wider = append(slices.Clone(all[:named]), column)
		}
		part = wider
	}
	return s, append(parts, part)
}

// width estimates the width of a table.
func (s setting) width(t Table) float64 {
	sum := 0.0
	for _, w := range columnWidths(t) {
		sum += w*s.scale + s.gap
	}
	return sum - s.gap
}

// pick returns a table with only some columns.
func pick(t Table, columns []int) Table {
	out := t
	out.Columns, out.Rows = make([]Column, len(columns)), make([]Row, len(t.Rows))
	for i, c := range columns {
		out.Columns[i] = t.Columns[c]
	}
	for n, row := range t.Rows {
		out.Rows[n] = row
		out.Rows[n].Cells = make([]Cell, len(columns))
		for i, c := range columns {
			out.Rows[n].Cells[i] = row.Cells[c]
		}
	}
	return out
}

// columnWidths estimates the width of each column.
func columnWidths(t Table) []float64 {
	widths := make([]float64, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = min(textWidth(ColumnName(c)), widest)
		for _, row := range t.Rows {
			w := textWidth(FormatCell(c, row.Cells[i]))
			if row.Cells[i].Mark == Best {
				w *= 1.15 // bold
			}
			if c.Kind == Text {
				w = min(w, widest)
			}
			widths[i] = max(widths[i], w)
		}
	}
	// A heading that is wider than its columns widens the last of them.
	for _, row := range Headings(t.Columns) {
		end := 0
		for _, h := range row {
			end += h.Columns
			sum := 0.0
			for _, w := range widths[end-h.Columns : end] {
				sum += w
			}
			widths[end-1] += max(0, min(textWidth(h.Text), widest)-sum)
		}
	}
	return widths
}

// lines estimates how many lines the rows of a table take.
func lines(t Table, widths []float64) int {
	sum := 0
	for _, row := range t.Rows {
		most := 1
		for i, c := range t.Columns {
			if c.Kind == Text && widths[i] >= widest {
				most = max(most, 1+int(1.2*textWidth(row.Cells[i].Text)/widest))
			}
		}
		sum += most
	}
	return sum
}

// textWidth estimates the width of a text.
func textWidth(s string) float64 {
	sum := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijl.,:;'|![] -", r):
			sum += 3.4
		case strings.ContainsRune("cefrstz()", r):
			sum += 4.5
		case unicode.IsDigit(r):
			sum += 5
		case strings.ContainsRune("mwMW%↑↓→…", r):
			sum += 10
		case unicode.IsUpper(r), r > unicode.MaxLatin1:
			sum += 7.8
		default:
			sum += 5.6
		}
	}
	return sum
}

// breakable escapes a text, and adds breaks to the long words of a text that wraps.
func breakable(s string) string {
	if textWidth(s) < widest {
		return escapeLaTeX(s)
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		runes := []rune(word)
		if len(runes) <= longWord {
			words[i] = escapeLaTeX(word)
			continue
		}
		var pieces []string
		for piece := range slices.Chunk(runes, longWord/2) {
			pieces = append(pieces, escapeLaTeX(string(piece)))
		}
		words[i] = strings.Join(pieces, `\allowbreak{}`)
	}
	return strings.Join(words, " ")
}
