package web

import (
	"bytes"
	"io"
	"io/fs"
	"path"
)

// leanFS serves scripts and style sheets without comments and indentation.
type leanFS struct{ fs.FS }

func (l leanFS) Open(name string) (fs.File, error) {
	f, err := l.FS.Open(name)
	if err != nil || path.Ext(name) != ".js" && path.Ext(name) != ".css" {
		return f, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	text = lean(text)
	return &leanFile{bytes.NewReader(text), leanInfo{info, int64(len(text))}}, nil
}

// lean drops blank lines, indentation, and comments that fill whole lines. It
// keeps every other line break, so that no statement is joined with the next.
// A comment behind code stays, and no text may span lines; a test sees to that.
func lean(text []byte) []byte {
	out := make([]byte, 0, len(text))
	comment := false
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch {
		case comment:
			comment = !bytes.HasSuffix(line, []byte("*/"))
		case bytes.HasPrefix(line, []byte("/*")) && !bytes.Contains(line, []byte("*/")):
			comment = true
		case bytes.HasPrefix(line, []byte("/*")) && bytes.HasSuffix(line, []byte("*/")):
		case len(line) == 0, bytes.HasPrefix(line, []byte("//")):
		default:
			out = append(append(out, line...), '\n')
		}
	}
	return out
}

type leanFile struct {
	*bytes.Reader
	info leanInfo
}

func (f *leanFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *leanFile) Close() error               { return nil }

type leanInfo struct {
	fs.FileInfo
	size int64
}

func (i leanInfo) Size() int64 { return i.size }
