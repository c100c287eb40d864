// Package spreadsheet keeps texts in CSV files from being run as formulas by the
// program that opens them.
package spreadsheet

import "strings"

// formulas are the first characters of what spreadsheets take for a formula.
const formulas = "=+-@\t\r\n"

// Cell is a text as a cell of a CSV file. A text that a spreadsheet would take for a
// formula, since it begins with =, +, -, @, a tab or a line break, gets an
// apostrophe before it. So does a text that begins with apostrophes and then one of
// these, so that [Text] finds every text again. All other texts stay as they are.
func Cell(text string) string {
	if escaped(text) {
		return "'" + text
	}
	return text
}

// Text is the text of a cell that [Cell] made.
func Text(cell string) string {
	if strings.HasPrefix(cell, "'") && escaped(cell) {
		return cell[1:]
	}
	return cell
}

// escaped reports whether a text begins with what makes a formula, be it behind
// apostrophes.
func escaped(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(formulas, rest[0]) >= 0
}
