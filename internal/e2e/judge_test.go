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
		body := map[string]string{"/faint": `<p class="faint">read me</p><p class="faint">and me</p>`, "/named": `<button aria-label="go"></button>`, "/unnamed": `<button></button>`,
			"/tiny": `<b class="one"><button style="all: unset; display: block; height: 9px">a</button><button style="all: unset; display: block; height: 9px">b</button></b>`}
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
	type part int
	const (
		whole    part = iota // the structure of the page
		elements             // that are new, at 1440 pixels
		narrow               // elements that are new, at 390 pixels
		light                // colours
		dark
	)
	for _, step := range []struct {
		path string
		part part
		want int
	}{
		{"/", whole, 0},
		{"/", light, 0},
		{"/faint", light, 1}, // one of the two that are painted alike
		{"/faint", light, 0},
		{"/faint", dark, 1},
		{"/faint", elements, 0},
		{"/unnamed", whole, 1},
		{"/unnamed", whole, 1},    // which does not remember
		{"/unnamed", elements, 0}, // its structure is known
		{"/tiny", narrow, 1},
		{"/tiny", elements, 1}, // one of the two that are of one kind
		{"/tiny", elements, 0},
	} {
		open(step.path)
		var got []string
		switch step.part {
		case whole:
			got = j.structure(t, w)
		case elements:
			got = j.elements(t, w, 1440)
		case narrow:
			got = j.elements(t, w, 390)
		case light:
			got = j.colours(t, w, "light")
		case dark:
			got = j.colours(t, w, "dark")
		}
		if len(got) != step.want {
			t.Errorf("part %d of %s: %q, want %d", step.part, step.path, got, step.want)
		}
	}
	for _, step := range []struct {
		path  string
		isNew bool
	}{{"/", true}, {"/named", true}, {"/faint", false}} {
		open(step.path)
		if got := j.isNew(t, w, "a page"); got != step.isNew {
			t.Errorf("%s has new kinds of elements: %t", step.path, got)
		}
	}
	if !j.isNew(t, w, "another page") || j.isNew(t, w, "another page") {
		t.Error("another page with the same elements is new once")
	}
}
