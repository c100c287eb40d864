package server

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/store/storetest"
)

// TestWebhookPages: a lead makes a webhook of a campaign, and an admin one of the site; each sees and changes their own alone.
func TestWebhookPages(t *testing.T) {
	s := newSite(t)
	lead, admin := s.signedIn(s.Lead), s.signedIn(s.admin())
	path := "/campaigns/" + s.Campaign.Slug
	refused := lead.post(path+"/webhooks", url.Values{"url": {"https://example.org/hook"}})
	wantStatus(t, "add a webhook without events", refused, http.StatusUnprocessableEntity)
	if !strings.Contains(refused.body, `value="https://example.org/hook"`) {
		t.Error("the form has forgotten the address")
	}
	made := lead.post(path+"/webhooks", url.Values{"url": {"https://example.org/hook"}, "event": {"gold.changed", "import.done"}})
	wantStatus(t, "add a webhook", made, http.StatusOK)
	if !strings.Contains(made.body, `value="whsec_`) {
		t.Error("the page does not show the secret")
	}
	page := lead.get(path + "/webhooks")
	if strings.Contains(page.body, "whsec_") || !strings.Contains(page.body, "gold.changed, import.done") || !strings.Contains(page.body, "waiting") {
		t.Error("the page shows the secret again, or lacks the webhook or its ping")
	}
	if strings.Contains(admin.get("/webhooks").body, "https://example.org/hook") {
		t.Error("the site lists the webhook of a campaign")
	}
	hook := storetest.Must(s.db.Outbox.Webhooks(t.Context(), s.Campaign.ID))(t)[0].ID
	ping := storetest.Query[string](t, s.db, "SELECT id FROM deliveries")[0]
	for _, of := range []string{"/webhooks/" + hook + "/ping", "/deliveries/" + ping + "/again", "/webhooks/" + hook + "/remove"} {
		wantStatus(t, of+" by the site", admin.post(of, nil), http.StatusNotFound)
		wantStatus(t, of, lead.post(path+of, nil), http.StatusSeeOther)
	}
	storetest.WantCount(t, s.db, 0, "webhooks")
	storetest.WantLogged(t, s.db, s.Sample, "lead add webhook https://example.org/hook: gold.changed, import.done", "lead remove webhook https://example.org/hook")
}

// TestWebhooksOfPrograms: the interface for programs does what the pages do; those of the site need a token for all campaigns.
func TestWebhooksOfPrograms(t *testing.T) {
	s := newSite(t)
	path, body := "/campaigns/"+s.Campaign.Slug, `{"url":"https://example.org/hook","events":["gold.changed"]}`
	lead := s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true})
	made := s.call(lead, "POST", path+"/webhooks", body)
	var hook api.NewWebhook
	if json.Unmarshal([]byte(made.body), &hook) != nil || made.status != http.StatusCreated || !strings.HasPrefix(hook.Secret, "whsec_") {
		t.Fatalf("add: %d %s", made.status, made.body)
	}
	wantProblem(t, "an address that is none", s.call(lead, "POST", path+"/webhooks", `{"url":"x","events":["gold.changed"]}`), http.StatusUnprocessableEntity)
	var log api.Deliveries
	storetest.Check(t, json.Unmarshal([]byte(s.call(lead, "GET", path+"/deliveries", "").body), &log))
	if log.Total != 1 || log.Deliveries[0].Event != "ping" || log.Deliveries[0].State != "waiting" {
		t.Errorf("the log is %+v", log)
	}
	wantStatus(t, "again", s.call(lead, "POST", path+"/deliveries/"+log.Deliveries[0].ID+"/again", ""), http.StatusOK)
	wantStatus(t, "remove", s.call(lead, "DELETE", path+"/webhooks/"+hook.ID, ""), http.StatusOK)
	if list := s.call(lead, "GET", path+"/webhooks", ""); list.body != `{"webhooks":[]}`+"\n" {
		t.Errorf("left: %s", list.body)
	}
	admin := s.admin()
	some := s.token(admin, accounts.NewToken{Writes: true, Campaigns: []string{s.Campaign.Slug}})
	wantProblem(t, "the site's, with a token for a campaign", s.call(some, "POST", "/webhooks", body), http.StatusForbidden)
	all := s.token(admin, accounts.NewToken{Writes: true, Everywhere: true})
	wantStatus(t, "the site's", s.call(all, "POST", "/webhooks", body), http.StatusCreated)
	if list := s.call(all, "GET", "/webhooks", ""); !strings.Contains(list.body, "gold.changed") {
		t.Errorf("of the site: %s", list.body)
	}
}
