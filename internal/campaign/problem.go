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

// A Place is the file and line that something was read from.
type Place struct {
	File string
	Line int // from 1; 0: the file as a whole
}

// Problem is a problem with what was read.
func (p Place) Problem(field, msg string) *Problem {
	return &Problem{File: p.File, Line: p.Line, Field: field, Msg: msg}
}

// First says in words where the first of two equal segments is. file is the file of the
// second one.
func (p Place) First(file string) string {
	in := ""
	if p.File != file {
		in = " of " + p.File
	}
	return fmt.Sprintf("the first is in line %d%s; give each its own id, or leave one out", p.Line, in)
}

// A Problem says what is wrong with an input, and where.
type Problem struct {
	File   string
	Line   int // from 1; 0: the file as a whole
	Column int // in code points from 1; 0: the line as a whole
	Field  string
	Msg    string // what is wrong and what to do, in lower case
	// Option is what mends the problem on the command line, such as "--sheet NAME". Pages, which
	// have fields for it, do not show it. It is empty if no option mends the problem.
	Option string
	// Kind groups problems whose messages differ only in their details. If it is empty,
	// problems with the same field and message form a group.
	Kind string
	// Alike is the number of further problems of the group that a list leaves out.
	// AlikeLines are the first lines of these, at most [MaxAlikeLines].
	Alike      int
	AlikeLines []int
}

// UnknownSegment is the [Problem.Kind] of lines that name a segment that the campaign does
// not have.
const UnknownSegment = "unknown segment"

// UnknownSystem and NoTranslation are the [Problem.Kind] of lines that name a system that the campaign does not
// have, and a system that gave no translation of a segment.
const (
	UnknownSystem = "no system"
	NoTranslation = "no translation"
)

// Further kinds of problems of which an import sums up many in one sentence.
const (
	OtherText    = "other text"    // a text of the file is not that of the campaign
	RatedAlready = "rated already" // the campaign or the file has the rating already
)

// Error is "FILE:LINE:COLUMN: FIELD: MSG (OPTION on the command line)" without the parts that are
// not known.
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
	if p.Option != "" {
		b.WriteString(" (" + p.Option + " on the command line)")
	}
	return b.String()
}

// Message is Msg with the number and lines of further problems of the group.
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

// Problems lists everything that is wrong with an input that was refused as a whole.
type Problems struct {
	// Summary says in one sentence what is wrong and what to do; may be empty.
	Summary string
	List    []*Problem // in the order of the input, at most [MaxProblems]
	More    int        // problems that are neither listed nor counted in Alike of a listed one
	groups  map[problemKey]*problemGroup
}

// A problemKey identifies a group of problems: the file, and the kind or the field with the
// message.
type problemKey struct{ file, kind string }

// A problemGroup is the number of listed problems of a group, and the last of them.
type problemGroup struct {
	n    int
	last *Problem
}

// MaxProblems is the largest number of problems that are listed. The rest are counted.
const MaxProblems = 1000

// MaxAlike is the largest number of problems of one group that are listed for a file. The
// last of them counts the rest in Alike.
const MaxAlike = 10

// MaxAlikeLines is the largest number of lines in [Problem.AlikeLines].
const MaxAlikeLines = 30

// Add appends p to the list, or counts it if its group or the list is full.
func (ps *Problems) Add(p *Problem) {
	key := problemKey{p.File, p.Kind}
	if p.Kind == "" {
		key.kind = p.Field + "\x00" + p.Msg
	}
	if group := ps.groups[key]; group != nil && group.n >= MaxAlike {
		group.last.Alike++
		if p.Line > 0 && len(group.last.AlikeLines) < MaxAlikeLines {
			group.last.AlikeLines = append(group.last.AlikeLines, p.Line)
		}
		return
	}
	if len(ps.List) >= MaxProblems {
		ps.More++
		return
	}
	if ps.groups == nil {
		ps.groups = map[problemKey]*problemGroup{}
	}
	if ps.groups[key] == nil {
		ps.groups[key] = &problemGroup{}
	}
	ps.groups[key].n++
	ps.groups[key].last = p
	ps.List = append(ps.List, p)
}

// Sort puts the list in the order of the input: files in the order of their first listed
// problem, then lines.
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

// Count is the number of all problems, listed or not.
func (ps *Problems) Count() int {
	n := len(ps.List) + ps.More
	for _, p := range ps.List {
		n += p.Alike
	}
	return n
}

// Advice says in a sentence or two what to do, for a page. If the file has another format
// altogether, the advice is the message that says so, because correcting lines would not
// help.
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
	// Rows gives the line of each translation and rating, in formats with one line for
	// each of them. It is nil if the whole segment is one line.
	Rows map[Row]int
	From *Descent // the campaign that the segment comes from; nil: it comes from a file
}

// A Row names a translation or, with an annotator, a rating.
type Row struct{ System, Annotator string }

// Place is where the segment was read.
func (l SegmentLine) Place() Place { return Place{l.File, l.Line} }

// PlaceOf is where a translation or a rating was read.
func (l SegmentLine) PlaceOf(r Row) Place {
	return Place{l.File, cmp.Or(l.Rows[r], l.Line)}
}
