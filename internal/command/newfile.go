package command

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A NewFile is written under a temporary name and renamed when it is complete.
type NewFile struct {
	*os.File
	path string // the final name; empty if the file is written in place
	done bool
}

// CreateFile begins a file at path. If path exists and is not a regular file, such as
// /dev/null or a pipe, it is written directly.
func CreateFile(path string) (*NewFile, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, Usage("%s is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &NewFile{File: f}, err
	}
	// os.CreateTemp would ignore the umask.
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Usage("the folder of %s does not exist; make it first, or name another file", path)
	}
	return &NewFile{File: f, path: path}, err
}

// Commit flushes the file to the disk and renames it.
func (f *NewFile) Commit() error {
	if f.path == "" {
		f.done = true
		return f.Close()
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Discard removes the file unless it was committed.
func (f *NewFile) Discard() {
	if f.done {
		return
	}
	f.Close()
	if f.path != "" {
		os.Remove(f.Name())
	}
}

// WriteFile writes a file that gets its name when it is complete.
func WriteFile(path string, write func(f *NewFile) error) error {
	f, err := CreateFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
