// Package ingest reads files of outside formats and yields campaign values. [Segments]
// yields segments to rate, and so does [Table] of a spreadsheet and [MQM] of the WMT MQM table.
// [Suggestions] yields error spans to decide on, [Judgements] what judges say, [Ratings] finished
// ratings, [Scores] scores of metrics, and [References] references. [OpenDirectory] reads a
// directory of mt-metrics-eval for a meta-evaluation.
// The package stores nothing. At most one line is in memory, except for files of scores and the WMT
// MQM table.
//
// # Rules of all formats
//
// A file is UTF-8, with or without a byte order mark. Except for tables and files of
// scores and references, it has one JSON object a line. Lines end in LF or CRLF, and the last
// line may lack the line break. Blank lines are skipped but counted. A line has at most
// [Options].MaxLine bytes. Keys that are not listed here are ignored and noted
// ([Options].Notes). null means the same as a missing key, except for a translation.
// The text of a JSON string is kept exactly: it is neither trimmed nor normalised, and keeps
// its line breaks.
//
// Input that cannot be used gives a *[campaign.Problem] that names the place and says what
// to do. Reading goes on with the next field or line. Columns count code points from 1,
// without the byte order mark. Apart from wrong types, missing fields and values out of
// range, these are refused:
//
//   - bytes that are not UTF-8, text that is not JSON (RFC 8259), and text after the
//     object
//   - a key that occurs twice, whether a field, a system, a reference or a score
//   - U+0000 in any text, raw or escaped, since some databases cannot store it
//   - half of a surrogate pair such as \ud800, which UTF-8 cannot represent
//   - ids and domains that are empty, longer than 500 bytes or contain control
//     characters, and names of systems and references for which the same holds, with a
//     limit of 200 bytes
//   - a language pair other than that of the campaign or, if the campaign has none yet,
//     of the first line that names one. With [Options].Select such lines are left out
//     instead, and only their JSON and their languages are checked. Tags are compared
//     without regard to case, and "_" equals "-".
//   - a line whose systems are not those of the campaign or, if the campaign has none
//     yet, of the first line
//
// An id is a string or a number. A number is kept as it is written: 12 is "12", and 1e3
// is "1e3".
//
// # jsonl
//
// One segment a line:
//
//	doc_id        id of the document; default: segment_id, a document of its own
//	segment_id    id, required
//	domain        e.g. "news"
//	data_source   where the text comes from
//	source_lang   language tag such as zh or pt-BR
//	target_lang   the same
//	source        text, required, more than white space
//	reference     text of the reference named "ref"
//	references    {"name": "text"}
//	context       text around the source that helps the annotator
//	note          from the lead to the annotator
//	term          a term of the source, for judges that look at one
//	explication   what the term means
//	translations  {"system": "text"}, required, "" for an empty translation
//
// Every line names every system. null means that the system has no translation of the
// segment.
//
// # ment
//
// One segment a line, with the translations numbered from 0 without gaps:
//
//	qid                 id; default: the number of the line. It is also the doc_id.
//	category            the domain
//	data_source         where the text comes from
//	src_lang            language tag
//	trans_lang          language tag
//	src                 source text, required
//	ref                 text of the reference named "ref"; "" is none
//	adjudicated         true: the averages were entered by a lead
//	trans_0             translation by the system system_0, required; trans_1 and so on
//	avg_trans_0_score   mean score, 0 to 4
//	trans_0_annotators  ["A", "B"], letters or other logins
//	trans_0_scores      [3, 4], whole numbers 0 to 4 in the same order
//
// Scores by annotator become ratings of round 1. The average beside them must then be
// their mean, unless the line is adjudicated. A difference of 0.005 is allowed, since the
// MENT paper writes two decimals. An average without scores by annotator becomes the
// human score [campaign.HumanMENT].
//
// # ratings
//
// One rating a line:
//
//	doc_id        id of the document; needed where segment_id is not unique
//	segment_id    id, required
//	system        name, required
//	annotator     login, required
//	round         whole number, default 1
//	scores        {"name": number}, every score of the protocol
//	spans         error spans, see below; required, possibly [], if the protocol
//	              has no scores; [] or left out if the protocol has no spans
//	comment       text
//	suggestions   [{"id", "became"}]: the outcome of each suggestion, "accepted",
//	              "changed" or "rejected"
//	seconds       active time, not negative
//	submitted_at  RFC 3339, kept in UTC and whole microseconds
//
// Scores must be on the protocol's scale. An error span is
//
//	start        offset of the first character, in Unicode code points from 0, required
//	end          offset after the last character, not before start, required
//	side         "source" or "target", default "target"
//	text         the covered words, which the store checks; not empty if the span
//	             covers any
//	severity     text or number, required: 4 is "4", and so is "4.0" if the
//	             protocol's severities are numbers
//	category     text; "Category/Subcategory" is split, and a slash at the end is
//	             removed
//	subcategory  text; needs a category, unless it is missing punctuation
//	comment      text
//	id           text or number, of this span only
//	link         id of another span by the same annotator on the same system,
//	             document and round; the store checks that there is one
//	answers      answers to the questions that are asked of a term, by name
//	suggestion   id of the suggestion that the span comes from
//
// Severities and categories get the protocol's spelling. Unknown ones are kept, and so are
// empty spans. Limits of the application, such as the
// number of errors or the length of a comment, do not apply. A rating has at most 10,000
// spans.
//
// # suggestions
//
// Error spans to suggest to annotators, with one translation a line:
//
//	doc_id      id of the document; needed where segment_id is not unique
//	segment_id  id, required
//	system      name, required
//	spans       error spans as in ratings, required, [] if there are none; without
//	            link and suggestion; a missing id is generated
//	origin      the origin of the spans, such as a metric; annotators never see it
//
// Annotators may accept suggestions unchanged, so the protocol must have their severities
// and categories. A translation has at most one line, which replaces that of an earlier
// import. Suggestions must be imported before anybody begins or rates the segment.
//
// # terms
//
// Terms that are given, such as those that are bound to a culture, with one term a line:
//
//	doc_id       id of the document; needed where segment_id is not unique
//	segment_id   id, required
//	id           names the term in its segment, for links
//	side         "source" or "reference"; "source" if left out
//	start, end   place in code points of the text, required
//	text         its words, checked if given
//	category     a category of the protocol
//	explication  what the term means
//	equivalent   the established term of the target language
//	link         id of the counterpart in the same segment
//
// The lines of a segment stand together, and replace the terms that it has from an earlier import. They must be imported before
// anybody begins or rates the segment.
//
// # judgements
//
// What judges say of translations, with one judge and translation a line:
//
//	judge       name of the judge, required
//	method      name of its method
//	model       name of its model
//	doc_id      id of the document; needed where segment_id is not unique
//	segment_id  id, required
//	system      name, required
//	status      "ok" or "unparsable", default "ok"; an unparsable judgement has no score
//	score       number, higher is better
//	scores      {"name": number}, further scores
//	spans       error spans as in ratings, but the severity may be missing, and an
//	            error whose words stand in neither text has text but no start and end
//	trace       [{"step", "role", "prompt", "reply", "input_tokens", "output_tokens",
//	            "seconds"}], the calls that led to the judgement; all keys are optional
//
// A judgement that is ok has score, spans or both. Severities and categories are the judge's
// own, whatever the protocol. A translation may have judgements of several judges, before
// and after people rate it, and at most one line for each judge.
//
// # table
//
// A spreadsheet with one segment a row, as package spreadsheet reads it: XLSX, or CSV or TSV in UTF-8 or
// UTF-16. A row names the columns: the fields of jsonl, of which only source is needed, without
// regard to case, "_", "-" and blanks, and some other usual names such as "ID" and "Source text". Any
// other name is that of a system, unless somebody can be asked ([TableOptions].Ask). [TableOptions] can say otherwise.
//
// A column that is hidden in a workbook is left out unless [TableOptions] gives it a role, so that nothing
// is imported unseen. Hidden rows, such as those that a filter leaves out, are read like others, and
// a note counts them. A hidden sheet is read only if [TableOptions] names it.
//
// An empty cell of a system means that it has no translation of the segment. Segments without a
// column of ids have the number of their row. A cell that is merged with cells below it is repeated
// in them. The result of a formula is taken as text. A cell is refused if its text is not known:
// a number with decimals or a format, a date, a boolean value, an error, a formula without a
// result, or cells that are merged with cells beside them. The field of a problem is the name of
// the cell, such as Texts!B7.
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
// Other columns of a header are ignored and noted.
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
//     [Options].LeaveOutContradictions, translations whose rows differ otherwise, or
//     with a row that says both that there is an error and that there is none, are left
//     out and named.
//
// Notes count what was left out or decided.
package ingest
