package transfer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

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
func Unpack(f File) (File, error) { return unpackInto(f, &volume{}) }

// unpackInto is [Unpack] for a file whose sizes count in v.
func unpackInto(f File, v *volume) (File, error) {
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
		u := &unpacked{name: f.Name, by: p.name, volume: v}
		u.packed = countingReader{from: in, volume: v}
		if u.content, err = p.unpack(&u.packed); err != nil {
			return f, u.damaged(err)
		}
		return File{Name: strings.TrimSuffix(f.Name, p.ending), Reader: u}, nil
	}
	return f, nil
}

// Files that are larger than smallBomb, and more than mostPacked times as large as their compressed form, are refused. Texts
// in JSON are 3 to 20 times as large as theirs. The files of a folder or an archive count together.
const (
	smallBomb  = 100 << 20
	mostPacked = 200
)

// A volume has the sizes of compressed files together, as far as they have been read.
type volume struct{ size, packed atomic.Int64 }

// isBomb reports whether the files are too large for their compressed form.
func (v *volume) isBomb() bool {
	size := v.size.Load()
	return size > smallBomb && size/mostPacked > v.packed.Load()
}

// unpacked is the content of a compressed file.
type unpacked struct {
	content  io.Reader
	name, by string // of the file, and of its compression
	packed   countingReader
	volume   *volume
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.content.Read(b)
	u.volume.size.Add(int64(n))
	switch {
	case err != nil && err != io.EOF:
		return n, u.damaged(err)
	case u.volume.isBomb():
		return n, tooWellPacked(u.name)
	}
	return n, err
}

func tooWellPacked(name string) error {
	return campaign.Invalid(
		"file",
		name+" is more than "+fmt.Sprint(mostPacked)+" times as large as its compressed form, as no text is; unpack it and look what it holds",
	)
}

// damaged returns what is told of an error of the compression, and an error of the file as it is.
func (u *unpacked) damaged(err error) error {
	if u.packed.err != nil {
		return err
	}
	return campaign.Invalid("file", u.name+" is compressed with "+u.by+" and damaged, perhaps cut off; fetch it or compress it again")
}

type countingReader struct {
	from   io.Reader
	volume *volume
	err    error // of from, but for its end
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.volume.packed.Add(int64(n))
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
