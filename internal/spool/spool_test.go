package spool

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// Pieces are read in order and then at random. Some are empty, and some are larger than
// what is read at once.
func TestSpool(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	var want [][]byte
	for i := range 500 {
		piece := bytes.Repeat([]byte{byte(i)}, rng.IntN(200))
		if i%100 == 7 {
			piece = bytes.Repeat([]byte{byte(i)}, sequentialSize+rng.IntN(1000))
		}
		want = append(want, piece)
		if err := s.Add(piece); err != nil {
			t.Fatal(err)
		}
	}
	if s.Len() != 500 {
		t.Fatalf("%d pieces, want 500", s.Len())
	}
	for i := range 3000 {
		if i >= 500 {
			i = rng.IntN(500)
		}
		piece, err := s.At(i)
		if err != nil || !bytes.Equal(piece, want[i]) {
			t.Fatalf("piece %d: %d bytes, %v; want %d bytes", i, len(piece), err, len(want[i]))
		}
	}
}

// A piece that begins where the window ends is read from the file.
func TestPiecesOfOneByte(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 2 * randomSize {
		if err := s.Add([]byte{byte(i % 251)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range s.Len() {
		if piece, err := s.At(i); err != nil || len(piece) != 1 || piece[0] != byte(i%251) {
			t.Fatalf("piece %d: %v, %v", i, piece, err)
		}
	}
}

func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add([]byte("a text")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
