package server

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"annotate/internal/server/site"
)

// TestBodyLimit: a stranger can't make the server read much. A body without a
// length is read up to the limit and no further.
func TestBodyLimit(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("x", site.MaxBody)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("login", long); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lead := s.signedIn(s.Lead)
	for _, tt := range []struct{ name, path, kind, body string }{
		{"form", "/sign-in", "application/x-www-form-urlencoded", "login=" + long},
		{"upload", "/sign-in", w.FormDataContentType(), b.String()},
		{"settings", "/campaigns/" + s.Campaign.Slug + "/settings", "application/x-www-form-urlencoded", "a=" + long},
		{"name", "/account/name", "application/x-www-form-urlencoded", "name=" + long},
	} {
		got := lead.do("POST", tt.path, tt.kind, tt.body)
		if got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "This request has more than 1 MB, the most that this page takes.") || strings.Contains(got.body, "http:") {
			t.Errorf("%s: %d, want 413", tt.name, got.status)
		}
		if way := squeezed(got.page(t).Find(".gate .actions").Text()); way != "My work" {
			t.Errorf("%s: the page offers %q to a lead who is signed in", tt.name, way)
		}
		read := &counted{r: io.MultiReader(strings.NewReader(tt.body), zeros{})}
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+tt.path, io.LimitReader(read, 64<<20))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", tt.kind)
		res, err := lead.client.Do(req) // chunked: no length is known
		if err == nil {
			res.Body.Close()
			if res.StatusCode != http.StatusRequestEntityTooLarge && tt.name != "upload" {
				t.Errorf("%s in chunks: %d, want 413", tt.name, res.StatusCode)
			}
		}
		if n := read.n.Load(); n > 32<<20 {
			t.Errorf("%s: %d bytes were taken", tt.name, n)
		}
	}
	wantStatus(t, "a damaged form", s.stranger().do("POST", "/sign-in", "application/x-www-form-urlencoded", "login=%zz"), http.StatusBadRequest)
}

// counted may be read by the transport while the test looks at it.
type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

// TestLongLogin: what can't be a login is refused in the same words as a wrong
// password, and not remembered.
func TestLongLogin(t *testing.T) {
	s := newSite(t)
	said := func(login string) string {
		got := s.stranger().post("/sign-in", url.Values{"login": {login}, "password": {"x"}})
		if got.status != http.StatusUnprocessableEntity {
			t.Errorf("a login of %d bytes: %d", len(login), got.status)
		}
		return strings.Join(got.page(t).Find(".notice").Map(textOf), "")
	}
	want := said("lead")
	for range 12 { // more often than one login may try
		if got := said(strings.Repeat("ä", 101)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
