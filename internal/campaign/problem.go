package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Problem says what is wrong with an input, and where.
type Problem struct {
	File   string
	Line   int // from 1; 0: the file as a whole
	Column int // in code points from 1; 0: the line as a whole
	Field  string
	Msg    string // what is wrong and what to do, in lower case
	// Kind groups problems that say the same of several places, with other words in
	// them; empty: those with the same field and message.
	Kind string
	// Alike counts further problems of the kind that a list leaves out, and AlikeLines
	// are the first lines of these, at most [MaxAlikeLines].
	Alike      int
	AlikeLines []int
}

// UnknownSegment is the kind of problems of lines that name segments that the campaign
// does not have.
const UnknownSegment = "unknown segment"

// Error is "FILE:LINE:COLUMN: FIELD: MSG" without the parts that are not known.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Line > 0 && p.Column > 0 {
		fmt.Fprintf(&b, ":%d", p.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message())
	return b.String()
}

// Message is Msg, and how many more problems are like it.
func (p *Problem) Message() string {
	if p.Alike == 0 {
		return p.Msg
	}
	if len(p.AlikeLines) == 0 {
		return fmt.Sprintf("%s (and %d more like this)", p.Msg, p.Alike)
	}
	lines := make([]string, len(p.AlikeLines))
	for i, n := range p.AlikeLines {
		lines[i] = strconv.Itoa(n)
	}
	and := ""
	if p.Alike > len(lines) {
		and = " and others"
	}
	return fmt.Sprintf("%s (and %d more like this, in lines %s%s)", p.Msg, p.Alike, strings.Join(lines, ", "), and)
}

// Problems are everything wrong with an input that was refused as a whole.
type Problems struct {
	// Summary says in one sentence what is wrong and what to do; may be empty.
	Summary string
	List    []*Problem // in the order of the input, at most [MaxProblems]
	More    int        // how many there are beyond the list and those like a listed one
	kinds   map[problemKind]*alike
}

// problemKind tells problems apart that say the same.
type problemKind struct{ file, kind string }

// alike are the listed problems of a kind.
type alike struct {
	n    int
	last *Problem
}

// MaxProblems is how many problems are listed; the rest are counted.
const MaxProblems = 1000

// MaxAlike is how many problems of one kind are listed of a file; the last of them
// counts the rest.
const MaxAlike = 10

// MaxAlikeLines is how many lines are named of those that are only counted.
const MaxAlikeLines = 30

// Add appends p, or counts it when there are enough of its kind or the list is full.
func (ps *Problems) Add(p *Problem) {
	kind := problemKind{p.File, p.Kind}
	if p.Kind == "" {
		kind.kind = p.Field + "\x00" + p.Msg
	}
	if same := ps.kinds[kind]; same != nil && same.n >= MaxAlike {
		same.last.Alike++
		if p.Line > 0 && len(same.last.AlikeLines) < MaxAlikeLines {
			same.last.AlikeLines = append(same.last.AlikeLines, p.Line)
		}
		return
	}
	if len(ps.List) >= MaxProblems {
		ps.More++
		return
	}
	if ps.kinds == nil {
		ps.kinds = map[problemKind]*alike{}
	}
	if ps.kinds[kind] == nil {
		ps.kinds[kind] = &alike{}
	}
	ps.kinds[kind].n++
	ps.kinds[kind].last = p
	ps.List = append(ps.List, p)
}

// Sort puts the list in the order of the input: files as they were first met,
// then lines.
func (ps *Problems) Sort() {
	files := map[string]int{}
	for _, p := range ps.List {
		if _, ok := files[p.File]; !ok {
			files[p.File] = len(files)
		}
	}
	slices.SortStableFunc(ps.List, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// Count is the number of problems found.
func (ps *Problems) Count() int {
	n := len(ps.List) + ps.More
	for _, p := range ps.List {
		n += p.Alike
	}
	return n
}

// Advice says in a sentence or two what to do, for a page. A file of another kind is
// named there, since nothing in it can be corrected.
func (ps *Problems) Advice() string {
	said := ps.Summary
	if said == "" && len(ps.List) == 1 && ps.More == 0 && ps.List[0].Field == "format" {
		said = ps.List[0].Message()
	}
	if said == "" {
		return "Correct the file and import it again."
	}
	r, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(r)) + said[size:] + "."
}

// Error gives the summary and then one problem a line.
func (ps *Problems) Error() string {
	lines := make([]string, 0, len(ps.List)+2)
	if ps.Summary != "" {
		lines = append(lines, ps.Summary)
	}
	for _, p := range ps.List {
		lines = append(lines, p.Error())
	}
	if ps.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more problems", ps.More))
	}
	return strings.Join(lines, "\n")
}

// A SegmentLine is a [Segment] read from a line of a file, or from several.
type SegmentLine struct {
	File    string // for messages
	Line    int    // the first
	Segment Segment
	// Rows are the first lines of its translations and ratings, where they have
	// lines of their own; nil if there is but one line.
	Rows map[Row]int
}

// A Row is what a line of its own is about: a rating, or without an annotator a
// translation.
type Row struct{ System, Annotator string }

// LineOf is the line that a translation or rating was read from.
func (l SegmentLine) LineOf(r Row) int {
	if n, ok := l.Rows[r]; ok {
		return n
	}
	return l.Line
}

// A NumberedRating is a [RatingLine] with the number of the line it was read from.
type NumberedRating struct {
	File   string
	Line   int
	Rating RatingLine
}
