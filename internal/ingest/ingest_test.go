package ingest

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"annotate/internal/campaign"
)

// segments reads a file in which nothing is wrong.
func segments(t *testing.T, format, data string, opt Options) []campaign.SegmentLine {
	t.Helper()
	got, problems, err := collect(Segments(format, strings.NewReader(data), opt))
	for _, p := range problems {
		t.Errorf("refused: %v", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func refuseSegments(format string) func(string, Options) ([]*campaign.Problem, error) {
	return func(data string, opt Options) ([]*campaign.Problem, error) {
		_, problems, err := collect(Segments(format, strings.NewReader(data), opt))
		return problems, err
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
	data := strings.Repeat(`{"segment_id":1,"source":"s","translations":{"A":"t"}}`+"\n{}\n", 3)
	for n := range 8 {
		seen := 0
		for range Segments("jsonl", strings.NewReader(data), Options{}) {
			if seen++; seen > n {
				break
			}
		}
		rated := strings.Repeat(`{"segment_id":1,"system":"A","annotator":"lin","scores":{"sqm":3}}`+"\n{}\n", 3)
		seen = 0
		for range Ratings(strings.NewReader(rated), builtin(t, "sqm"), Options{}) {
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
		r := io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))
		got, problems, err := collect(Segments("jsonl", r, Options{File: "f"}))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read f:") {
			t.Errorf("after %.20q: got error %v", head, err)
		}
		if len(got) != strings.Count(head, "\n") || len(problems) > 0 {
			t.Errorf("after %.20q: got %v and %v", head, got, problems)
		}
	}
}

func TestUTF16(t *testing.T) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		got, problems, err := collect(Segments("jsonl", strings.NewReader(mark+"{\x00}\x00\n\x00"), Options{File: "f"}))
		if len(got) > 0 || err != nil || len(problems) != 1 || problems[0].Error() != "f: format: the file is UTF-16; save it as UTF-8" {
			t.Errorf("got %v, %v, %v", got, problems, err)
		}
	}
}
