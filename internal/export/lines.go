package export

import (
	"fmt"
	"io"
	"iter"

	"annotate/internal/campaign"
)

// A Source yields the segments of a campaign in the order of import. After an
// error it yields nothing more.
type Source = iter.Seq2[campaign.Segment, error]

// lines buffers lines and writes them in large pieces, so that the output always
// consists of whole lines.
type lines struct {
	w   io.Writer
	buf []byte
}

const pieceSize = 1 << 16

// Write appends p, which may be part of a line.
func (l *lines) Write(p []byte) (int, error) {
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// end writes the buffer if it is large enough. It must be called between lines.
func (l *lines) end() error {
	if len(l.buf) < pieceSize {
		return nil
	}
	return l.flush()
}

func (l *lines) flush() error {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// each writes the lines that the function line appends for each segment. It stops at the
// first error.
func (l *lines) each(segments Source, line func(buf []byte, s campaign.Segment) ([]byte, error)) error {
	for s, err := range segments {
		if err != nil {
			return err
		}
		if l.buf, err = line(l.buf, s); err != nil {
			return fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, err)
		}
		if err := l.end(); err != nil {
			return err
		}
	}
	return l.flush()
}
