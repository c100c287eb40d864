package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ratingTable is the table of ratings: score by segment, round, annotator and system.
type ratingTable struct {
	segments []string // in their order
	score    map[string]map[int]map[string]map[string]float64
	status   map[string]string
}

// pearson is the plain formula; NaN where a side is constant.
func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy, sxx, syy, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	vx, vy := n*sxx-sx*sx, n*syy-sy*sy
	if vx == 0 || vy == 0 || n < 3 {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / math.Sqrt(vx*vy)
}

func (tb *ratingTable) vector(segment string, round int, login string) (out []float64) {
	given := tb.score[segment][round][login]
	for _, system := range slices.Sorted(maps.Keys(given)) {
		out = append(out, given[system])
	}
	return out
}

// passes applies the gate as the manual describes it.
func (tb *ratingTable) passes(segment string, round int, threshold float64) bool {
	logins := slices.Sorted(maps.Keys(tb.score[segment][round]))
	for i, a := range logins {
		for _, b := range logins[:i] {
			x, y := tb.vector(segment, round, a), tb.vector(segment, round, b)
			r, far := pearson(x, y), 0.0
			for k := range x {
				far += math.Abs(x[k]-y[k]) / float64(len(x))
			}
			if math.IsNaN(r) && far > 0.5 || r < threshold-1e-12 {
				return false
			}
		}
	}
	return true
}

// state is what the ratings of a segment say: its status and round, whether round 1
// is complete, and whether it passes.
func (tb *ratingTable) state(segment string, threshold float64) (status string, round int, complete, passes bool) {
	first, second := tb.score[segment][1], tb.score[segment][2]
	if len(first) < 2 {
		return "pending", 1, false, false
	}
	if tb.passes(segment, 1, threshold) {
		return "agreed", 1, true, true
	}
	waits := false
	for login := range first {
		waits = waits || second[login] == nil
	}
	switch {
	case len(second) >= 2 && !tb.passes(segment, 2, threshold):
		return "discarded", 2, true, false
	case waits || len(second) < 2:
		return "reannotate", 2, true, false
	}
	return "agreed", 2, true, false
}

// counting is the rounds that are wanted: all below the one that the segment is in.
func (tb *ratingTable) counting(segment string, threshold float64) []int {
	if _, round, _, _ := tb.state(segment, threshold); round == 2 {
		return []int{2, 1}
	}
	return []int{1}
}

// readTable reads the table of ratings, and gold as its rounds have it.
func (p *published) readTable(text string) *ratingTable {
	p.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		p.t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	tb := &ratingTable{score: map[string]map[int]map[string]map[string]float64{}, status: map[string]string{}}
	for n := range p.Segments {
		id := fmt.Sprint("s", n+1)
		tb.segments, tb.score[id] = append(tb.segments, id), map[int]map[string]map[string]float64{}
	}
	for _, row := range rows[1:] {
		id, login, system := row[column["segment_id"]], row[column["annotator"]], row[column["system"]]
		round, _ := strconv.Atoi(row[column["round"]])
		score, err := strconv.ParseFloat(row[column["sqm"]], 64)
		if err != nil {
			p.t.Fatal(err)
		}
		if tb.score[id][round] == nil {
			tb.score[id][round] = map[string]map[string]float64{}
		}
		if tb.score[id][round][login] == nil {
			tb.score[id][round][login] = map[string]float64{}
		}
		tb.score[id][round][login][system] = score
		tb.status[id] = row[column["status"]]
	}
	return tb
}

// An expectation holds the values that follow from the table of ratings.
type expectation struct {
	statuses       map[string]int
	judged, failed int // of segments whose round 1 is complete
	segment        map[[2]string]cell
	system         map[[2]string]cell
	gold           map[string]float64 // by segment and system
}

type cell struct {
	r      float64
	shared int
}

func (tb *ratingTable) expect(threshold float64) expectation {
	out := expectation{statuses: map[string]int{}, segment: map[[2]string]cell{}, system: map[[2]string]cell{}, gold: map[string]float64{}}
	rs := map[[2]string][]float64{}
	sums := map[[2]string][2]map[string]float64{}
	shared := map[[2]string]int{}
	for _, id := range tb.segments {
		status, round, complete, passes := tb.state(id, threshold)
		out.statuses[status]++
		if complete {
			out.judged++
		}
		if complete && !passes {
			out.failed++
		}
		if status == "agreed" {
			n := float64(len(tb.score[id][round]))
			for _, given := range tb.score[id][round] {
				for system, x := range given {
					out.gold[id+" "+system] += x / n
				}
			}
		}
		done := map[[2]string]bool{}
		for _, round := range tb.counting(id, threshold) {
			for a, x := range tb.score[id][round] {
				for b, y := range tb.score[id][round] {
					pair := [2]string{a, b}
					if a >= b || done[pair] {
						continue
					}
					done[pair] = true
					shared[pair]++
					if sums[pair][0] == nil {
						sums[pair] = [2]map[string]float64{{}, {}}
					}
					for system := range x {
						sums[pair][0][system] += x[system]
						sums[pair][1][system] += y[system]
					}
					if r := pearson(tb.vector(id, round, a), tb.vector(id, round, b)); !math.IsNaN(r) {
						rs[pair] = append(rs[pair], r)
					}
				}
			}
		}
	}
	for pair, n := range shared {
		mean := math.NaN()
		if len(rs[pair]) > 0 {
			mean = 0
			for _, r := range rs[pair] {
				mean += r / float64(len(rs[pair]))
			}
		}
		out.segment[pair] = cell{mean, n}
		var x, y []float64
		for _, system := range slices.Sorted(maps.Keys(sums[pair][0])) {
			x, y = append(x, sums[pair][0][system]), append(y, sums[pair][1][system])
		}
		out.system[pair] = cell{pearson(x, y), n}
	}
	return out
}

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }
