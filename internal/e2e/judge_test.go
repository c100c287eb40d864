package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestJudge: what a page has that no page before it had is judged, and colours that were
// judged are not judged again.
func TestJudge(t *testing.T) {
	b := browser(t)
	page := func(body string) string {
		return `<!doctype html><html lang="en"><title>x</title><style>main { background: #fff } .faint { color: #bbb }</style><main><h1>A page</h1>` + body + `</main>`
	}
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{"/faint": `<p class="faint">read me</p><p class="faint">and me</p>`, "/named": `<button aria-label="go"></button>`, "/unnamed": `<button></button>`}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page(body[r.URL.Path]))
	}))
	t.Cleanup(ts.Close)
	w, j := window(t, b), newJudge(t)
	open := func(path string) {
		t.Helper()
		run(t, w, path, chromedp.Navigate(ts.URL+path))
		j.enter(t, w)
	}
	for _, step := range []struct {
		path, rules string
		want        int
	}{
		{"/", axeAll, 0},
		{"/", axeColours, 0},
		{"/faint", axeColours, 1}, // one of the two that are painted alike
		{"/faint", axeColours, 0},
		{"/faint", axeAll, 2}, // which judges all
		{"/faint", axeStructure, 0},
		{"/unnamed", axeStructure, 1},
		{"/unnamed", axeNoColours, 1},
	} {
		open(step.path)
		if got := j.violations(t, w, "light", step.rules); len(got) != step.want {
			t.Errorf("%s by %s: %q, want %d", step.path, step.rules, got, step.want)
		}
	}
	open("/faint")
	if got := j.violations(t, w, "dark", axeColours); len(got) != 1 {
		t.Errorf("in the other colour scheme: %q", got)
	}
	for _, step := range []struct {
		path  string
		isNew bool
	}{{"/", true}, {"/", false}, {"/named", true}, {"/unnamed", true}, {"/named", false}, {"/", false}, {"/faint", true}} {
		open(step.path)
		if got := j.isNew(t, w, "a page"); got != step.isNew {
			t.Errorf("%s has new kinds of elements: %t", step.path, got)
		}
	}
	if !j.isNew(t, w, "another page") || j.isNew(t, w, "another page") {
		t.Error("another page with the same elements is new once")
	}
}
