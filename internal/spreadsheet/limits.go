package spreadsheet

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The limits of a table. They bind while a file is read, so that a small file can't fill the memory: a
// workbook is compressed, and a kilobyte of it may hold a megabyte.
const (
	// maxCell is the longest text of a row, in bytes.
	maxCell = 16 << 20

	maxColumns = 16384   // of a sheet, as in Excel
	maxRows    = 1 << 20 // of a sheet, as in Excel
	maxCells   = 8 << 20 // of a sheet, with the empty ones before the last in a row
	maxSheets  = 255
	maxMerged  = 1 << 20   // blocks of merged cells of a sheet
	maxBeside  = 100       // columns with cells that are merged downwards in a row
	maxTexts   = 4 << 20   // different texts of a workbook
	maxShared  = 512 << 20 // bytes of memory that these texts take together
	maxToken   = 1 << 20   // bytes of one tag, or of one text without tags
	maxNesting = 100       // levels of tags
	maxSmall   = 8 << 20   // bytes of a file of a workbook that is no sheet and has no texts
	maxRatio   = 50        // bytes of a file of a workbook for each byte that it takes compressed, beyond the first
	firstBytes = 4 << 20
)

// beyond says which limit a part of a workbook passes.
func beyond(part, format string, args ...any) *Problem {
	return &Problem{
		Column: -1,
		Msg: fmt.Sprintf("the workbook can't be read: "+format, args...) + " (" + part +
			"); copy the table into a new workbook, or save it as CSV in UTF-8",
	}
}

// A limited stream fails when it is read further than it may be.
type limited struct {
	r     io.Reader
	part  string
	left  int64 // bytes of the whole stream
	token int   // bytes of the token
}

func (l *limited) Read(b []byte) (int, error) {
	if l.token <= 0 {
		return 0, beyond(l.part, "a cell or a tag has more than %d MiB", maxToken>>20)
	}
	n, err := l.r.Read(b)
	l.token -= n
	if l.left -= int64(n); l.left < 0 {
		return 0, beyond(l.part, "it is compressed more than %d times, as no spreadsheet program does", maxRatio)
	}
	return n, err
}

// tokens reads the tags and texts of a part within the limits.
type tokens struct {
	d     *xml.Decoder
	in    *limited
	depth int
}

func newTokens(r io.Reader, part string, most int64) *tokens {
	in := &limited{r: r, part: part, left: most}
	return &tokens{d: xml.NewDecoder(in), in: in}
}

// raw returns the next token without looking up its namespace.
func (t *tokens) raw() (xml.Token, error) { return t.next(t.d.RawToken) }

// Token returns the next token.
func (t *tokens) Token() (xml.Token, error) { return t.next(t.d.Token) }

func (t *tokens) next(read func() (xml.Token, error)) (xml.Token, error) {
	t.in.token = maxToken
	token, err := read()
	switch token.(type) {
	case xml.StartElement:
		if t.depth++; t.depth > maxNesting {
			return nil, beyond(t.in.part, "tags are nested more than %d levels deep", maxNesting)
		}
	case xml.EndElement:
		t.depth--
	}
	return token, err
}

// Skip reads up to the end of the element that has begun.
func (t *tokens) Skip() error {
	for inside := t.depth; t.depth >= inside; {
		if _, err := t.Token(); err != nil {
			return err
		}
	}
	return nil
}

// rawTokens are the tokens for [xml.NewTokenDecoder].
type rawTokens struct{ *tokens }

func (t rawTokens) Token() (xml.Token, error) {
	token, err := t.raw()
	return xml.CopyToken(token), err
}
