// Package ingest reads files of outside formats and yields campaign values. [Segments]
// yields segments to rate, [Suggestions] error spans to decide on, [Judgements] what judges
// say, [Ratings] finished ratings, [Scores] scores of metrics, and [References] references.
// It stores nothing. At most one line is in memory, except for files of scores.
//
// Formats with much of their own have packages below this one: [annotate/internal/ingest/table]
// reads spreadsheets, [annotate/internal/ingest/mqm] the WMT MQM table, and
// [annotate/internal/ingest/mtme] directories of mt-metrics-eval. What all of them share is
// in [annotate/internal/ingest/input]. Of these, this package imports only input.
//
// # Rules of all formats
//
// A file is UTF-8, with or without a byte order mark. Except for tables and files of
// scores and references, it has one JSON object a line. Lines end in LF or CRLF, and the last
// line may lack the line break. Blank lines are skipped but counted. A line has at most
// [input.Options].MaxLine bytes. Keys that are not listed here are ignored and noted
// ([input.Options].Notes). null means the same as a missing key, except for a translation.
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
//     of the first line that names one. With [input.Options].Select such lines are left out
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
// Notes count what was left out or decided.
package ingest
