package transfer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
)

// A packing is a way to compress a file.
type packing struct {
	name, ending string
	magic        []byte // the first bytes
	unpack       func(io.Reader) (io.Reader, error)
}

// maxWindow is how many bytes back a file that is compressed with zstd may refer, which is memory that it takes.
const maxWindow = 128 << 20

var packings = []packing{
	{"gzip", ".gz", []byte{0x1f, 0x8b}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", ".zst", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// Unpack returns a file that is compressed with gzip or zstd as it was before, under its name without .gz or .zst, and any
// other file as it is. Errors of the compression are *[campaign.InvalidError], also those that Reader returns later.
func Unpack(f File) (File, error) {
	in := bufio.NewReaderSize(f.Reader, ingest.HeadSize)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return f, fmt.Errorf("read %s: %w", f.Name, err)
	}
	f.Reader = in
	for _, p := range packings {
		if !bytes.HasPrefix(head, p.magic) {
			continue
		}
		u := &unpacked{name: f.Name, by: p.name}
		u.packed.from = in
		if u.content, err = p.unpack(&u.packed); err != nil {
			return f, u.damaged(err)
		}
		return File{Name: strings.TrimSuffix(f.Name, p.ending), Reader: u}, nil
	}
	return f, nil
}

// A file that is larger than smallBomb, and more than mostPacked times as large as its compressed form, is refused. Texts
// in JSON are 3 to 20 times as large as theirs.
const (
	smallBomb  = 100 << 20
	mostPacked = 200
)

// unpacked is the content of a compressed file.
type unpacked struct {
	content  io.Reader
	name, by string // of the file, and of its compression
	packed   countingReader
	size     int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.content.Read(b)
	u.size += int64(n)
	switch {
	case err != nil && err != io.EOF:
		return n, u.damaged(err)
	case u.size > smallBomb && u.size/mostPacked > u.packed.size:
		return n, tooWellPacked(u.name)
	}
	return n, err
}

func tooWellPacked(name string) error {
	return campaign.Invalid("file", name+" is more than "+fmt.Sprint(mostPacked)+" times as large as its compressed form, as no text is; unpack it and look what it holds")
}

// damaged returns what is told of an error of the compression, and an error of the file as it is.
func (u *unpacked) damaged(err error) error {
	if u.packed.err != nil {
		return err
	}
	return campaign.Invalid("file", u.name+" is compressed with "+u.by+" and damaged, perhaps cut off; fetch it or compress it again")
}

type countingReader struct {
	from io.Reader
	size int64
	err  error // of from, but for its end
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.size += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
