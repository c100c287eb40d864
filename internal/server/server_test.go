package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// sampleSite is a running server with a sample campaign.
type sampleSite struct {
	*storetest.Sample
	t   *testing.T
	db  *storetest.DB
	srv *Server
	url string
}

func newSite(t *testing.T, opts ...storetest.Option) *sampleSite {
	t.Helper()
	db := storetest.Open(t)
	srv, err := New(Config{Now: db.Clock.Now}, db.Store)
	if err != nil {
		t.Fatal(err)
	}
	srv.monitoring.Judged.Patience = time.Minute // long enough on a busy machine
	t.Cleanup(srv.monitoring.Judged.Runner.Stop)
	t.Cleanup(srv.Works.Wait)
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	return &sampleSite{Sample: storetest.Campaign(t, db.Store, opts...), t: t, db: db, srv: srv, url: ts.URL}
}

// visitor is a browser without scripts; it does not follow redirects.
type visitor struct {
	s      *sampleSite
	client *http.Client
	header http.Header
}

func (s *sampleSite) stranger() *visitor {
	jar, _ := cookiejar.New(nil)
	return &visitor{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// signedIn is a visitor who followed a sign-in link.
func (s *sampleSite) signedIn(u accounts.User) *visitor {
	s.t.Helper()
	token, err := s.db.Accounts.NewLink(s.t.Context(), u.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	v := s.stranger()
	if got := v.post(site.LinkPath(token), nil); got.status != http.StatusSeeOther {
		s.t.Fatalf("the sign-in link of %s answered %d", u.Login, got.status)
	}
	return v
}

func (s *sampleSite) admin() accounts.User {
	s.t.Helper()
	u, err := s.db.Accounts.AddUser(s.t.Context(), "root", "", accounts.Admin)
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

// answer is a response that has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

func (v *visitor) do(method, path, contentType, body string) answer {
	v.s.t.Helper()
	req, err := http.NewRequestWithContext(v.s.t.Context(), method, v.s.url+path, strings.NewReader(body))
	if err != nil {
		v.s.t.Fatal(err)
	}
	for k, values := range v.header {
		req.Header[k] = values
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := v.client.Do(req)
	if err != nil {
		v.s.t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, res.Body); err != nil {
		v.s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, b.String()}
}

func (v *visitor) get(path string) answer { v.s.t.Helper(); return v.do("GET", path, "", "") }

func (v *visitor) post(path string, form url.Values) answer {
	v.s.t.Helper()
	return v.do("POST", path, "application/x-www-form-urlencoded", form.Encode())
}

func (v *visitor) json(method, path string, body any) answer {
	v.s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		v.s.t.Fatal(err)
	}
	return v.do(method, path, "application/json", string(b))
}

// page parses an HTML answer.
func (a answer) page(t *testing.T) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// location is where a redirect leads.
func (a answer) location() string { return a.header.Get("Location") }

// wantStatus reports an answer whose status is another one, or which lacks words.
func wantStatus(t *testing.T, what string, got answer, status int, words ...string) {
	t.Helper()
	if got.status != status {
		t.Errorf("%s: answered %d, want %d: %.300s", what, got.status, status, got.body)
	}
	for _, w := range words {
		if !strings.Contains(got.body, w) {
			t.Errorf("%s: the answer lacks %q: %.2000s", what, w, got.body)
		}
	}
}

// wantRedirect reports an answer that leads to another place.
func wantRedirect(t *testing.T, what string, got answer, to string) {
	t.Helper()
	if got.status != http.StatusSeeOther || got.location() != to {
		t.Errorf("%s: answered %d to %q, want to be led to %q", what, got.status, got.location(), to)
	}
}

// says reports a text that lacks words.
func says(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q lacks %q", what, text, w)
		}
	}
}
