package ingest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Notes say what a reader left out or decided, for the report of an import. Several files
// may share them.
type Notes struct {
	// List has one note for each kind, in the order of their first occurrence.
	List []Note
	// Systems are the systems of the last file, in byte order. They are set before its
	// first segment is yielded.
	Systems []string
}

// A Note says what was done with Count rows or marks of one kind.
type Note struct {
	Text  string // with the forms for one and for several, e.g. "{row|rows} of attention checks (HOTW-test) left out"
	Count int
	File  string   // the place of the first
	Line  int      // the place of the first; 0: the file as a whole
	Names []string // their names, at most maxNoteNames; nil if they have none
}

// maxNoteNames is how many names a note lists.
const maxNoteNames = 100

// String returns a line of a report: "12 rows of … left out, first at FILE:LINE", followed
// by the names.
func (n Note) String() string {
	text := fmt.Sprintf("%d %s, first at %s", n.Count, n.text(), n.File)
	if n.Line > 0 {
		text += fmt.Sprintf(":%d", n.Line)
	}
	if len(n.Names) == 0 {
		return text
	}
	text += ": " + strings.Join(n.Names, ", ")
	if n.Count > len(n.Names) {
		text += fmt.Sprintf(" and %d more", n.Count-len(n.Names))
	}
	return text
}

// IgnoresKey reports whether the note is about a key that the format does not have.
func (n Note) IgnoresKey() bool { return strings.HasPrefix(n.Text, keyNote) }

// keyNote begins the notes about keys that the format does not have.
const keyNote = "{key|keys} "

// forms matches the forms of a word for one and for several. It also matches what stands in quotation
// marks, which comes from a file and stays as it is.
var forms = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\{([^|{}]*)\|([^|{}]*)\}`)

// text is the text in the form for the count.
func (n Note) text() string {
	return forms.ReplaceAllStringFunc(n.Text, func(match string) string {
		one, several, two := strings.Cut(strings.Trim(match, "{}"), "|")
		switch {
		case match[0] == '"' || !two:
			return match
		case n.Count == 1:
			return one
		}
		return several
	})
}

// maxNotes is how many kinds of notes there can be. All further kinds are counted as one.
const maxNotes = 50

// Add counts one more of a kind. text may give two forms of a word, as [Note] does. n may be nil.
func (n *Notes) Add(text, file string, line int) { n.AddNamed(text, "", file, line) }

// AddNamed is Add for a thing with a name.
func (n *Notes) AddNamed(text, name, file string, line int) {
	if n == nil {
		return
	}
	if len(n.List) >= maxNotes && !slices.ContainsFunc(n.List, func(x Note) bool { return x.Text == text }) {
		text = "{thing|things} of other kinds"
	}
	i := slices.IndexFunc(n.List, func(x Note) bool { return x.Text == text })
	if i < 0 {
		n.List = append(n.List, Note{Text: text, File: file, Line: line})
		i = len(n.List) - 1
	}
	n.List[i].Count++
	if name != "" && len(n.List[i].Names) < maxNoteNames {
		n.List[i].Names = append(n.List[i].Names, name)
	}
}
