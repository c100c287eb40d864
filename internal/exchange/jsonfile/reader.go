// Package jsonfile reads JSON files that may be too long for memory: one long object or array, value by
// value, or one object a line.
package jsonfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"annotate/internal/campaign"
)

// defaultMax is the default limit on the length of a value, in bytes.
const defaultMax = 16 << 20

// A Reader walks through a file. Its errors are of type *[campaign.Problem], or those of the stream. After an
// error only [Reader.Next] can go on.
type Reader struct {
	r    *bufio.Reader
	file string
	max  int
	line int // of the next byte, from 1
	buf  []byte
}

// NewReader returns a reader of a file that messages name file. A value or line that is read at once has at
// most most bytes. If most is 0, the limit is 16 MiB.
func NewReader(r io.Reader, file string, most int) *Reader {
	if most <= 0 {
		most = defaultMax
	}
	out := &Reader{r: bufio.NewReaderSize(r, 1<<16), file: file, max: most, line: 1}
	if head, _ := out.r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		out.r.Discard(3) //nolint:errcheck // it was peeked
	}
	return out
}

// Line is the number of the line of the next value, after [Reader.Peek].
func (r *Reader) Line() int { return r.line }

// Size is the length of the last value, in bytes.
func (r *Reader) Size() int { return len(r.buf) }

// Peek skips white space and returns the first byte of the next value. At the end of the file the error is io.EOF.
func (r *Reader) Peek() (byte, error) {
	for {
		c, err := r.r.ReadByte()
		switch {
		case err != nil:
			return 0, r.failed(err)
		case c == '\n':
			r.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, r.r.UnreadByte()
		}
	}
}

// Value reads the next value.
func (r *Reader) Value() (Value, error) {
	line, err := r.scan(true)
	if err != nil {
		return Value{}, err
	}
	v, p := Parse(r.buf, r.file, line)
	if p != nil {
		return Value{}, p
	}
	return v, nil
}

// Skip skips the next value, of any length, without checking it.
func (r *Reader) Skip() error {
	_, err := r.scan(false)
	return err
}

// scan reads to the end of the next value, and returns the line where it begins.
func (r *Reader) scan(keep bool) (line int, err error) {
	first, err := r.Peek()
	if err != nil {
		return 0, r.early(err)
	}
	line, r.buf = r.line, r.buf[:0]
	depth, quoted, escaped, plain := 0, false, false, first != '{' && first != '[' && first != '"'
	for {
		c, err := r.r.ReadByte()
		if err == io.EOF && plain {
			return line, nil
		}
		if err != nil {
			return 0, r.early(r.failed(err))
		}
		if plain && bytes.IndexByte([]byte(" \t\r\n,]}"), c) >= 0 {
			return line, r.r.UnreadByte()
		}
		if c == '\n' {
			r.line++
		}
		if keep && len(r.buf) == r.max {
			return 0, r.problem("a value is longer than %s, the most that is read at once; divide it", size(r.max))
		} else if keep {
			r.buf = append(r.buf, c)
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth <= 0 && !quoted && !plain {
			return line, nil
		}
	}
}

// Members walks through an object. For each member it calls do, which reads or skips the value.
func (r *Reader) Members(do func(key string) error) error {
	return r.each('{', '}', func() error {
		key, err := r.Value()
		if err != nil {
			return err
		}
		if key.Kind != '"' {
			return r.problem("not JSON: expected a key in double quotes; correct it, or save the file again")
		}
		if c, err := r.Peek(); err != nil || c != ':' {
			return r.expected("a colon after the key", err)
		}
		r.r.Discard(1) //nolint:errcheck // it was peeked
		return do(key.Text)
	})
}

// Elements walks through an array. For each element it calls do, which reads or skips the value.
func (r *Reader) Elements(do func() error) error { return r.each('[', ']', do) }

func (r *Reader) each(begin, end byte, do func() error) error {
	if c, err := r.Peek(); err != nil || c != begin {
		return r.expected(string(begin), err)
	}
	r.r.Discard(1) //nolint:errcheck // it was peeked
	for first := true; ; first = false {
		c, err := r.Peek()
		switch {
		case err != nil:
			return r.early(err)
		case c == end:
			_, err = r.r.Discard(1)
			return err
		case !first && c != ',':
			return r.expected("a comma or "+string(end), nil)
		case !first:
			r.r.Discard(1) //nolint:errcheck // it was peeked
		}
		if err := do(); err != nil {
			return err
		}
	}
}

// End returns a problem if there is text after the last value.
func (r *Reader) End() error {
	switch _, err := r.Peek(); err {
	case io.EOF:
		return nil
	case nil:
		return r.problem("not JSON: more text after the end; keep one object or array in the file")
	default:
		return err
	}
}

// Next reads the value of the next line that is not blank, for a file with one object a line. At the end of the file the
// error is io.EOF. After a *[campaign.Problem] the line after it can be read.
func (r *Reader) Next() (Value, error) {
	for {
		line, err := r.ReadLine()
		if err != nil {
			return Value{}, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, p := Parse(line, r.file, r.line-1)
		if p != nil {
			return Value{}, p
		}
		return v, nil
	}
}

// ReadLine reads a line, with its line break. Its number is that of [Reader.Line] less one. The bytes are valid until the next call.
func (r *Reader) ReadLine() ([]byte, error) {
	r.buf = r.buf[:0]
	long := false
	for {
		part, err := r.r.ReadSlice('\n')
		if long = long || len(r.buf)+len(part) > r.max; !long {
			r.buf = append(r.buf, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(r.buf) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, r.failed(err)
		}
		if r.line++; long {
			return nil, &campaign.Problem{File: r.file, Line: r.line - 1,
				Msg: "the line is longer than " + size(r.max) + ", the most that is read; divide it"}
		}
		return r.buf, nil
	}
}

// failed adds the place to an error of the stream. The end of the file remains as it is.
func (r *Reader) failed(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("read %s:%d: %w", r.file, r.line, err)
}

// early returns the problem of a file that ends too early.
func (r *Reader) early(err error) error {
	if err == io.EOF {
		return r.problem("not JSON: the file ends in the middle; check that it is complete, and get it again")
	}
	return err
}

func (r *Reader) expected(what string, err error) error {
	if err != nil {
		return r.early(err)
	}
	return r.problem("not JSON: expected %s; correct it, or save the file again", what)
}

func (r *Reader) problem(format string, args ...any) *campaign.Problem {
	return &campaign.Problem{File: r.file, Line: r.line, Kind: "JSON", Msg: fmt.Sprintf(format, args...)}
}

func size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
