package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"annotate/internal/e2e"
	"annotate/internal/sample"
)

const (
	zhEn     = "/campaigns/" + sample.ChineseEnglish
	enAr     = "/campaigns/" + sample.EnglishArabic
	esa      = "/campaigns/" + sample.ESA
	mqm      = "/campaigns/" + sample.MQM
	rate     = "/campaigns/" + sample.RATE
	empty    = "/campaigns/empty"
	archived = "/campaigns/archived"
)

// opened opens the segment that waits for the adjudicator, and takes something over.
func opened(take string) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{chromedp.Click("td form button"), e2e.Visible("#submit"), loaded, chromedp.Click("[data-take=" + take + "]")}
}

// onCard goes to the card of the translation that has these words, and presses keys.
func onCard(words string, keys ...string) []chromedp.Action[chromedp.Void] {
	steps := []chromedp.Action[chromedp.Void]{chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool](`([...document.querySelectorAll('.card')].find((c) => c.textContent.includes('`+words+`')).focus(), true)`)(ctx, t)
		return err
	})}
	for _, k := range keys {
		steps = append(steps, e2e.Key(k))
	}
	return steps
}

// uploadWorkbook imports a workbook as a table, up to the page that asks what its columns hold.
func uploadWorkbook(file string) []chromedp.Action[chromedp.Void] {
	return upload(file, "form.elements.format.value = 'table'", ".table-columns")
}

// checkFile uploads a file to be checked.
func checkFile(file string) []chromedp.Action[chromedp.Void] {
	return upload(file, "form.elements.check.checked = true", ".first-segments")
}

// upload sends a file with the form of imports, after a script has changed the form, and waits for what shows that it has arrived.
func upload(file, script, shows string) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, err = chromedp.Evaluate[bool](fmt.Sprintf(`((form, files) => {
			files.items.add(new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], %q));
			form.elements.file.files = files.files;
			%s;
			form.requestSubmit();
			return true;
		})(document.querySelector('#import-form'), new DataTransfer())`, base64.StdEncoding.EncodeToString(content), filepath.Base(file), script))(ctx, t)
		return err
	}), e2e.Visible(shows), loaded}
}

// pages are all pages, as the people who use them see them.
var pages = []picture{
	{name: "sign-in", path: "/sign-in"},
	{name: "sign-in-forgotten", path: "/sign-in/forgotten"},
	{name: "sign-in-link-unknown", path: "/sign-in/link/nosuch"},
	{name: "sign-in-link", path: "/sign-in/link/NEW"},
	{name: "join", login: invitee, path: "/join/NEW"},
	{name: "join-other-login", login: sample.Annotator, path: "/join/NEW"},
	{name: "join-work", login: invitee, path: "/work"},
	{name: "join-members", login: invitingLead, path: "/campaigns/" + inviting + "/members"},
	{name: "work-annotator", login: sample.Annotator, path: "/work"},
	{name: "work-lead", login: sample.Lead, path: "/work"},
	{name: "account", login: sample.Annotator, path: "/account"},
	{name: "account-mail", login: sample.Lead, path: "/account/mail"},
	{
		name:   "second-factor-offered",
		login:  careful,
		path:   "/account/second-factor",
		before: []chromedp.Action[chromedp.Void]{chromedp.Click("form[action='/account/second-factor'] button"), e2e.Visible("svg.qr")},
	},
	{name: "users-bound", login: careful, path: "/users"},
	{name: "second-factor", login: careful, path: factorPath},
	{name: "webhooks", login: sample.Lead, path: zhEn + "/webhooks"},
	{name: "webhooks-site", login: "admin", path: "/webhooks"},
	{name: "mails", login: "admin", path: "/mails"},
	{name: "tokens", login: "admin", path: "/tokens"},
	{name: "not-found", login: sample.Annotator, path: "/nothing"},
	{name: "finished", login: sample.Annotator, path: zhEn + "/finished"},
	{name: "annotate-zh", login: sample.Annotator, path: zhEn + "/assignments/NEXT"},
	{name: "annotate-ar", login: sample.Annotator, path: enAr + "/assignments/NEXT"},
	{name: "numbers", login: "jonas", path: zhEn + "/numbers"},
	{name: "finished-all", login: sample.Annotator, path: zhEn + "/finished?show=all"},
	{name: "finished-none", login: sample.Annotator, path: zhEn + "/finished?show=skipped"},
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
	{name: "agreement", login: sample.Lead, path: zhEn + "/agreement"},
	{name: "agreement-gold", login: sample.Researcher, path: zhEn + "/agreement?gold=yes"},
	{name: "agreement-judges", login: sample.Lead, path: mqm + "/agreement"},
	{name: "agreement-empty", login: sample.Lead, path: empty + "/agreement"},
	{name: "agreement-pair", login: sample.Lead, path: zhEn + "/agreement/pairs/jonas/mara"},
	{
		name:   "segment-acts",
		login:  sample.Lead,
		path:   zhEn + "/segments/poem-millet/s11",
		before: []chromedp.Action[chromedp.Void]{chromedp.Click("#act-adjudicate > summary")},
	},
	{
		name:   "segment-look",
		login:  sample.Lead,
		path:   zhEn + "/segments/poem-millet/s11",
		before: []chromedp.Action[chromedp.Void]{chromedp.Click("#act-look > summary")},
	},
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
	{name: "messages-comments", login: sample.Lead, path: mqm + "/messages"},
	{name: "messages-empty", login: sample.Lead, path: empty + "/messages"},
	{name: "messages-announcements", login: sample.Lead, path: zhEn + "/announcements"},
	{name: "messages-work", login: "jonas", path: "/work"},
	{name: "annotate-thread", login: "jonas", path: zhEn + "/assignments/DONE"},
	{name: "annotate-ask", login: "jonas", path: zhEn + "/assignments/DONE", before: []chromedp.Action[chromedp.Void]{chromedp.Click("#ask-open")}},
	{name: "annotate-ask-first", login: sample.Annotator, path: zhEn + "/assignments/NEXT", before: []chromedp.Action[chromedp.Void]{e2e.Key("A")}},
	{name: "members", login: sample.Lead, path: zhEn + "/members"},
	{name: "import", login: sample.Lead, path: zhEn + "/import"},
	{name: "import-checked", login: sample.Lead, path: empty + "/import", before: checkFile("internal/sample/data/zh-en.jsonl")},
	{name: "import-table", login: sample.Lead, path: empty + "/import", before: uploadWorkbook("internal/ingest/testdata/table_hidden.xlsx")},
	{name: "report", login: sample.Researcher, path: zhEn + "/report"},
	{
		name:   "report-choices",
		login:  sample.Researcher,
		path:   zhEn + "/report",
		before: []chromedp.Action[chromedp.Void]{chromedp.Click(".report-choices > summary")},
	},
	{name: "report-rate", login: sample.Lead, path: rate + "/report?gold=yes&significance=yes"},
	{name: "report-mqm", login: sample.Lead, path: mqm + "/report"},
	{name: "report-beside", login: sample.Lead, path: zhEn + "/report?beside=" + sample.EnglishArabic},
	{name: "report-empty", login: sample.Lead, path: empty + "/report"},
	{name: "export", login: sample.Researcher, path: zhEn + "/export"},
	{name: "export-file", login: sample.Researcher, path: zhEn + "/files/ratings", before: []chromedp.Action[chromedp.Void]{e2e.Visible("a[download]")}},
	{name: "export-empty", login: sample.Lead, path: empty + "/export"},
	{name: "settings", login: sample.Lead, path: zhEn + "/settings"},
	{name: "settings-preview", login: sample.Lead, path: zhEn + "/settings", before: []chromedp.Action[chromedp.Void]{
		chromedp.SetValue("#threshold", "0.95"), chromedp.Click("button[value=preview]"), e2e.Visible(".preview")}},
	{name: "settings-collision", login: sample.Lead, path: empty + "/settings", before: []chromedp.Action[chromedp.Void]{
		chromedp.SetValue(
			"[name=version]", "1",
		), chromedp.SetValue("#threshold", "0.6"), chromedp.Click(".settings-save .btn-main"), e2e.Visible("#collisions")}},
	{name: "audit-site", login: "admin", path: "/audit"},
	{name: "audit", login: sample.Lead, path: zhEn + "/audit"},
	{name: "users", login: "admin", path: "/users"},
	{name: "finished-marked", login: "samir", path: rate + "/finished"},
	{name: "annotate-marked", login: "samir", path: rate + "/assignments/DONE"},
	{
		name:   "annotate-marked-guide",
		login:  "samir",
		path:   rate + "/assignments/DONE",
		before: []chromedp.Action[chromedp.Void]{chromedp.Click("[data-open=guide]")},
	},
	{name: "annotate-esa-selected", login: sample.Annotator, path: esa + "/assignments/NEXT", before: onCard("Fußbrücke", "Shift+End")},
	{name: "annotate-esa-suggested", login: sample.Annotator, path: esa + "/assignments/NEXT", before: onCard("Fußbrücke", "y")},
	{name: "annotate-mqm-suggested", login: sample.Annotator, path: mqm + "/assignments/NEXT", before: onCard("Share umbrella", "y")},
	{name: "annotate-mqm-category", login: sample.Annotator, path: mqm + "/assignments/NEXT", before: onCard("Share umbrella", "y", ".", "c")},
	{name: "annotate-rate-open", login: sample.Annotator, path: rate + "/assignments/NEXT"},
	{name: "segment-esa", login: sample.Lead, path: esa + "/segments/news-harbour/s02"},
	{name: "segment-esa-apart", login: sample.Researcher, path: esa + "/segments/news-harbour/s02?marks=apart"},
	{name: "segment-mqm", login: sample.Lead, path: mqm + "/segments/social-subway/s02"},
	{name: "segment-mqm-apart", login: sample.Lead, path: mqm + "/segments/social-subway/s02?marks=apart"},
	{name: "segment-rate", login: sample.Lead, path: rate + "/segments/guide-market/s02"},
	{name: "segment-rate-apart", login: sample.Lead, path: rate + "/segments/guide-market/s02?marks=apart"},
	{name: "import-marked", login: sample.Lead, path: mqm + "/import"},
	{name: "export-marked", login: sample.Researcher, path: rate + "/export"},
	{name: "export-choices", login: sample.Researcher, path: rate + "/export?ratings=gold&systems=letters"},
	{name: "export-left-out", login: sample.Researcher, path: mqm + "/export/mqm-tsv/left-out"},
	{name: "adjudicate-list", login: adjudicator, path: zhEn + "/adjudicate"},
	{name: "adjudicate-sqm", login: adjudicator, path: zhEn + "/adjudicate", before: opened("score")},
	{name: "adjudicate-esa", login: adjudicator, path: esa + "/adjudicate", before: opened("majority")},
	{name: "adjudicate-mqm", login: adjudicator, path: mqm + "/adjudicate", before: opened("all")},
	{name: "adjudicate-rate", login: adjudicator, path: rate + "/adjudicate", before: opened("span")},
	{name: "queue-asked", login: sample.Lead, path: zhEn + "/queue?show=asked"},
	{name: "judges", login: sample.Lead, path: mqm + "/judges"},
	{name: "judges-researcher", login: sample.Researcher, path: mqm + "/judges"},
	{name: "judges-empty", login: sample.Lead, path: rate + "/judges"},
	{name: "judges-archived", login: sample.Lead, path: archived + "/judges"},
	{
		name:  "judges-forecast",
		login: sample.Researcher,
		path:  rate + "/judges?method=himate&model=gpt-4o&as=&max_tokens=2000&concurrency=4&retries=2&threshold=&seed=4",
	},
	{
		name:  "judges-refused",
		login: sample.Lead,
		path:  mqm + "/judges?method=gemba-da&model=&as=outside&max_tokens=none&concurrency=0&retries=2&threshold=&seed=4",
	},
	{name: "judges-trace", login: sample.Lead, path: mqm + "/segments/social-subway/s02", before: follow("a[href*=trace]")},
	{name: "chain-overview", login: sample.Lead, path: "/campaigns/" + sample.Reference},
	{name: "chain-import", login: sample.Lead, path: "/campaigns/" + sample.Reference + "/import"},
	{name: "chain-segments", login: sample.Lead, path: "/campaigns/" + sample.Inspect + "/segments"},
	{name: "chain-queue", login: sample.Lead, path: "/campaigns/" + sample.Reference + "/queue"},
	{name: "chain-report", login: sample.Lead, path: "/campaigns/" + sample.Rating + "/report"},
	{name: "chain-terms-segments", login: sample.Lead, path: "/campaigns/" + sample.Culture + "/segments"},
	{name: "chain-terms-report", login: sample.Lead, path: "/campaigns/" + sample.Culture + "/report"},
	{name: "chain-lineage", login: sample.Lead, path: "/campaigns/" + sample.Rating + "/segments", before: follow("tbody a[href*='/segments/']")},
	{name: "chain-term", login: sample.Lead, path: "/campaigns/" + sample.Culture + "/segments", before: follow("tbody a[href*='/segments/']")},
}
