package transfer

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"annotate/internal/store/storetest"
)

// archived returns files, each a name and a text, as a zip and as a tar archive.
func archived(t *testing.T, files ...[2]string) (zipped, tarred []byte) {
	var z, ta bytes.Buffer
	zw, tw := zip.NewWriter(&z), tar.NewWriter(&ta)
	for _, f := range files {
		storetest.Must(io.WriteString(storetest.Must(zw.Create(f[0]))(t), f[1]))(t)
		storetest.Check(t, tw.WriteHeader(&tar.Header{Name: f[0], Mode: 0o600, Size: int64(len(f[1]))}))
		storetest.Must(io.WriteString(tw, f[1]))(t)
	}
	storetest.Check(t, zw.Close())
	storetest.Check(t, tw.Close())
	return z.Bytes(), ta.Bytes()
}

func zstandard(t *testing.T, text []byte) string {
	var b bytes.Buffer
	w := storetest.Must(zstd.NewWriter(&b))(t)
	storetest.Must(w.Write(text))(t)
	storetest.Check(t, w.Close())
	return b.String()
}

// TestFoldersAndArchives reads the same files from a folder and from archives, compressed or not. Files that
// programs put there for themselves are not read. The files are gone after the import.
func TestFoldersAndArchives(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const one, two = `{"segment_id":"1","source":"s","translations":{"A":"t"}}`, `{"segment_id":"2","source":"s","translations":{"A":"t"}}`
	content := [][2]string{{"set/a.jsonl", one}, {"set/.DS_Store", "x"}, {"__MACOSX/set/._a.jsonl", "x"}, {"set/b.jsonl.zst", zstandard(t, []byte(two))}}
	zipped, tarred := archived(t, content...)
	folder := t.TempDir()
	for _, f := range content {
		storetest.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, f[0])), 0o700))
		storetest.Check(t, os.WriteFile(filepath.Join(folder, f[0]), []byte(f[1]), 0o600))
	}
	for name, f := range map[string]File{
		"folder": {Name: folder, Folder: folder}, "zip": file("set.zip", string(zipped)), "tar": file("set.tar", string(tarred)),
		"tgz": gzipped(t, "set.tgz", string(tarred)), "tar.zst": file("set.tar.zst", zstandard(t, tarred)),
	} {
		db := storetest.Open(t)
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		report, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{f}})
		if err != nil || report.Segments != 2 || report.Notes[0] != "2 files recognised as jsonl" {
			t.Errorf("%s: %d segments, %v, %v", name, report.Segments, report.Notes, err)
		}
	}
	if left := storetest.Must(filepath.Glob(filepath.Join(os.TempDir(), "annotate-*")))(t); len(left) > 0 {
		t.Errorf("these files are left: %v", left)
	}
}

// TestArchivesRefused: an archive that leads out of itself, is damaged, is a bomb or has nothing is refused.
func TestArchivesRefused(t *testing.T) {
	zipOut, tarOut := archived(t, [2]string{"../a.jsonl", "{}"})
	whole, _ := archived(t, [2]string{"a.jsonl", strings.Repeat("ab", 1<<10)})
	empty, _ := archived(t)
	_, long := archived(t, [2]string{"a.jsonl", strings.Repeat("x", 5<<10)})
	damaged := slices.Clone(whole)
	damaged[40] ^= 0xff
	for name, text := range map[string]string{
		"out.zip, which leads out": string(zipOut), "out.tar, which leads out": string(tarOut), "cut.zip damaged": string(whole[:len(whole)/2]), "flip.zip damaged": string(damaged),
		"cut.tar damaged": string(long[:3<<10]), "entry.tar damaged": string(long[:5632]), "cut.zst damaged": zstandard(t, whole)[:60], "empty.zip has no files": string(empty), "bomb.zip 200 times": bomb(t),
	} {
		name, want, _ := strings.Cut(name, " ")
		name = strings.TrimSuffix(name, ",")
		_, err := ReadToConvert(Conversion{From: "jsonl", Files: []File{file(name, text)}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

// TestLinksOfFolders: a link within a folder is followed, and one that leads out of it is refused.
func TestLinksOfFolders(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "set")
	storetest.Check(t, os.Mkdir(dir, 0o700))
	for name, text := range map[string]string{"secret": "{}\n", "set/a.jsonl": twoSegments} {
		storetest.Check(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o600))
	}
	storetest.Check(t, os.Symlink("a.jsonl", filepath.Join(dir, "b.jsonl")))
	in := storetest.Must(openInputs([]File{{Name: dir, Folder: dir}}))(t)
	defer in.close()
	if text, err := io.ReadAll(in.files()[1].Reader); string(text) != twoSegments || err != nil {
		t.Errorf("a link within the folder gives %q, %v", text, err)
	}
	storetest.Check(t, os.Symlink("../secret", filepath.Join(dir, "c.jsonl")))
	if _, err := openInputs([]File{{Name: dir, Folder: dir}}); err == nil || !strings.Contains(err.Error(), `a link "c.jsonl", which leads out`) {
		t.Errorf("the error of a link out of the folder is %v", err)
	}
}

// bomb is a zip archive that says that its files are 1 GB large together.
func bomb(t *testing.T) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 16 {
		raw := storetest.Must(w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i, ".jsonl"), Method: zip.Deflate, UncompressedSize64: 1 << 26, CompressedSize64: 4}))(t)
		storetest.Must(io.WriteString(raw, "xxxx"))(t)
	}
	storetest.Check(t, w.Close())
	return b.String()
}
