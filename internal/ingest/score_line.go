package ingest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"annotate/internal/wording"
)

// parseScore splits a line of a .score file into the given number of names, the last of
// which is a system, and the score. None is NaN, and is allowed only for human scores.
// Cells are separated by tabs. On a line without tabs they are separated by spaces, and the
// name of the system may contain spaces. at is the offset of the score.
func parseScore(line string, names int, human bool) (cells []string, score float64, at int, bad *fault) {
	text := strings.TrimRight(line, " \t\r")
	at = len(text)
	if strings.Contains(text, "\t") {
		cells = strings.Split(text, "\t")
		at -= len(cells[len(cells)-1])
	} else {
		rest := text
		for len(cells) < names-1 {
			word, after, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
			cells, rest = append(cells, word), after
		}
		if cut := strings.LastIndexByte(rest, ' '); cut >= 0 {
			at = len(text) - len(rest) + cut + 1
			cells = append(cells, rest[:cut], rest[cut+1:])
		}
	}
	if len(cells) != names+1 {
		want := "a system and a score"
		if names == 2 {
			want = "a domain, a system and a score"
		}
		return nil, 0, 0, &fault{Msg: fmt.Sprintf("the line must have %s, divided by a tab, and not %s", want, wording.Quote(text))}
	}
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	r := record{}
	if !r.CheckName(0, "system", "name", cells[names-1], maxSystem) {
		return nil, 0, 0, &fault{Field: "system", Msg: r.Problems[0].Msg}
	}
	score, msg := scoreOf(cells[names], human)
	if msg != "" {
		return nil, 0, 0, &fault{At: at, Field: "score", Msg: msg}
	}
	return cells[:names], score, at, nil
}

// scoreOf parses a score. msg is the problem, if there is one.
func scoreOf(text string, human bool) (score float64, msg string) {
	if text == "None" {
		if human {
			return math.NaN(), ""
		}
		return 0, "None is for human scores; a metric needs a score for every segment"
	}
	score, ok := number(text)
	switch {
	case ok:
		return score, ""
	case human:
		return 0, wording.Quote(text) + " is no score; give a finite number, or None for a missing score"
	}
	return 0, wording.Quote(text) + " is no score; a metric needs a finite number for every segment"
}

// number parses a finite number.
func number(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
