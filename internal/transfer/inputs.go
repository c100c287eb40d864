package transfer

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/format"
	"annotate/internal/ingest"
)

// inputs are the files of a request, unpacked: those of folders and archives one by one.
type inputs struct {
	list      []*input
	temporary []*os.File // copies, and what tar archives hold
	roots     []*os.Root // folders
	volume    volume
}

// An input is a file that can be read once, or several times.
type input struct {
	name string
	once *bufio.Reader                 // nil if it can be read several times
	open func() (io.ReadCloser, error) // nil if it can be read once
}

// noArchives are the endings of files that are not opened as archives, even if they are zip archives: office documents
// are, and a file with the ending of a table or a text is a mistake that the reader of its format explains.
var noArchives = []string{".xlsx", ".xlsm", ".docx", ".pptx", ".ods", ".odt", ".csv", ".tsv", ".tab", ".json",
	".jsonl", ".ndjson", ".txt", ".score"}

// isDocument reports whether a zip archive is an office document, or a file with the ending of another kind.
func isDocument(name string, head []byte) bool {
	return slices.Contains(noArchives, strings.ToLower(path.Ext(name))) || bytes.Contains(head, []byte("[Content_Types]")) ||
		bytes.Contains(head, []byte("xl/"))
}

// maxInputs is how many files a folder or an archive may have.
const maxInputs = 100_000

// openInputs unpacks files. The caller closes them.
func openInputs(files []File) (*inputs, error) {
	in := &inputs{}
	for _, f := range files {
		if err := in.add(f); err != nil {
			in.close()
			return nil, err
		}
	}
	return in, nil
}

// close removes what is temporary.
func (in *inputs) close() {
	for _, f := range in.temporary {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	for _, r := range in.roots {
		_ = r.Close()
	}
}

// add adds a file, or the files of a folder or an archive.
func (in *inputs) add(f File) error {
	if f.Folder != "" {
		return in.folder(f.Folder)
	}
	f, err := unpackInto(f, &in.volume)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(f.Reader, ingest.HeadSize)
	head, err := r.Peek(ingest.HeadSize)
	if err != nil && err != io.EOF {
		return readFailed(f.Name, err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")) && !isDocument(f.Name, head):
		return in.zip(f.Name, r)
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return in.tar(f.Name, r)
	}
	in.list = append(in.list, &input{name: f.Name, once: r})
	return nil
}

// folder adds the files of a folder, also those that links in it name, which may not lead out of it.
func (in *inputs) folder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	in.roots = append(in.roots, root)
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := root.Stat(name)
		if err != nil && entry.Type()&fs.ModeSymlink != 0 {
			return campaign.Invalid("file", fmt.Sprintf("%s has a link %q, which leads out of it or nowhere; put the file in its place, or remove the link", dir, name))
		}
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		return in.entry(dir, name, func() (io.ReadCloser, error) { return root.Open(name) })
	})
}

// entry adds a file of a folder or an archive, unless it is hidden, a README or a LICENSE.
func (in *inputs) entry(of, name string, open func() (io.ReadCloser, error)) error {
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return campaign.Invalid("file", fmt.Sprintf("%s has a file with the name %q, which leads out of it; pack the folder again", of, name))
	}
	parts := strings.Split(name, "/")
	last := parts[len(parts)-1]
	if parts[0] == "__MACOSX" || strings.HasPrefix(last, ".") || strings.HasPrefix(last, "README") || strings.HasPrefix(last, "LICENSE") {
		return nil
	}
	if len(in.list) == maxInputs {
		return campaign.Invalid("file", fmt.Sprintf("%s has more than %d files; import the folder of one test set", of, maxInputs))
	}
	shown := name
	for _, p := range packings {
		shown = strings.TrimSuffix(shown, p.ending)
	}
	in.list = append(in.list, &input{name: shown, open: func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		f, err := unpackInto(File{Name: name, Reader: file}, &in.volume)
		if err != nil {
			_ = file.Close()
			return nil, err
		}
		return withClose{f.Reader, file}, nil
	}})
	return nil
}

// withClose reads from one and closes another.
type withClose struct {
	io.Reader
	io.Closer
}

// zip adds the files of a zip archive.
func (in *inputs) zip(name string, r io.Reader) error {
	file, size, err := in.copied(name, r)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return damagedArchive(name)
	}
	unpacked := uint64(0)
	for _, f := range archive.File {
		if !f.Mode().IsRegular() {
			continue
		}
		// The size of the archive counts, since entries that overlap give larger sizes together.
		if unpacked += f.UncompressedSize64; unpacked > smallBomb && unpacked/mostPacked > uint64(size) {
			return tooWellPacked(name)
		}
		err := in.entry(name, f.Name, func() (io.ReadCloser, error) {
			content, err := f.Open()
			if err != nil {
				return nil, damagedArchive(name)
			}
			return withClose{zipEntry{content, name}, content}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A zipEntry tells that its archive is damaged.
type zipEntry struct {
	io.Reader
	of string
}

func (z zipEntry) Read(b []byte) (int, error) {
	n, err := z.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = damagedArchive(z.of)
	}
	return n, err
}

func damagedArchive(name string) error {
	return campaign.Invalid("file", name+" is an archive that is damaged, perhaps cut off; fetch it or pack it again")
}

// tar adds the files of a tar archive. Their contents go to one temporary file.
func (in *inputs) tar(name string, r io.Reader) error {
	file, err := in.temp()
	if err != nil {
		return err
	}
	var at int64
	ending := &endOf{from: r}
	archive := tar.NewReader(ending)
	for {
		h, err := archive.Next()
		if err == io.EOF && !ending.isZero() {
			return damagedArchive(name) // it lacks the blocks of zeros at its end
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return in.tarFailed(name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		start := at
		n, err := io.Copy(file, archive)
		if err != nil {
			return in.tarFailed(name, err)
		}
		at += n
		err = in.entry(name, strings.TrimPrefix(h.Name, "./"), func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(file, start, n)), nil
		})
		if err != nil {
			return err
		}
	}
}

// endOf keeps the last bytes that were read, up to the size of a block of a tar archive.
type endOf struct {
	from io.Reader
	last []byte
}

func (e *endOf) Read(b []byte) (int, error) {
	n, err := e.from.Read(b)
	e.last = append(e.last, b[:n]...)
	e.last = e.last[max(0, len(e.last)-512):]
	return n, err
}

func (e *endOf) isZero() bool {
	return !slices.ContainsFunc(e.last, func(b byte) bool { return b != 0 })
}

// tarFailed tells that an archive is damaged, and other errors as they are.
func (in *inputs) tarFailed(name string, err error) error {
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damagedArchive(name)
	}
	return readFailed(name, err)
}

// readFailed names the file that cannot be read, where the error does not.
func readFailed(name string, err error) error {
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return err
	}
	return fmt.Errorf("read %s: %w", name, err)
}

// temp makes a temporary file.
func (in *inputs) temp() (*os.File, error) {
	file, err := os.CreateTemp("", "annotate-*")
	if err != nil {
		return nil, fmt.Errorf("keep a file to import: %w", err)
	}
	in.temporary = append(in.temporary, file)
	return file, nil
}

// copied copies a file to a temporary one.
func (in *inputs) copied(name string, r io.Reader) (*os.File, int64, error) {
	file, err := in.temp()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(file, r)
	if err != nil {
		return nil, 0, readFailed(name, err)
	}
	return file, n, nil
}

// heads returns the beginnings of the files.
func (in *inputs) heads() ([]exchange.Head, error) {
	heads := make([]exchange.Head, len(in.list))
	for i, f := range in.list {
		bytes, err := f.head()
		if err != nil && err != io.EOF {
			return nil, readFailed(f.name, err)
		}
		heads[i] = exchange.Head{Name: f.name, Bytes: bytes}
	}
	return heads, nil
}

func (f *input) head() ([]byte, error) {
	if f.once != nil {
		return f.once.Peek(ingest.HeadSize)
	}
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return bufio.NewReaderSize(file, ingest.HeadSize).Peek(ingest.HeadSize)
}

// files returns the files for a reader that reads each once.
func (in *inputs) files() []File {
	files := make([]File, len(in.list))
	for i, f := range in.list {
		files[i].Name = f.name
		if files[i].Reader = f.once; f.once == nil {
			files[i].Reader = &openedLate{open: f.open}
		}
	}
	return files
}

// openedLate is a file that is opened when it is first read, and closed at its end.
type openedLate struct {
	open func() (io.ReadCloser, error)
	file io.ReadCloser
	err  error // that it ended with
}

func (o *openedLate) Read(b []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.file == nil {
		if o.file, o.err = o.open(); o.err != nil {
			return 0, o.err
		}
	}
	n, o.err = o.file.Read(b)
	if o.err != nil {
		_ = o.file.Close()
	}
	return n, o.err
}

// again returns the files for a reader that may read them several times.
func (in *inputs) again() ([]exchange.File, error) {
	files := make([]exchange.File, len(in.list))
	for i, f := range in.list {
		if f.open == nil {
			file, size, err := in.copied(f.name, f.once)
			if err != nil {
				return nil, err
			}
			f.open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
			f.once = nil
		}
		files[i] = exchange.File{Name: f.name, Open: f.open}
	}
	return files, nil
}

// recognise returns the only format that files can have together. The error is a *[campaign.Problems] or a
// *[campaign.InvalidError].
func recognise(heads []exchange.Head) (string, error) {
	var can []string
	for _, f := range exchanged {
		if f.Is != nil && f.Read != nil && f.Is(heads) {
			can = append(can, f.ID)
		}
	}
	switch len(can) {
	case 1:
		return can[0], nil
	case 0:
	default:
		return "", campaign.Invalid("format", "the files can be in several formats: "+strings.Join(can, ", ")+"; choose one")
	}
	of, first := "", ""
	var problems campaign.Problems
	for _, h := range heads {
		is, problem := ingest.Recognise(h.Bytes, h.Name, plainInputs())
		switch {
		case problem != nil:
			problems.Add(problem)
		case of == "":
			of, first = is, h.Name
		case is != of:
			return "", campaign.Invalid("format",
				fmt.Sprintf("%s is in the format %s, and %s in the format %s; import them one after the other", first, of, h.Name, is))
		}
	}
	if len(problems.List) > 0 {
		return "", &problems
	}
	return of, nil
}

// plainInputs lists the formats whose files are recognised and read one by one.
func plainInputs() []string {
	return slices.DeleteFunc(format.IDs(format.Inputs(nil)), func(id string) bool { return exchangedFormat(id) != nil })
}

// Recognise returns those of the formats for c that all files can have, and the one that they certainly have,
// or "" if they leave that open; [Import] then says why.
func Recognise(c campaign.Campaign, files []File) (fits []string, recognised string, err error) {
	all := format.IDs(format.Inputs(c.Rules))
	in, err := openInputs(files)
	if err != nil {
		if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
			return all, "", nil // the import says what is wrong
		}
		return nil, "", err
	}
	defer in.close()
	heads, err := in.heads()
	if err != nil {
		return nil, "", err
	}
	recognised, _ = recognise(heads)
	fits = slices.DeleteFunc(all, func(id string) bool {
		if f := exchangedFormat(id); f != nil {
			return f.Is != nil && !f.Is(heads)
		}
		return slices.ContainsFunc(heads, func(h exchange.Head) bool { return len(ingest.Fits(h.Bytes, h.Name, []string{id})) == 0 })
	})
	return fits, recognised, nil
}
