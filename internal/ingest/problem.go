package ingest

import (
	"fmt"
	"strings"
)

// A Problem says what is wrong with an input and where, in words for the
// person who made the file. Reading goes on after a Problem.
type Problem struct {
	File   string // as in [Options]
	Line   int    // from 1; 0: the file as a whole
	Column int    // in code points from 1, a byte order mark not counted; 0: not known
	Field  string // the key, with its parents: "translations.Aster"; empty: the line as a whole
	Msg    string // what is wrong and what to do
}

// Error is "FILE:LINE:COLUMN: FIELD: MSG" without the parts that are not known.
func (p *Problem) Error() string {
	var b strings.Builder
	sep := ""
	if p.File != "" {
		b.WriteString(p.File)
		sep = ":"
	}
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			fmt.Fprintf(&b, "%s%d", sep, n)
			sep = ":"
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Msg)
	return b.String()
}

// quote writes s for a message, cut to a length that people can read.
func quote(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n++; n > most {
			return fmt.Sprintf("%q…", s[:i])
		}
	}
	return fmt.Sprintf("%q", s)
}

// list writes names for a message, at most ten of them.
func list(names []string) string {
	const most = 10
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), len(names)-most)
		}
		quoted = append(quoted, quote(name))
	}
	return strings.Join(quoted, ", ")
}
