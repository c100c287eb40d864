package results

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"
)

// TestFilesKept: of many files the newest are kept, and the others are deleted from the disk.
func TestFilesKept(t *testing.T) {
	f, err := newFiles(t.TempDir(), false, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i := range filesKept + 5 {
		path, size, err := f.write(func(to io.Writer) error { _, err := io.WriteString(to, "x"); return err })
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(fmt.Sprint(i), PreparedFile{File: filepath.Base(path), Size: size, At: began.Add(time.Duration(i))}); err != nil {
			t.Fatal(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(f.Dir, "*"))
	if err != nil || len(left) != 2*filesKept {
		t.Errorf("%d files are on the disk, want %d: %v", len(left), 2*filesKept, err)
	}
	for i := range filesKept + 5 {
		if _, kept := f.find(fmt.Sprint(i)); kept != (i >= 5) {
			t.Errorf("file %d is kept: %v", i, kept)
		}
	}
}
