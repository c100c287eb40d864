package campaign

import (
	"fmt"
	"strings"
	"testing"
)

// TestProblemsAlike: of problems that say the same a list has a few, and the last of
// them counts the rest; other ones go on to be listed.
func TestProblemsAlike(t *testing.T) {
	var ps Problems
	for i := range 2000 {
		ps.Add(&Problem{File: "a", Line: i + 1, Field: "x", Msg: "bad"})
		ps.Add(&Problem{File: "a", Line: i + 1, Kind: "k", Msg: fmt.Sprint("bad ", i)})
	}
	ps.Add(&Problem{File: "b", Line: 1, Field: "x", Msg: "bad"})
	ps.Add(&Problem{File: "a", Line: 5000, Field: "y", Msg: "bad"})
	if len(ps.List) != 2*MaxAlike+2 || ps.Count() != 4002 || ps.More != 0 {
		t.Errorf("%d listed of %d, %d more", len(ps.List), ps.Count(), ps.More)
	}
	ps.Sort()
	ps.Summary = "all is bad"
	lines := strings.Split(ps.Error(), "\n")
	for line, want := range map[int]string{0: "all is bad", 1: "a:1: x: bad", 19: "a:10: x: bad (and 1990 more like this, in lines " + lineList(11, 40) + " and others)", 20: "a:10: bad 9 (and 1990 more like this, in lines " + lineList(11, 40) + " and others)", 21: "a:5000: y: bad", 22: "b:1: x: bad"} {
		if lines[line] != want {
			t.Errorf("line %d is %q, want %q", line, lines[line], want)
		}
	}
	if got := ps.Advice(); got != "All is bad." {
		t.Errorf("advice %q", got)
	}
}

func lineList(from, to int) string {
	var out []string
	for n := from; n <= to; n++ {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}

// TestAdvice: a page says first what to do, and of a file of another kind what it is.
func TestAdvice(t *testing.T) {
	kind := &Problem{File: "a.xlsx", Field: "format", Msg: "the file is an Excel workbook; save it as text"}
	line := &Problem{File: "a.jsonl", Line: 3, Field: "source", Msg: "missing"}
	for _, tt := range []struct {
		problems Problems
		want     string
	}{
		{Problems{List: []*Problem{kind}}, "The file is an Excel workbook; save it as text."},
		{Problems{List: []*Problem{line}}, "Correct the file and import it again."},
		{Problems{List: []*Problem{kind, line}}, "Correct the file and import it again."},
		{Problems{Summary: "leave them out", List: []*Problem{kind}}, "Leave them out."},
	} {
		if got := tt.problems.Advice(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
