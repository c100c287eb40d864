package ingest

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// scoreLine parses the line with parseScore and adds its problem to r.
func scoreLine(r *record) (system string, score float64, ok bool) {
	if !r.IsUTF8() {
		return "", 0, false
	}
	names, score, _, bad := parseScore(string(r.Text), 1, false)
	if bad != nil {
		r.RefuseKind("score "+bad.Field, bad.At, bad.Field, "%s", bad.Msg)
		return "", 0, false
	}
	return names[0], score, true
}

// scoreTable reads a score file of mt-metrics-eval. It yields the scores system by system,
// in the order of the systems' first lines. Each line takes 12 bytes of memory. If a line is
// refused, it yields only problems.
func scoreTable(r io.Reader, opt Options, metric string, bySegment bool) iter.Seq2[campaign.MetricScore, error] {
	return func(yield func(campaign.MetricScore, error) bool) {
		var blocks []*scoreBlock
		of := map[string]*scoreBlock{}
		found, refused := false, false
		ok := eachLine(r, scoreFile, opt, func(r *record) bool {
			found = true
			system, score, ok := scoreLine(r)
			if !ok {
				return true
			}
			b := of[system]
			if b == nil {
				b = &scoreBlock{system: system}
				of[b.system] = b
				blocks = append(blocks, b)
			} else if !bySegment {
				r.Refuse(0, "system", "%s has two scores; a %s file has one for each system, so keep one", wording.Quote(b.system), systemScores)
				return true
			}
			b.scores, b.lines = append(b.scores, score), append(b.lines, int32(r.Line))
			return true
		}, func(_ int, err error) bool {
			found, refused = true, true
			return yield(campaign.MetricScore{}, err)
		})
		if ok && !found {
			yield(campaign.MetricScore{}, &campaign.Problem{File: opt.File, Msg: noneIn("scores")})
		}
		if !ok || refused {
			return
		}
		strangers := newStrangers(opt)
		for _, b := range blocks {
			if strangers.has(b.system, int(b.lines[0]), len(b.scores)) {
				continue
			}
			for i, score := range b.scores {
				s := campaign.MetricScore{Place: campaign.Place{File: opt.File, Line: int(b.lines[i])}, Metric: metric, System: b.system, Score: score}
				if bySegment {
					s.Nth = i + 1
				}
				if !yield(s, nil) {
					return
				}
			}
		}
		strangers.tell(yield)
	}
}

// A scoreBlock has the scores of a system and their lines.
type scoreBlock struct {
	system string
	scores []float64
	lines  []int32
}

// strangers counts the scores of systems that the campaign does not have.
type strangers struct {
	opt   Options
	list  []stranger
	known int // the number of scores of the campaign's systems
}

type stranger struct {
	system string
	line   int // the line of the first score
	scores int
}

func newStrangers(opt Options) *strangers { return &strangers{opt: opt} }

// has reports whether the campaign lacks a system, and counts the scores of the system.
func (x *strangers) has(system string, line, scores int) bool {
	if x.opt.Systems == nil || slices.Contains(x.opt.Systems, system) {
		x.known += scores
		return false
	}
	i := slices.IndexFunc(x.list, func(s stranger) bool { return s.system == system })
	if i < 0 {
		i = len(x.list)
		x.list = append(x.list, stranger{system: system, line: line})
	}
	x.list[i].scores += scores
	return true
}

// tell notes the systems that were left out, or yields a problem if they are not allowed.
func (x *strangers) tell(yield func(campaign.MetricScore, error) bool) {
	if len(x.list) == 0 {
		return
	}
	names, scores, line := make([]string, len(x.list)), 0, 0
	for i, s := range x.list {
		names[i] = s.system
		scores += s.scores
		if i == 0 || s.line < line {
			line = s.line
		}
	}
	problem := campaign.Problem{File: x.opt.File, Line: line, Field: "system"}
	switch {
	case x.known == 0:
		problem.Msg = fmt.Sprintf(
			"the campaign has none of the systems of this file, which are %s; the campaign's systems are %s; check that the file is about the same data",
			list(names), list(x.opt.Systems),
		)
	case x.opt.LeaveOutSystems:
		for _, s := range x.list {
			x.opt.Notes.AddNamed(noteStrangers, fmt.Sprintf("%s (%d)", wording.Quote(s.system), s.scores), x.opt.File, s.line)
		}
		return
	default:
		what := "system"
		if len(names) > 1 {
			what = "systems"
		}
		problem.Msg = fmt.Sprintf(
			"the campaign has no %s %s, with %s in this file; leave out such systems (--leave-out systems on the command line, a box on the page) or correct the names; the campaign's are %s",
			what, list(names), wording.Counted(scores, "score"), list(slices.SortedFunc(slices.Values(x.opt.Systems), cmp.Compare[string])),
		)
	}
	yield(campaign.MetricScore{}, &problem)
}

// noteStrangers is the text of a note about systems whose scores are left out.
const noteStrangers = "{system|systems} that the campaign does not have, whose scores were left out"
