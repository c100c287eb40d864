package transfer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/ingest"
)

// Unpack returns a file that is compressed with gzip as it was before, under its name without .gz, and any
// other file as it is. Errors of the compression are *[campaign.InvalidError], also those that Reader returns later.
func Unpack(f File) (File, error) {
	in := bufio.NewReaderSize(f.Reader, ingest.HeadSize)
	head, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return f, fmt.Errorf("read %s: %w", f.Name, err)
	}
	f.Reader = in
	if !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return f, nil
	}
	u := &unpacked{name: f.Name}
	u.packed.from = in
	if u.Reader, err = gzip.NewReader(&u.packed); err != nil {
		return f, u.damaged(err)
	}
	return File{Name: strings.TrimSuffix(f.Name, ".gz"), Reader: u}, nil
}

// A file that is larger than smallBomb, and more than mostPacked times as large as its compressed form, is refused. Texts
// in JSON are 3 to 20 times as large as theirs.
const (
	smallBomb  = 100 << 20
	mostPacked = 200
)

// unpacked is the content of a compressed file.
type unpacked struct {
	*gzip.Reader
	name   string
	packed countingReader
	size   int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	u.size += int64(n)
	switch {
	case err != nil && err != io.EOF:
		return n, u.damaged(err)
	case u.size > smallBomb && u.size/mostPacked > u.packed.size:
		return n, campaign.Invalid("file", u.name+" is more than "+fmt.Sprint(mostPacked)+" times as large as its compressed form, as no text is; unpack it and look what it holds")
	}
	return n, err
}

// damaged returns what is told of an error of the compression, and other errors as they are.
func (u *unpacked) damaged(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || strings.HasPrefix(err.Error(), "flate:") {
		return campaign.Invalid("file", u.name+" is compressed with gzip and damaged, perhaps cut off; fetch it or compress it again")
	}
	return err
}

type countingReader struct {
	from io.Reader
	size int64
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.size += int64(n)
	return n, err
}

// open returns the request with its files unpacked and its format recognised.
func (req Request) open() (Request, error) {
	if len(req.Files) == 0 {
		return req, campaign.Invalid("file", "choose a file to import")
	}
	req.Files = slices.Clone(req.Files)
	var err error
	for i, f := range req.Files {
		if req.Files[i], err = Unpack(f); err != nil {
			return req, err
		}
	}
	if req.Format == "" {
		req.Recognised = true
		req.Format, err = recognise(req.Files)
	}
	return req, err
}

// recognise returns the format that all files have.
func recognise(files []File) (string, error) {
	of, first := "", ""
	var problems campaign.Problems
	for i, f := range files {
		in := bufio.NewReaderSize(f.Reader, ingest.HeadSize)
		files[i].Reader = in
		head, err := in.Peek(ingest.HeadSize)
		if err != nil && err != io.EOF {
			return "", fmt.Errorf("read %s: %w", f.Name, err)
		}
		is, problem := ingest.Recognise(head, f.Name, format.IDs(format.Inputs(nil)))
		switch {
		case problem != nil:
			problems.Add(problem)
		case of == "":
			of, first = is, f.Name
		case is != of:
			return "", campaign.Invalid("format", fmt.Sprintf("%s is in the format %s, and %s in the format %s; import them one after the other", first, of, f.Name, is))
		}
	}
	if len(problems.List) > 0 {
		return "", &problems
	}
	return of, nil
}
