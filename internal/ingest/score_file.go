package ingest

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// scoreFormat is the name of the format of .score files in messages.
const scoreFormat = ".score"

// A lineError is a problem of a line, with its byte offset.
type lineError struct {
	at         int
	field, msg string
}

// parseScore splits a line of a .score file into the given number of names, the last of
// which is a system, and the score. None is NaN, and is allowed only for human scores.
// Cells are separated by tabs. On a line without tabs they are separated by spaces, and the
// name of the system may contain spaces.
func parseScore(line string, names int, human bool) (cells []string, score float64, bad *lineError) {
	text := strings.TrimRight(line, " \t\r")
	last := len(text) // the offset of the score
	if strings.Contains(text, "\t") {
		cells = strings.Split(text, "\t")
		last -= len(cells[len(cells)-1])
	} else {
		rest := text
		for len(cells) < names-1 {
			word, after, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
			cells, rest = append(cells, word), after
		}
		if cut := strings.LastIndexByte(rest, ' '); cut >= 0 {
			last = len(text) - len(rest) + cut + 1
			cells = append(cells, rest[:cut], rest[cut+1:])
		}
	}
	if len(cells) != names+1 {
		want := "a system and a score"
		if names == 2 {
			want = "a domain, a system and a score"
		}
		return nil, 0, &lineError{msg: fmt.Sprintf("%s is not %s, divided by a tab", wording.Quote(text), want)}
	}
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	r := record{}
	if !r.checkName(0, "system", "name", cells[names-1], maxSystem) {
		return nil, 0, &lineError{field: "system", msg: r.problems[0].Msg}
	}
	score, msg := scoreOf(cells[names], human)
	if msg != "" {
		return nil, 0, &lineError{at: last, field: "score", msg: msg}
	}
	return cells[:names], score, nil
}

// scoreLine parses the line with parseScore and adds its problem to r.
func (r *record) scoreLine() (system string, score float64, ok bool) {
	if !r.isUTF8() {
		return "", 0, false
	}
	names, score, bad := parseScore(string(r.text), 1, false)
	if bad != nil {
		r.refuseKind("score "+bad.field, bad.at, bad.field, "%s", bad.msg)
		return "", 0, false
	}
	return names[0], score, true
}

// scoreOf parses a score. msg is the problem, if there is one.
func scoreOf(text string, human bool) (score float64, msg string) {
	if text == "None" {
		if human {
			return math.NaN(), ""
		}
		return 0, "None is for human scores; a metric needs a score for every segment"
	}
	score, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && !math.IsNaN(score) && !math.IsInf(score, 0):
		return score, ""
	case human:
		return 0, wording.Quote(text) + " is no score; give a finite number, or None for a missing score"
	}
	return 0, wording.Quote(text) + " is no score; a metric needs a finite number for every segment"
}

// scoreTable reads a score file of mt-metrics-eval. It yields the scores system by system,
// in the order of the systems' first lines. Each line takes 12 bytes of memory. If a line is
// refused, it yields only problems.
func scoreTable(r io.Reader, opt Options, metric string, bySegment bool) iter.Seq2[campaign.NumberedScore, error] {
	return func(yield func(campaign.NumberedScore, error) bool) {
		var blocks []*scoreBlock
		of := map[string]*scoreBlock{}
		found, refused := false, false
		ok := eachLine(r, scoreFormat, opt, func(r *record) bool {
			found = true
			system, score, ok := r.scoreLine()
			if !ok {
				return true
			}
			b := of[system]
			if b == nil {
				b = &scoreBlock{system: system}
				of[b.system] = b
				blocks = append(blocks, b)
			} else if !bySegment {
				r.refuse(0, "system", "%s has two scores; a %s file has one for each system", wording.Quote(b.system), systemScores)
				return true
			}
			b.scores, b.lines = append(b.scores, score), append(b.lines, int32(r.n))
			return true
		}, func(line int, err error) bool {
			found, refused = true, true
			return yield(campaign.NumberedScore{Line: line}, err)
		})
		if ok && !found {
			yield(campaign.NumberedScore{}, &campaign.Problem{File: opt.File, Msg: noneIn("scores")})
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
				s := campaign.MetricScore{Metric: metric, System: b.system, Score: score}
				if bySegment {
					s.Place = i + 1
				}
				if !yield(campaign.NumberedScore{Line: int(b.lines[i]), Score: s}, nil) {
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
func (x *strangers) tell(yield func(campaign.NumberedScore, error) bool) {
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
		problem.Msg = fmt.Sprintf("the campaign has no system of this file, which has scores of %s; its systems are %s; check that the file is about the same data", list(names), list(x.opt.Systems))
	case x.opt.LeaveOutSystems:
		for _, s := range x.list {
			x.opt.Notes.addNamed(noteStrangers, fmt.Sprintf("%s (%d)", wording.Quote(s.system), s.scores), x.opt.File, s.line)
		}
		return
	default:
		what := "system"
		if len(names) > 1 {
			what = "systems"
		}
		problem.Msg = fmt.Sprintf("the campaign has no %s %s, with %s in this file; leave out such systems (--leave-out systems on the command line, a box on the page) or correct the names; the campaign's are %s",
			what, list(names), wording.Counted(scores, "score"), list(slices.SortedFunc(slices.Values(x.opt.Systems), cmp.Compare[string])))
	}
	yield(campaign.NumberedScore{Line: line}, &problem)
}

// noteStrangers is the text of a note about systems whose scores are left out.
const noteStrangers = "systems that the campaign does not have, whose scores were left out"
