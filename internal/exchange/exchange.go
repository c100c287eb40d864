// Package exchange has the rules that the formats of other programs share. Each format has a package below
// this one, whose variable Format says how to recognise, read and write its files and which parts of a
// campaign they carry. Package transfer lists these formats, connects them with the store, and converts
// between them.
package exchange

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// A Format reads and writes whole campaigns: segments with their translations, scores and ratings.
type Format struct {
	// ID is the id of the format in package format, which has its names and descriptions.
	ID string
	// Carries lists the parts of a campaign that its files can hold, besides sources and translations. A note
	// counts the other parts when a campaign is written.
	Carries []Part
	// Is reports whether files that are imported together are of this format. It is nil if files can't be
	// recognised.
	Is func(files []Head) bool
	// Of returns the id of the protocol of the ratings in the files, or "" if they have no ratings. A
	// conversion calls it if no protocol is given. It is nil if files do not show the protocol.
	Of func(files []File, opt ingest.Options) (protocolID string, err error)
	// Read reads files that belong together into a campaign with the protocol p. It yields each segment once,
	// with its ratings. It yields wrong data as an error of type *[campaign.Problem] and goes on; any other
	// error is the last value. It notes in opt.Notes what it leaves out or decides. Values that it has
	// yielded stay valid. It is nil if the format can't be read.
	Read func(files []File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error]
	// SystemScores reads the metric scores of whole systems. Their Segment is empty. It is nil if the format
	// has none.
	SystemScores func(files []File, opt ingest.Options) iter.Seq2[campaign.MetricScore, error]
	// Write writes a campaign. The notes name losses that depend on the data, such as line breaks that become
	// spaces. It is nil if the format can't be written.
	Write func(w io.Writer, c Content) (notes []string, err error)
}

// A File is an input that can be read several times.
type File struct {
	// Name is the name for messages. For a file of a directory or an archive it is the path in it, with
	// slashes.
	Name string
	Open func() (io.ReadCloser, error)
}

// A Head is the beginning of a file.
type Head struct {
	Name  string // as in [File]
	Bytes []byte // the first [ingest.HeadSize] bytes, or all of it if it is shorter
}

// Read calls do with the content of a file.
func (f File) Read(do func(io.Reader) error) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	return do(in)
}

// Head returns the beginning of a file.
func (f File) Head() (Head, error) {
	head := Head{Name: f.Name}
	err := f.Read(func(in io.Reader) (err error) {
		if head.Bytes, err = io.ReadAll(io.LimitReader(in, ingest.HeadSize)); err != nil {
			err = fmt.Errorf("read %s: %w", f.Name, err)
		}
		return err
	})
	return head, err
}

// Lines makes a sequence of a function that calls yield with each value and returns the error that ends the
// sequence. If no more values are wanted, yield returns an error, and the function must return it.
func Lines(read func(yield func(campaign.SegmentLine, error) error) error) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		stopped := errors.New("no more values are wanted")
		err := read(func(line campaign.SegmentLine, err error) error {
			if !yield(line, err) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(campaign.SegmentLine{}, err)
		}
	}
}

// WriteArchive writes a zip archive of files in their order.
func WriteArchive(w io.Writer, files []ArchiveFile) error {
	archive := zip.NewWriter(w)
	for _, file := range files {
		f, err := archive.Create(file.Name)
		if err == nil {
			err = file.Write(f)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// An ArchiveFile is a file of an archive.
type ArchiveFile struct {
	Name  string
	Write func(io.Writer) error
}

// Each reports whether is holds for every file.
func Each(is func(Head) bool) func(files []Head) bool {
	return func(files []Head) bool {
		return !slices.ContainsFunc(files, func(h Head) bool { return !is(h) })
	}
}

// Content is a campaign to write.
type Content struct {
	ID         string // the slug of the campaign, for names in the file
	Protocol   *protocol.Protocol
	SourceLang string // empty if it is not known
	TargetLang string
	Systems    []string // in byte order
	Annotators []string // who may have ratings or adjudications, by login
	// Segments yields the segments in the order of import. It may be read several times.
	Segments iter.Seq2[campaign.Segment, error]
}
