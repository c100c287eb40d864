// Package mqm reads the format mqm-tsv, which has segments with ratings. It imports package
// input, and no other reader.
//
// # mqm-tsv
//
// The WMT MQM table: columns separated by tabs, and one row for each error, or one row
// with No-error. The header names the columns, in any order, with or without a leading
// #. Names in parentheses are those of newer tables. Without a header there are 9 or 10
// columns in this order:
//
//	system                name, required
//	doc                   id of the document, required; ":en-de" after it is
//	                      the language pair, which must be the campaign's
//	doc_id (docSegId)     position of the segment in the document
//	seg_id (globalSegId)  id of the segment, required
//	rater                 login, required
//	source, target        texts, with <v>…</v> around the error in one of them
//	category              "Category/Subcategory"
//	severity              required
//	comment               comment on the error, or on a translation without errors
//	metadata              JSON object; note (a comment) and timestamp (in
//	                      milliseconds since 1970) are read
//
// A tenth column, of a table without a header or with nine names in its header, is
// metadata if it is a JSON object, and otherwise a comment. The same holds for a column
// with the name metadata.
//
// There is no quoting: a quotation mark is text. But some tables were written by CSV
// software. If a field begins and ends with a quotation mark and contains further ones, all
// of them doubled, the field is unquoted. In sources and targets the marks are removed
// before this check.
//
//   - Severities and categories get the protocol's spelling. "_" stands for a space if
//     the category is known only then. Unknown severities and categories are kept. A
//     subcategory "-" is none.
//   - Several marks in a text become one, from the first to the last. A mark without an
//     end reaches to the end of the text. If both texts have marks, that in the target
//     counts. But that in the source counts if it covers words and the one in the
//     target is empty or the error is an omission. Without marks a non-translation
//     spans the whole translation, a source error is an empty span at the start of the
//     source, and any other error is an empty span at the start of the translation.
//   - If globalSegId is the same in all rows, although a document has several segments,
//     docSegId is the id of the segment.
//   - Rows with the severity or category HOTW-test are attention checks and are left
//     out. From rows without rater, category and severity only the texts are taken.
//   - Without marks, all sources of a segment and all targets of a translation must be
//     equal, except for white space at their ends; the shortest text is taken. With
//     [input.Options].LeaveOutContradictions, translations whose rows differ otherwise, or
//     with a row that says both that there is an error and that there is none, are left
//     out and named.
//
// Notes count what was left out or decided.
package mqm
