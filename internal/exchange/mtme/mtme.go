// Package mtme reads the format of mt-metrics-eval: a folder or an archive with the test set of one or
// several language pairs. LP is a language pair, such as en-de. All files have a line for each segment.
//
//	sources/LP.txt                         the source
//	documents/LP.docs                      DOMAIN DOCUMENT; the domain none stands for no domain
//	system-outputs/LP/SYSTEM.txt           the translation by a system
//	references/LP.NAME.txt                 a reference; an empty line stands for none
//	human-scores/LP.NAME.seg.score         SYSTEM SCORE, a block for each system; None stands for no score
//	human-scores/LP.NAME.seg.rating        SYSTEM, tab, {"errors": […]} or None, and perhaps another tab and RATER
//	human-scores/LP.NAME.RATER.seg.rating  the same by one rater
//	human-scores/LP.NAME.RATER.seg.score   the scores that one rater entered
//	metric-scores/LP/METRIC-REF.seg.score  as the scores of people, without None
//	metric-scores/LP/METRIC-REF.sys.score  SYSTEM SCORE, a line for each system
//
// [ingest.Directory] has the rules of lines and names. A file of texts may end in .jsonl instead and have the
// key source, hypothesis or target. A byte order mark belongs to the first text of a file. The line
// [ingest.NoTranslation] stands for no translation. The id of a segment is the number of its line, from 1. A
// reference may be a system, too.
//
// Scores of segments become imported human scores and metric scores with the names of their files. Metric
// scores of whole systems are read too. All other levels are left out.
//
// If a folder has ratings of several NAMEs, only those of the campaign's protocol are read: NAME is a human
// score of the protocol, perhaps followed by a dash and more, such as esa-human1. An error has start, end
// (code points, [start, end)), category, severity and is_source_error. Its score is not read, since the
// protocol has weights of errors. The annotator is RATER or, if there is none, NAME. RATER merged stands for
// several raters.
//
// If a protocol has scores to enter, a rating needs all of them. The score of a rater is in LP.NAME.RATER.seg.score, where NAME is that
// of the ratings or of the human score. If only one rater rated a translation, it may be in LP.NAME.seg.score. Ratings
// without scores, or with scores that the protocol does not allow, are left out, and the human scores remain. If a protocol has no error
// spans, files LP.NAME.RATER.seg.score are the ratings.
//
// Function MTME of package export writes the format.
package mtme

import (
	"annotate/internal/exchange"
	"annotate/internal/format"
)

// Format is the format of mt-metrics-eval.
var Format = exchange.Format{
	ID: format.MTME,
	Carries: []exchange.Part{
		exchange.Documents, exchange.Domains, exchange.Reference, exchange.References, exchange.HumanScores, exchange.Metrics,
		exchange.Ratings, exchange.Scores, exchange.SeveralScores, exchange.Errors, exchange.SourceErrors, exchange.Categories,
		exchange.Adjudications, // as ratings, which a note of the writer says
	},
	Is: is, Of: of, Read: read, SystemScores: systemScores,
}
