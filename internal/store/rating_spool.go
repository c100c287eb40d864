package store

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A ratingSpool keeps ratings in a temporary file. Memory does not grow with them.
type ratingSpool struct {
	file    *os.File
	w       *bufio.Writer
	encoder *gob.Encoder
	n       int // ratings
}

// A spooledRating is a ratedTarget in the file.
type spooledRating struct {
	File                 string
	Line                 int
	Of                   string
	Segment, Translation string
	Texts                protocol.Texts
	Rating               campaign.Rating
}

func newRatingSpool() (*ratingSpool, error) {
	f, err := os.CreateTemp("", "annotate-import-*")
	if err != nil {
		return nil, fmt.Errorf("keep the ratings in a temporary file: %w", err)
	}
	// Where an open file can be removed, a process that is killed leaves nothing.
	_ = os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<16)
	return &ratingSpool{file: f, w: w, encoder: gob.NewEncoder(w)}, nil
}

// close removes the file.
func (s *ratingSpool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

func (s *ratingSpool) add(ratings []ratedTarget) error {
	for _, r := range ratings {
		out := spooledRating{File: r.at.file, Line: r.at.line, Of: r.at.of, Segment: r.of.segment, Translation: r.of.translation, Rating: r.rating}
		if len(r.rating.Spans) > 0 {
			out.Texts = r.of.texts
		}
		if err := s.encoder.Encode(out); err != nil {
			return fmt.Errorf("keep the ratings in a temporary file: %w", err)
		}
		s.n++
	}
	return nil
}

// each reads the ratings back, in batches. Nothing is added afterwards.
func (s *ratingSpool) each(batch int, do func([]ratedTarget) error) error {
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("keep the ratings in a temporary file: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	decoder := gob.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
	var ratings []ratedTarget
	for {
		var in spooledRating
		err := decoder.Decode(&in)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the ratings from a temporary file: %w", err)
		}
		if err == nil {
			at := ratingPlace{place: place{in.File, in.Line}, of: in.Of}
			ratings = append(ratings, ratedTarget{at, target{in.Segment, in.Translation, in.Texts}, in.Rating})
		}
		if len(ratings) == batch || err != nil && len(ratings) > 0 {
			if err := do(ratings); err != nil {
				return err
			}
			ratings = nil
		}
		if err != nil {
			return nil
		}
	}
}
