package site

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newTestFolder makes a folder with a clock, and returns what keeps files of a size in it.
func newTestFolder(t *testing.T) (f *Folder, now *time.Time, keep func(how Keeping, key string, size int64)) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	f, err := newFolder(t.TempDir(), true, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	return f, &at, func(how Keeping, key string, size int64) {
		at = at.Add(time.Second)
		made, err := f.Write("a", func(to io.Writer) error { _, err := io.WriteString(to, "x"); return err })
		if err != nil {
			t.Fatal(err)
		}
		made.Size = size
		if err := f.Keep(how, key, nil, []KeptFile{made}); err != nil {
			t.Fatal(err)
		}
	}
}

// onDisk counts the files in a folder.
func (f *Folder) onDisk(t *testing.T) int {
	left, err := filepath.Glob(filepath.Join(f.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(left)
}

// TestFolderKeepsTheNewest: of many files the newest are kept, and those of another kind. Files that are too old are neither found nor kept.
func TestFolderKeepsTheNewest(t *testing.T) {
	f, now, keep := newTestFolder(t)
	how, other := Keeping{Kind: "a", Lasts: time.Hour, Most: 3}, Keeping{Kind: "b", Lasts: 2 * time.Hour, Most: 3}
	keep(other, "c/0", 1)
	for i := range 5 {
		keep(how, fmt.Sprint("c/", i), 1)
	}
	for i := range 5 {
		if _, kept := f.Find(how, fmt.Sprint("c/", i)); kept != (i >= 2) {
			t.Errorf("file %d is kept: %v", i, kept)
		}
	}
	keep(how, "c/4", 1) // in place of the one before
	if n := f.onDisk(t); n != 8 {
		t.Errorf("%d files are on the disk", n)
	}
	*now = now.Add(time.Hour)
	if _, kept := f.Find(how, "c/4"); kept {
		t.Error("a file is found after its time")
	}
	keep(how, "c/5", 1)
	if _, kept := f.Find(other, "c/0"); !kept || f.onDisk(t) != 4 {
		t.Errorf("after an hour %d files are on the disk; that of another kind is kept: %v", f.onDisk(t), kept)
	}
}

// TestFolderOfBytes: large files make room for each other, and the newest is kept however large it is.
func TestFolderOfBytes(t *testing.T) {
	f, _, keep := newTestFolder(t)
	how := Keeping{Kind: "a", Lasts: time.Hour, Most: 9, Bytes: 10}
	keep(how, "c/1", 4)
	keep(how, "c/2", 6)
	if n := f.onDisk(t); n != 4 {
		t.Errorf("%d files are on the disk, though both fit", n)
	}
	keep(how, "c/3", 11)
	if _, kept := f.Find(how, "c/3"); !kept || f.onDisk(t) != 2 {
		t.Errorf("%d files are on the disk; the newest is kept: %v", f.onDisk(t), kept)
	}
}

// TestFolderTake: one caller takes a file, which stays until this caller deletes it.
func TestFolderTake(t *testing.T) {
	f, _, keep := newTestFolder(t)
	how := Keeping{Kind: "a", Lasts: time.Hour, Most: 9}
	keep(how, "c/1", 1)
	taken, first := f.Take(how, "c/1")
	if _, second := f.Take(how, "c/1"); !first || second || f.onDisk(t) != 1 {
		t.Errorf("taken: %v and %v, %d files on the disk", first, second, f.onDisk(t))
	}
	f.Delete(taken.Files...)
	if n := f.onDisk(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// TestFolderOfKilledServers: what nothing describes is deleted after a day.
func TestFolderOfKilledServers(t *testing.T) {
	f, _, keep := newTestFolder(t)
	orphan, err := f.Write("", func(io.Writer) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	how := Keeping{Kind: "a", Lasts: time.Hour, Most: 9}
	keep(how, "c/1", 1)
	if n := f.onDisk(t); n != 3 {
		t.Errorf("%d files are on the disk", n)
	}
	old := time.Now().Add(-orphansLast)
	if err := os.Chtimes(f.path(orphan), old, old); err != nil {
		t.Fatal(err)
	}
	keep(how, "c/1", 1)
	if n := f.onDisk(t); n != 2 {
		t.Errorf("after a day %d files are on the disk", n)
	}
}

// TestFolderID: servers with the same folder have its id, and others have another one.
func TestFolderID(t *testing.T) {
	f, _, _ := newTestFolder(t)
	other, _, _ := newTestFolder(t)
	id := func(f *Folder) string {
		id, err := f.ID()
		if err != nil || id == "" {
			t.Fatal(id, err)
		}
		return id
	}
	first := id(f)
	same, err := newFolder(f.Dir, false, time.Now)
	if err != nil || id(f) != first || id(same) != first || id(other) == first {
		t.Errorf("%q, later %q, of the same folder %q, of another %q, %v", first, id(f), id(same), id(other), err)
	}
	if n := f.onDisk(t); n != 1 {
		t.Errorf("%d files are on the disk", n)
	}
}
