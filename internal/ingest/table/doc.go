// Package table reads the format table: segments in a spreadsheet. It turns each row into a
// line of the format jsonl, which package ingest checks, so it imports ingest and input.
//
// # table
//
// A spreadsheet with one segment a row, as package sheet reads it: XLSX, or CSV or TSV in UTF-8 or
// UTF-16. A row names the columns: the fields of jsonl, of which only source is needed, without
// regard to case, "_", "-" and blanks, and some other usual names such as "ID" and "Source text". Any
// other name is that of a system, unless somebody can be asked ([Options].Ask). [Options] can say otherwise.
//
// A column that is hidden in a workbook is left out unless [Options] gives it a role, so that nothing
// is imported unseen. Hidden rows, such as those that a filter leaves out, are read like others, and
// a note counts them. A hidden sheet is read only if [Options] names it.
//
// An empty cell of a system means that it has no translation of the segment. Segments without a
// column of ids have the number of their row. A cell that is merged with cells below it is repeated
// in them. The result of a formula is taken as text. A cell is refused if its text is not known:
// a number with decimals or a format, a date, a boolean value, an error, a formula without a
// result, or cells that are merged with cells beside them. The field of a problem is the name of
// the cell, such as Texts!B7.
package table
