// Package ingest reads files of outside formats and yields campaign values:
// [Segments] for what is to be rated, [Suggestions] for error spans to decide on,
// [Ratings] for finished ratings, [MQM] for a table that has segments and ratings.
// It stores nothing. No more than one line is in memory, or of a table the rows of
// one segment.
//
// # What all formats share
//
// A file is UTF-8, with or without a byte order mark, one JSON object a line, but
// for the table at the end. Lines end in LF or CRLF, the last one may lack it;
// blank lines are skipped but counted. A line has at most [Options].MaxLine bytes.
// Keys that are not listed here are ignored and noted ([Options].Notes), null is
// the same as leaving a key out but for a translation. The text of a JSON string is
// kept as it is: not trimmed, not normalised, line breaks included.
//
// What can't be used becomes a *[campaign.Problem] that says where it stands and
// what to do, and reading goes on with the next field or line. Columns count
// code points from 1, the byte order mark left out. Beside wrong types, missing
// fields and values out of range, these are refused:
//
//   - bytes that are not UTF-8, text that is not JSON (RFC 8259), anything after
//     the object
//   - a key given twice, be it a field, a system, a reference or a score
//   - U+0000, raw or escaped, in any text, since not every database keeps it
//   - half of a surrogate pair such as \ud800, which UTF-8 can't hold
//   - ids that are empty, longer than 500 bytes or hold control characters, and
//     the same for domains and, over 200 bytes, names of systems and references
//   - a language pair other than that of the campaign or, if it has none yet, of
//     the first line that names one. With [Options].Select such lines are left
//     out instead, and only their JSON and their languages are looked at. Tags
//     are compared without case, "_" like "-".
//   - a line whose systems are not those of the campaign or, if it has none yet,
//     of the first line
//
// Ids are strings; a number is taken as it is written, 12 as "12" and 1e3 as
// "1e3".
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
//	context       what an annotator should know of the surroundings
//	note          from the lead to the annotator
//	translations  {"system": "text"}, required, "" for an empty translation
//
// In translations null says that the system has none of this segment, and has to
// be said: every line names every system.
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
//	trans_0             text of the system system_0, required; and so on
//	avg_trans_0_score   mean score, 0 to 4
//	trans_0_annotators  ["A", "B"], letters or other logins
//	trans_0_scores      [3, 4], whole numbers 0 to 4 in the same order
//
// Scores by annotator become ratings of round 1; the average beside them must
// then be their mean, give or take 0.005 as the MENT paper writes two decimals,
// unless the line is adjudicated. An average alone becomes the human score
// [campaign.HumanMENT]; ratings are never made up from it.
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
//	spans         error spans, see below; required, be it [], where the protocol
//	              has no scores, and [] or left out where it marks no errors
//	comment       text
//	suggestions   [{"id", "became"}]: what became of each suggestion, "accepted",
//	              "changed" or "rejected"
//	seconds       active time, not negative
//	submitted_at  RFC 3339, kept in UTC and whole microseconds
//
// Scores must be on the protocol's scale. An error span is
//
//	start        first character, in Unicode code points from 0, required
//	end          the one after the last, not before start, required
//	side         "source" or "target", the default
//	text         the words covered, for the store to check; not empty where
//	             the span covers some
//	severity     text, or a number: 4 is "4", and so is "4.0" where the protocol's
//	             severities are numbers; required
//	category     text; "Category/Subcategory" is taken apart, a slash at the end
//	             is none
//	subcategory  text; needs a category, unless it is missing punctuation
//	comment      text
//	id           text or number, of this span only
//	link         id of another span
//	suggestion   id of the suggestion that the span came of
//
// Severities and categories are spelt as the protocol spells them. What it does
// not have is kept, and so are marks without words and links to nowhere: limits
// on what is entered in the application, such as the number of errors or the
// length of a comment, do not bind here. A rating has at most 10,000 spans.
//
// # suggestions
//
// Error spans to be suggested to annotators, those of one translation a line:
//
//	doc_id      id of the document; needed where segment_id is not unique
//	segment_id  id, required
//	system      name, required
//	spans       error spans as in ratings, required, [] where there are none;
//	            without link and suggestion, the id is given if it is missing
//	origin      what made them, such as the name of a metric; annotators never see it
//
// Since they are offered for entry, the protocol must offer their severities and
// categories; nothing becomes the campaign's own. A translation has one line, which
// replaces an earlier import's. A segment that somebody has begun or rated is
// refused, so that its suggestions come before its ratings.
//
// # mqm-tsv
//
// The WMT MQM table: columns divided by tabs, one row for each error, or one that
// says No-error. The columns are found by the header, in any order, with or
// without # before it; names in parentheses are those of the newer generation.
// Without a header there are 9 or 10, in this order.
//
//	system                name, required
//	doc                   id of the document, required; ":en-de" behind it is
//	                      the language pair, which must be the campaign's
//	doc_id (docSegId)     place of the segment in the document
//	seg_id (globalSegId)  id of the segment, required
//	rater                 login, required
//	source, target        texts, with <v>…</v> around the error in one of them
//	category              "Category/Subcategory"
//	severity              required
//	comment               of the error, or of a translation without one
//	metadata              JSON object, of which note (a comment) and timestamp
//	                      (when, in milliseconds since 1970) are read
//
// A tenth column without a header, or behind a header of nine names, is metadata if
// it is a JSON object, else a comment; so is one called metadata.
//
// There is no quoting, and a quotation mark is text. But some tables went through
// a CSV writer: of a field that begins and ends with a quotation mark, has others
// within, and has all of these doubled, the outer ones are taken off and the inner
// ones are single. Of a source or target this is asked of the text without its marks.
//
//   - Severities and categories are spelt as the protocol spells them, "_" for a
//     space where only that makes a category known; what it lacks is kept, a
//     subcategory "-" is none.
//   - Several marks in a text are one, from the first to the last; a mark that is
//     not closed reaches to the end of the text. Of marks on both sides that in
//     the target counts, unless it covers nothing or the error is an omission
//     and the source's covers words: then it is the source's. Without marks a non-translation spans the whole
//     translation, and any other error is a mark without words at the start of
//     the translation, a source error at that of the source.
//   - Where globalSegId is the same in all rows, though a document has several
//     segments, docSegId is the id of the segment.
//   - Rows with HOTW-test as severity or category are attention checks and are
//     left out. Of rows without rater, category and severity only the texts are
//     taken.
//   - Without their marks, the sources of a segment's rows and the targets of a
//     translation's rows must be equal but for white space at their ends, of which
//     the shortest is taken. With [Options].LeaveOutContradictions translations
//     whose rows differ otherwise are left out, and named, as are those of which a
//     row says both that there is an error and that there is none.
//
// What was left out or decided is counted in [Notes].
package ingest
