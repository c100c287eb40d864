// Package export writes the segments and ratings of a campaign as files of
// outside formats, one function a format. It reads a [Source] segment by segment
// and keeps about 64 KiB in memory. When a function returns an error, what it
// has written ends at the end of a line.
//
// Files are UTF-8 without a byte order mark, lines end in LF. In JSON, texts are
// written as they are; escaped are only quotes, backslashes, control characters,
// and U+0085, U+2028 and U+2029, at which some readers would break the line.
// Numbers are the shortest that read back as the same float64.
//
// # jsonl
//
// [JSONL] writes one segment a line, in the order of import, as package ingest
// reads them: doc_id, segment_id, domain, data_source, source_lang, target_lang,
// source, reference, references, context, note, translations. Empty fields are
// left out, but for doc_id, segment_id, source and translations, where a system
// that has none is null. The reference named "ref" is reference, all others are in
// references. Reading the file again gives the same segments.
//
// # ratings
//
// [Ratings] writes one submitted rating a line: doc_id, segment_id, system,
// annotator, round, scores, spans, comment, suggestions, seconds, submitted_at. An
// adjudication that is gold has "adjudicated":true in place of round. All
// keys are there, but for suggestions, [{"id", "became"}], where there were none, and
// submitted_at where the time is not known. It is in UTC, with up
// to six decimals. Segments are in the order of import, in each the systems in
// byte order of their names, then rounds, then logins.
//
// # suggestions
//
// [Suggestions] writes the error spans suggested for one translation a line: doc_id,
// segment_id, system, spans, and origin where it is known. A translation for which
// the import said that nothing is suggested has an empty list, one that it did not
// name no line. Into a new campaign they go before the ratings.
//
// # ment
//
// [MENT] writes one segment in gold a line: qid (the segment_id), category,
// data_source, src_lang, trans_lang, src, ref, adjudicated, then for each
// translation, by byte order of the systems' names, trans_0, avg_trans_0_score,
// trans_0_annotators, trans_0_scores. ref is the reference named "ref", else the
// first in byte order of the names; what is empty is left out. adjudicated is
// there, and true, if a lead decided the segment. The average is the gold score,
// with a decimal point in any case. Annotators are letters, A, B, … Z, AA, by the
// order of logins in the whole campaign; beside them their scores "sqm" in the
// round that the segment was decided in. Which system a number stands for is not
// in the file but in the returned [MENTSystems], for a file FILE.systems.json.
//
// A campaign without ratings gives its imported averages: with
// [MENTOptions].Averages a line holds the human scores "ment" and no annotators,
// and segments lacking one are left out, whatever their status.
//
// Segments that lack a translation by a system are left out, since a line has one
// by every system. Documents, contexts, notes, comments, ratings of other rounds and
// all references but one have no place in the file. The notes count what is lost.
//
// # mtme
//
// [MTME] writes the files of an mt-metrics-eval directory, but for metric-scores,
// through a [Tree]. LP is the language pair, such as zh-en; a line for each
// segment, in the order of import.
//
//	sources/LP.txt                          the source
//	documents/LP.docs                       DOMAIN, tab, DOCUMENT; none where there is no domain
//	references/LP.REFERENCE.txt             empty where the segment has none
//	system-outputs/LP/SYSTEM.txt            empty for an empty translation
//	human-scores/LP.NAME.seg.score          SYSTEM, tab, SCORE: a block for each system
//	human-scores/LP.NAME.sys.score          the mean over the segments that have a score
//	human-scores/LP.NAME.seg.rating         SYSTEM, tab, {"errors":[…]}, tab, LETTER
//	human-scores/LP.NAME.LETTER.seg.rating  the same of one annotator
//
// Line breaks in texts become one space for each character, so that offsets stay
// right. Systems are in byte order. NAME is a human score of the protocol, higher
// is better, or one with -z behind it: normalised by annotator. SCORE is what
// [campaign.HumanGold] says, and None where that is undefined; no exponent, never
// -0. The z-score of a translation is the mean over those annotators whose
// [campaign.Scale] has one, and None where a lead entered the score. Averages that
// came with an import go out under their own names, unless ratings give a score of
// that name; a score that no translation has is left out.
//
// A .seg.rating is written for each score that weighs errors, from the ratings that
// gold is formed from, an adjudication being one: one file if no translation has two
// ratings, else one for each annotator and adjudicator. LETTER is A, B, … Z, AA, by the
// order of logins in the whole campaign; adjudicators come after all annotators, and
// have a letter of their own where they annotated, too. An error has start, end (code points, [start, end)), category (left
// out if there is none), severity, score (what it costs) and is_source_error;
// category and severity are spelt as in mqm-tsv, but in small letters.
//
// mt-metrics-eval divides lines at white space and takes names from files. So in
// names of systems, documents and domains white space, slashes, control characters
// and a dot at the beginning become "_"; in those of references also dots and
// dashes. Where two would be the same, the later one is NAME~2. A document whose
// segments do not follow one another goes on as DOCUMENT~2.
//
// # csv
//
// [CSV] writes a header and one row for each submitted rating, in the order of
// [Ratings]: doc_id, segment_id, domain, system, annotator, round, status (of the
// segment), a column for each score of the protocol, then for each derived one,
// spans (JSON as in ratings), suggestions (the same, and only
// where the campaign has some), comment, seconds, submitted_at. Fields are quoted as
// in RFC 4180 where needed. A text that a spreadsheet would run as a formula, since it
// begins with =, +, -, @, a tab or a line break, has an apostrophe before it, and
// so has one that begins with apostrophes and then one of these: taking one apostrophe
// off such texts gives what is in the campaign. The format "csv-exact"
// ([CSVOptions].Exact) has the texts as they are. So does mqm-tsv, which is to be read
// again byte for byte; it is not for spreadsheets.
package export
