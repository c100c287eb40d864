// Package export writes the segments and ratings of a campaign as files of
// outside formats, with one function for each format. It reads a [Source] segment by
// segment and keeps about 64 KiB in memory. If a function returns an error, its output
// so far consists of whole lines.
//
// Files are UTF-8 without a byte order mark, and lines end in LF. JSON escapes only
// quotes, backslashes, control characters, and U+0085, U+2028 and U+2029, at which some
// readers would break the line. A number is written with the fewest digits that give
// the same float64.
//
// # jsonl
//
// [JSONL] writes one segment a line, in the order of import and with the keys that
// package ingest reads: doc_id, segment_id, domain, data_source, source_lang,
// target_lang, source, reference, references, context, note, term, explication, translations. Empty fields
// are left out, except doc_id, segment_id, source and translations. In translations a
// system without a translation is null. The reference named "ref" is under reference,
// all others are under references. Importing the file gives the same segments.
//
// # ratings
//
// [Ratings] writes one submitted rating a line: doc_id, segment_id, system,
// annotator, round, scores, spans, comment, suggestions, seconds, submitted_at. An
// adjudication that is gold has "adjudicated":true instead of round. suggestions,
// [{"id", "became"}], is left out if there were none, and submitted_at if the time is
// unknown. All other keys are always present. submitted_at is in UTC with up to six
// decimals. Segments are in the order of import. Within a segment, ratings are sorted
// by system in byte order, then by round, then by login.
//
// A span's link names another span of the rating or, if none has that id, one by the same
// annotator on the same system, document and round. A link to a span that the file does not
// contain, because it was removed or its rating is left out, is left out. So it is in csv,
// rate and gold.
//
// # suggestions
//
// [Suggestions] writes a line for each translation with the error spans that were
// suggested for it: doc_id, segment_id, system, spans, and origin if it is known. If the
// import gave an empty list for a translation, the line has an empty list. If the import
// did not name the translation, there is no line. Import suggestions before ratings.
//
// # terms
//
// [Terms] writes a line for each given or gold term: doc_id, segment_id, id, side, start, end, text, category, explication,
// equivalent, link. Empty values are left out after text.
//
// # judgements
//
// A [JudgementWriter] writes a line for each judgement of a judge: judge, method, model,
// doc_id, segment_id, system, status, score, scores, spans, trace. Absent values are left
// out. Errors whose words stand in neither text are the last of spans and have no offsets.
// Why an answer could not be read is not in the file.
//
// # ment
//
// [MENT] writes one segment in gold a line: qid (the segment_id), category,
// data_source, src_lang, trans_lang, src, ref, adjudicated, then for each translation,
// in byte order of the systems' names, trans_0, avg_trans_0_score, trans_0_annotators,
// trans_0_scores. ref is the reference named "ref", or else the first in byte order of
// the names. Empty values are left out. adjudicated is true if a lead decided the
// segment, and is left out otherwise. The average is the gold score and always has a
// decimal point. Annotators are letters, A, B, … Z, AA, in the order of all logins of
// the campaign. The scores beside them are the scores "sqm" of the round that decided
// the segment. The names of the systems are not in the file. They are in the returned
// [MENTSystems], for a file FILE.systems.json.
//
// For a campaign without ratings, [MENTOptions].Averages writes imported averages: the
// human scores "ment", without annotators. A segment that lacks one is left out. The
// status of segments does not matter then.
//
// Segments that lack a translation by a system are left out, since each line needs a
// translation by every system. The file has no documents, contexts, notes, comments,
// ratings of other rounds and further references. The returned notes count the losses.
//
// # mtme
//
// [MTME] writes the files of an mt-metrics-eval directory to a
// [Tree]. LP is the language pair, such as zh-en. Files have a line for each segment,
// in the order of import.
//
//	sources/LP.txt                          the source
//	documents/LP.docs                       DOMAIN, tab, DOCUMENT; DOMAIN is "none" if there is no domain
//	references/LP.REFERENCE.txt             empty where the segment has none
//	system-outputs/LP/SYSTEM.txt            empty for an empty translation; "[No translation supplied]" for none
//	human-scores/LP.NAME.seg.score          SYSTEM, tab, SCORE: a block for each system
//	human-scores/LP.NAME.sys.score          the mean over the segments that have a score
//	human-scores/LP.NAME.domain.score       DOMAIN, tab, SYSTEM, tab, SCORE: the mean over the segments of a domain
//	human-scores/LP.NAME.LETTER.seg.score   the scores that one annotator entered
//	human-scores/LP.NAME.seg.rating         SYSTEM, tab, {"errors":[…]}, tab, LETTER
//	human-scores/LP.NAME.LETTER.seg.rating  the same of one annotator
//	metric-scores/LP/METRIC-REF.seg.score   SYSTEM, tab, SCORE: a block for each system with scores of all segments
//	metric-scores/LP/METRIC-REF.sys.score   the imported score of each system, or else the mean of its scores of segments
//
// Each character of a line break becomes a space, so that offsets stay correct. Systems
// are in byte order. NAME is a human score of the protocol, higher is better. With -z
// it is normalised by annotator. SCORE is [campaign.HumanGold], or None if that is
// undefined. It has no exponent and is never -0. The z-score of a translation is the
// mean of the z-scores of its ratings, see [campaign.RatingScores.Z]. It is None if a lead or
// an adjudicator entered the score. Imported averages are written under their own names,
// unless a score from ratings has the same name. A score that no translation has is left
// out.
//
// A .seg.rating file is written for each score that weighs errors. It contains the
// ratings that gold is formed from, including adjudications. If several people have
// such ratings, there is one file for each annotator and adjudicator, otherwise a single
// file. LETTER is A, B, … Z, AA, in the order of all logins of the campaign.
// Adjudicators come after all annotators. A person who annotated and adjudicated has two
// letters. An error has start, end (code points, [start, end)), category (left out if
// there is none), severity, score (its cost) and is_source_error. category and severity
// are spelt as in mqm-tsv, but in lower case.
//
// mt-metrics-eval splits lines at white space and takes names from file names. So in
// names of systems, documents and domains, white space, slashes, control characters
// and a leading dot become "_". In names of references dots and dashes become "_" too.
// If two names would be equal, the later one is NAME~2. If the segments of a document
// are not adjacent, each further block is a document DOCUMENT~2, DOCUMENT~3 and so on.
// REF is src, all, or the names of references with dots between. A metric whose name does not end in such a part
// gets -src.
//
// # checks
//
// [Checks] writes a JSON object for each check of an annotator, by login, then the latest first: kind
// (degraded, repeat or known), annotator, doc_id, segment_id, system and original (of the translation that is
// checked), text (as the annotator sees it; another one than original only if degraded), score (gate score in
// points), against (what score is compared with), basis (own, others or lead: whose score against is),
// passed, seconds, submitted_at, and removed (a lead has removed the check). score, seconds and submitted_at
// are missing until the check is submitted; against, basis and passed are missing as long as nobody has
// rated the original. A check that tells nothing has not_counted, which says why, instead of passed.
//
// # csv
//
// [CSV] writes a header and one row for each submitted rating, in the order of
// [Ratings]: doc_id, segment_id, domain, system, annotator, round, status (of the
// segment), a column for each score of the protocol, then for each derived score, spans
// (JSON as in ratings), suggestions (JSON as in ratings, only if the campaign has some),
// comment, seconds, submitted_at, in_gold (yes or no). Fields are quoted as in RFC 4180 if necessary. A text
// that begins with =, +, -, @, a tab or a line break gets an apostrophe before it, since
// a spreadsheet would run it as a formula. So does a text that begins with apostrophes
// followed by one of these. Removing one apostrophe from such texts restores them. The
// format "csv-exact" ([CSVOptions].Exact) has unchanged texts, and so has mqm-tsv, which
// must be read again byte for byte. Neither is for spreadsheets.
package export
