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
	// The structure of the whole page, or what is new in a look.
	var whole *look
	light, dark, narrow := &look{width: 1440}, &look{width: 1440, dark: true}, &look{width: 390}
	for _, step := range []struct {
		path string
		in   *look
		want int
	}{
		{"/", whole, 0},
		{"/", light, 0},
		{"/faint", light, 1}, // one of the two that are painted alike
		{"/faint", light, 0},
		{"/faint", dark, 1},
		{"/unnamed", whole, 1},
		{"/unnamed", whole, 1}, // which does not remember
		{"/unnamed", light, 0}, // its structure is known
		{"/tiny", narrow, 1},
		{"/tiny", light, 1}, // one of the two that are of one kind
		{"/tiny", light, 0},
	} {
		open(step.path)
		var got []string
		if step.in == whole {
			got = j.structure(t, w)
		} else {
			got = j.parts(t, w, *step.in)
		}
		if len(got) != step.want {
			t.Errorf("%s in %+v: %q, want %d", step.path, step.in, got, step.want)
		}
	}
	for _, step := range []struct {
		path, page   string
		whole, kinds bool
	}{{"/", "a page", true, false}, {"/named", "a page", false, true}, {"/faint", "a page", false, false}, {"/faint", "another page", true, false}, {"/faint", "another page", false, false}} {
		open(step.path)
		if whole, kinds := j.isNew(t, w, step.page); whole != step.whole || kinds != step.kinds {
			t.Errorf("%s as %s is a new page: %t, has new kinds of elements: %t", step.path, step.page, whole, kinds)
		}
	}
	for turn := range 2 {
		sizes, schemes := map[int64]bool{}, map[string]bool{}
		for _, l := range j.looks(turn) {
			sizes[l.width], schemes[l.scheme()] = true, true
		}
		if len(sizes) != 2 || len(schemes) != 2 {
			t.Errorf("turn %d has the sizes %v and the schemes %v", turn, sizes, schemes)
		}
	}
}
