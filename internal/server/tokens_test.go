package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/store/storetest"
)

// TestTokenPages: a token is shown once on the account page, and revoked there or by an admin.
func TestTokenPages(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	made := lead.post("/account/tokens", url.Values{"token_name": {"nightly"}, "days": {"30"}, "access": {"write"}, "where": {"some"}, "campaign": {s.Campaign.Slug}})
	wantStatus(t, "make a token", made, http.StatusOK)
	if !strings.Contains(made.body, `value="`+accounts.TokenPrefix) {
		t.Error("the page does not show the token")
	}
	if page := lead.get("/account"); strings.Contains(page.body, `value="`+accounts.TokenPrefix) || !strings.Contains(page.body, "nightly") {
		t.Error("the page shows the token again, or does not list it")
	}
	refused := lead.post("/account/tokens", url.Values{"token_name": {""}, "days": {"30"}, "where": {"some"}})
	wantStatus(t, "make a token without a name", refused, http.StatusUnprocessableEntity)

	of := func(u accounts.User) string { return storetest.Must(s.db.Accounts.Tokens(t.Context(), u.ID))(t)[0].ID }
	id := of(s.Lead)
	s.signedIn(s.Researcher).post("/account/tokens/"+id+"/revoke", nil)
	admin := s.signedIn(s.admin())
	if page := admin.get("/tokens"); !strings.Contains(page.body, "nightly") {
		t.Error("an admin does not see the token, or somebody else has revoked it")
	}
	wantStatus(t, "revoke", admin.post("/tokens/"+id+"/revoke", nil), http.StatusSeeOther)
	wantStatus(t, "revoke again", admin.post("/tokens/"+id+"/revoke", nil), http.StatusNotFound)
	lead.post("/account/tokens", url.Values{"token_name": {"mine"}, "days": {"30"}, "where": {"all"}})
	wantStatus(t, "revoke one's own", lead.post("/account/tokens/"+of(s.Lead)+"/revoke", nil), http.StatusSeeOther)
	if left := storetest.Must(s.db.Accounts.Tokens(t.Context(), ""))(t); len(left) > 0 {
		t.Errorf("%d tokens are left", len(left))
	}
}
