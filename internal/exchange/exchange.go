// Package exchange holds what the formats of other programs have in common. Each format has a package
// of its own below this one, with a variable Format that says how its files look, what they can carry, and how they
// are read and written. Package transfer lists these formats, connects them with the store, and converts between them.
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
	// Carries lists the parts of a campaign that its files have a place for, besides sources and translations. What
	// is not listed is counted and told when a campaign is written.
	Carries []Part
	// Is reports whether files that come together are of this format. It is nil if the files do not show the format.
	Is func(files []Head) bool
	// Of returns the id of the protocol of the ratings in the files, for a conversion that names none. It is
	// nil if the files do not show it, and returns "" if they hold no ratings.
	Of func(files []File, opt ingest.Options) (protocolID string, err error)
	// Read reads files that belong together into a campaign with the protocol p. It yields each segment
	// once, with its ratings. For what cannot be used it yields an error of type *[campaign.Problem] and goes
	// on; any other error is the last value. It adds to opt.Notes what it leaves out or decides. Values
	// that it has yielded stay valid. It is nil if the format is only written.
	Read func(files []File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error]
	// SystemScores reads the metric scores of whole systems, whose Segment is empty. It is nil if the format has none.
	SystemScores func(files []File, opt ingest.Options) iter.Seq2[campaign.NumberedScore, error]
	// Write writes a campaign. The notes say what Carries cannot: losses that depend on how something is said, such
	// as line breaks that become spaces. It is nil if the format is only read.
	Write func(w io.Writer, c Content) (notes []string, err error)
}

// A File is an input that can be read several times.
type File struct {
	// Name is the name for messages. For a file of a directory or an archive it is the path below it, with slashes.
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

// Lines makes a sequence of a reader of a format, which calls yield with each value and returns the error that is the last
// one. If no more values are wanted, yield returns an error, which the reader returns.
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

// Each reports whether is holds for each of some files, for a format whose files show it one by one.
func Each(is func(Head) bool) func(files []Head) bool {
	return func(files []Head) bool {
		return !slices.ContainsFunc(files, func(h Head) bool { return !is(h) })
	}
}

// Content is a campaign that is written.
type Content struct {
	ID         string // the slug of the campaign, for names in the file
	Protocol   *protocol.Protocol
	SourceLang string // empty if it is not known
	TargetLang string
	Systems    []string // in byte order
	Annotators []string // who may have ratings or adjudications, in the order of their logins
	// Segments yields the segments in the order of import. It may be read several times.
	Segments iter.Seq2[campaign.Segment, error]
}
