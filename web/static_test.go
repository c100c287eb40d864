package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
)

// budget is how much script and style the annotate page may load, and transfer how
// much of it may cross the network where errors are marked.
const (
	budget   = 60_000
	transfer = 60_000
)

// annotatePage lists what the annotate page loads besides its HTML, markingPage what
// it loads more where errors are marked, and suggestionsPage where some are suggested.
// later waits until a dialog is opened, a problem reported, or a finger is there.
var (
	annotatePage = []string{
		"css/base.css", "css/components.css", "css/annotate.css",
		"js/annotate.js", "js/codepoints.js", "js/dialogs.js", "js/history.js", "js/keys.js", "js/rules.js", "js/save.js", "js/scores.js", "js/spans.js", "js/timing.js",
	}
	markingPage     = []string{"css/spans.css", "css/marking.css", "js/desk.js", "js/markbar.js", "js/marking.js", "js/marklist.js", "js/overlay.js", "js/picker.js", "js/pointer.js", "js/surface.js"}
	suggestionsPage = []string{"css/suggestions.css", "js/suggestions.js"}
	later           = []string{"css/guide.css", "css/keys.css", "js/again.js", "js/keyboard.js", "js/problem.js", "js/tip.js", "js/touch.js"}
)

// TestBudget weighs the page without marks as it is unpacked, and the one with them
// as it crosses the network.
func TestBudget(t *testing.T) {
	weigh := func(names []string) (plain, gzipped int) {
		for _, name := range names {
			text, err := fs.ReadFile(Files(), name)
			if err != nil {
				t.Fatal(err)
			}
			small, ok := Gzipped(name)
			if !ok {
				t.Fatalf("%s is not gzipped", name)
			}
			plain += len(text)
			gzipped += len(small)
		}
		return plain, gzipped
	}
	plain, gzipped := weigh(annotatePage)
	t.Logf("without marks %d bytes, gzipped %d", plain, gzipped)
	if plain > budget {
		t.Errorf("the annotate page loads %d bytes of script and style, more than %d", plain, budget)
	}
	plain, gzipped = weigh(slices.Concat(annotatePage, markingPage))
	t.Logf("with marks %d bytes, gzipped %d", plain, gzipped)
	if gzipped > transfer {
		t.Errorf("the annotate page with marks transfers %d bytes of script and style, more than %d", gzipped, transfer)
	}
	plain, gzipped = weigh(slices.Concat(annotatePage, markingPage, suggestionsPage))
	t.Logf("with marks and suggestions %d bytes, gzipped %d", plain, gzipped)
	plain, gzipped = weigh(later)
	t.Logf("later, when it is asked for, %d bytes, gzipped %d", plain, gzipped)
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
