package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/qualification"
	"annotate/internal/store/storetest"
)

// TestSlugOfAnotherScript: a title without Latin letters gives a slug of the protocol and the languages.
func TestSlugOfAnotherScript(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	form := url.Values{"title": {"评测"}, "protocol": {"mqm"}, "source_lang": {"zh"}, "target_lang": {"en"}}
	for _, want := range []string{"mqm-zh-en", "mqm-zh-en-2"} {
		if got := lead.post("/campaigns/new", form); got.location() != "/campaigns/"+want {
			t.Errorf("%d %s, want %s", got.status, got.location(), want)
		}
	}
	if got := lead.post("/campaigns/mqm-zh-en/copy", form); got.location() != "/campaigns/mqm-zh-en-3" {
		t.Errorf("a copy: %d %s", got.status, got.location())
	}
	latin := url.Values{"title": {s.Campaign.Title}, "source_lang": {"zh"}, "target_lang": {"en"}}
	if got := lead.post("/campaigns/"+s.Campaign.Slug+"/copy", latin); got.location() != "/campaigns/"+s.Campaign.Slug+"-2" {
		t.Errorf("a copy with the title of its campaign: %d %s", got.status, got.location())
	}
}

// TestEmptySite checks that an admin of an empty site first comes to the page that creates a campaign.
func TestEmptySite(t *testing.T) {
	s := newSite(t)
	storetest.Check(t, s.db.DeleteCampaign(t.Context(), s.Campaign.ID))
	admin := s.signedIn(s.admin())
	wantRedirect(t, "an admin of an empty site is led to", admin.get("/work"), "/campaigns/new")
	says(t, "the page says", admin.get("/campaigns/new").page(t).Find("main .notice").Text(), "no campaign yet")
	wantStatus(t, "a member of an empty site", s.signedIn(s.Lead).get("/work"), http.StatusOK)
}

// TestCampaignsNeedDecisions checks that the list of campaigns shows what needs a decision in each.
func TestCampaignsNeedDecisions(t *testing.T) {
	s := newSite(t, storetest.Segments(3))
	needs := func(v *visitor) string {
		t.Helper()
		cell := v.get("/campaigns").page(t).Find("main tbody tr td:nth-child(10)")
		if items := cell.Find("li"); items.Length() > 0 {
			return strings.Join(items.Map(func(_ int, li *goquery.Selection) string { return strings.TrimSpace(li.Text()) }), ", ")
		}
		return strings.TrimSpace(cell.Text())
	}
	lead := s.signedIn(s.Lead)
	if got := needs(lead); got != "–" {
		t.Errorf("at first: %q", got)
	}
	storetest.ReportProblem(t, s.Sample, 0, s.Next(t, 0), "what?")
	storetest.Must(s.db.Accounts.AddUser(t.Context(), "jo", "", accounts.Member))(t)
	storetest.Check(t, s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, "jo", campaign.Adjudicator, s.Lead.ID))
	rows := storetest.Query[string](t, s.db, "SELECT id FROM segments ORDER BY position")
	storetest.Check(t, s.db.Rounds.AskForAdjudication(t.Context(), s.Campaign.ID, rows[1:], "please", s.Lead.ID))
	storetest.Check(t, s.db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "ann2", s.Lead.ID))
	if got := needs(lead); got != "1 problem open, 2 segments to adjudicate, too few annotators" {
		t.Errorf("it needs %q", got)
	}
	s.RateNext(t, 0, 1, 2, 3)
	s.db.Clock.Advance(4 * 24 * time.Hour)
	if got := needs(lead); got != "1 problem open, 1 segment that nobody can rate, 2 segments to adjudicate, 1 annotator idle, too few annotators" {
		t.Errorf("after four days without work it needs %q", got)
	}
	if n := lead.get("/campaigns").page(t).Find("main tbody tr td:nth-child(10) a").Length(); n != 5 {
		t.Errorf("%d links, want 5", n)
	}
}

// TestTrainingNeedsDecision: the list of campaigns and the overview name the annotators who have no
// attempt at the training left, until a lead decides.
func TestTrainingNeedsDecision(t *testing.T) {
	s := newSite(t, storetest.Set("training_attempts=1"))
	s.MakeTraining(t, 1)
	storetest.Check(t, s.db.Training.ChangeTraining(t.Context(), s.Campaign.ID, true, true, s.Lead.ID))
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	waits := func() (list, overview bool) {
		t.Helper()
		return strings.Contains(lead.get("/campaigns").body, "1 annotator without an attempt left"), strings.Contains(lead.get(path).body, "has no attempt at the training left")
	}
	if list, overview := waits(); list || overview {
		t.Errorf("before the training the list says so (%v), or the overview (%v)", list, overview)
	}
	s.Train(t, 0, 0, 0, 4)
	if list, overview := waits(); !list || !overview {
		t.Errorf("after the last attempt the list says so: %v, the overview: %v", list, overview)
	}
	storetest.Check(t, s.db.Training.DecideTrainee(t.Context(), s.Campaign.ID, s.Annotators[0].Login, qualification.QualifyTrainee, "she knows it", s.Lead.ID))
	if list, overview := waits(); list || overview {
		t.Errorf("after the decision the list says so (%v), or the overview (%v)", list, overview)
	}
}
