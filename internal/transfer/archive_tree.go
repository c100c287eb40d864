package transfer

import (
	"archive/zip"
	"compress/flate"
	"hash"
	"hash/crc32"
	"io"
	"time"

	"annotate/internal/export"
	"annotate/internal/spool"
)

// An ArchiveTree receives the files of an [Archive].
type ArchiveTree interface {
	export.Tree
	// Apart begins a file that may be written while others are.
	Apart(path string) (TreeFile, error)
}

// A TreeFile is a file that is written apart. Several goroutines may write one each.
type TreeFile interface {
	io.Writer
	// Keep adds the complete file to the tree. Only one goroutine at a time may call Keep and Create.
	Keep() error
	// Discard drops the file unless it is kept.
	Discard()
}

// A ZipTree writes files to a zip archive, all with the same time, so that the archive
// depends only on its files.
type ZipTree struct {
	w  *zip.Writer
	at time.Time
}

// NewZipTree begins an archive. Close must be called at the end.
func NewZipTree(w io.Writer, at time.Time) *ZipTree {
	return &ZipTree{zip.NewWriter(w), at.UTC().Truncate(2 * time.Second)} // times in zip files have a resolution of two seconds
}

// Create implements [export.Tree].
func (z *ZipTree) Create(path string) (io.Writer, error) {
	return z.w.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate, Modified: z.at})
}

// zipLevel is the level of compression that package zip uses, too.
const zipLevel = 5

// Apart implements [ArchiveTree]. The file is compressed into a temporary file, which Keep copies.
func (z *ZipTree) Apart(path string) (TreeFile, error) {
	compressed, err := spool.New()
	if err != nil {
		return nil, err
	}
	f := &zipFile{tree: z, path: path, compressed: compressed, sum: crc32.NewIEEE()}
	f.w, err = flate.NewWriter(pieces{compressed}, zipLevel)
	return f, err
}

// A zipFile is a file of a zip archive that is written apart.
type zipFile struct {
	tree       *ZipTree
	path       string
	w          *flate.Writer
	compressed *spool.Spool
	sum        hash.Hash32
	size       uint64
}

func (f *zipFile) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.size += uint64(n)
	_, _ = f.sum.Write(p[:n]) // never fails
	return n, err
}

func (f *zipFile) Keep() error {
	if err := f.w.Close(); err != nil {
		return err
	}
	header := &zip.FileHeader{
		Name: f.path, Method: zip.Deflate, CRC32: f.sum.Sum32(), CompressedSize64: uint64(f.compressed.Size()), UncompressedSize64: f.size,
	}
	header.SetModTime(f.tree.at) //lint:ignore SA1019 CreateRaw ignores the field Modified
	w, err := f.tree.w.CreateRaw(header)
	if err != nil {
		return err
	}
	for i := range f.compressed.Len() {
		piece, err := f.compressed.At(i)
		if err == nil {
			_, err = w.Write(piece)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *zipFile) Discard() { f.compressed.Close() }

// pieces adds each piece that is written to a spool.
type pieces struct{ to *spool.Spool }

func (p pieces) Write(b []byte) (int, error) { return len(b), p.to.Add(b) }

// Close writes the archive's list of files.
func (z *ZipTree) Close() error { return z.w.Close() }
