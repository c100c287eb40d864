package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// world is an application with a campaign and its people.
type world struct {
	t    testing.TB
	st   *store.Store
	url  string
	slug string
	c    campaign.Campaign
	// answer, if set, answers requests in place of the application, to which it can hand them on.
	answer func(res http.ResponseWriter, req *http.Request, application http.Handler)
}

func newWorld(t testing.TB, settings ...string) *world {
	t.Helper()
	return newWorldOf(t, "sqm", "zh", "en", settings...)
}

// newWorldOf is a world whose campaign has a protocol and languages.
func newWorldOf(t testing.TB, protocolID, source, target string, settings ...string) *world {
	t.Helper()
	p, _ := protocol.Lookup(protocolID)
	return newWorldBy(t, p, "", source, target, settings...)
}

// newWorldBy is a world whose campaign has a protocol, with its definition where it
// is the campaign's own.
func newWorldBy(t testing.TB, p *protocol.Protocol, definition, source, target string, settings ...string) *world {
	t.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, database.Config{Driver: database.SQLite, DSN: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	srv, err := server.New(server.Config{}, st)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, st: st}
	application := srv.Handler()
	w.url = served(t, http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		if w.answer != nil {
			w.answer(res, req, application)
			return
		}
		application.ServeHTTP(res, req)
	}))
	s, err := campaign.DefaultSettings(p).WithPairs(settings)
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.Accounts.CreateCampaign(ctx, campaign.Campaign{Slug: "small", Title: "Small campaign", Protocol: p.ID, Definition: definition, SourceLang: source, TargetLang: target, Settings: s}, "")
	if err != nil {
		t.Fatal(err)
	}
	w.slug, w.c = c.Slug, c
	return w
}

// invite makes a member, whose guide does not open by itself, and returns the address of their
// sign-in link.
func (w *world) invite(login string, role campaign.Role) string {
	w.t.Helper()
	link := w.newcomer(login, role)
	knowsGuides(w.t, w.st, login)
	return link
}

// newcomer makes a member and returns the address of their sign-in link.
func (w *world) newcomer(login string, role campaign.Role) string {
	w.t.Helper()
	token, err := w.st.Accounts.Invite(context.Background(), w.c.ID, login, "", role, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.url + site.LinkPath(token.SignIn)
}

// knowsGuides has the guides of somebody's campaigns closed, so that none opens by itself.
func knowsGuides(t testing.TB, st *store.Store, login string) {
	t.Helper()
	ctx := context.Background()
	u, err := st.Accounts.UserByLogin(ctx, login)
	if err != nil {
		t.Fatal(err)
	}
	memberships, err := st.Accounts.CampaignsOf(ctx, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range memberships {
		if err := st.Work.CloseGuide(ctx, m.Campaign.ID, u.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) importSegments(segments ...campaign.Segment) {
	w.t.Helper()
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for i, s := range segments {
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: s}, nil) {
				return
			}
		}
	}
	if _, err := w.st.Intake.ImportSegments(context.Background(), w.c.ID, lines, intake.ImportOptions{File: "test"}); err != nil {
		w.t.Fatal(err)
	}
}

// segment makes a segment whose translations tell system and segment apart.
func segment(doc, id, source string, texts map[string]string) campaign.Segment {
	s := campaign.Segment{DocID: doc, SegmentID: id, Domain: "social", Source: source}
	for _, system := range []string{"Aster", "Birch", "Cedar"} {
		s.Translations = append(s.Translations, campaign.Translation{System: system, Text: texts[system]})
	}
	return s
}

func texts(id string) map[string]string {
	return map[string]string{"Aster": "best " + id + " 👍🏽", "Birch": "fair " + id, "Cedar": "poor " + id}
}

// limit is how long steps in a window may take. A machine that is busy with other things needs a multiple
// of the usual time.
const limit = 90 * time.Second

// run runs steps in a person's window, and waits until the page that they lead to is loaded. If one fails, it
// names what the steps are for, and which one it is.
func run(t testing.TB, ctx context.Context, what string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for i, step := range append(slices.Clone(steps), Loaded()) {
		if err := chromedp.Do(within, step); err != nil {
			page, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`[location.href, 'with the focus on ' + document.activeElement?.outerHTML.slice(0, 200), document.body.innerText].join('\n')`))
			t.Fatalf("%s, step %d of %d: %v\nat %s", what, i+1, len(steps), err, page)
		}
	}
}

// ask evaluates an expression in a person's window. With chromedp.EvalAwaitPromise it returns what a promise
// comes to.
func ask[T any](t testing.TB, ctx context.Context, expression string, how ...chromedp.EvaluateOption) T {
	t.Helper()
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	value, err := chromedp.Run(within, chromedp.Evaluate[T](expression, how...))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// leaves does what opens another page in the window, and waits until that page is loaded. The page that is
// left is marked, so that nothing that is true of it counts.
func leaves(steps ...chromedp.Action[chromedp.Void]) chromedp.Action[chromedp.Void] {
	const old = `document.documentElement.dataset.old`
	return chromedp.Steps(slices.Concat([]chromedp.Action[chromedp.Void]{do(old + ` = 'yes'`)}, steps, []chromedp.Action[chromedp.Void]{Until(`!` + old)})...)
}

// opens clicks a link or a button that opens another page in the window, and waits until that page is loaded.
func opens(selector string) chromedp.Action[chromedp.Void] { return leaves(chromedp.Click(selector)) }

// annotator is a person who knows what score each text deserves.
type annotator struct {
	w      *world
	ctx    context.Context
	scores func(text string, secondLook bool) int
}

// begin signs in with a link and opens the next segment, without a page in between.
func (a *annotator) begin(link string) {
	t := a.w.t
	t.Helper()
	c := signedIn(t, link)
	next := a.w.url + "/campaigns/" + a.w.slug + "/next"
	res, err := c.Post(next, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	segment, err := res.Location()
	if err != nil {
		t.Fatalf("POST %s: %s, %v", next, res.Status, err)
	}
	run(t, a.ctx, "open the segment", takeSession(c, a.w.url), chromedp.Navigate(segment.String()), Visible("#cards"))
}

// signIn follows the link and starts work with the keyboard.
func (a *annotator) signIn(link string) {
	t := a.w.t
	t.Helper()
	run(t, a.ctx, "sign in", SignIn(link), Visible("h1"))
	a.startByKeyboard()
}

// startByKeyboard tabs to the campaign's button and presses it.
func (a *annotator) startByKeyboard() {
	t := a.w.t
	t.Helper()
	for range 40 {
		run(t, a.ctx, "tab to the start button", Key("Tab"))
		if ask[bool](t, a.ctx, `document.activeElement.closest('form[action$="/next"]') !== null`) {
			run(t, a.ctx, "press the start button", leaves(Key("Enter")), Visible("#cards"))
			return
		}
	}
	t.Fatal("forty tabs did not reach the start button")
}

// cards are the texts on the page, in its order.
func (a *annotator) cards() []string {
	a.w.t.Helper()
	run(a.w.t, a.ctx, "wait for the cards", Until(`document.documentElement.dataset.ready === "annotate"`))
	return ask[[]string](a.w.t, a.ctx, `[...document.querySelectorAll('.card-text')].map(e => e.textContent)`)
}

// score gives every card its score with digit keys, from the first to the last.
func (a *annotator) score(from int) {
	t := a.w.t
	t.Helper()
	texts := a.cards()
	second := ask[bool](t, a.ctx, `[...document.querySelectorAll('.band')].some(e => e.textContent.includes('Second look'))`)
	for i, text := range texts {
		if i > 0 {
			run(t, a.ctx, "next card", Key("j"))
		}
		if i >= from {
			run(t, a.ctx, "score", Key(fmt.Sprint(a.scores(text, second))))
		}
	}
}

// submit submits with the keyboard and waits for the next page.
func (a *annotator) submit() (working bool) {
	t := a.w.t
	t.Helper()
	run(t, a.ctx, "submit", leaves(Key("Ctrl+Enter")))
	return strings.Contains(ask[string](t, a.ctx, "location.href"), "/assignments/")
}

// values are the scores shown on the cards; -1 where none is.
func (a *annotator) values() []int {
	a.w.t.Helper()
	return ask[[]int](a.w.t, a.ctx, `[...document.querySelectorAll('.card')].map(c => Number(c.querySelector('input:checked')?.value ?? -1))`)
}

// forced has the system choose the colours.
func (m *marker) forced() {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "forced colours", look{width: 1440, height: 900, scheme: "light", scale: 1, forced: true}.show())
}

// TestForcedColoursShowTheScore: where the system chooses the colours, a score that is
// chosen looks other than those that are not.
func TestForcedColoursShowTheScore(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	m := newMarker(t, b, w, "ann")
	m.press("3")
	m.forced()
	if got := ask[string](t, m.ctx, `(() => {
		const card = document.querySelector('.card:has(input:checked)');
		const look = (e) => { const s = getComputedStyle(e.nextElementSibling); return [s.backgroundColor, s.color].join(); };
		const chosen = look(card.querySelector('input:checked'));
		return [...card.querySelectorAll('input:not(:checked)')].some((e) => look(e) === chosen) ? chosen : '';
	})()`); got != "" {
		t.Errorf("chosen or not, a score has the colours %s", got)
	}
}

// TestSaveWhileAnotherPageComes scores a card after the server has written the page that a reload asks for, and
// before the browser has it. The save is confirmed on the page that is left. The new page has the score.
// A script in the page does it, because steps of a test wait while a page loads.
func TestSaveWhileAnotherPageComes(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	var reloads, asked atomic.Bool
	written, confirmed := make(chan struct{}), make(chan struct{})
	w.answer = func(res http.ResponseWriter, req *http.Request, application http.Handler) {
		switch {
		case req.URL.Path == "/confirmed":
			close(confirmed)
		case reloads.Load() && req.Method == http.MethodPut:
			<-written
			application.ServeHTTP(res, req)
		case req.Method == http.MethodGet && reloads.Load() && strings.Contains(req.URL.Path, "/assignments/") && asked.CompareAndSwap(false, true):
			page := httptest.NewRecorder()
			application.ServeHTTP(page, req)
			close(written)
			select {
			case <-confirmed:
			case <-req.Context().Done():
			}
			maps.Copy(res.Header(), page.Header())
			res.WriteHeader(page.Code)
			_, _ = page.Body.WriteTo(res)
		default:
			application.ServeHTTP(res, req)
		}
	}
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	reloads.Store(true)
	run(t, m.ctx, "reload, score and save", leaves(do(`(() => {
		const saved = document.querySelector('#saved');
		new MutationObserver((_, look) => {
			if (saved.dataset.state !== 'saved') return;
			look.disconnect();
			fetch('/confirmed');
		}).observe(saved, { attributes: true });
		addEventListener('beforeunload', () => setTimeout(() => document.querySelector('.card input[value="3"]').click(), 0));
		setTimeout(() => location.reload(), 0);
	})()`)), Until(`document.documentElement.dataset.ready === "annotate"`))
	if got := m.values(); got[0] != 3 {
		t.Fatalf("the new page shows the scores %v, want 3 first", got)
	}
	m.press("k 4") // the first card again, without a conflict
	m.saved()
	if got := m.ratings(id)[0].Rating.Scores; got["sqm"] != 4 {
		t.Errorf("stored: %v", got)
	}
}

func TestSQMCampaignByKeyboard(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(
		segment("d1", "s1", "第一句", texts("s1")),
		segment("d1", "s2", "第二句\n两行", texts("s2")),
		segment("d2", "s3", "第三句", texts("s3")),
		segment("d3", "s4", "第四句", texts("s4")),
	)
	quality := func(text string, _ bool) int {
		return map[string]int{"best": 4, "fair": 2, "poor": 0}[strings.Fields(text)[0]]
	}
	// The second annotator sees s3 upside down at first, and a little higher
	// throughout: fair is 3.
	contrary := func(text string, second bool) int {
		if strings.HasPrefix(text, "fair") {
			return 3
		}
		if strings.Contains(text, "s3") && !second {
			return 4 - quality(text, second)
		}
		return quality(text, second)
	}
	first := newAnnotator(t, b, w, quality)
	first.signIn(w.invite("first", campaign.Annotator))

	// Reload in mid-segment, right after the keys, without waiting for a save.
	texts := first.cards()
	run(t, first.ctx, "score the first two cards", Key(fmt.Sprint(quality(texts[0], false))), Key("j"), Key(fmt.Sprint(quality(texts[1], false))), chromedp.Reload())
	if again := first.cards(); strings.Join(again, "|") != strings.Join(texts, "|") {
		t.Errorf("after a reload the cards are %q, before %q", again, texts)
	}
	if got, want := first.values(), []int{quality(texts[0], false), quality(texts[1], false), -1}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("after a reload the scores are %v, want %v", got, want)
	}
	// Submitting now is refused with the reason, and nothing moves on.
	run(t, first.ctx, "submit too early", Key("Ctrl+Enter"),
		Until(`document.querySelector('#missing.refused')?.textContent.includes('C needs a score')`))

	segments := 0
	for working := true; working; {
		from := 0
		if segments == 0 {
			from = 2
		}
		first.score(from)
		working = first.submit()
		segments++
	}
	if segments != 4 {
		t.Fatalf("the first annotator was given %d segments, want 4", segments)
	}

	second := newAnnotator(t, b, w, contrary)
	second.signIn(w.invite("second", campaign.Annotator))
	segments = 0
	for working := true; working; {
		second.score(0)
		working = second.submit()
		segments++
	}
	if segments != 5 {
		t.Fatalf("the second annotator was given %d segments, want 4 and a second look", segments)
	}

	// The segment that failed is back with the first annotator too.
	run(t, first.ctx, "back to my work", chromedp.Navigate(w.url+"/work"), Visible("h1"))
	first.startByKeyboard()
	if got := first.values(); strings.Contains(fmt.Sprint(got), "-1") {
		t.Errorf("the second look shows %v, want the annotator's own earlier scores", got)
	}
	// Unchanged, it is submitted only when asked for twice.
	first.score(0)
	run(t, first.ctx, "submit as it is", Key("Ctrl+Enter"),
		Until(`document.querySelector('#missing').textContent === 'Nothing was changed: press again to submit your earlier ratings as they are'`))
	if first.submit() {
		t.Error("the first annotator was given more than the second look")
	}

	gold := w.download(w.invite("reader", campaign.Researcher), "/export/ment")
	type line struct {
		QID    string  `json:"qid"`
		Avg0   float64 `json:"avg_trans_0_score"`
		Avg1   float64 `json:"avg_trans_1_score"`
		Avg2   float64 `json:"avg_trans_2_score"`
		Trans0 string  `json:"trans_0"`
		Scores []int   `json:"trans_1_scores"`
	}
	var got []line
	for text := range strings.Lines(gold) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		got = append(got, l)
	}
	// best 4 and 4, fair 2 and 3, poor 0 and 0; s3 from its second round.
	var want []line
	for _, id := range []string{"s1", "s2", "s3", "s4"} {
		want = append(want, line{id, 4, 2.5, 0, "best " + id + " 👍🏽", []int{2, 3}})
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("gold is\n%v\nwant\n%v", got, want)
	}
}

func newAnnotator(t testing.TB, browser context.Context, w *world, scores func(string, bool) int) *annotator {
	t.Helper()
	return &annotator{w: w, ctx: window(t, browser), scores: scores}
}

// newAnnotatorAtWork returns an annotator of a new SQM campaign who has opened its only segment.
func newAnnotatorAtWork(t testing.TB, browser context.Context) (*world, *annotator) {
	t.Helper()
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	a := newAnnotator(t, browser, w, nil)
	a.begin(w.invite("first", campaign.Annotator))
	a.cards()
	return w, a
}

// download fetches a page of the campaign as the person of a sign-in link.
func (w *world) download(link, path string) string {
	w.t.Helper()
	address := w.url + "/campaigns/" + w.slug + path
	res, err := signedIn(w.t, link).Get(address)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %s %v", address, res.Status, err)
	}
	return string(body)
}

// signedIn is a client, without a browser, that signed in with a link. It does not
// follow redirects.
func signedIn(t testing.TB, link string) *http.Client {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Post(link, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("signing in answers %s", res.Status)
	}
	return c
}

// takeSession gives a window the session of a client, at an address of the application.
func takeSession(c *http.Client, address string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		at, err := url.Parse(address)
		if err != nil {
			return err
		}
		for _, cookie := range c.Jar.Cookies(at) {
			if _, err := cdp.Call(ctx, t, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: address, HTTPOnly: new(true), SameSite: network.CookieSameSiteLax}); err != nil {
				return err
			}
		}
		return nil
	})
}

// signInWith signs a window in with a link and opens no page. Tests that are not about
// signing in use it: two pages less are opened in each of their windows.
func signInWith(t testing.TB, link string) chromedp.Action[chromedp.Void] {
	t.Helper()
	return takeSession(signedIn(t, link), link)
}
