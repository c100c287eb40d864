package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
	"annotate/web/templates/setup"
)

// TestNextCampaign checks that a lead can undo a wrong import, copy a campaign with some of its members, and
// add another of its members later, all by mouse.
func TestNextCampaign(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	w.importSegments(segment("d1", "s2", "第二句", texts("s2")))
	for _, login := range []string{"ann1", "ann2"} {
		w.invite(login, campaign.Annotator)
	}
	lead := window(t, b)
	page := w.url + "/campaigns/" + w.slug
	flash := func(want string) {
		t.Helper()
		run(t, lead, want, Until(`document.querySelector('.notice-success, .flash')?.textContent.includes(`+"`"+want+"`"+`)`))
	}
	run(t, lead, "sign in", Look(1000, 800, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(page+"/import"), Visible("#imports-title"))
	if n := ask[int](t, lead, `document.querySelectorAll('section[aria-labelledby=imports-title] tbody tr').length`); n != 2 {
		t.Fatalf("%d imports are listed, want 2", n)
	}
	run(t, lead, "ask", opens("section[aria-labelledby=imports-title] tbody tr:first-child a.btn"), Visible(".btn-danger"))
	run(t, lead, "undo", opens(".btn-danger"), Visible("#imports-title"))
	flash("was undone.")
	if left := w.exported("jsonl"); strings.Contains(left, "第二句") || !strings.Contains(left, "第一句") {
		t.Errorf("after the undo the campaign has\n%s", left)
	}

	run(t, lead, "begin a copy", chromedp.Navigate(w.url+"/campaigns/new"), Visible("#from-title"), opens("section[aria-labelledby=from-title] button"), Visible("input[name=member]"))
	run(t, lead, "copy", chromedp.SetValue("#title", "The next one"), do(`document.querySelector('input[name=member][value=ann2]').checked = false`), opens(".btn-main"), Visible("#start-title"))
	flash("was created from Small campaign.")
	run(t, lead, "choose members", chromedp.Navigate(w.url+"/campaigns/the-next-one/members"), Visible("#from-title"), opens("section[aria-labelledby=from-title] button"), Visible("input[name=member][value=ann2]"))
	if n := ask[int](t, lead, `document.querySelectorAll('input[name=member]').length`); n != 1 {
		t.Errorf("%d members can be chosen, want the one who is not there", n)
	}
	run(t, lead, "take over", do(`document.querySelector('input[name=member]').checked = true`), opens(".btn-main"), Visible("#invite-title"))
	flash("1 member came from Small campaign.")
}

// nextViews returns the pages that undo imports and copy campaigns and members, with short and with long
// texts.
func nextViews() map[string]templ.Component {
	at := time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC)
	clock := templates.Clock{Now: at}
	longName := strings.Repeat("generalMT2023-zh-en-system-outputs-", 6) + "final.mqm.tsv"
	much := readmodel.Import{ID: "x", Number: 7, Kind: "segments", Files: longName, By: "lead", At: at, Brought: "1,000,000 segments, 12,000,000 translations, 3,000,000 ratings, 12 accounts"}
	undone := readmodel.Import{ID: "y", Number: 6, Kind: "scores", Files: "bleu.seg.score", At: at, Brought: "12,000 scores of BLEU", Undone: at, UndoneBy: "lead"}
	page := leadPage("Import", "import")
	var people []setup.MemberChoice
	for i, login := range []string{"ann1", "a-login-that-is-as-long-as-an-address-of-a-university@linguistics.example.org", "una"} {
		people = append(people, setup.MemberChoice{MemberRow: setup.MemberRow{Login: login, Name: "Una Duarte", Role: campaign.Annotator, Adjudicates: i == 1, CanSignIn: i != 2}, Chosen: i == 0})
	}
	refusal := `The import of ` + longName + ` can't be undone: 3 segments that it is about have been worked on since, such as "s1" by ann1.`
	list := func(items ...monitoring.OverviewView) templ.Component {
		return monitoring.Campaigns(monitoring.CampaignsView{Page: templates.Page{Title: "Campaigns", Static: web.Prefix(), User: page.User, Here: "campaigns"}, Clock: clock, Campaigns: items, MayCreate: true})
	}
	return map[string]templ.Component{
		"imports":                setup.Import(setup.ImportView{Page: page, Clock: clock, Imports: []readmodel.Import{much, undone}}),
		"imports, one is undone": setup.Import(setup.ImportView{Page: page, Clock: clock, Undone: longName, Imports: []readmodel.Import{undone}}),
		"undo":                   setup.UndoImport(setup.UndoImportView{Page: page, Clock: clock, Import: much}),
		"undo, refused":          setup.UndoImport(setup.UndoImportView{Page: page, Clock: clock, Import: much, Refused: refusal}),
		"copy":                   setup.Copy(setup.CopyView{Page: page, Form: setup.CampaignForm{Title: "News", SourceLang: "zh"}, Members: people, OwnGuide: true}),
		"copy, refused":          setup.Copy(setup.CopyView{Page: page, Errors: map[string]string{"slug": "there is a campaign with this slug already", "": "Something is wrong."}}),
		"copy members":           setup.CopyMembers(setup.CopyMembersView{Page: page, From: *page.Campaign, Members: people, There: 2}),
		"copy members, nobody":   setup.CopyMembers(setup.CopyMembersView{Page: page, From: *page.Campaign, There: 3}),
		"campaigns, decisions": list(monitoring.OverviewView{Page: page, Clock: clock, Standing: readmodel.Standing{Segments: readmodel.Counts{campaign.Pending: 10, campaign.Agreed: 5}, OpenProblems: 2, Members: 1},
			Waiting: readmodel.Waiting{ToAdjudicate: 3, Failed: 1}, Settings: campaign.Settings{Redundancy: 2}}),
		"a first campaign": setup.NewCampaign(setup.NewCampaignView{Page: page, First: true, From: []templates.Option{{Value: "news", Label: "News (news)"}}}),
	}
}

// TestAxeNext checks that the pages that undo imports and copy campaigns violate no rule of axe-core.
func TestAxeNext(t *testing.T) { axeViews(t, nextViews()) }
