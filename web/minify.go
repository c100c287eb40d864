package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// minifier knows the kinds of files that get smaller. Names that modules export
// to one another stay.
var minifier = sync.OnceValue(func() *minify.M {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	return m
})

// minifiedFS serves scripts and style sheets in their short form.
type minifiedFS struct{ fs.FS }

func (m minifiedFS) Open(name string) (fs.File, error) {
	f, err := m.FS.Open(name)
	if err != nil || path.Ext(name) != ".js" && path.Ext(name) != ".css" {
		return f, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := m.minified(name)
	if err != nil {
		return nil, err
	}
	return &minifiedFile{bytes.NewReader(text), minifiedInfo{info, int64(len(text))}}, nil
}

// short keeps what was minified once, by name; the files are embedded and never
// change.
var short sync.Map // of string to []byte

func (m minifiedFS) minified(name string) ([]byte, error) {
	if text, ok := short.Load(name); ok {
		return text.([]byte), nil
	}
	text, err := source(m.FS, name)
	if err != nil {
		return nil, err
	}
	if text, err = minifier().Bytes(path.Ext(name), text); err != nil {
		return nil, &fs.PathError{Op: "minify", Path: name, Err: err}
	}
	short.Store(name, text)
	return text, nil
}

// packed keeps the gzipped form of what was minified, by name.
var packed sync.Map // of string to []byte

// Gzipped is a script or style sheet of [Files] in gzip; false for what is neither,
// or is not there.
func Gzipped(name string) ([]byte, bool) {
	if text, ok := packed.Load(name); ok {
		return text.([]byte), true
	}
	if path.Ext(name) != ".js" && path.Ext(name) != ".css" {
		return nil, false
	}
	text, err := fs.ReadFile(Files(), name)
	if err != nil {
		return nil, false
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one
	_, _ = w.Write(text)                                  // to memory can't fail
	_ = w.Close()
	packed.Store(name, b.Bytes())
	return b.Bytes(), true
}

type minifiedFile struct {
	*bytes.Reader
	info minifiedInfo
}

func (f *minifiedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *minifiedFile) Close() error               { return nil }

type minifiedInfo struct {
	fs.FileInfo
	size int64
}

func (i minifiedInfo) Size() int64 { return i.size }
