package export

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"
)

// A spool keeps pieces of text in a temporary file, for formats that write them
// in another order than they come: memory has 8 bytes for each.
type spool struct {
	file *os.File
	w    *bufio.Writer
	ends []int64 // of each piece, in the file
	buf  []byte
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "annotate-export-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where an open file can be removed, a process that is killed leaves nothing
	return &spool{file: f, w: bufio.NewWriterSize(f, pieceSize)}, nil
}

// close removes the file.
func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// add keeps a piece and returns its number: 0, 1 and so on.
func (s *spool) add(piece []byte) (int32, error) {
	end := int64(len(piece))
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	_, err := s.w.Write(piece)
	return int32(len(s.ends) - 1), err
}

// piece reads one back; it is valid until the next call. Nothing is added
// after the first was read.
func (s *spool) piece(i int32) ([]byte, error) {
	if s.w.Buffered() > 0 {
		if err := s.w.Flush(); err != nil {
			return nil, err
		}
	}
	start := int64(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	n := int(s.ends[i] - start)
	if cap(s.buf) < n {
		s.buf = make([]byte, n, 2*n)
	}
	s.buf = s.buf[:n]
	_, err := s.file.ReadAt(s.buf, start)
	return s.buf, err
}

// numbers are kept in a temporary file, for formats that need them all again, in
// the order in which they came. Memory does not grow with them.
type numbers struct {
	file *os.File
	w    *bufio.Writer
	n    int64
}

func newNumbers() (*numbers, error) {
	f, err := os.CreateTemp("", "annotate-export-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // as in newSpool
	return &numbers{file: f, w: bufio.NewWriterSize(f, pieceSize)}, nil
}

// close removes the file.
func (n *numbers) close() {
	_ = n.file.Close()
	_ = os.Remove(n.file.Name())
}

func (n *numbers) add(x float64) error {
	n.n++
	_, err := n.w.Write(binary.LittleEndian.AppendUint64(n.w.AvailableBuffer(), math.Float64bits(x)))
	return err
}

// read yields the numbers again, from the first one on.
func (n *numbers) read() (next func() (float64, error), err error) {
	if err := n.w.Flush(); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(n.file, 0, 8*n.n), pieceSize)
	var x [8]byte
	return func() (float64, error) {
		_, err := io.ReadFull(r, x[:])
		return math.Float64frombits(binary.LittleEndian.Uint64(x[:])), err
	}, nil
}
