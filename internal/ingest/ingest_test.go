package ingest

import (
	"errors"
	"fmt"
	"io"
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

// segments reads a file in which nothing is wrong.
func segments(t *testing.T, format, input string, opt Options) []campaign.SegmentLine {
	t.Helper()
	got, problems, err := collect(Segments(format, strings.NewReader(input), opt))
	for _, p := range problems {
		t.Errorf("refused: %v", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A refusal is an input with the expected problems.
type refusal struct {
	name string
	// input may hold the sign ‸ where the n-th problem with a column is
	// expected; it is taken out before reading.
	input string
	opt   Options
	// want is each problem without the file, with ‸ for the place of the next
	// sign: "‸ source: empty", "2: source: missing", "no segments".
	want []string
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

func (tt refusal) run(t *testing.T, read func(input string, opt Options) ([]*campaign.Problem, error)) {
	t.Helper()
	t.Run(tt.name, func(t *testing.T) {
		input, at := places(tt.input)
		var want []string
		for _, w := range tt.want {
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
		tt.opt.File = "f"
		problems, err := read(input, tt.opt)
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

func refuseSegments(format string) func(string, Options) ([]*campaign.Problem, error) {
	return func(input string, opt Options) ([]*campaign.Problem, error) {
		_, problems, err := collect(Segments(format, strings.NewReader(input), opt))
		return problems, err
	}
}

func protocolSQM(t testing.TB) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	return p
}

func diff[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestUnknownFormat(t *testing.T) {
	got, problems, err := collect(Segments("xml", strings.NewReader("{}"), Options{}))
	if err == nil || err.Error() != `there is no format "xml" for segments; use jsonl or ment` || len(got)+len(problems) > 0 {
		t.Errorf("got %v, %v, %v", got, problems, err)
	}
}

func TestSelectNeedsLanguages(t *testing.T) {
	_, _, err := collect(Segments("jsonl", strings.NewReader("{}"), Options{Select: true, SourceLang: "zh"}))
	if err == nil {
		t.Error("a pair was selected without a target language, and nothing was said")
	}
}

// The caller can stop reading at any point.
func TestStopEarly(t *testing.T) {
	input := strings.Repeat(`{"segment_id":1,"source":"s","translations":{"A":"t"}}`+"\n{}\n", 3)
	for n := range 8 {
		seen := 0
		for range Segments("jsonl", strings.NewReader(input), Options{}) {
			if seen++; seen > n {
				break
			}
		}
		rated := strings.Repeat(`{"segment_id":1,"system":"A","annotator":"lin","scores":{"sqm":3}}`+"\n{}\n", 3)
		seen = 0
		for range Ratings(strings.NewReader(rated), protocolSQM(t), Options{}) {
			if seen++; seen > n {
				break
			}
		}
	}
}

// A stream that breaks ends reading with its own error, after what came before.
func TestBrokenStream(t *testing.T) {
	broken := errors.New("cable pulled")
	line := `{"segment_id":1,"source":"s","translations":{"A":"t"}}` + "\n"
	for _, head := range []string{"", "\ufeff", line, line + `{"segm`, strings.Repeat(" ", 1<<17)} {
		r := io.MultiReader(strings.NewReader(head), errReader{broken})
		got, problems, err := collect(Segments("jsonl", r, Options{File: "f"}))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read f:") {
			t.Errorf("after %.20q: got error %v", head, err)
		}
		if len(got) != strings.Count(head, "\n") || len(problems) > 0 {
			t.Errorf("after %.20q: got %v and %v", head, got, problems)
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
