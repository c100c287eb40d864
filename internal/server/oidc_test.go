package server

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// A localProvider is a provider of OpenID Connect that signs in whom claims says.
type localProvider struct {
	*httptest.Server
	key       *rsa.PrivateKey
	claims    map[string]any
	challenge string // of the request that its code is for
}

func newProvider(t *testing.T) *localProvider {
	t.Helper()
	p := &localProvider{key: storetest.Must(rsa.GenerateKey(rand.Reader, 2048))(t)}
	b64 := base64.RawURLEncoding.EncodeToString
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]string{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k", "n": b64(p.key.N.Bytes()), "e": b64(big.NewInt(int64(p.key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if r.FormValue("code") != "good" || b64(sum[:]) != p.challenge {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]string{"error": "invalid_grant"})
			return
		}
		body, _ := json.Marshal(p.claims)
		signed := b64([]byte(`{"alg":"RS256","kid":"k"}`)) + "." + b64(body)
		digest := sha256.Sum256([]byte(signed))
		signature, _ := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, digest[:])
		answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": signed + "." + b64(signature)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// signIn has a visitor sign in by the provider, with changes to what comes back. It returns what the callback is answered.
func (p *localProvider) signIn(v *visitor, claims map[string]any, change func(back url.Values)) answer {
	v.s.t.Helper()
	asked := storetest.Must(url.Parse(v.get("/sign-in/oidc?next=%2Faccount").header.Get("Location")))(v.s.t)
	q := asked.Query()
	if !strings.HasPrefix(asked.String(), p.URL+"/authorize?") || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != v.s.url+"/sign-in/oidc/callback" {
		v.s.t.Fatalf("the sign-in begins at %s", asked)
	}
	p.challenge = q.Get("code_challenge")
	p.claims = map[string]any{"iss": p.URL, "aud": "annotate", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": q.Get("nonce")}
	for name, value := range claims {
		p.claims[name] = value
	}
	back := url.Values{"state": {q.Get("state")}, "code": {"good"}}
	if change != nil {
		change(back)
	}
	return v.get("/sign-in/oidc/callback?" + back.Encode())
}

// TestOpenIDConnect: a person whom the provider knows gets the account whose login is the verified address, and later the one of the
// subject whatever the address; strangers are refused unless accounts are made; nothing works that is not this browser's sign-in.
func TestOpenIDConnect(t *testing.T) {
	s, p := newSite(t), newProvider(t)
	wantStatus(t, "without a provider", s.stranger().get("/sign-in/oidc"), http.StatusNotFound)
	s.srv.Config.OIDC = site.OIDC{Issuer: p.URL, ClientID: "annotate", ClientSecret: "s", Name: "Example University"}
	if !strings.Contains(s.stranger().get("/sign-in").body, "Sign in by Example University") {
		t.Error("the page does not offer the provider")
	}
	mara := storetest.AddUser(t, s.db, "Mara@example.org")
	in := func(what string, v *visitor, got answer, login string) {
		t.Helper()
		if page := v.get("/account"); got.header.Get("Location") != "/account" || !strings.Contains(page.body, "You sign in as "+login+".") {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	out := func(what string, v *visitor, got answer, status int) {
		t.Helper()
		wantStatus(t, what, got, status)
		wantStatus(t, what+", then", v.get("/account"), http.StatusSeeOther)
	}
	v := s.stranger()
	out("an address that is not verified", v, p.signIn(v, map[string]any{"sub": "1", "email": "mara@example.org"}, nil), http.StatusForbidden)
	in("a verified address", v, p.signIn(v, map[string]any{"sub": "1", "email": "mara@example.org", "email_verified": true}, nil), mara.Login)
	v = s.stranger()
	in("the subject with another address", v, p.signIn(v, map[string]any{"sub": "1", "email": "other@example.org", "email_verified": true}, nil), mara.Login)
	v = s.stranger()
	out("somebody else with the address", v, p.signIn(v, map[string]any{"sub": "2", "email": "new@example.org", "email_verified": true}, nil), http.StatusForbidden)
	storetest.Check(t, s.db.Accounts.BindSubject(t.Context(), s.Lead.ID, p.URL, "7"))
	in("a subject that was bound", v, p.signIn(v, map[string]any{"sub": "7"}, nil), s.Lead.Login)
	s.srv.Config.OIDC.Create = true
	v = s.stranger()
	in("where accounts are made", v, p.signIn(v, map[string]any{"sub": "2", "email": "new@example.org", "email_verified": true, "name": "Nia New"}, nil), "new@example.org")

	mara1 := map[string]any{"sub": "1"}
	for what, change := range map[string]func(url.Values){
		"another state": func(b url.Values) { b.Set("state", "x") }, "no state": func(b url.Values) { b.Del("state") },
		"no code": func(b url.Values) { b.Del("code") }, "a wrong code": func(b url.Values) { b.Set("code", "bad") },
		"another verifier": func(url.Values) { p.challenge = "x" }, "another nonce": func(url.Values) { p.claims["nonce"] = "x" },
		"another audience": func(url.Values) { p.claims["aud"] = "x" }, "another issuer": func(url.Values) { p.claims["iss"] = "https://example.org" },
		"a token that is too old": func(url.Values) { p.claims["exp"] = time.Now().Add(-time.Hour).Unix() },
	} {
		v := s.stranger()
		got := p.signIn(v, mara1, change)
		if got.status < 400 {
			t.Errorf("%s: %d", what, got.status)
		}
		wantStatus(t, what, v.get("/account"), http.StatusSeeOther)
	}
	v = s.stranger()
	var back string
	p.signIn(s.stranger(), mara1, func(b url.Values) { back = b.Encode(); b.Set("code", "bad") })
	out("a callback that another browser began", v, v.get("/sign-in/oidc/callback?"+back), http.StatusBadRequest)

	storetest.Check(t, s.db.Accounts.SetDisabled(t.Context(), mara.ID, true))
	v = s.stranger()
	out("a disabled account", v, p.signIn(v, mara1, nil), http.StatusForbidden)
	if n := storetest.Count(t, s.db, "site_log WHERE act = 'bind subject'"); n != 3 {
		t.Errorf("the log has %d subjects that were bound, want 3", n)
	}
}
