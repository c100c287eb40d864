package ingest

import (
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"annotate/internal/campaign"
)

// Endings of the score files of mt-metrics-eval: a score for each segment, or one
// for each system.
const (
	segmentScores = ".seg.score"
	systemScores  = ".sys.score"
)

var scoreFields = []string{"metric", "system", "doc_id", "segment_id", "score", "lower_is_better", "group"}

// Scores reads the scores of automatic metrics. A file whose name ends in
// .seg.score or .sys.score is a table of mt-metrics-eval, "system<TAB>score" on
// each line, named after its metric; with .seg.score the lines of a system are in
// the order of the campaign's segments, and those of other systems may stand between
// them. One that ends in .score otherwise is refused. Any other file is JSON lines; one without segment_id is the
// score of a whole system, and lower_is_better and group declare something of the
// metric. As with [Segments] an error is a *[campaign.Problem] of a
// line, after which reading goes on, or ends it. Scores are finite: None, NaN and
// infinities are refused.
//
// With [Options].Systems the scores of other systems are one problem for each file,
// or are left out and noted where the options say so. Whether segments exist, and
// whether the lines are as many as the segments, only the store can tell.
func Scores(r io.Reader, opt Options) iter.Seq2[campaign.NumberedScore, error] {
	base := filepath.Base(opt.File)
	if msg := badScoreFile(base); msg != "" {
		return func(yield func(campaign.NumberedScore, error) bool) {
			yield(campaign.NumberedScore{}, &campaign.Problem{File: opt.File, Msg: msg})
		}
	}
	for _, ending := range []string{segmentScores, systemScores} {
		if metric, ok := strings.CutSuffix(base, ending); ok {
			return scoreTable(r, opt, metric, ending == segmentScores)
		}
	}
	return scoreLines(r, opt)
}

// badScoreFile says what is wrong with the name of a file: one problem, and not one
// a line.
func badScoreFile(base string) string {
	if !strings.HasSuffix(base, ".score") {
		return ""
	}
	for _, ending := range []string{segmentScores, systemScores} {
		if metric, ok := strings.CutSuffix(base, ending); ok {
			return badFileName("metric", metric, ending)
		}
	}
	return "a file named .score ends in " + segmentScores + ", with a score for each segment, or " + systemScores + ", with one for each system; name it so"
}

// badFileName says what is wrong with what a file names by its own name.
func badFileName(what, name, ending string) string {
	r := record{}
	if !r.checkName(nowhere, "", what+"'s name in front of "+ending, name, maxSystem) {
		return r.problems[0].Msg
	}
	return ""
}

// scoreLines reads scores as JSON lines.
func scoreLines(r io.Reader, opt Options) iter.Seq2[campaign.NumberedScore, error] {
	return func(yield func(campaign.NumberedScore, error) bool) {
		f, found := fields{}, false
		strangers := newStrangers(opt)
		known := func(key string) bool { return slices.Contains(scoreFields, key) }
		ok := eachLine(r, "scores", opt, func(r *record) bool {
			found = true
			var s campaign.MetricScore
			if r.object(known, f) {
				s = r.metricScore(f)
			}
			if len(r.problems) > 0 || strangers.has(s.System, r.n, 1) {
				return true
			}
			return yield(campaign.NumberedScore{Line: r.n, Score: s}, nil)
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.NumberedScore{Line: line}, err)
		})
		if ok && !found {
			yield(campaign.NumberedScore{}, &campaign.Problem{File: opt.File, Msg: noneIn("scores")})
		} else if ok {
			strangers.tell(yield)
		}
	}
}

func (r *record) metricScore(f fields) campaign.MetricScore {
	s := campaign.MetricScore{DocID: r.id(f, "doc_id", false), SegmentID: r.id(f, "segment_id", false), System: r.system(f, nil)}
	if v, ok := f["metric"]; !ok {
		r.refuse(nowhere, "metric", "missing; give the name of the metric")
	} else if name, ok := r.str("metric", v); ok && r.checkName(v.start, "metric", "name", name, maxSystem) {
		s.Metric = name
	}
	if v, ok := f["score"]; !ok {
		r.refuse(nowhere, "score", "missing; a metric needs a score for every segment")
	} else {
		s.Score, _ = r.number("score", v)
	}
	if v, ok := f["lower_is_better"]; ok {
		if lower, ok := r.yes("lower_is_better", v); ok {
			s.LowerIsBetter = &lower
		}
	}
	s.Group = r.label(f, "group")
	if s.DocID != "" && s.SegmentID == "" {
		r.refuse(f["doc_id"].start, "segment_id", "missing; name the segment, or leave doc_id out for the score of a whole system")
	}
	return s
}
