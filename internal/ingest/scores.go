package ingest

import (
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
)

// Endings of the score files of mt-metrics-eval: a score for each segment, or one
// for each system.
const (
	segmentScores = ".seg.score"
	systemScores  = ".sys.score"
)

var scoreFields = []string{"metric", "system", "doc_id", "segment_id", "score"}

// Scores reads the scores of automatic metrics. A file whose name ends in
// .seg.score or .sys.score is a table of mt-metrics-eval, "system<TAB>score" on
// each line, named after its metric; with .seg.score the lines of a system stand
// together and are in the order of the campaign's segments. One that ends in .score
// otherwise is refused. Any other file is JSON lines; one without segment_id is the
// score of a whole system. As with [Segments] an error is a *[campaign.Problem] of a
// line, after which reading goes on, or ends it. Scores are finite: None, NaN and
// infinities are refused.
//
// Whether systems and segments exist, and whether the lines are as many as the
// segments, only the store can tell.
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

// scoreTable reads a table of mt-metrics-eval.
func scoreTable(r io.Reader, opt Options, metric string, bySegment bool) iter.Seq2[campaign.NumberedScore, error] {
	return func(yield func(campaign.NumberedScore, error) bool) {
		found, place := false, 0
		last, seen := "", map[string]bool{}
		ok := eachLine(r, "", opt, func(r *record) bool {
			found = true
			s := campaign.MetricScore{Metric: metric}
			if !r.scoreRow(&s) {
				return true
			}
			if s.System != last {
				if seen[s.System] {
					r.refuse(0, "system", "the lines of %s do not stand together, or it is there twice; give each system one block", quote(s.System))
					return true
				}
				last, seen[s.System], place = s.System, true, 0
			} else if !bySegment {
				r.refuse(0, "system", "%s has two scores; a %s file has one for each system", quote(s.System), systemScores)
				return true
			}
			if place++; bySegment {
				s.Place = place
			}
			return yield(campaign.NumberedScore{Line: r.n, Score: s}, nil)
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.NumberedScore{Line: line}, err)
		})
		if ok && !found {
			yield(campaign.NumberedScore{}, &campaign.Problem{File: opt.File, Msg: "no scores in the file"})
		}
	}
}

// scoreRow takes a line apart at its last tab or, without one, its last space.
func (r *record) scoreRow(s *campaign.MetricScore) bool {
	if !utf8.Valid(r.text) {
		r.refuse(0, "", "the line is not UTF-8; save the file as UTF-8")
		return false
	}
	text := strings.TrimRight(string(r.text), " \t\r")
	cut := strings.LastIndexByte(text, '\t')
	if cut < 0 {
		cut = strings.LastIndexByte(text, ' ')
	}
	if cut < 0 {
		r.refuse(0, "", "%s is not a system, a tab and a score", quote(text))
		return false
	}
	s.System = strings.TrimRight(text[:cut], " \t")
	if !r.checkName(0, "system", "name", s.System, maxSystem) {
		return false
	}
	var ok bool
	s.Score, ok = r.scoreOf(cut+1, text[cut+1:])
	return ok
}

// scoreOf reads a finite number from the text of a table.
func (r *record) scoreOf(at int, text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "None":
		r.refuse(at, "score", "None; a metric needs a score for every segment")
		return 0, false
	case err != nil:
		r.refuse(at, "score", "%s is not a number", quote(text))
		return 0, false
	case math.IsNaN(x) || math.IsInf(x, 0):
		r.refuse(at, "score", "%s is no score; a metric needs a finite one for every segment", text)
		return 0, false
	}
	return x, true
}

// scoreLines reads scores as JSON lines.
func scoreLines(r io.Reader, opt Options) iter.Seq2[campaign.NumberedScore, error] {
	return func(yield func(campaign.NumberedScore, error) bool) {
		f, found := fields{}, false
		known := func(key string) bool { return slices.Contains(scoreFields, key) }
		ok := eachLine(r, "scores", opt, func(r *record) bool {
			found = true
			var s campaign.MetricScore
			if r.object(known, f) {
				s = r.metricScore(f)
			}
			if len(r.problems) > 0 {
				return true
			}
			return yield(campaign.NumberedScore{Line: r.n, Score: s}, nil)
		}, func(line int, err error) bool {
			found = true
			return yield(campaign.NumberedScore{Line: line}, err)
		})
		if ok && !found {
			yield(campaign.NumberedScore{}, &campaign.Problem{File: opt.File, Msg: "no scores in the file"})
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
	if s.DocID != "" && s.SegmentID == "" {
		r.refuse(f["doc_id"].start, "segment_id", "missing; name the segment, or leave doc_id out for the score of a whole system")
	}
	return s
}
