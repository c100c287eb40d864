package web

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
)

// budget is how much script and style the annotate page may load.
const budget = 60_000

// annotatePage lists what the annotate page loads besides its HTML.
var annotatePage = []string{
	"css/base.css", "css/components.css", "css/annotate.css",
	"js/annotate.js", "js/dialogs.js", "js/history.js", "js/keys.js", "js/save.js", "js/timing.js",
}

func TestBudget(t *testing.T) {
	total := 0
	for _, name := range annotatePage {
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		total += len(text)
	}
	t.Logf("%d bytes", total)
	if total > budget {
		t.Errorf("the annotate page loads %d bytes of script and style, more than %d", total, budget)
	}
}

func TestLean(t *testing.T) {
	in := "// first\n/* one line */\nconst a = 1; // stays\n\n/**\n * many\n * lines */\n  b('http://x');\n/* c */ d();\n"
	want := "const a = 1; // stays\nb('http://x');\n/* c */ d();\n"
	if got := string(lean([]byte(in))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFiles looks for what lean can't serve: a text that spans lines.
func TestFiles(t *testing.T) {
	err := fs.WalkDir(static, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		text, err := fs.ReadFile(static, name)
		if err != nil {
			return err
		}
		for n, line := range bytes.Split(text, []byte("\n")) {
			if bytes.Count(line, []byte("`"))%2 == 1 {
				t.Errorf("%s:%d: a template literal goes on in the next line", name, n+1)
			}
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
