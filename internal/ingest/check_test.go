package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// collect reads a file to its end.
func collect[L any](lines iter.Seq2[L, error]) (out []L, problems []*campaign.Problem, err error) {
	for line, e := range lines {
		if p, ok := errors.AsType[*campaign.Problem](e); ok {
			problems = append(problems, p)
		} else if e != nil {
			err = e
		} else {
			out = append(out, line)
		}
	}
	return out, problems, err
}

// A refusal is an input with the expected problems.
type refusal struct {
	Name string
	// Input may hold the sign ‸ where the n-th problem with a column is
	// expected; it is taken out before reading.
	Input   string
	Options Options
	// Want is each problem without the file, with ‸ for the place of the next
	// sign: "‸ source: empty", "2: source: missing", "no segments".
	Want []string
}

// refuse is a refusal under no options.
func refuse(name, input string, want ...string) refusal { return refusal{name, input, Options{}, want} }

// under is a refusal under options.
func (tt refusal) under(opt Options) refusal {
	tt.Options = opt
	return tt
}

const sign = "‸"

// places takes the signs out of an input and returns "LINE:COLUMN" of each.
func places(input string) (string, []string) {
	var out []string
	for {
		before, after, ok := strings.Cut(input, sign)
		if !ok {
			return input, out
		}
		line := before[strings.LastIndexByte(before, '\n')+1:]
		out = append(out, fmt.Sprintf("%d:%d", strings.Count(before, "\n")+1, utf8.RuneCountInString(strings.TrimPrefix(line, "\ufeff"))+1))
		input = before + after
	}
}

// Run reads the input with read and compares the problems with those that are expected.
func (tt refusal) Run(t *testing.T, read func(input string, opt Options) ([]*campaign.Problem, error)) {
	t.Helper()
	t.Run(tt.Name, func(t *testing.T) {
		input, at := places(tt.Input)
		var want []string
		for _, w := range tt.Want {
			rest, placed := strings.CutPrefix(w, sign+" ")
			switch {
			case placed && len(at) == 0:
				t.Fatal("there are too few signs in the input")
			case placed:
				w = "f:" + at[0] + ": " + rest
				at = at[1:]
			case w[0] >= '0' && w[0] <= '9':
				w = "f:" + w
			default:
				w = "f: " + w
			}
			want = append(want, w)
		}
		if len(at) > 0 {
			t.Fatal("there are more signs than problems")
		}
		tt.Options.File = "f"
		problems, err := read(input, tt.Options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.Error())
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// diff compares two values.
func diff[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// builtin returns the built-in protocol with an id.
func builtin(t testing.TB, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p
}

// checkProblem checks that an error is a problem with a place in the input.
func checkProblem(t *testing.T, input []byte, err error) {
	t.Helper()
	p, ok := errors.AsType[*campaign.Problem](err)
	if !ok {
		t.Fatalf("not a problem: %v", err)
	}
	lines := bytes.Count(input, []byte("\n")) + 1
	ofFile := strings.HasPrefix(p.Msg, "the file has no ") || p.Field == "format" && p.Column == 0 && !strings.HasPrefix(p.Msg, "this looks like ")
	if p.Msg == "" || p.Line > lines || (p.Line == 0) != ofFile {
		t.Fatalf("in %d lines: %+v", lines, p)
	}
	if p.Line > 0 {
		line := bytes.Split(input, []byte("\n"))[p.Line-1]
		if most := utf8.RuneCount(line) + 1; p.Column > most {
			t.Fatalf("column %d of %d: %v", p.Column, most, p)
		}
	}
}

// noted lists the lines of a report about notes.
func noted(notes Notes) (out []string) {
	for _, n := range notes.List {
		out = append(out, n.String())
	}
	return out
}

// problemsOf reads a text as a file of a format, under the protocol MQM, and returns its problems.
func problemsOf(t *testing.T, format, text string, opt Options) (problems []*campaign.Problem) {
	t.Helper()
	r, p := strings.NewReader(text), builtin(t, "mqm")
	switch format {
	case "jsonl", "ment":
		_, problems, _ = collect(Segments(format, r, opt))
	case "ratings":
		_, problems, _ = collect(Ratings(r, p, opt))
	case "suggestions":
		_, problems, _ = collect(Suggestions(r, p, opt))
	case "judgements":
		_, problems, _ = collect(Judgements(r, p, opt))
	case "mqm-tsv":
		_, problems, _ = collect(MQM(r, p, opt, nil))
	case "scores":
		_, problems, _ = collect(Scores(r, opt))
	case "references":
		_, problems, _ = collect(References(r, opt))
	}
	return problems
}
