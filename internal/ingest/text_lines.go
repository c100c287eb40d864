package ingest

import (
	"bytes"
	"io"
	"iter"
)

// A TextLine is a line of a text file.
type TextLine struct {
	Line int // its number
	Text string
}

// TextLines reads a file with one text a line. Blank lines are texts too. For a line that cannot be used it yields a
// *[campaign.Problem] with its number instead, and goes on. A problem without a number or any other error is the last value.
func TextLines(r io.Reader, opt Options) iter.Seq2[TextLine, error] { return textLines(r, "", opt) }

func textLines(r io.Reader, format string, opt Options) iter.Seq2[TextLine, error] {
	return func(yield func(TextLine, error) bool) {
		eachLine(r, format, opt, func(r *record) bool {
			if !r.IsUTF8() {
				return true
			}
			if at := bytes.IndexByte(r.Text, 0); at >= 0 {
				r.Refuse(at, "", "a text has the character U+0000, which cannot be stored; remove it")
				return true
			}
			return yield(TextLine{r.Line, string(r.Text)}, nil)
		}, func(line int, err error) bool { return yield(TextLine{Line: line}, err) })
	}
}
