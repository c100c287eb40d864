package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTransfer prints what the annotate page loads of scripts and styles. About 60 KB
// packed is the figure to watch.
func TestTransfer(t *testing.T) {
	plain, packed := 0, 0
	err := fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".js", ".css"}, path.Ext(name)) || slices.Contains(elsewhere, name) {
			return err
		}
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		small, ok := Gzipped(name)
		if !ok {
			t.Errorf("%s is not gzipped", name)
		}
		plain += len(text)
		packed += len(small)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, gzipped %d", plain, packed)
}

// TestLoadedWithThePage: no script loads another later, when an upgrade may have taken
// it away.
func TestLoadedWithThePage(t *testing.T) {
	err := fs.WalkDir(static, "static/js", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(static, name)
		if later := regexp.MustCompile(`[^@{]import\('[^']*'\)(\.then|\))`).Find(text); later != nil {
			t.Errorf("%s loads a script later: %s", name, later)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// elsewhere are the scripts and styles that the annotate page does not load.
var elsewhere = []string{
	"css/charts.css", "css/desk.css", "css/figure.css", "css/lead.css", "css/marks.css", "css/palette.css", "css/queue.css", "css/report.css",
	"js/copy.js", "js/kept.js", "js/live.js", "js/marks.js", "js/queue.js", "js/report.js",
}

func TestGzipped(t *testing.T) {
	text, _ := Gzipped("js/annotate.js")
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	want, _ := fs.ReadFile(Files(), "js/annotate.js")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("unpacked it is another file: %v", err)
	}
	for _, name := range []string{"icon.svg", "js/nosuch.js", "js"} {
		if _, ok := Gzipped(name); ok {
			t.Errorf("%s is gzipped", name)
		}
	}
}

// TestMinified: every script and style sheet can be minified, to something smaller
// that says the same of itself as a file.
func TestMinified(t *testing.T) {
	files := Files()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" && path.Ext(name) != ".css" {
			return err
		}
		served, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		written, err := fs.ReadFile(static, "static/"+name)
		if err != nil {
			return err
		}
		if len(served) == 0 || len(served) >= len(written) {
			t.Errorf("%s: %d bytes are served of %d", name, len(served), len(written))
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(served)) {
			t.Errorf("%s: size %v, %v; %d bytes are served", name, info, err, len(served))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestServed(t *testing.T) {
	h := http.StripPrefix(Prefix(), http.FileServerFS(Files()))
	for name, kind := range map[string]string{"js/annotate.js": "text/javascript", "css/base.css": "text/css", "icon.svg": "image/svg+xml"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", Prefix()+"/"+name, nil))
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: got %d %s, want 200 %s", name, w.Code, w.Header().Get("Content-Type"), kind)
		}
	}
	if len(Hash()) != 16 {
		t.Errorf("hash %q", Hash())
	}
}
