package export

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"annotate/internal/campaign"
)

// A Source yields the segments of a campaign in the order of import. After an
// error it yields nothing more.
type Source = iter.Seq2[campaign.Segment, error]

// lines buffers lines and writes them in large pieces, so that the output always
// consists of whole lines. It keeps the first error of a line.
type lines struct {
	w   io.Writer
	buf []byte
	err error
}

func (l *lines) fail(err error) { l.err = cmp.Or(l.err, err) }

// object begins a line that is a JSON object.
func (l *lines) object() *object { return &object{buf: append(l.buf, '{'), open: true, lines: l} }

const pieceSize = 1 << 16

// Write appends p, which may be part of a line.
func (l *lines) Write(p []byte) (int, error) {
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// end writes the buffer if it is large enough. It must be called between lines.
func (l *lines) end() error {
	if l.err != nil || len(l.buf) < pieceSize {
		return l.err
	}
	return l.flush()
}

func (l *lines) flush() error {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// each calls write for each segment, which appends its lines. It stops at the first error.
func (l *lines) each(segments Source, write func(campaign.Segment)) error {
	for s, err := range segments {
		if err != nil {
			return err
		}
		if write(s); l.err != nil {
			return fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, l.err)
		}
		if err := l.end(); err != nil {
			return err
		}
	}
	return l.flush()
}
