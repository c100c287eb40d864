// Package spool keeps pieces of text in a temporary file, for readers and writers that
// need them again in another order than they come.
package spool

import (
	"bufio"
	"fmt"
	"os"
)

// A Spool is a list of pieces of text in a temporary file. Memory has 8 bytes for each
// piece. All pieces are added before the first is read.
type Spool struct {
	file    *os.File
	w       *bufio.Writer
	offsets []int64 // of each piece in the file, and of the end
	window  []byte  // the part of the file that was read last
	at      int64   // offset of the window
	removed bool    // the file has no name any more
}

// ahead is how many bytes are read at once where pieces are read one after the other,
// and here how many are read elsewhere.
const ahead, here = 64 << 10, 2 << 10

// New makes an empty spool. Its file is in the folder for temporary files. Where the
// system allows it, the file has no name, so that nothing is left of it when the process
// is killed.
func New() (*Spool, error) {
	file, err := os.CreateTemp("", "annotate-*")
	if err != nil {
		return nil, failed(err)
	}
	removed := os.Remove(file.Name()) == nil
	return &Spool{file: file, w: bufio.NewWriterSize(file, ahead), offsets: []int64{0}, removed: removed}, nil
}

// Close removes the file.
func (s *Spool) Close() {
	_ = s.file.Close()
	if !s.removed {
		_ = os.Remove(s.file.Name())
	}
}

// Len is the number of pieces.
func (s *Spool) Len() int { return len(s.offsets) - 1 }

// Add appends a piece.
func (s *Spool) Add(piece []byte) error {
	s.offsets = append(s.offsets, s.offsets[s.Len()]+int64(len(piece)))
	_, err := s.w.Write(piece)
	return failed(err)
}

// At reads a piece, numbered from 0 in the order in which the pieces were added. The
// bytes are valid until the next call.
func (s *Spool) At(i int) ([]byte, error) {
	if s.w.Buffered() > 0 {
		if err := s.w.Flush(); err != nil {
			return nil, failed(err)
		}
	}
	from, to := s.offsets[i], s.offsets[i+1]
	if from < s.at || to > s.at+int64(len(s.window)) {
		if err := s.move(from, to); err != nil {
			return nil, failed(err)
		}
	}
	return s.window[from-s.at : to-s.at], nil
}

// move reads the part of the file that begins at from and goes at least up to to.
func (s *Spool) move(from, to int64) error {
	size := int64(here)
	if end := s.at + int64(len(s.window)); from >= s.at && from <= end {
		size = ahead
	}
	size = min(max(size, to-from), s.offsets[s.Len()]-from)
	if int64(cap(s.window)) < size {
		s.window = make([]byte, size)
	}
	s.window, s.at = s.window[:size], from
	_, err := s.file.ReadAt(s.window, from)
	return err
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("keep texts in a temporary file: %w", err)
}
