package server

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/outbox"
	"annotate/internal/post"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// TestNoSecretsInTheLog: at the level debug, the log has a line with an id for each request, and no password, no token of a
// session, of a sign-in link or of a join link, and no key of a model's server. Passwords and tokens also come where they
// do not belong: as a login, in a query, behind an address.
func TestNoSecretsInTheLog(t *testing.T) {
	s := newSite(t)
	log := &testenv.Buffer{}
	logger := slog.New(records.LogRequests(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	cfg := s.db.Config
	cfg.Logger, cfg.Now = logger, s.db.Clock.Now
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	defer st.Close()
	const judgeKey, mailPassword = "sk-9s8d7f6g5h", "m4il-p4ssw0rd"
	srv := storetest.Must(New(Config{Now: s.db.Clock.Now, SessionKey: []byte(strings.Repeat("k3y-", 8)), Logger: logger,
		Judges: JudgeConfig{BaseURL: "http://127.0.0.1:1/v1", HasKey: true}}, st))(t)
	logger.Info("configuration", "judge", command.Judge{APIKey: judgeKey}, "key", command.Secret(judgeKey))
	front := httptest.NewServer(srv.Handler())
	defer front.Close()
	s.url = front.URL

	const password, wrong = "gravel lantern oboe", "marmalade tractor 77"
	storetest.SendMails(t, s.db)
	storetest.Check(t, s.db.Accounts.SetMail(t.Context(), s.Lead.ID, "lead@example.org"))
	link := storetest.Must(s.db.Accounts.NewLink(t.Context(), s.Lead.ID))(t)
	server := &post.MailServer{Host: "127.0.0.1", Port: 1, User: "annotate", Password: mailPassword, From: mail.Address{Address: "annotate@example.org"}, Now: time.Now}
	storetest.Must(st.Outbox.SendDue(t.Context(), outbox.Senders{Mail: server}, ""))(t)
	lead := s.stranger()
	wantStatus(t, "signing in with a link", lead.post(site.LinkPath(link), nil), 303)
	wantStatus(t, "setting a password", lead.post("/account/password", url.Values{"password": {password}, "again": {password}}), 303)
	for _, form := range []url.Values{{"login": {"lead"}, "password": {wrong}}, {"login": {wrong}, "password": {"lead"}}, {"login": {"lead"}, "password": {password}}} {
		s.stranger().post("/sign-in", form)
	}
	made := storetest.Must(s.db.Accounts.Invite(t.Context(), s.Campaign.ID, "mia", "Mia", campaign.Annotator, s.Lead.ID))(t)
	ben := s.signedIn(storetest.Must(s.db.Accounts.AddUser(t.Context(), "ben", "Ben", accounts.Member))(t))
	ben.get("/join/" + made.SignIn)
	ben.post("/join/"+made.SignIn, url.Values{"password": {password}})
	for _, path := range []string{site.LinkPath(made.SignIn), site.LinkPath(made.SignIn) + "/", "/sign-in?next=" + url.QueryEscape(site.LinkPath(made.SignIn)), "/nowhere/" + made.SignIn, "/healthz?token=" + made.SignIn} {
		s.stranger().get(path)
	}
	wantStatus(t, "a form that can't be read", lead.do("POST", "/sign-in", "application/x-www-form-urlencoded", "password="+wrong+"&login=%zz"), 400)
	req := httptest.NewRequest("POST", site.LinkPath(made.SignIn), nil)
	req.Header.Set("Origin", "https://elsewhere.example")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	srv.Handler().ServeHTTP(httptest.NewRecorder(), req)

	secrets := []string{password, wrong, link, made.SignIn, judgeKey, mailPassword, "k3y-k3y-"}
	u := storetest.Must(url.Parse(s.url))(t)
	for _, cookie := range lead.client.Jar.Cookies(u) {
		secrets = append(secrets, cookie.Value)
	}
	if len(secrets) < 7 {
		t.Fatal("the lead has no session")
	}
	text, requests := log.String(), 0
	for line := range strings.Lines(text) {
		var e struct{ Msg, ID, Route string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Route != "" {
			requests++
			if len(e.ID) != 36 || strings.Count(line, `"id":`) != 1 {
				t.Errorf("a line does not have one id: %s", line)
			}
		}
	}
	if requests < 12 {
		t.Errorf("%d requests are logged", requests)
	}
	for _, secret := range secrets {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("the log has %q: …%s…", secret, text[max(0, at-200):min(len(text), at+100)])
		}
	}
}
