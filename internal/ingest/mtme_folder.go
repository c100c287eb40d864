package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Folder is a folder on disk or in an archive. The paths in it have slashes.
type Folder struct {
	// Files lists the names of the files in a folder below it. It returns nil if there is no such folder.
	Files func(folder string) ([]string, error)
	// Open returns an [fs.ErrNotExist] if there is no such file.
	Open func(path string) (io.ReadCloser, error)
	// Name is the name of a file for messages.
	Name func(path string) string
}

// DiskFolder returns a folder on disk. Hidden files are left out.
func DiskFolder(dir string) Folder {
	at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	return Folder{
		Files: func(folder string) ([]string, error) {
			entries, err := os.ReadDir(at(folder))
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			names := []string{}
			for _, e := range entries {
				if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
					names = append(names, e.Name())
				}
			}
			return names, nil
		},
		Open: func(path string) (io.ReadCloser, error) { return os.Open(at(path)) },
		Name: at,
	}
}

// textObjects is the ending of a file of texts as JSON objects.
const textObjects = ".jsonl"
