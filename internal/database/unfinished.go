package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// NewFile makes an empty file under a temporary name that only its owner may read.
func NewFile(dir, name string) (path string, err error) {
	f, err := os.CreateTemp(dir, name+unfinished+"*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// unfinished stands in the names that [NewFile] gives, behind the name that the file will have.
const unfinished = ".unfinished-"

// RemoveAbandoned removes the files that programs that were killed have left under temporary names for
// a file ([NewFile]), and the files that SQLite has put beside them. A file that a program holds
// ([HoldFile]) stays. On a system without such locks, all stay.
func RemoveAbandoned(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		rest, is := strings.CutPrefix(e.Name(), name+unfinished)
		if !is || strings.Contains(rest, "-") || e.IsDir() { // a file of SQLite goes with its database
			continue
		}
		path := filepath.Join(dir, e.Name())
		release, held := HoldFile(path)
		if !held {
			continue
		}
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			if err := os.Remove(path + suffix); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		release()
	}
	return errors.Join(errs...)
}
