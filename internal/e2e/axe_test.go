package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"annotate/internal/plan"
	"annotate/internal/records"
	"annotate/internal/sample"
	"annotate/internal/server/site"
	"annotate/internal/testenv"
)

// looks are those in which pages are judged: in light and dark, on a desk and on a phone. A look may be enlarged, or
// have colours that the system forces on pages.
var looks = []look{
	{"1440 light", 1440, 900, "light", 1, false},
	{"390 dark", 390, 844, "dark", 1, false},
	{"1440 dark", 1440, 900, "dark", 1, false},
	{"390 light", 390, 844, "light", 1, false},
}

// A look is a size of the window, a colour scheme, and how much the page is enlarged.
type look struct {
	name          string
	width, height int64
	scheme        string
	scale         float64
	forced        bool // colours
}

// show sets the window of a look, and waits until the page can be judged: colours change over a moment, which begins
// with the next frame, but in what is folded they never do.
func (l look) show() chromedp.Action[chromedp.Void] {
	colours := map[bool]string{true: "active", false: "none"}[l.forced]
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "forced-colors", Value: colours}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	const settled = `new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))
		.then(() => Promise.all(document.getAnimations().filter((a) => a.effect.target.checkVisibility()).map((a) => a.finished.catch(() => 0))))
		.then(() => document.fonts.ready)`
	return chromedp.Steps(chromedp.EmulateViewport(l.width, l.height, chromedp.EmulateScale(l.scale)), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
		return err
	}), Until(settled))
}

// spreadOut makes what stays in place while the page scrolls, and the tools of a mark, lie over nothing:
// a target that they cover is not too small for that. It also takes that back.
const spreadOut = `((on) => {
	const lies = (e) => on ? getComputedStyle(e).position === 'sticky' || e.matches('.mark-bar, .mark-box') : e.style.position === 'static';
	for (const e of [...document.querySelectorAll('*')].filter(lies)) {
		if (on) e.style.setProperty('position', 'static');
		else e.style.removeProperty('position');
	}
})(%t)`

// thinned leaves three of the rows, entries and drawn shapes that are made alike: what is wrong with one of them is wrong
// with the others. Alike are those that have the same elements with the same classes, styles and roles.
const thinned = `(() => {
	const made = (e) => [e.tagName, ...['class', 'style', 'role', 'type', 'lang', 'dir'].map((name) => e.getAttribute(name)), ...[...e.children].map(made)].join(' ') + ';';
	for (const parent of document.querySelectorAll('tbody, ul, ol, svg, svg g')) {
		const seen = new Map();
		for (const child of [...parent.children]) {
			const key = made(child), n = (seen.get(key) ?? 0) + 1;
			seen.set(key, n);
			if (n > 3) child.remove();
		}
	}
})()`

// axeRun judges the page by the rules of WCAG 2.2 AA and those of good practice. It names each violation with the
// elements that have it.
const axeRun = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'], preload: false })
	.then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) =>
		id + ' ' + target.join(' ') + ': ' + failureSummary.split('\n').slice(1).join('; ').trim() + (nodes.length > 3 ? ' (and ' + (nodes.length - 3) + ' more)' : ''))))`

// axeLoad has the page load axe-core, and is the number of its rules. A script from an address is compiled once for all
// pages of a seat.
const axeLoad = `new Promise((go, no) => {
	const script = document.createElement('script');
	script.src = '` + axePath + `';
	script.onload = () => { script.remove(); go(axe.getRules().length); };
	script.onerror = () => no(new Error('axe-core was not loaded'));
	document.head.append(script);
})`

// A judge asks axe-core about pages.
type judge struct {
	all  bool // judges each page in all looks, and not in one by turns
	turn int
	seen map[string]bool // what was reported
}

// pagesJudge finds axe-core, or skips the test with the reason.
func pagesJudge(t testing.TB) *judge {
	t.Helper()
	if _, err := os.Stat(axeFile()); err != nil {
		testenv.Lacks(t, fmt.Sprintf("no axe-core (%v); make setup fetches it", err))
	}
	return &judge{seen: map[string]bool{}}
}

// violations are those of the page that the window shows. A page that is wider than its window is one, too.
func (j *judge) violations(t testing.TB, w context.Context) []string {
	t.Helper()
	if !ask[bool](t, w, "!!window.axe") {
		if n := ask[int](t, w, axeLoad, chromedp.EvalAwaitPromise); n < 90 {
			t.Fatalf("axe-core has %d rules", n)
		}
	}
	run(t, w, "spread out", do(fmt.Sprintf(spreadOut, true)))
	found := ask[[]string](t, w, axeRun, chromedp.EvalAwaitPromise)
	run(t, w, "as it was", do(fmt.Sprintf(spreadOut, false)))
	if wide := ask[float64](t, w, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		found = append(found, fmt.Sprintf("it is %v pixels wider than its window", wide))
	}
	return found
}

// check judges the page that the window shows, in one look by turns or in all of them, and says each thing once.
func (j *judge) check(t testing.TB, w context.Context, what string) {
	t.Helper()
	j.turn++
	in := looks
	if !j.all {
		in = looks[j.turn%len(looks):][:1]
		run(t, w, "thin out", do(thinned))
	}
	for _, l := range in {
		run(t, w, "look", l.show())
		for _, v := range j.violations(t, w) {
			if key := what + v; !j.seen[key] {
				j.seen[key] = true
				t.Errorf("%s, %s: %s", what, l.name, v)
			}
		}
	}
}

// An inspector judges the pages of a house.
type inspector struct {
	*judge
	h     *house
	pages int
}

// visit opens a page as somebody and judges it, after the steps where there are some.
func (i *inspector) visit(login, path, what string, steps ...chromedp.Action[chromedp.Void]) {
	t := i.h.t
	t.Helper()
	w := i.h.window(login)
	if what == "" {
		what = path
	}
	what = strings.TrimPrefix(login+" at ", " at ") + what
	all := append([]chromedp.Action[chromedp.Void]{Look(1440, 900, false), chromedp.Navigate(i.h.url + path),
		Until(`(!document.querySelector('#submit') || document.documentElement.dataset.ready === 'annotate')`)}, steps...)
	run(t, w, what, all...)
	i.pages++
	i.check(t, w, what)
	// The next page comes in another size, in which this one need not be drawn.
	run(t, w, "hide the page", do(`document.documentElement.style.display = 'none'`))
}

// keys presses keys, written one after the other.
func keys(list string) chromedp.Action[chromedp.Void] { return chromedp.Steps(pressed(list)...) }

// do runs a script in the page.
func do(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool]("("+script+", true)")(ctx, t)
		return err
	})
}

// send fills in fields of the form that has the first of them and sends it.
func send(fields ...string) chromedp.Action[chromedp.Void] {
	script := "((form) => {"
	for i := 0; i < len(fields); i += 2 {
		script += fmt.Sprintf("form.elements[%q].value = %q;", fields[i], fields[i+1])
	}
	script += fmt.Sprintf("form.noValidate = true; form.requestSubmit(); })(document.querySelector(%q))", fmt.Sprintf("form:has([name=%s])", fields[0]))
	return leaves(do(script))
}

// TestAxe: every page, in one of the looks, has no violation of the rules of axe-core, nor have the tools that lie over
// the page where errors are marked.
func TestAxe(t *testing.T) {
	b := browser(t)
	i := &inspector{judge: pagesJudge(t), h: newHouse(t, b)}
	everyRoute(i, false)
	for id, mark := range map[string]string{"mqm": "c 2 3", "rate": "c 1"} {
		path := "/campaigns/" + openHouse + id + "/assignments/" + i.h.next(openHouse+id, sample.Annotator)
		i.visit(sample.Annotator, path, id+", choosing a category", keys("Ctrl+ArrowRight Ctrl+ArrowRight Enter "+mark+" Ctrl+ArrowRight Enter c"), Until(`document.querySelector('[role=listbox]')?.getClientRects().length > 0`))
	}
	if i.pages < 50 {
		t.Errorf("only %d pages were looked at", i.pages)
	}
}

// TestSoakAxe judges in every look each page in each role that may see it, with what lies over it and what is refused.
func TestSoakAxe(t *testing.T) {
	testenv.SoakTime(t)
	b := browser(t)
	for _, part := range []struct {
		name  string
		visit func(*inspector)
		least int // pages, so that a part that visits nothing does not pass
	}{{"every route", func(i *inspector) { everyRoute(i, true) }, 75}, {"work", annotatePages, 25}, {"lead", leadPages, 25}, {"decisions", decisionPages, 9}, {"talk", talkPages, 12}} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			i := &inspector{judge: pagesJudge(t), h: newHouse(t, b)}
			i.all = true
			part.visit(i)
			if i.pages < part.least {
				t.Errorf("only %d pages were looked at", i.pages)
			}
		})
	}
}

// everyRoute takes the pages from the server, so that a new one is looked at without
// anybody thinking of it, for everybody who may see it or for one of them. Of the pages that refuse somebody, one of
// each kind will do.
func everyRoute(i *inspector, everybody bool) {
	t := i.h.t
	i.h.judged()
	refused := map[string]bool{}
	for _, pattern := range i.h.srv.Pages() {
		if pattern == "/campaigns/:slug/import/tables/:upload" {
			continue // needs an upload: TestImportTable looks at it
		}
		path, err := i.h.fill(pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		found := false
		for _, login := range []string{sample.Lead, sample.Researcher, sample.Annotator, siteAdmin, ""} {
			if login == siteAdmin && strings.HasPrefix(pattern, "/campaigns/:slug") {
				continue // sees what the lead sees
			}
			status := i.h.head(login, path)
			if status == 200 {
				found = true
				i.visit(login, path, pattern)
				if !everybody {
					break
				}
			} else if key := fmt.Sprint(login, status); status >= 400 && !refused[key] {
				refused[key] = true
				i.visit(login, path, fmt.Sprintf("%s, answered %d", pattern, status))
			}
		}
		if noPage := []string{"/", "/healthz", "/readyz", "/campaigns/new/protocols/:protocol", "/sign-in/link/:token", "/sign-in/code", "/account/second-factor", "/sign-in/oidc", "/sign-in/oidc/callback", "/join/:token", "/campaigns/:slug/assignments/:assignment/document", "/campaigns/:slug/assignments/:assignment/thread", "/campaigns/:slug/export/:format", "/campaigns/:slug/hours.csv", "/campaigns/:slug/plan.csv", "/campaigns/:slug/agreement.csv", "/campaigns/:slug/audit.csv", "/audit.csv", "/campaigns/:slug/pseudonym-key.csv", "/campaigns/:slug/version", "/campaigns/:slug/judges/version",
			"/campaigns/:slug/report.html", "/campaigns/:slug/report/archive.zip", "/campaigns/:slug/report/status", "/campaigns/:slug/import/status", "/campaigns/:slug/files/:file", "/campaigns/:slug/files/:file/status", "/campaigns/:slug/files/:file/download", "/campaigns/:slug/report/tables/:file", "/campaigns/:slug/report/figures/:file"}; !found && !slices.Contains(noPage, pattern) {
			t.Errorf("%s is shown to nobody as %s; say in house.fill what its parts may stand for, or here that it is no page", pattern, path)
		}
	}
	for _, login := range []string{"", sample.Lead} {
		i.visit(login, "/nothing/here", "a page that is not there")
	}
}

// annotatePages are the pages of work: of every protocol with marks, with each dialog
// open, and the pages of what is finished.
func annotatePages(i *inspector) {
	ann := sample.Annotator
	for _, slug := range []string{sample.ChineseEnglish, sample.EnglishArabic} {
		path := "/campaigns/" + slug + "/assignments/" + i.h.next(slug, ann)
		i.visit(ann, path, slug+", a score and a comment", keys("3 n"))
		for dialog, key := range map[string]string{"guide": "g", "keys": "?"} {
			i.visit(ann, path, slug+", "+dialog, keys(key), Until(`document.querySelector('#`+dialog+`').open`))
		}
		i.visit(ann, path, slug+", options", chromedp.Click("#options-open"), Until(`document.querySelector('#options').matches(':popover-open')`))
		i.visit(ann, path, slug+", spaces, in step", keys("S V"), Until(`document.body.matches('.spaces')`), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := chromedp.Evaluate[bool](`(localStorage.clear(), true)`)(ctx, target) // other pages are as they come
			return err
		}))
		i.visit(ann, path, slug+", a folded card", keys("3 h"), Until(`document.querySelector('.card-line') !== null`))
		i.visit(ann, path, slug+", a problem", chromedp.Click("#report"), Until(`document.querySelector('#problem').open`))
		i.visit(ann, path, slug+", submitted too early", keys("Ctrl+Enter"))
	}
	i.visit("jonas", "/campaigns/"+sample.ChineseEnglish+"/assignments/"+i.h.next(sample.ChineseEnglish, "jonas"), "a second look")
	for id, mark := range map[string]string{"esa": "", "mqm": "c 2 3", "rate": "c 1"} {
		path := "/campaigns/" + openHouse + id + "/assignments/" + i.h.next(openHouse+id, ann)
		first := "Ctrl+ArrowRight Ctrl+ArrowRight Enter " + mark
		i.visit(ann, path, id+", nothing marked")
		i.visit(ann, path, id+", a mark in each text", keys(first), Until(`document.querySelector('.card[aria-current] mark') !== null`), keys("s Ctrl+ArrowRight Enter "+mark+" . n"))
		if mark != "" {
			i.visit(ann, path, id+", choosing a category", keys("Ctrl+ArrowRight Enter c"), Until(`document.querySelector('[role=listbox]') !== null && document.querySelector('[role=listbox]').getClientRects().length > 0`))
		}
		i.visit(ann, path, id+", guide", keys("g"), Until(`document.querySelector('#guide').open`))
		i.visit(ann, path, id+", keys", keys("?"), Until(`document.querySelector('#keys').open`))
		i.visit(ann, path, id+", submitted too early", keys("Ctrl+Enter"))
	}
	for _, slug := range []string{sample.ESA, sample.MQM, sample.RATE} {
		for _, login := range []string{"jonas", "lin", "mara", "samir"} {
			work, _, err := i.h.st.Desk.FinishedWork(i.h.t.Context(), i.h.find(slug), i.h.user(login).ID, 0, 1)
			if err != nil {
				i.h.t.Fatal(err)
			}
			if len(work) > 0 {
				i.visit(login, "/campaigns/"+slug+"/finished", "")
				i.visit(login, "/campaigns/"+slug+"/assignments/"+work[0].AssignmentID, slug+", a submitted segment")
				break
			}
		}
	}
	i.visit(ann, "/campaigns/"+emptyHouse+"/finished", "")
}

// leadPages are forms that were refused, questions that are open, campaigns of other
// protocols, and an empty one.
func leadPages(i *inspector) {
	lead, own := sample.Lead, "/campaigns/"+sample.ChineseEnglish
	for _, pattern := range i.h.srv.Pages() {
		rest, ok := strings.CutPrefix(pattern, "/campaigns/:slug")
		if !ok || strings.Contains(rest, ":") {
			continue
		}
		for _, slug := range []string{sample.MQM, emptyHouse} {
			if path := "/campaigns/" + slug + rest; i.h.head(lead, path) == 200 {
				i.visit(lead, path, "")
			}
		}
	}
	mqm, err := i.h.st.Records.Campaign(i.h.t.Context(), sample.MQM)
	if err != nil {
		i.h.t.Fatal(err)
	}
	for _, e := range []plan.Edit{{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "第一批"}}, {Kind: plan.EditSavePool, Pool: plan.Pool{Name: "قانون", Pattern: "x*"}}} {
		if _, err := i.h.st.Plan.ChangePlan(i.h.t.Context(), mqm.ID, e, "", ""); err != nil {
			i.h.t.Fatal(err)
		}
	}
	for _, name := range []string{"第一批", "قانون"} {
		edit := `a[aria-label="Edit ` + name + `"]`
		i.visit(lead, "/campaigns/"+sample.MQM+"/plan", "the form that changes "+name, chromedp.Click("details:has("+edit+") > summary"), opens(edit), Visible("button.btn-main[value^=save-]"))
	}
	i.visit(lead, own+"/plan", "what a change of the plan would do", chromedp.Click("input[name=scope]"), opens("button[value=anew]"), Visible(".plan-confirm"))
	for _, slug := range []string{sample.ESA, sample.MQM, sample.RATE} {
		for _, query := range []string{"", "?marks=apart&round=all"} {
			i.visit(lead, "/campaigns/"+slug+"/segments/"+i.h.anySegment(slug)+query, slug+", a segment"+query)
		}
	}
	i.visit("", "/sign-in", "a sign-in that failed", send("login", "nobody", "password", "wrong"))
	i.visit(lead, "/campaigns/new", "a new campaign that is refused", send("title", ""))
	link, err := i.h.st.Accounts.NewLink(i.h.t.Context(), i.h.user(sample.Annotator).ID)
	if err != nil {
		i.h.t.Fatal(err)
	}
	for _, login := range []string{"", lead} {
		i.visit(login, site.LinkPath(link), "a sign-in link")
	}
	join := i.h.invitation()
	for _, login := range []string{sample.Annotator, sample.Researcher} {
		i.visit(login, join, "a join link")
	}
	i.visit(sample.Annotator, "/work", "an invitation")
	i.visit(siteAdmin, "/campaigns/"+invitingHouse+"/members", "an invitation")
	i.visit(lead, own+"/settings", "settings that are refused", send("quota", "-1", "threshold", "two"))
	c := i.h.find(emptyHouse)
	if err := i.h.st.Rounds.ChangeCampaign(i.h.t.Context(), c.ID, "", records.CampaignChange{Settings: []string{"threshold=0.5"}}); err != nil {
		i.h.t.Fatal(err)
	}
	i.visit(lead, "/campaigns/"+emptyHouse+"/settings", "settings that two leads changed", send("version", strconv.Itoa(c.SettingsVersion), "threshold", "0.6"))
	i.visit(lead, own+"/members", "an invitation that is refused", send("people", "a b/c"))
	i.visit(lead, own+"/guide", "a guide that is refused", send("text", "![a](b)\n\n[c](d)"))
	i.visit(lead, own+"/guide", "a guide of the lead's", leaves(do(`((f) => { f.elements.text.value = '# One\n\n### Two\n\ntext [link](https://example.org)\n\n> quoted `+"`code`"+`\n\n| a | b |\n|---|---|\n| c | d |\n\n1. x\n   - y\n\n---\n\n~~old~~'; f.requestSubmit(f.querySelector('[value=preview]')); })(document.querySelector('#edit form'))`)),
		Visible(".guide-own table"))
	for _, path := range []string{own, own + "/members", own + "/guide"} {
		i.visit(lead, path, path+", a question", do(`(document.querySelector('[popovertarget]') ?? document.createElement('button')).click()`))
	}
	i.visit(siteAdmin, "/users", "an account that is refused", send("login", "a b"))
	i.visit(siteAdmin, "/users", "users, a question", do(`(document.querySelector('[popovertarget]') ?? document.createElement('button')).click()`))
}
