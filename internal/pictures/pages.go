package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/e2e"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/sample"
	"annotate/internal/store"
)

const (
	zhEn     = "/campaigns/" + sample.ChineseEnglish
	enAr     = "/campaigns/" + sample.EnglishArabic
	empty    = "/campaigns/empty"
	archived = "/campaigns/archived"
)

// emptyCampaign makes a campaign in which nothing has happened but a change of a setting.
func emptyCampaign(ctx context.Context, st *store.Store) {
	p, _ := protocol.Lookup("sqm")
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: "empty", Title: "Nothing here yet", Protocol: "sqm", Settings: campaign.DefaultSettings(p),
	}, lead.ID))
	check(st.Rounds.ChangeCampaign(ctx, c.ID, lead.ID, records.CampaignChange{Settings: []string{"threshold=0.5"}}))
}

// archivedCampaign makes a campaign that is archived.
func archivedCampaign(ctx context.Context, st *store.Store) {
	p, _ := protocol.Lookup("sqm")
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: "archived", Title: "Last year's news", Protocol: "sqm", Settings: campaign.DefaultSettings(p),
	}, lead.ID))
	check(st.Rounds.Archive(ctx, c.ID, lead.ID))
}

// uploadWorkbook imports a workbook as a table, up to the page that asks what its columns hold.
func uploadWorkbook(file string) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, err = chromedp.Evaluate[bool](fmt.Sprintf(`((form, files) => {
			files.items.add(new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], %q));
			form.elements.file.files = files.files;
			form.elements.format.value = 'table';
			form.requestSubmit();
			return true;
		})(document.querySelector('#import-form'), new DataTransfer())`, base64.StdEncoding.EncodeToString(content), filepath.Base(file)))(ctx, t)
		return err
	}), e2e.Visible(".table-columns"), loaded}
}

// pages are all pages, as the people who use them see them.
var pages = []picture{
	{name: "sign-in", path: "/sign-in"},
	{name: "sign-in-link-unknown", path: "/sign-in/link/nosuch"},
	{name: "sign-in-link", path: "/sign-in/link/NEW"},
	{name: "join", login: invitee, path: "/join/NEW"},
	{name: "join-other-login", login: sample.Annotator, path: "/join/NEW"},
	{name: "join-work", login: invitee, path: "/work"},
	{name: "join-members", login: invitingLead, path: "/campaigns/" + inviting + "/members"},
	{name: "work-annotator", login: sample.Annotator, path: "/work"},
	{name: "work-lead", login: sample.Lead, path: "/work"},
	{name: "account", login: sample.Annotator, path: "/account"},
	{name: "not-found", login: sample.Annotator, path: "/nothing"},
	{name: "finished", login: sample.Annotator, path: zhEn + "/finished"},
	{name: "annotate-zh", login: sample.Annotator, path: zhEn + "/assignments/NEXT"},
	{name: "annotate-ar", login: sample.Annotator, path: enAr + "/assignments/NEXT"},
	{name: "numbers", login: "jonas", path: zhEn + "/numbers"},
	{name: "finished-all", login: sample.Annotator, path: zhEn + "/finished?show=all"},
	{name: "finished-none", login: sample.Annotator, path: zhEn + "/finished?show=skipped"},
	{name: "finished-marked", login: "samir", path: "/campaigns/" + markedRATE + "/finished"},
	{name: "annotate-marked", login: "samir", path: "/campaigns/" + markedRATE + "/assignments/DONE"},
	{name: "annotate-marked-guide", login: "samir", path: "/campaigns/" + markedRATE + "/assignments/DONE", before: []chromedp.Action[chromedp.Void]{chromedp.Click("[data-open=guide]")}},
	{name: "annotate-second-look", login: "jonas", path: zhEn + "/assignments/NEXT"},
	{name: "annotate-guide", login: sample.Annotator, path: zhEn + "/assignments/NEXT", before: []chromedp.Action[chromedp.Void]{e2e.Key("g")}},
	{name: "annotate-keys", login: sample.Annotator, path: zhEn + "/assignments/NEXT", before: []chromedp.Action[chromedp.Void]{e2e.Key("?")}},
	{name: "campaigns", login: sample.Lead, path: "/campaigns"},
	{name: "campaign-new", login: sample.Lead, path: "/campaigns/new"},
	{name: "campaigns-archived", login: sample.Lead, path: "/campaigns?archived=yes"},
	{name: "overview-archived", login: sample.Lead, path: archived},
	{name: "campaign-delete", login: sample.Lead, path: zhEn + "/delete"},
	{name: "overview", login: sample.Lead, path: zhEn},
	{name: "overview-empty", login: sample.Lead, path: empty},
	{name: "segments", login: sample.Lead, path: zhEn + "/segments"},
	{name: "segments-empty", login: sample.Lead, path: empty + "/segments"},
	{name: "segment-discarded", login: sample.Lead, path: zhEn + "/segments/poem-millet/s11"},
	{name: "segment-adjudicated", login: sample.Lead, path: zhEn + "/segments/poem-willow/s08"},
	{name: "segment-esa", login: sample.Lead, path: "/campaigns/" + markedESA + "/segments/ferry/ferry"},
	{name: "segment-esa-apart", login: sample.Researcher, path: "/campaigns/" + markedESA + "/segments/ferry/ferry?marks=apart"},
	{name: "segment-esa-unrated", login: sample.Lead, path: "/campaigns/" + markedESA + "/segments/step/step"},
	{name: "segment-mqm", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/chat/chat"},
	{name: "segment-mqm-apart", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/chat/chat?marks=apart"},
	{name: "segment-mqm-rounds", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/verse/verse?round=all"},
	{name: "segment-rate", login: sample.Lead, path: "/campaigns/" + markedRATE + "/segments/letter/letter"},
	{name: "segment-rate-apart", login: sample.Lead, path: "/campaigns/" + markedRATE + "/segments/letter/letter?marks=apart"},
	{name: "agreement", login: sample.Lead, path: zhEn + "/agreement"},
	{name: "agreement-gold", login: sample.Researcher, path: zhEn + "/agreement?gold=yes"},
	{name: "agreement-judges", login: sample.Lead, path: "/campaigns/" + sample.MQM + "/agreement"},
	{name: "agreement-empty", login: sample.Lead, path: empty + "/agreement"},
	{name: "agreement-pair", login: sample.Lead, path: zhEn + "/agreement/pairs/jonas/mara"},
	{name: "segment-acts", login: sample.Lead, path: zhEn + "/segments/poem-millet/s11", before: []chromedp.Action[chromedp.Void]{chromedp.Click("#act-adjudicate > summary")}},
	{name: "segment-look", login: sample.Lead, path: zhEn + "/segments/poem-millet/s11", before: []chromedp.Action[chromedp.Void]{chromedp.Click("#act-look > summary")}},
	{name: "queue", login: sample.Lead, path: zhEn + "/queue"},
	{name: "queue-adjudicate", login: sample.Lead, path: zhEn + "/queue?show=failed"},
	{name: "queue-researcher", login: sample.Researcher, path: zhEn + "/queue?show=stranded"},
	{name: "queue-empty", login: sample.Lead, path: empty + "/queue"},
	{name: "segments-lowest", login: sample.Lead, path: zhEn + "/segments?sort=lowest"},
	{name: "annotators", login: sample.Lead, path: zhEn + "/annotators"},
	{name: "flags-overview", login: sample.Lead, path: "/campaigns/" + sample.Flags},
	{name: "flags-annotators", login: sample.Lead, path: "/campaigns/" + sample.Flags + "/annotators"},
	{name: "flags-annotator", login: sample.Lead, path: "/campaigns/" + sample.Flags + "/annotators/drift"},
	{name: "annotators-empty", login: sample.Lead, path: empty + "/annotators"},
	{name: "annotator", login: sample.Lead, path: zhEn + "/annotators/mara"},
	{name: "annotator-aside", login: sample.Lead, path: zhEn + "/annotators/mara/set-aside"},
	{name: "crowd-overview", login: sample.Lead, path: "/campaigns/" + crowded},
	{name: "crowd-agreement", login: sample.Lead, path: "/campaigns/" + crowded + "/agreement"},
	{name: "crowd-pair", login: sample.Lead, path: "/campaigns/" + crowded + "/agreement/pairs/amal/bao"},
	{name: "crowd-annotators", login: sample.Lead, path: "/campaigns/" + crowded + "/annotators?sort=drift&order=down"},
	{name: "crowd-annotator", login: sample.Lead, path: "/campaigns/" + crowded + "/annotators/farid"},
	{name: "plan-empty", login: sample.Lead, path: empty + "/plan"},
	{name: "plan-none", login: sample.Lead, path: zhEn + "/plan"},
	{name: "plan-400", login: sample.Lead, path: "/campaigns/" + planned + "/plan"},
	{name: "plan-legal", login: sample.Lead, path: "/campaigns/" + planned + "/plan?pool=Lawyers&show=overdue"},
	{name: "plan-edit", login: sample.Lead, path: "/campaigns/" + planned + "/plan?edit-pool=Lawyers&pool=Lawyers&show=overdue"},
	{name: "plan-preview", login: sample.Lead, path: "/campaigns/" + planned + "/plan?login=eva", before: []chromedp.Action[chromedp.Void]{
		chromedp.Click("input[name=scope]"), chromedp.Click("button[value=anew]"), e2e.Visible(".plan-confirm")}},
	{name: "plan-annotators", login: sample.Lead, path: "/campaigns/" + planned + "/annotators"},
	{name: "plan-copy", login: sample.Lead, path: "/campaigns/" + planned + "/copy"},
	{name: "plan-work", login: "amal", path: "/work"},
	{name: "messages", login: sample.Lead, path: zhEn + "/messages"},
	{name: "messages-comments", login: sample.Lead, path: "/campaigns/" + sample.MQM + "/messages"},
	{name: "messages-empty", login: sample.Lead, path: empty + "/messages"},
	{name: "messages-announcements", login: sample.Lead, path: zhEn + "/announcements"},
	{name: "messages-work", login: "jonas", path: "/work"},
	{name: "annotate-thread", login: "jonas", path: zhEn + "/assignments/DONE"},
	{name: "annotate-ask", login: "jonas", path: zhEn + "/assignments/DONE", before: []chromedp.Action[chromedp.Void]{chromedp.Click("#ask-open")}},
	{name: "annotate-ask-first", login: sample.Annotator, path: zhEn + "/assignments/NEXT", before: []chromedp.Action[chromedp.Void]{e2e.Key("A")}},
	{name: "members", login: sample.Lead, path: zhEn + "/members"},
	{name: "import", login: sample.Lead, path: zhEn + "/import"},
	{name: "import-table", login: sample.Lead, path: empty + "/import", before: uploadWorkbook("internal/ingest/testdata/table_hidden.xlsx")},
	{name: "import-marked", login: sample.Lead, path: "/campaigns/" + markedMQM + "/import"},
	{name: "export-marked", login: sample.Researcher, path: "/campaigns/" + markedRATE + "/export"},
	{name: "report", login: sample.Researcher, path: zhEn + "/report"},
	{name: "report-choices", login: sample.Researcher, path: zhEn + "/report", before: []chromedp.Action[chromedp.Void]{chromedp.Click(".report-choices > summary")}},
	{name: "report-rate", login: sample.Lead, path: "/campaigns/" + sample.RATE + "/report?gold=yes&significance=yes"},
	{name: "report-beside", login: sample.Lead, path: zhEn + "/report?beside=" + sample.EnglishArabic},
	{name: "report-empty", login: sample.Lead, path: empty + "/report"},
	{name: "export", login: sample.Researcher, path: zhEn + "/export"},
	{name: "export-left-out", login: sample.Researcher, path: "/campaigns/" + markedMQM + "/export/mqm-tsv/left-out"},
	{name: "export-file", login: sample.Researcher, path: zhEn + "/files/ratings", before: []chromedp.Action[chromedp.Void]{e2e.Visible("a[download]")}},
	{name: "export-empty", login: sample.Lead, path: empty + "/export"},
	{name: "settings", login: sample.Lead, path: zhEn + "/settings"},
	{name: "settings-preview", login: sample.Lead, path: zhEn + "/settings", before: []chromedp.Action[chromedp.Void]{
		chromedp.SetValue("#threshold", "0.95"), chromedp.Click("button[value=preview]"), e2e.Visible(".preview")}},
	{name: "settings-collision", login: sample.Lead, path: empty + "/settings", before: []chromedp.Action[chromedp.Void]{
		chromedp.SetValue("[name=version]", "1"), chromedp.SetValue("#threshold", "0.6"), chromedp.Click(".settings-save .btn-main"), e2e.Visible("#collisions")}},
	{name: "audit-site", login: "admin", path: "/audit"},
	{name: "audit", login: sample.Lead, path: zhEn + "/audit"},
	{name: "users", login: "admin", path: "/users"},
}
