package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"annotate/internal/campaign"
)

// errTooLong says that a line has too many bytes. The next call of Next returns the line
// after it.
var errTooLong = errors.New("line too long")

// A lineReader splits a stream into lines. It keeps one line in memory, and at most Max bytes of
// it.
type lineReader struct {
	r    *bufio.Reader
	file string
	Max  int
	buf  []byte
	Line int // number of the last returned line, from 1
}

func newLineReader(r io.Reader, opt Options) *lineReader {
	most := opt.MaxLine
	if most <= 0 {
		most = defaultMaxLine
	}
	buffer := lineBuffers.Get().(*bufio.Reader)
	buffer.Reset(r)
	return &lineReader{r: buffer, file: opt.File, Max: most}
}

// lineBuffers keeps buffers for further files, which are often much smaller.
var lineBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<16) }}

// close ends the use of the reader and of the lines that it returned.
func (l *lineReader) close() {
	l.r.Reset(nil)
	lineBuffers.Put(l.r)
	l.r = nil
}

// Kind returns a problem if the file is certainly not in the format, and otherwise nil. It
// must be called before the first line is read.
func (l *lineReader) Kind(format string) *campaign.Problem {
	head, _ := l.r.Peek(HeadSize) // Next returns the error of the stream
	return anotherKind(head, l.file, format)
}

// Next returns the next line without its line break, LF or CRLF. It removes a byte order
// mark from the first line. The bytes are valid until the next call. After the last line
// the error is io.EOF.
func (l *lineReader) Next() ([]byte, error) {
	l.Line++
	if l.Line == 1 {
		head, err := l.r.Peek(3)
		switch {
		case err != nil && err != io.EOF:
			return nil, l.failed(err)
		case bytes.Equal(head, []byte("\xef\xbb\xbf")):
			l.r.Discard(3)
		}
	}
	l.buf = l.buf[:0]
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return nil, l.failed(err)
		}
		if err == io.EOF && len(part) == 0 && len(l.buf) == 0 && !long {
			return nil, io.EOF
		}
		whole := part
		if len(l.buf) > 0 || err == bufio.ErrBufferFull {
			// Two bytes more than max may be the line break.
			if long = long || len(l.buf)+len(part) > l.Max+2; !long {
				l.buf = append(l.buf, part...)
			}
			whole = l.buf
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		whole = bytes.TrimSuffix(whole, []byte("\n"))
		whole = bytes.TrimSuffix(whole, []byte("\r"))
		if long || len(whole) > l.Max {
			return nil, errTooLong
		}
		return whole, nil
	}
}

// failed adds the file and the line to an error of the stream.
func (l *lineReader) failed(err error) error {
	if l.file == "" {
		return fmt.Errorf("read line %d: %w", l.Line, err)
	}
	return fmt.Errorf("read %s:%d: %w", l.file, l.Line, err)
}
