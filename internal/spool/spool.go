// Package spool keeps pieces of text in a temporary file, for readers and writers that need
// them in another order than they arrive.
package spool

import (
	"bufio"
	"fmt"
	"os"
)

// A Spool is a list of pieces of text in a temporary file. It takes 8 bytes of memory for each
// piece. All pieces must be added before the first is read.
type Spool struct {
	file    *os.File
	w       *bufio.Writer
	offsets []int64 // of each piece in the file, and of the end
	window  []byte  // the part of the file that was read last
	start   int64   // offset of the window in the file
	removed bool    // the name of the file is removed already
}

// The number of bytes that are read at once: sequentialSize if pieces are read in order,
// randomSize otherwise.
const sequentialSize, randomSize = 64 << 10, 2 << 10

// New makes an empty spool. Its file is in the folder for temporary files. If the system allows
// it, the name of the file is removed at once, so that the file disappears even if the process
// is killed.
func New() (*Spool, error) {
	file, err := os.CreateTemp("", "annotate-*")
	if err != nil {
		return nil, failed(err)
	}
	removed := os.Remove(file.Name()) == nil
	return &Spool{file: file, w: bufio.NewWriterSize(file, sequentialSize), offsets: []int64{0}, removed: removed}, nil
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

// Size is the number of bytes of all pieces.
func (s *Spool) Size() int64 { return s.offsets[s.Len()] }

// Add appends a piece.
func (s *Spool) Add(piece []byte) error {
	s.offsets = append(s.offsets, s.offsets[s.Len()]+int64(len(piece)))
	_, err := s.w.Write(piece)
	return failed(err)
}

// At reads the piece with index i, from 0 in the order of adding. The bytes are valid until the
// next call.
func (s *Spool) At(i int) ([]byte, error) {
	if s.w.Buffered() > 0 {
		if err := s.w.Flush(); err != nil {
			return nil, failed(err)
		}
	}
	from, to := s.offsets[i], s.offsets[i+1]
	if from < s.start || to > s.start+int64(len(s.window)) {
		if err := s.move(from, to); err != nil {
			return nil, failed(err)
		}
	}
	return s.window[from-s.start : to-s.start], nil
}

// move reads a part of the file into the window. It begins at the offset from and ends at to or
// after it.
func (s *Spool) move(from, to int64) error {
	size := int64(randomSize)
	if end := s.start + int64(len(s.window)); from >= s.start && from <= end {
		size = sequentialSize
	}
	size = min(max(size, to-from), s.offsets[s.Len()]-from)
	if int64(cap(s.window)) < size {
		s.window = make([]byte, size)
	}
	s.window, s.start = s.window[:size], from
	_, err := s.file.ReadAt(s.window, from)
	return err
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("keep texts in a temporary file: %w", err)
}
