// Package web holds what the browser loads besides pages: style sheets,
// scripts and the icon, embedded in the binary. All of them are served below one prefix
// that carries a hash of the whole tree, /static/<hash>/css/base.css, and may be cached for
// ever. A relative import in a script keeps the hash without any rewriting.
//
// Comments, indentation, long names and modules are for the readers of this repository:
// [Files] are minified when they are first read, so that what a browser loads is
// half as large, and the script of a page with many modules is served with them in it.
// There is no build step.
//
// [WriteReport] writes a report with its styles as one file.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"slices"
	"sync"
)

//go:embed static
var static embed.FS

// Files is the tree of static files as it is served; css/base.css is a path in it.
func Files() fs.FS { return minifiedFS{sources()} }

// sources is the tree of static files as it is written.
func sources() fs.FS {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic("web: " + err.Error()) // the name is a constant of this file
	}
	return files
}

// Hash names the contents of [Files]: it changes when any file does.
var Hash = sync.OnceValue(func() string {
	h := sha256.New()
	files := Files()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := []byte(nil), error(nil)
		if slices.Contains(joined, path) {
			text, err = source(sources(), path) // to minify all modules a second time would take long
		} else {
			text, err = fs.ReadFile(files, path)
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		h.Write([]byte(path))
		h.Write([]byte{0})
		h.Write(sum[:])
		return nil
	})
	if err != nil {
		panic("web: " + err.Error()) // embedded files can be read
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
})

// Prefix is the path below which [Files] are served, without a slash at its end.
func Prefix() string { return "/static/" + Hash() }
