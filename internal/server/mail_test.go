package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/outbox"
	"annotate/internal/post"
	"annotate/internal/store/storetest"
)

// TestMailPages: without a mail server pages offer no mail. With one, a person sets their address and asks for a link, the answer is the same
// for nobody, and an admin sees what was mailed and sends it again, without a token.
func TestMailPages(t *testing.T) {
	s := newSite(t)
	lead, admin := s.signedIn(s.Lead), s.signedIn(s.admin())
	if strings.Contains(s.stranger().get("/sign-in").body, "by mail") || strings.Contains(lead.get("/account").body, "/account/mail") || strings.Contains(admin.get("/users").body, "E-mail") {
		t.Error("mail is offered without a mail server")
	}
	wantStatus(t, "a link without a mail server", s.stranger().post("/sign-in/forgotten", url.Values{"login": {"lead"}}), http.StatusNotFound)

	storetest.SendMails(t, s.db)
	s.srv.Send = outbox.Senders{Mail: &post.MailServer{}}
	refused := lead.post("/account/mail", url.Values{"mail": {"Lead <lead@example.org>"}})
	wantStatus(t, "what is no address", refused, http.StatusUnprocessableEntity)
	if !strings.Contains(refused.body, "Lead &lt;lead@example.org&gt;") {
		t.Error("the form has forgotten what was typed")
	}
	wantStatus(t, "an address", lead.post("/account/mail", url.Values{"mail": {"lead@example.org"}}), http.StatusSeeOther)
	wantStatus(t, "no mails about work", lead.post("/account/mail/work", nil), http.StatusSeeOther)
	if page := lead.get("/account/mail").page(t); page.Find("#mail").AttrOr("value", "") != "lead@example.org" || page.Find("input[checked]").Length() != 0 {
		t.Error("the page has another address, or mails about work are not turned off")
	}

	var answers []string
	for _, login := range []string{"lead", "nobody"} {
		got := s.stranger().post("/sign-in/forgotten", url.Values{"login": {login}})
		wantStatus(t, "ask as "+login, got, http.StatusOK)
		answers = append(answers, got.page(t).Find("main").Text())
	}
	if answers[0] != answers[1] {
		t.Errorf("the answers differ:\n%s\n%s", answers[0], answers[1])
	}
	for range 2 {
		s.stranger().post("/sign-in/forgotten", url.Values{"login": {"lead"}})
	}
	wantStatus(t, "once more", s.stranger().post("/sign-in/forgotten", url.Values{"login": {"LEAD"}}), http.StatusTooManyRequests)
	storetest.WantCount(t, s.db, 3, "deliveries WHERE event = 'forgotten password'")

	added := admin.post("/users", url.Values{"login": {"mara"}, "mail": {"mara@example.org"}, "role": {"member"}})
	if !strings.Contains(added.body, "also on their way") || !strings.Contains(admin.get("/users").body, "mara@example.org") {
		t.Error("the page does not say that the link is mailed, or lacks the address")
	}
	wantStatus(t, "another address of somebody", admin.post("/users/mara/mail", url.Values{"mail": {"mara@example.com"}}), http.StatusSeeOther)
	mails := storetest.Mailed(t, s.db)
	page := admin.get("/mails")
	if !strings.Contains(page.body, "mara@example.org") || !strings.Contains(page.body, "forgotten password") || strings.Contains(page.body, "/sign-in/link/") || len(mails) != 5 {
		t.Errorf("%d mails; the log is %s", len(mails), page.body)
	}
	admin.post("/users/mara/link", nil)
	waits := storetest.Query[string](t, s.db, "SELECT id FROM deliveries WHERE state = 'waiting'")[0]
	wantStatus(t, "again", admin.post("/mails/"+waits+"/again", nil), http.StatusSeeOther)
	wantStatus(t, "again, although it was sent", admin.post("/mails/"+mails[0].ID+"/again", nil), http.StatusConflict)
}

// TestSubjectsPage: an admin sees who people are at the provider, and takes it back.
func TestSubjectsPage(t *testing.T) {
	s := newSite(t)
	admin := s.signedIn(s.admin())
	storetest.Check(t, s.db.Accounts.BindSubject(t.Context(), s.Lead.ID, "https://id.example.org", "8f14"))
	form := url.Values{"issuer": {"https://id.example.org"}, "subject": {"8f14"}}
	if !strings.Contains(admin.get("/users").body, "8f14") {
		t.Error("the page lacks the subject")
	}
	wantStatus(t, "unbind it from somebody else", admin.post("/users/"+s.Researcher.Login+"/subjects/unbind", form), http.StatusNotFound)
	wantStatus(t, "unbind", admin.post("/users/"+s.Lead.Login+"/subjects/unbind", form), http.StatusSeeOther)
	storetest.WantCount(t, s.db, 0, "subjects")
}
