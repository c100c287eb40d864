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
	"strings"
	"testing"
	"testing/fstest"
)

// TestTransfer prints what the annotate page of ESA loads of scripts and styles. About 60 KB
// packed is the figure to watch.
func TestTransfer(t *testing.T) {
	plain, packed := 0, 0
	for _, name := range []string{
		"css/base.css", "css/components.css", "css/annotate.css", "css/guide.css", "css/keys.css", "css/spans.css", "css/marking.css", "js/first.js", "js/judging.js",
	} {
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		small, ok := Gzipped(name)
		if !ok {
			t.Errorf("%s is not gzipped", name)
		}
		plain += len(text)
		packed += len(small)
	}
	t.Logf("%d bytes, gzipped %d", plain, packed)
}

// TestJoined: a joined script has each module that it imports once, after those that the module imports, and nothing
// of it is left to load.
func TestJoined(t *testing.T) {
	for _, name := range joined {
		text, err := source(sources(), name)
		if err != nil {
			t.Fatal(err)
		}
		if left := between.Find(text); left != nil {
			t.Errorf("%s: %s", name, left)
		}
		if n := strings.Count(string(text), "const module_page = "); n != 1 {
			t.Errorf("%s has page.js %d times", name, n)
		}
	}
	files := fstest.MapFS{
		"js/top.js":    {Data: []byte("import './left.js';\nimport { two as second, one } from './right.js';\nrun(one, second);\n")},
		"js/left.js":   {Data: []byte("import { one } from './right.js';\nexport async function left() { return one; }\n")},
		"js/right.js":  {Data: []byte("export const one = 1;\nexport class two {}\nlet own; // the last line")},
		"js/itself.js": {Data: []byte("import './round.js';\n")},
		"js/round.js":  {Data: []byte("import './itself.js';\n")},
		"js/form.js":   {Data: []byte("import all from './right.js';\n")},
		"js/other.js":  {Data: []byte("import { one, own as mine } from './right.js';\n")},
		"js/pair.js":   {Data: []byte("export const a = 1, b = 2;\n")},
		"js/second.js": {Data: []byte("import {\n  a,\n  b,\n} from './pair.js';\n")},
		"js/late.js":   {Data: []byte("export let now;\n")},
		"js/gone.js":   {Data: []byte("import './nosuch.js';\n")},
	}
	text, err := join(files, "js/top.js")
	want := `(() => {
const module_right = (() => {
const one = 1;
class two {}
let own; // the last line
return { one, two };
})();
const module_left = (() => {
const { one } = module_right;
async function left() { return one; }

return { left };
})();
const module_top = (() => {

const { two: second, one } = module_right;
run(one, second);

return {  };
})();
})();
`
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	for name, want := range map[string]string{
		"js/itself.js": "itself imports itself", "js/form.js": "import all from", "js/gone.js": "nosuch.js", "js/late.js": "export let now",
		"js/other.js": "other.js imports own, which right.js does not export", "js/second.js": "second.js imports b, which pair.js does not export",
	} {
		if _, err := join(files, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
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
		written, err := source(sources(), name)
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
