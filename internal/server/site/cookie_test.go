package site

import (
	"net/http/httptest"
	"testing"

	"github.com/gorilla/sessions"
)

// A cookie holds a token and a text of several lines. A cookie that an older program wrote as gob is read too, and a
// cookie that was changed counts as none.
func TestCookies(t *testing.T) {
	key := make([]byte, 64)
	for _, x := range []struct {
		name string
		by   *sessions.CookieStore
	}{{"as text", newCookies(key)}, {"as gob", sessions.NewCookieStore(key)}} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		made, _ := x.by.New(r, cookieName)
		made.Values[tokenKey], made.Values[flashKey] = "ABC", "one\ntwo"
		if err := made.Save(r, w); err != nil {
			t.Fatal(err)
		}
		cookie := w.Result().Cookies()[0]
		for _, changed := range []bool{false, true} {
			if changed {
				cookie.Value = "x" + cookie.Value[1:]
			}
			r = httptest.NewRequest("GET", "/", nil)
			r.AddCookie(cookie)
			got, _ := newCookies(key).New(r, cookieName)
			if ok := got.Values[tokenKey] == "ABC" && got.Values[flashKey] == "one\ntwo"; ok == changed || len(got.Values) == 0 != changed {
				t.Errorf("a cookie written %s, changed: %v, is read as %v", x.name, changed, got.Values)
			}
		}
	}
}
