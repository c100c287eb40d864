package ingest

import (
	"io"
	"iter"
	"path/filepath"
	"strings"

	"annotate/internal/campaign"
)

// The endings of score files of mt-metrics-eval, with a score for each segment and for each
// system.
const (
	segmentScores = ".seg.score"
	systemScores  = ".sys.score"
)

var scoreFields = []string{"metric", "system", "doc_id", "segment_id", "score", "lower_is_better", "group"}

// Scores reads the scores of automatic metrics. A file METRIC.seg.score or METRIC.sys.score is a score file of
// mt-metrics-eval, with "system<TAB>score" on each line. In a .seg.score file the lines of a system are in the order of
// the campaign's segments, and lines of different systems may be mixed. Any other name that ends in .score is refused.
// Any other file has JSON lines. A line without segment_id has the score of a system. With [Options].OfSegments every
// line has the score of a segment, and no system. lower_is_better and group declare the direction and the group of the
// metric. As in [Segments], an error is either a *[campaign.Problem] of a line, after which reading goes on, or the
// last value. Scores are finite: None, NaN and infinities are refused.
//
// If [Options].Systems is set, scores of other systems give one problem for each file, or
// are left out and noted with [Options].LeaveOutSystems. The store checks whether segments
// exist and whether there are as many lines as segments.
func Scores(r io.Reader, opt Options) iter.Seq2[campaign.MetricScore, error] {
	base := filepath.Base(opt.File)
	if msg := badScoreFile(base); msg != "" {
		return func(yield func(campaign.MetricScore, error) bool) {
			yield(campaign.MetricScore{}, &campaign.Problem{File: opt.File, Msg: msg})
		}
	}
	for _, ending := range []string{segmentScores, systemScores} {
		if metric, ok := strings.CutSuffix(base, ending); ok {
			return scoreTable(r, opt, metric, ending == segmentScores)
		}
	}
	return scoreLines(r, opt)
}

// badScoreFile returns the problem of a file name, if there is one.
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

// badFileName returns the problem of the name of a metric or reference that is part of a
// file name, if there is one.
func badFileName(what, name, ending string) string {
	r := record{}
	if !r.CheckName(nowhere, "", what+"'s name in front of "+ending, name, maxSystem) {
		return r.Problems[0].Msg
	}
	return ""
}

// scoreLines reads scores as JSON lines.
func scoreLines(r io.Reader, opt Options) iter.Seq2[campaign.MetricScore, error] {
	return func(yield func(campaign.MetricScore, error) bool) {
		strangers := newStrangers(opt)
		for line, err := range objectLines(r, "scores", scoreFields, opt, func(r *record, f fields) []campaign.MetricScore {
			s := metricScore(r, f, opt)
			if len(r.Problems) > 0 || strangers.has(s.System, r.Line, 1) {
				return nil
			}
			return []campaign.MetricScore{s}
		}) {
			if !yield(line, err) {
				return
			}
		}
		strangers.tell(yield)
	}
}

func metricScore(r *record, f fields, opt Options) campaign.MetricScore {
	s := campaign.MetricScore{Place: r.Place, DocID: r.ID(f, "doc_id", false), SegmentID: r.ID(f, "segment_id", opt.OfSegments)}
	if v, ok := f["system"]; !opt.OfSegments {
		s.System = system(r, f, nil)
	} else if ok {
		r.Refuse(v.Start, "system", "the scores of this campaign are about segments, not about translations; leave the system out")
	}
	if v, ok := f["metric"]; !ok {
		r.Refuse(nowhere, "metric", "missing; give the name of the metric")
	} else if name, ok := r.Str("metric", v); ok && r.CheckName(v.Start, "metric", "name", name, maxSystem) {
		s.Metric = name
	}
	if v, ok := f["score"]; !ok {
		r.Refuse(nowhere, "score", "missing; a metric needs a score for every segment")
	} else {
		s.Score, _ = r.Number("score", v)
	}
	if v, ok := f["lower_is_better"]; ok {
		if lower, ok := r.Bool("lower_is_better", v); ok {
			s.LowerIsBetter = &lower
		}
	}
	s.Group = r.Label(f, "group")
	if s.DocID != "" && s.SegmentID == "" {
		r.Refuse(f["doc_id"].Start, "segment_id", "missing; name the segment, or leave doc_id out for the score of a whole system")
	}
	return s
}
