package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/server/site"
	"annotate/internal/work"
)

// A marker is an annotator on the page of a segment whose errors are marked. It
// counts the input events it makes.
type marker struct {
	annotator
	login  string
	events int
}

// newMarker signs in an annotator and starts with the first of the segments.
func newMarker(t testing.TB, b context.Context, w *world, login string) *marker {
	t.Helper()
	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: login}
	m.begin(w.invite(login, campaign.Annotator))
	m.ready()
	return m
}

// newMarkerOn is an annotator of a new campaign from German into English, with the first of its segments before them.
// Settings are written one after the other.
func newMarkerOn(t *testing.T, protocolID, settings string, segments ...campaign.Segment) *marker {
	t.Helper()
	b := browser(t)
	w := newWorldOf(t, protocolID, "de", "en", strings.Fields(settings)...)
	w.importSegments(segments...)
	return newMarker(t, b, w, "ann")
}

// newMarkerOf has a segment of two translations before them: of a text of the test's, and "Another one.".
func newMarkerOf(t *testing.T, protocolID, text string) *marker {
	t.Helper()
	return newMarkerOn(t, protocolID, "", two("s1", "Die alte Fähre.", text, "Another one."))
}

func (m *marker) ready() {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "wait for the page", Until(`document.documentElement.dataset.ready === "annotate"`))
}

// again is the address of another sign-in link of the person.
func (m *marker) again() string {
	t := m.w.t
	t.Helper()
	u, err := m.w.st.Accounts.UserByLogin(context.Background(), m.login)
	if err != nil {
		t.Fatal(err)
	}
	token, err := m.w.st.Accounts.NewLink(context.Background(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return m.w.url + site.LinkPath(token)
}

func (m *marker) reload() {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "reload", chromedp.Reload())
	m.ready()
}

// press presses keys, written one after the other: "Ctrl+ArrowRight Enter m".
func (m *marker) press(keys string) {
	t := m.w.t
	t.Helper()
	run(t, m.ctx, "press "+keys, pressed(keys)...)
	m.events += len(strings.Fields(keys))
}

// pressed are the steps that press keys.
func pressed(keys string) []chromedp.Action[chromedp.Void] {
	var steps []chromedp.Action[chromedp.Void]
	for key := range strings.FieldsSeq(keys) {
		steps = append(steps, Key(key))
	}
	return steps
}

// typeText types into what has the focus.
func (m *marker) typeText(text string) {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "type", chromedp.KeyEvent(text))
	m.events += codepoint.Len(text)
}

// repeat is a key written n times.
func repeat(n int, key string) string { return strings.Repeat(key+" ", n) }

// toCard makes the card with this text the one in work, by keys.
func (m *marker) toCard(text string) {
	t := m.w.t
	t.Helper()
	away := fmt.Sprintf(`(() => {
		const cards = [...document.querySelectorAll('.card')];
		const to = cards.findIndex((card) => card.querySelector('.card-text').textContent === %s);
		return to < 0 ? null : to - cards.findIndex((card) => card.hasAttribute('aria-current'));
	})()`, quoted(text))
	steps := ask[*int](t, m.ctx, away)
	if steps == nil {
		t.Fatalf("no card has the text %q", text)
	}
	run(t, m.ctx, "to the card", pressed(repeat(max(0, *steps), "j")+repeat(max(0, -*steps), "k"))...)
	if left := ask[int](t, m.ctx, away); left != 0 {
		t.Fatalf("%d cards on, the card in work is %d cards before %q", *steps, left, text)
	}
}

// shown is what the page draws as marked: the words under each mark of the card in
// work, put together from the pieces of the text.
func (m *marker) shown(side protocol.Side) map[string]string {
	return ask[map[string]string](m.w.t, m.ctx, fmt.Sprintf(`(() => {
		const card = document.querySelector('.card[aria-current]');
		const on = (%q === 'source' ? document : card).querySelector('[data-side=' + %[1]q + ']');
		const out = {};
		for (const n of on.querySelectorAll('mark')) for (const id of n.dataset.m.split(' ')) out[id] = (out[id] ?? '') + n.textContent;
		return out;
	})()`, side))
}

// assignment is the id of the assignment on the page.
func (m *marker) assignment() string {
	return path.Base(ask[string](m.w.t, m.ctx, "location.pathname"))
}

// saved waits until everything is saved.
func (m *marker) saved() {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "wait for saving", Until(`document.querySelector('#saved').dataset.state === 'saved'`))
}

// ratings are the cards of an assignment as they are in the database, in their order
// on the page.
func (m *marker) ratings(assignment string) []work.Card {
	t := m.w.t
	t.Helper()
	ctx := context.Background()
	u, err := m.w.st.Accounts.UserByLogin(ctx, m.login)
	if err != nil {
		t.Fatal(err)
	}
	work, err := m.w.st.Work.LoadWork(ctx, m.w.c, assignment, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return work.Cards
}

// stored is the rating in the database of the translation with this text.
func (m *marker) stored(assignment, text string) protocol.Rating {
	t := m.w.t
	t.Helper()
	for _, c := range m.ratings(assignment) {
		if c.Text == text {
			return c.Rating
		}
	}
	t.Fatalf("no translation %q", text)
	return protocol.Rating{}
}

// saveTime saves five more seconds on a card, as another window does that shows the same.
func (m *marker) saveTime(assignment, text string) {
	t := m.w.t
	t.Helper()
	ctx := context.Background()
	u, err := m.w.st.Accounts.UserByLogin(ctx, m.login)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.ratings(assignment) {
		if c.Text != text {
			continue
		}
		save := work.CardSave{AssignmentID: assignment, CardID: c.ID, Revision: c.Revision, SaveID: "time", Rating: c.Rating, Seconds: c.Seconds + 5}
		if _, err := m.w.st.Work.SaveCard(ctx, m.w.c, u.ID, save); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no translation %q", text)
}

// wantSpans compares stored spans with those wanted, in their order, ids aside: links
// are given by the place of the other span, from 1. The words of those wanted are
// looked up in the texts.
func wantSpans(t testing.TB, what string, got []protocol.ErrorSpan, texts protocol.Texts, want ...protocol.ErrorSpan) {
	t.Helper()
	ids := map[string]string{}
	for i, s := range got {
		ids[s.ID] = fmt.Sprint(i + 1)
	}
	var g, w []string
	for _, s := range got {
		s.ID, s.Link = "", ids[s.Link]
		g = append(g, fmt.Sprintf("%+v", s))
	}
	for _, s := range want {
		placed, bad := texts.Place(s)
		if bad != nil {
			t.Fatalf("%s: the wanted span is wrong: %+v", what, *bad)
		}
		w = append(w, fmt.Sprintf("%+v", placed))
	}
	if strings.Join(g, "\n") != strings.Join(w, "\n") {
		t.Errorf("%s: stored\n%s\nwant\n%s", what, strings.Join(g, "\n"), strings.Join(w, "\n"))
	}
}

// quoted is a text as a script has it.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string can't fail
	return string(b)
}

// at is a span of a text over words in it, by their place in code points.
func at(text, words string, side protocol.Side, severity, category string) protocol.ErrorSpan {
	before, _, ok := strings.Cut(text, words)
	if !ok {
		panic(fmt.Sprintf("no %q in %q", words, text))
	}
	kind, sub, _ := strings.Cut(category, "/")
	start := codepoint.Len(before)
	return protocol.ErrorSpan{Side: side, Start: start, End: start + codepoint.Len(words), Severity: severity, Category: kind, Subcategory: sub}
}

// box is where words of the text in the card in work stand in the window: the middle
// of their first and of their last character.
func (m *marker) box(side protocol.Side, words string) (x1, y1, x2, y2 float64) {
	m.w.t.Helper()
	at := ask[[]float64](m.w.t, m.ctx, fmt.Sprintf(`(() => {
		const card = document.querySelector('.card[aria-current]');
		const on = (%q === 'source' ? document : card).querySelector('[data-side=' + %[1]q + ']');
		const start = on.textContent.indexOf(%s), end = start + %s.length;
		const place = (unit) => {
			const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
			for (let n = all.nextNode(); n; n = all.nextNode()) {
				if (unit < n.nodeValue.length) {
					const r = new Range();
					r.setStart(n, unit);
					r.setEnd(n, unit + 1);
					return r.getBoundingClientRect();
				}
				unit -= n.nodeValue.length;
			}
		};
		const a = place(start), b = place(end - 1);
		return [a.left, (a.top + a.bottom) / 2, b.right, (b.top + b.bottom) / 2];
	})()`, side, quoted(words), quoted(words)))
	return at[0], at[1], at[2], at[3]
}

// drag drags over words from left to right with the mouse: one event, as a hand
// counts.
func (m *marker) drag(side protocol.Side, words string) {
	t := m.w.t
	t.Helper()
	x1, y1, x2, y2 := m.box(side, words)
	run(t, m.ctx, "drag over "+words, drag(x1+1, y1, x2-1, y2))
	m.events++
}

func drag(x1, y1, x2, y2 float64) chromedp.Action[chromedp.Void] {
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.MouseEvent(chromedp.MouseMoved, x1, y1),
		chromedp.MouseEvent(chromedp.MousePressed, x1, y1, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	}
	for i := 1; i <= 4; i++ {
		f := float64(i) / 4
		steps = append(steps, chromedp.MouseEvent(chromedp.MouseMoved, x1+(x2-x1)*f, y1+(y2-y1)*f, chromedp.ButtonLeft))
	}
	return chromedp.Steps(append(steps, chromedp.MouseEvent(chromedp.MouseReleased, x2, y2, chromedp.ButtonLeft, chromedp.ClickCount(1)))...)
}

// clickOn clicks in the middle of what a selector finds.
func (m *marker) clickOn(selector string) {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "click on "+selector, click(selector))
	m.events++
}

// click clicks in the middle of what a selector finds, where it stands in the window.
func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		at, err := chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`, selector))(ctx, t)
		if err != nil {
			return err
		}
		_, err = chromedp.MouseClickXY(at[0], at[1])(ctx, t)
		return err
	})
}

// clickWords clicks on the first and on the last of some words.
func (m *marker) clickWords(side protocol.Side, words string) {
	t := m.w.t
	t.Helper()
	x1, y1, _, _ := m.box(side, words)
	run(t, m.ctx, "click on the first of "+words, chromedp.MouseClickXY(x1+3, y1))
	_, _, x2, y2 := m.box(side, words)
	run(t, m.ctx, "click on the last of "+words, chromedp.MouseClickXY(x2-3, y2))
	m.events += 2
}

// TestMarksInTwoWindows marks in one window what another had open before: nothing is
// overwritten unasked.
func TestMarksInTwoWindows(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en")
	const text = "The old ferry."
	w.importSegments(campaign.Segment{DocID: "s1", SegmentID: "s1", Domain: "test", Source: "Die alte Fähre.", Translations: []campaign.Translation{{System: "Aster", Text: text}}})
	first := newMarker(t, b, w, "ann")
	second := &marker{annotator: *newAnnotator(t, b, w, nil), login: "ann"}
	second.begin(first.again())
	second.ready()
	id := first.assignment()
	first.toCard(text)
	first.press("Enter M")
	first.saved()
	second.toCard(text)
	// The window ends where the question would lie half under the bar, which stays in view in a window that is not too low.
	high := ask[int64](t, second.ctx, `(document.querySelector('.work').style.paddingTop = '600px') && Math.round(document.querySelector('.card').getBoundingClientRect().bottom + scrollY + document.querySelector('.bar').offsetHeight)`)
	run(t, second.ctx, "a low window", Look(1280, high, false))
	second.press("Ctrl+ArrowRight Enter m")
	run(t, second.ctx, "both are shown", Until(`document.querySelector('.conflict [data-mine]')?.textContent.includes('“old”, minor') && document.querySelector('.conflict [data-theirs]').textContent.includes('“The”, major')`))
	texts := protocol.Texts{Source: "Die alte Fähre.", Translation: text}
	wantSpans(t, "undecided", first.stored(id, text).Spans, texts, at(text, "The", protocol.Target, "major", ""))
	run(t, second.ctx, "the conflict is said", Until(`document.querySelector('#saved-text').textContent === 'not saved: changed elsewhere'`))
	// The foot of the page names the question. Its link and Ctrl+Enter lead to it.
	inView := `(() => { const r = document.querySelector('.conflict').getBoundingClientRect(); return r.top >= 0 && r.bottom <= Math.min(innerHeight, document.querySelector('.bar').getBoundingClientRect().top); })()`
	run(t, second.ctx, "the question is not left under the bar", Until(inView))
	away := func() {
		run(t, second.ctx, "the question is out of view", Look(1280, 300, false), do(`scrollTo({ top: 0, behavior: 'instant' })`), Until(`!`+inView))
	}
	away()
	link := `[...document.querySelectorAll('#missing a')].find((a) => a.title === 'a choice between two versions')`
	run(t, second.ctx, "the foot names it", Until(`!!`+link), do(link+`.click()`), Until(inView))
	away()
	second.press("Ctrl+Enter")
	run(t, second.ctx, "Ctrl+Enter leads to it", Until(inView))
	run(t, second.ctx, "keep mine", chromedp.Click(`.conflict [data-keep=mine]`))
	second.saved()
	wantSpans(t, "decided", first.stored(id, text).Spans, texts, at(text, "old", protocol.Target, "minor", ""))
}

// TestMarksOffline marks while nothing can be saved: the page says so, keeps the
// marks over a reload, refuses to submit with the reason, and saves them once it can.
func TestMarksOffline(t *testing.T) {
	const source, text = "Die alte Fähre 🛥️.", "The old 🛥️ ferry."
	m := newMarkerOn(t, "mqm", "", two("s1", source, text, "2"))
	id := m.assignment()
	says := func(want string) {
		t.Helper()
		run(t, m.ctx, want, Until(`document.querySelector('#saved-text').textContent === `+quoted(want)))
	}
	m.toCard("2")
	m.press("0")
	m.saved()
	m.toCard(text)
	ask[bool](t, m.ctx, `(window.fetch = () => Promise.reject(new TypeError('offline')), true)`)
	m.press("Enter M c 1 1")
	says("offline, 1 change kept")
	m.press("Ctrl+ArrowRight Ctrl+ArrowRight Enter M c 6")
	says("offline, 1 change kept") // of one card
	if n := len(m.stored(id, text).Spans); n != 0 {
		t.Errorf("%d marks are stored without a connection", n)
	}
	m.press("Ctrl+Enter")
	run(t, m.ctx, "submitting is refused", Until(`document.querySelector('#missing').textContent === 'Not submitted: offline, 1 change kept'`))
	m.reload()
	m.saved()
	texts := protocol.Texts{Source: source, Translation: text}
	want := []protocol.ErrorSpan{at(text, "The", protocol.Target, "major", "Accuracy/Addition"), at(text, "🛥️", protocol.Target, "major", "Other")}
	wantSpans(t, "kept over a reload", m.stored(id, text).Spans, texts, want...)
	m.toCard(text)
	if drawn := m.shown(protocol.Target); len(drawn) != 2 {
		t.Errorf("drawn are %v", drawn)
	}
	if m.submit() {
		t.Error("there was only one segment")
	}
	wantSpans(t, "submitted", m.stored(id, text).Spans, texts, want...)
}

// TestRefusalEndsWithItsReason: the page says why the segment was not submitted until that is no
// longer so.
func TestRefusalEndsWithItsReason(t *testing.T) {
	const text = "The old ferry"
	m := newMarkerOf(t, "mqm", text)
	m.toCard("Another one.")
	m.press("0")
	m.saved()
	m.toCard(text)
	ask[bool](t, m.ctx, `(window.online = window.fetch, window.fetch = () => Promise.reject(new TypeError('offline')), true)`)
	m.press("0 Ctrl+Enter")
	run(t, m.ctx, "submitting is refused", Until(`document.querySelector('#missing').textContent === 'Not submitted: offline, 1 change kept'`))
	ask[bool](t, m.ctx, `(window.fetch = window.online, dispatchEvent(new Event('online')), true)`)
	m.saved()
	run(t, m.ctx, "the refusal is gone", Until(`document.querySelector('#missing').textContent === 'Every card is finished'`))
}

// TestHandlesStandAtTheirWords: each handle of a mark stands at the words of the mark, also where
// the mark ends with a line, and where another direction of writing begins behind it.
func TestHandlesStandAtTheirWords(t *testing.T) {
	b := browser(t)
	const text, long = "القِطَّةُ (version 2.0) ولم", "Der Hund schläft."
	w := newWorldOf(t, "esa", "zh", "ar")
	w.importSegments(two("s1", "没想到客服今天主动打电话来，说那把漏的伞要收我二十块赔偿，我说不。", text, long))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a window", Look(844, 700, false))
	m.toCard(text)
	handles := func() []float64 {
		return ask[[]float64](t, m.ctx, `[...document.querySelectorAll('.handle')].filter((h) => h.checkVisibility()).flatMap((h) => { const r = h.getBoundingClientRect(); return [r.left + r.width / 2, r.top]; })`)
	}
	near := func(a, b float64) bool { return a-b < 3 && b-a < 3 }

	x1, _, x2, _ := m.box(protocol.Target, "version 2.0")
	m.drag(protocol.Target, "version 2.0")
	m.saved()
	if h := handles(); len(h) != 4 || !near(h[0], x1) || !near(h[2], x2) {
		t.Errorf("handles at %v of words from %v to %v", h, x1, x2)
	}

	// The last two characters of a line of the source.
	end := ask[string](t, m.ctx, `(() => {
		const on = document.querySelector('[data-side=source]'), r = new Range(), n = on.firstChild;
		const top = (i) => { r.setStart(n, i); r.setEnd(n, i + 1); return r.getBoundingClientRect().top; };
		for (let i = 4; i < n.length - 1; i++) if (top(i + 1) > top(i) + 10) return n.data.slice(i - 1, i + 1);
		return '';
	})()`)
	x1, _, x2, _ = m.box(protocol.Source, end)
	m.drag(protocol.Source, end)
	m.saved()
	if h := handles(); end == "" || len(h) != 4 || !near(h[0], x1) || !near(h[2], x2) || !near(h[1], h[3]) {
		t.Errorf("handles at %v of %q from %v to %v", h, end, x1, x2)
	}
}

// TestLongWordsInList: of a mark over much text, the list shows the beginning and the end.
func TestLongWordsInList(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("and so on ", 60)) + " the end"
	m := newMarkerOf(t, "esa", text)
	m.toCard(text)
	m.press("Shift+End m")
	m.saved()
	got := m.text(".card[aria-current] .mark-entry .quoted")
	if !strings.HasPrefix(got, "and so on") || !strings.HasSuffix(got, " the end") || !strings.Contains(got, " … ") || len(got) > 220 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// TestSeverityWithoutMark checks that the key of a severity marks the word to which the caret was moved, and
// that the page says what to do if there is nothing to mark.
func TestSeverityWithoutMark(t *testing.T) {
	const text = "The old ferry"
	m := newMarkerOf(t, "esa", text)
	m.toCard(text)
	said := func(want string) {
		t.Helper()
		run(t, m.ctx, want, Until(`document.querySelector('#missing').textContent === `+quoted(want)))
	}
	m.press("m")
	said("Nothing is marked yet; Enter marks the word")
	m.press("Enter m ArrowLeft M") // the caret is in a marked word
	said("No mark is picked; . goes to the next one")
	m.press("Ctrl+ArrowRight M")
	m.saved()
	var got []string
	for _, sp := range m.stored(m.assignment(), text).Spans {
		got = append(got, fmt.Sprint(sp.Start, "-", sp.End, " ", sp.Severity))
	}
	if want := []string{"0-3 minor", "4-7 major"}; !slices.Equal(got, want) {
		t.Errorf("marked %v, want %v", got, want)
	}
}

// TestTimeOfCardByMouse checks that the time before a click on another card counts for that card, because the
// annotator has read it in this time.
func TestTimeOfCardByMouse(t *testing.T) {
	m := newMarkerOf(t, "mqm", "The old ferry")
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	m.clickOn(".card[aria-current] [data-none]")
	m.saved()
	ask[bool](t, m.ctx, `(() => {
		const [now, real] = [performance.now.bind(performance), window.fetch];
		performance.now = () => now() + 30_000;
		window.sent = {};
		window.fetch = (url, init) => { if (init.method === 'PUT') window.sent[url] = JSON.parse(init.body).seconds; return real(url, init); };
		return true;
	})()`)
	m.clickOn(".card:not([aria-current]) [data-none]")
	run(t, m.ctx, "the time is sent", Until(`Object.keys(window.sent).length > 0 && document.querySelector('#saved').dataset.state === 'saved'`))
	sent := ask[map[string]float64](t, m.ctx, `window.sent`)
	if len(sent) != 1 {
		t.Fatalf("sent %v, want the time of one card", sent)
	}
	for card, seconds := range sent {
		if seconds < 30 {
			t.Errorf("%s has %v seconds", card, seconds)
		}
	}
}
