package spreadsheet

import "strings"

// formulas are the characters that start a formula in a spreadsheet.
const formulas = "=+-@\t\r\n"

// Escape returns a text as a cell of a CSV file. It puts an apostrophe before a text that
// begins with =, +, -, @, a tab or a line break, since a spreadsheet would run it as a
// formula. It also does so if apostrophes come before that character, so that [Unescape]
// can restore every text. All other texts stay unchanged.
func Escape(text string) string {
	if escaped(text) {
		return "'" + text
	}
	return text
}

// Unescape returns the text of a cell that [Escape] made.
func Unescape(cell string) string {
	if strings.HasPrefix(cell, "'") && escaped(cell) {
		return cell[1:]
	}
	return cell
}

// escaped reports whether a text begins with a character that starts a formula,
// possibly after apostrophes.
func escaped(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(formulas, rest[0]) >= 0
}
