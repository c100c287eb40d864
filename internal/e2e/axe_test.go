package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/plan"
	"annotate/internal/records"
	"annotate/internal/sample"
	"annotate/internal/server/site"
	"annotate/internal/testenv"
)

// looks are those in which pages are judged: in light and dark, on a desk and on a phone.
var looks = []look{
	{"1440 light", 1440, 900, false},
	{"390 dark", 390, 844, true},
	{"1440 dark", 1440, 900, true},
	{"390 light", 390, 844, false},
}

// A look is a size of the window and a colour scheme.
type look struct {
	name          string
	width, height int64
	dark          bool
}

func (l look) scheme() string { return map[bool]string{true: "dark", false: "light"}[l.dark] }

// structure names the aspect that axeStructure judges.
const structure = "structure"

// axeStructure are the rules of WCAG 2.2 AA and those of good practice, but for those whose outcome
// depends on colours, and on the size of targets.
const (
	axeStructure = `runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false }, 'target-size': { enabled: false } }`
	axeSeen      = `runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block', 'target-size'] }`
)

// axeRun judges what is on the page, or some elements of it, with options. It names each
// violation with the elements that have it.
const axeRun = `axe.run(%s, { %s, resultTypes: ['violations'], preload: false }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) =>
	id + ' ' + target.join(' ') + ': ' + failureSummary.split('\n').slice(1).join('; ').trim() + (nodes.length > 3 ? ' (and ' + (nodes.length - 3) + ' more)' : ''))))`

// A judge asks axe-core about pages and does not ask again about what it has judged: axe-core
// takes long, and most pages have the same elements in the same colours. Several tests can use
// a judge at a time.
type judge struct {
	axe, kinds string // scripts: axe-core and testdata/kinds.js
	// forgets has the judge judge everything each time.
	forgets bool

	mu     sync.Mutex
	judged map[string]map[string]bool // kinds of elements, and ways in which text is painted, by what of them was judged
	pages  map[string]bool            // pages that were judged
}

// pagesJudge gives the judge that all tests share, so that what many pages have is judged
// once.
func pagesJudge(t testing.TB) *judge {
	t.Helper()
	readJudge.Do(func() { sharedJudge = newJudge(t) })
	if sharedJudge == nil {
		testenv.Lacks(t, "no axe-core; make setup fetches it")
	}
	return sharedJudge
}

var (
	readJudge   sync.Once
	sharedJudge *judge // nil if axe-core is not there
)

// newJudge reads axe-core, which scripts/setup fetches, or skips the test with the reason.
func newJudge(t testing.TB) *judge {
	t.Helper()
	path := os.Getenv("ANNOTATE_TEST_AXE")
	if path == "" {
		path = filepath.Join("..", "..", ".cache", "npm", "node_modules", "axe-core", "axe.min.js")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		testenv.Lacks(t, fmt.Sprintf("no axe-core (%v); make setup fetches it", err))
	}
	kinds, err := os.ReadFile(filepath.Join("testdata", "kinds.js"))
	if err != nil {
		t.Fatal(err)
	}
	return &judge{axe: string(axe), kinds: string(kinds), judged: map[string]map[string]bool{}, pages: map[string]bool{}}
}

// enter loads axe-core into the page that the window shows.
func (j *judge) enter(t testing.TB, w context.Context) {
	t.Helper()
	if n := ask[int](t, w, j.axe+"; axe.getRules().length"); n < 90 {
		t.Fatalf("axe-core has %d rules", n)
	}
	j.tell(t, w)
}

// tell loads into the page what tells kinds of elements apart.
func (j *judge) tell(t testing.TB, w context.Context) {
	t.Helper()
	run(t, w, "tell kinds apart", do("window.kinds ??= "+j.kinds))
}

// structure judges the structure of the whole page.
func (j *judge) structure(t testing.TB, w context.Context) []string {
	t.Helper()
	j.unknown(structure, ask[[]string](t, w, "kinds.elements()"))
	return j.run(t, w, "document", axeStructure)
}

// parts judges what is new on a page that is shown in a look: the structure of the elements of kinds that no
// page had, the size of the targets of kinds that no page had at this width, and the colours of texts that are
// painted in ways that no page had in this colour scheme.
func (j *judge) parts(t testing.TB, w context.Context, l look) []string {
	t.Helper()
	all := ask[struct{ Elements, Targets, Paints []string }](t, w, "({ Elements: kinds.elements(), Targets: kinds.targets(), Paints: kinds.paints() })")
	var found []string
	judged := func(rules string, lists map[string][]string) {
		var parts []string
		for name, list := range lists {
			if len(list) > 0 {
				text, _ := json.Marshal(list) // strings
				parts = append(parts, fmt.Sprintf("...kinds.%s(%s)", name, text))
			}
		}
		if len(parts) > 0 {
			found = append(found, j.run(t, w, "{ include: [...new Set(["+strings.Join(parts, ", ")+"])] }", rules)...)
		}
	}
	judged(axeStructure, map[string][]string{"element": j.unknown(structure, all.Elements)})
	judged(axeSeen, map[string][]string{
		"target": j.unknown(fmt.Sprintf("targets at %d", l.width), all.Targets),
		"paint":  j.unknown("paints in "+l.scheme(), all.Paints),
	})
	return found
}

// isNew reports whether a page was not judged before, and whether it has kinds of elements that no page had.
// From then on the page is known.
func (j *judge) isNew(t testing.TB, w context.Context, page string) (whole, kinds bool) {
	t.Helper()
	all := ask[[]string](t, w, "kinds.elements()")
	j.mu.Lock()
	defer j.mu.Unlock()
	known := j.pages[page] && !j.forgets
	j.pages[page] = true
	return !known, j.forgets || slices.ContainsFunc(all, func(kind string) bool { return !j.judged[structure][kind] })
}

// looks are those in which a page is judged: two of the four by turns, which have both sizes and both colour
// schemes. A judge that forgets takes all four.
func (j *judge) looks(turn int) []look {
	if j.forgets {
		return looks
	}
	return looks[turn%2*2:][:2]
}

// unknown lists what is new to the judge of some things of which one aspect is judged. From then on it knows them.
func (j *judge) unknown(aspect string, things []string) []string {
	if j.forgets {
		return things
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	known := j.judged[aspect]
	if known == nil {
		known = map[string]bool{}
		j.judged[aspect] = known
	}
	things = slices.DeleteFunc(things, func(thing string) bool { return known[thing] })
	for _, thing := range things {
		known[thing] = true
	}
	return things
}

// run runs axe-core on the document or a part of it.
func (j *judge) run(t testing.TB, w context.Context, on, rules string) []string {
	t.Helper()
	return ask[[]string](t, w, fmt.Sprintf(axeRun, on, rules), chromedp.EvalAwaitPromise)
}

// An inspector judges pages and says each thing once.
type inspector struct {
	*judge
	h     *house
	seen  map[string]bool // reported problems
	pages int
	known int // pages that had nothing new to judge
}

func newInspector(h *house, j *judge) *inspector {
	return &inspector{judge: j, h: h, seen: map[string]bool{}}
}

// look judges the page that somebody has before them: its structure as a whole, unless the page was judged
// before, and in each look what is new to the judge. If page was judged before, and all kinds of elements on
// it too, it is not judged again: that is so for most pages that several people see.
func (i *inspector) look(w context.Context, page, what string) {
	t := i.h.t
	t.Helper()
	i.pages++
	run(t, w, "settled", settled)
	i.tell(t, w)
	whole, kinds := i.isNew(t, w, page)
	if !whole && !kinds {
		i.known++
		return
	}
	i.enter(t, w)
	for _, l := range i.looks(i.pages) {
		run(t, w, "look", Look(l.width, l.height, l.dark), settled)
		if whole {
			i.report(what, l.name, i.structure(t, w))
			whole = false
		}
		i.report(what, l.name, i.parts(t, w, l))
	}
	// The next page comes in another size, in which this one need not be drawn.
	run(t, w, "hide the page", do(`document.documentElement.style.display = 'none'`))
}

// settled waits until a page can be judged. What stays in place while the page scrolls, and the bar
// of a mark, lie over something wherever they are. That is not what makes a target too small. And
// colours change over a moment. They are judged when they have, but in what is folded they never do.
var settled = chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
	_, err := chromedp.Evaluate[bool](fmt.Sprintf(spreadOut, true)+`, Promise.all(document.getAnimations().filter((a) => a.effect.target.checkVisibility()).map((a) => a.finished.catch(() => 0))).then(() => document.fonts.ready).then(() => true)`, chromedp.EvalAwaitPromise)(ctx, target)
	return err
})

// report says what is wrong with a page, each thing once.
func (i *inspector) report(what, look string, violations []string) {
	i.h.t.Helper()
	for _, v := range violations {
		if key := what + v; !i.seen[key] {
			i.seen[key] = true
			i.h.t.Errorf("%s, %s: %s", what, look, v)
		}
	}
}

// campaignOf is the part of an address that names the campaign.
var campaignOf = regexp.MustCompile(`^/campaigns/[^/]+|\?.*$`)

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
	i.look(w, campaignOf.ReplaceAllString(path, ""), what)
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

// TestAxe: every page, in every role that may see it, in light and dark, on a desk
// and on a phone, has no violation of the rules of axe-core.
func TestAxe(t *testing.T) { axePages(t, browser(t), pagesJudge(t)) }

// TestSoakAxe judges in every look all of each page that TestAxe opens.
func TestSoakAxe(t *testing.T) {
	testenv.SoakTime(t)
	j := newJudge(t)
	j.forgets = true
	axePages(t, browser(t), j)
}

func axePages(t *testing.T, b context.Context, j *judge) {
	for _, part := range []struct {
		name  string
		visit func(*inspector)
		least int // pages, so that a part that visits nothing does not pass
	}{{"every route", everyRoute, 30}, {"work", annotatePages, 25}, {"lead", leadPages, 25}, {"decisions", decisionPages, 9}, {"talk", talkPages, 12}} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			i := newInspector(newHouse(t, b), j)
			part.visit(i)
			if i.pages < part.least {
				t.Errorf("only %d pages were looked at", i.pages)
			}
			t.Logf("%d pages, %d of them with something new", i.pages, i.pages-i.known)
		})
	}
}

// everyRoute takes the pages from the server, so that a new one is looked at without
// anybody thinking of it. Of the pages that refuse somebody, one of each kind will do.
func everyRoute(i *inspector) {
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
			} else if key := fmt.Sprint(login, status); status >= 400 && !refused[key] {
				refused[key] = true
				i.visit(login, path, fmt.Sprintf("%s, answered %d", pattern, status))
			}
		}
		if noPage := []string{"/", "/healthz", "/campaigns/new/protocols/:protocol", "/sign-in/link/:token", "/join/:token", "/campaigns/:slug/assignments/:assignment/document", "/campaigns/:slug/assignments/:assignment/thread", "/campaigns/:slug/export/:format", "/campaigns/:slug/hours.csv", "/campaigns/:slug/plan.csv", "/campaigns/:slug/agreement.csv", "/campaigns/:slug/audit.csv", "/audit.csv", "/campaigns/:slug/pseudonym-key.csv", "/campaigns/:slug/version", "/campaigns/:slug/judges/version",
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
