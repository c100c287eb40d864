package server

import (
	"net/http"
	"strings"
	"testing"
)

// The keys that a person has changed are on their pages, and on nobody else's.
func TestChangeKeys(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	v := s.signedIn(s.Annotators[0])
	page := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	if got := v.json("PUT", "/account/keys", map[string]any{"protocol": "sqm", "keys": map[string]string{"next": "Shift+n"}}); got.status != http.StatusNoContent || !strings.Contains(v.get(page).body, `"keys":{"next":"Shift+n"}`) {
		t.Fatalf("changed: %d %s", got.status, got.body)
	}
	other := s.signedIn(s.Annotators[1])
	otherPage := "/campaigns/" + s.Campaign.Slug + "/assignments/" + s.Next(t, 1)
	if got := other.get(otherPage).page(t).Find("#assignment-state").Text(); strings.Contains(got, "Shift+n") {
		t.Error("another person has the key too")
	}
	for _, bad := range []struct {
		body, want string
		status     int
	}{
		{`{"protocol":"sqm","keys":{"next":"Tab"}}`, `is no key`, http.StatusUnprocessableEntity},
		{`{"protocol":"","keys":{}}`, `"field":"protocol"`, http.StatusUnprocessableEntity},
		{`{"protocol":"sqm","keys":7}`, `not the JSON`, http.StatusBadRequest},
	} {
		if got := v.do("PUT", "/account/keys", "application/json", bad.body); got.status != bad.status || !strings.Contains(got.body, bad.want) {
			t.Errorf("%s: %d %s", bad.body, got.status, got.body)
		}
	}
	if got := s.stranger().do("PUT", "/account/keys", "application/json", `{}`); got.status == http.StatusNoContent {
		t.Error("a stranger changed keys")
	}
}
