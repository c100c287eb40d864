package site

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Folder keeps files for all servers that share it. A file in JSON describes those that are kept under a key.
type Folder struct {
	Dir    string // empty: a new temporary folder, made for the first file
	Shared bool   // other servers use the folder
	now    func() time.Time

	mu     sync.Mutex // of changes in the folder
	making sync.Mutex // of Dir
}

// A Keeping says how a [Folder] keeps the files of a kind.
type Keeping struct {
	Kind  string        // stands in names of files
	Lasts time.Duration // how long they are kept, at most [orphansLast]
	Most  int           // how many are kept; the oldest are deleted
	Bytes int64         // how many bytes they have together, except for the newest; 0: any number
}

// A Kept is what a folder keeps under a key.
type Kept struct {
	Key   string // begins with the id of a campaign and a slash
	At    time.Time
	Files []KeptFile
	About json.RawMessage // what their owner says of the files
}

// A KeptFile is a file in a [Folder].
type KeptFile struct {
	File string // its name in the folder
	Name string // its name for people
	Size int64
}

// The files in a folder are named by filePattern, and those that describe them by describedBy. folderID has the
// folder's id.
const (
	filePattern = "annotate-file-*"
	describedBy = "annotate-described-*"
	folderID    = "annotate-folder"
	// orphansLast is how long files stay that nothing describes, as a server that is killed leaves them.
	orphansLast = 24 * time.Hour
)

// newFolder makes a folder. If no other server uses it, newFolder deletes the files that a program that was killed has left
// there.
func newFolder(dir string, shared bool, now func() time.Time) (*Folder, error) {
	f := &Folder{Dir: dir, Shared: shared, now: now}
	if dir == "" {
		return f, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	if !shared {
		if err := f.empty(); err != nil {
			return nil, fmt.Errorf("clean the work folder: %w", err)
		}
	}
	return f, nil
}

// ID returns a text that only servers with the same folder have.
func (f *Folder) ID() (string, error) {
	if err := f.makeDir(); err != nil {
		return "", err
	}
	path := filepath.Join(f.dir(), folderID)
	id, err := os.ReadFile(filepath.Clean(path))
	if !errors.Is(err, fs.ErrNotExist) {
		return string(id), err
	}
	made, err := f.Write("", func(to io.Writer) error { _, err := io.WriteString(to, rand.Text()); return err })
	if err != nil {
		return "", err
	}
	defer f.Delete(made)
	if err := os.Link(f.path(made), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	id, err = os.ReadFile(filepath.Clean(path))
	return string(id), err
}

// description is the path of the file that describes those with a key.
func (f *Folder) description(how Keeping, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.dir(), strings.TrimSuffix(describedBy, "*")+how.Kind+"-"+hex.EncodeToString(sum[:16]))
}

func (f *Folder) path(file KeptFile) string { return filepath.Join(f.dir(), filepath.Base(file.File)) }

// Open opens a file. The error is an fs.ErrNotExist if it is no longer there.
func (f *Folder) Open(file KeptFile) (*os.File, error) { return os.Open(f.path(file)) }

// Write writes a file. It leaves none after an error.
func (f *Folder) Write(name string, content func(io.Writer) error) (made KeptFile, err error) {
	if err := f.makeDir(); err != nil {
		return made, err
	}
	file, err := os.CreateTemp(f.dir(), filePattern)
	if err != nil {
		return made, err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	w := bufio.NewWriterSize(file, 1<<16)
	if err := cmp.Or(content(w), w.Flush()); err != nil {
		return made, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	return KeptFile{filepath.Base(file.Name()), name, size}, err
}

// Delete deletes files. A reader who has one open gets all of it.
func (f *Folder) Delete(files ...KeptFile) {
	for _, file := range files {
		_ = os.Remove(f.path(file))
	}
}

// Keep keeps files in place of those with the same key, and deletes old ones. The error leaves the files to the caller.
func (f *Folder) Keep(how Keeping, key string, about any, files []KeptFile) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	say, err := json.Marshal(about)
	if err != nil {
		return err
	}
	text, err := json.Marshal(Kept{key, f.now(), files, say})
	if err != nil {
		return err
	}
	old, replaced := f.Find(how, key)
	made, err := f.Write("", func(to io.Writer) error { _, err := to.Write(text); return err })
	if err != nil {
		return err
	}
	if err := os.Rename(f.path(made), f.description(how, key)); err != nil {
		f.Delete(made)
		return err
	}
	if replaced {
		f.Delete(slices.DeleteFunc(old.Files, func(file KeptFile) bool { return slices.Contains(files, file) })...)
	}
	all, bytes := f.all(how.Kind+"-*"), int64(0)
	for _, k := range all {
		bytes += k.bytes()
	}
	for i, k := range all {
		crowded := i < len(all)-how.Most || how.Bytes > 0 && bytes > how.Bytes && k.Key != key
		if crowded || f.now().Sub(k.At) >= how.Lasts {
			_ = os.Remove(f.description(how, k.Key))
			f.Delete(k.Files...)
			bytes -= k.bytes()
		}
	}
	f.removeOrphans()
	return nil
}

func (k Kept) bytes() (n int64) {
	for _, file := range k.Files {
		n += file.Size
	}
	return n
}

// Find returns what is kept under a key.
func (f *Folder) Find(how Keeping, key string) (k Kept, ok bool) {
	if f.dir() == "" {
		return k, false
	}
	k, err := describe(f.description(how, key))
	for _, file := range k.Files {
		if err == nil {
			_, err = os.Stat(f.path(file))
		}
	}
	return k, err == nil && k.Key == key && f.now().Sub(k.At) < how.Lasts
}

// Take returns what is kept under a key to one caller only, who deletes the files.
func (f *Folder) Take(how Keeping, key string) (k Kept, ok bool) {
	if k, ok = f.Find(how, key); ok {
		ok = os.Remove(f.description(how, key)) == nil
	}
	return k, ok
}

// describe reads a description.
func describe(path string) (k Kept, err error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	return k, err
}

// all lists what is kept, the oldest first. The pattern is of descriptions, without their beginning.
func (f *Folder) all(pattern string) (all []Kept) {
	paths, _ := filepath.Glob(filepath.Join(f.dir(), strings.TrimSuffix(describedBy, "*")+pattern)) // the pattern is good
	for _, path := range paths {
		if k, err := describe(path); err == nil {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return a.At.Compare(b.At) })
	return all
}

// removeOrphans deletes files that a killed server has left.
func (f *Folder) removeOrphans() {
	for _, pattern := range []string{filePattern, describedBy} {
		paths, _ := filepath.Glob(filepath.Join(f.dir(), pattern)) // the pattern is good
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) >= orphansLast {
				_ = os.Remove(path)
			}
		}
	}
}

// Forget deletes the files of a campaign that was deleted.
func (f *Folder) Forget(campaignID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir() == "" {
		return
	}
	paths, _ := filepath.Glob(filepath.Join(f.dir(), describedBy)) // the pattern is good
	for _, path := range paths {
		k, err := describe(path)
		if id, _, _ := strings.Cut(k.Key, "/"); err == nil && id == campaignID {
			_ = os.Remove(path)
			f.Delete(k.Files...)
		}
	}
}

// empty deletes all files that a server has made in the folder, except for its id.
func (f *Folder) empty() error {
	for _, pattern := range []string{filePattern, describedBy} {
		names, err := fs.Glob(os.DirFS(f.dir()), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(filepath.Join(f.dir(), name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stop deletes the files unless other servers use the folder.
func (f *Folder) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir() != "" && !f.Shared {
		_ = f.empty()
		_ = os.Remove(filepath.Join(f.dir(), folderID))
		_ = os.Remove(f.dir()) // fails if it holds a file of somebody else
	}
}

// dir is the folder; empty: it is not made yet.
func (f *Folder) dir() string {
	f.making.Lock()
	defer f.making.Unlock()
	return f.Dir
}

// makeDir makes a temporary folder if no folder is named.
func (f *Folder) makeDir() (err error) {
	f.making.Lock()
	defer f.making.Unlock()
	if f.Dir == "" {
		f.Dir, err = os.MkdirTemp("", "annotate-work-")
	}
	return err
}
