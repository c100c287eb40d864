package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// TestSavedInZoneOfCampaign: the page says when the server saved, in the campaign's time
// zone, and names the zone.
func TestSavedInZoneOfCampaign(t *testing.T) {
	b := browser(t)
	const zone = "Asia/Kathmandu" // of no machine that tests run on, with minutes of its own
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldOf(t, "esa", "de", "en", "timezone="+zone)
	w.importSegments(two("s1", "Die alte Fähre.", "The old ferry.", "Another one."))
	m := newMarker(t, b, w, "ann")
	ask[bool](t, m.ctx, `(() => {
		const real = window.fetch;
		window.fetch = async (url, init) => {
			const answer = await real(url, init);
			// As from a server whose clock is far from the browser's.
			const json = { ...await answer.json(), saved_at: '2026-02-03T20:20:30Z' };
			return new Response(JSON.stringify(json), { status: answer.status });
		};
		return true;
	})()`)
	m.press("Enter M")
	m.saved()
	at := time.Date(2026, 2, 3, 20, 20, 30, 0, time.UTC).In(loc).Format("15:04")
	want := "saved " + at + " " + zone
	run(t, m.ctx, want, Until(`document.querySelector('#saved-text').textContent === `+quoted(want)))
}

// TestChangedAfterSubmit: the page says all of it where a submitted segment was changed and
// not submitted again, and nothing moves for that.
func TestChangedAfterSubmit(t *testing.T) {
	const text, other = "The old ferry sleeps.", "Another one."
	m := newMarkerOn(t, "mqm", "", two("s1", "Die alte Fähre.", text, other), two("s2", "Ein Schiff.", "A ship.", "A boat."))
	run(t, m.ctx, "a desk", Look(960, 700, false))
	page := ask[string](t, m.ctx, "location.href")
	for _, card := range ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((e) => e.textContent)`) {
		m.toCard(card)
		m.press("0")
	}
	if !m.submit() {
		t.Fatal("not submitted")
	}
	run(t, m.ctx, "back to the submitted segment", chromedp.Navigate(page))
	m.ready()
	const high = `document.querySelector('.strip').getBoundingClientRect().height`
	before := ask[float64](t, m.ctx, high)
	m.press("Enter m")
	m.saved()
	run(t, m.ctx, "it is said", Until(`document.querySelector('#saved-text').textContent.endsWith(', not submitted again')`))
	if !ask[bool](t, m.ctx, `(() => { const s = document.querySelector('#saved'); return s.scrollWidth <= s.clientWidth && s.scrollHeight <= s.clientHeight + 1; })()`) {
		t.Error("a part of it can't be read")
	}
	if got := ask[float64](t, m.ctx, high); got != before {
		t.Errorf("the strip grew from %v to %v pixels", before, got)
	}
}

// TestMySegmentsAreReadInFull: no column of My segments is cut, where a segment with a
// long text in a document with a long name was changed and not submitted again.
func TestMySegmentsAreReadInFull(t *testing.T) {
	text := strings.Repeat("The old ferry sleeps. ", 6)
	s := two("s1", strings.Repeat("Die alte Fähre schläft. ", 6), text, "Another one.")
	s.DocID = strings.Repeat("newspaper-article-", 4)
	m := newMarkerOn(t, "rate", "", s)
	page := ask[string](t, m.ctx, "location.href")
	for _, card := range []string{text, "Another one."} {
		m.toCard(card)
		m.press("a")
		m.typeText("70")
		m.press("Enter")
		m.typeText("80")
		m.press("Escape")
	}
	m.submit()
	run(t, m.ctx, "back to the submitted segment", chromedp.Navigate(page))
	m.ready()
	m.press("a")
	m.typeText("60")
	m.press("Escape")
	m.saved()
	run(t, m.ctx, "My segments", chromedp.Navigate(m.w.url+"/campaigns/"+m.w.c.Slug+"/finished"), Until(`!!document.querySelector('tbody .badge')`))
	for _, width := range []int64{1440, 390} {
		run(t, m.ctx, "the window", Look(width, 900, false))
		if got := ask[[]float64](t, m.ctx, `(() => { const w = document.querySelector('.table-wrap'); return [w.scrollWidth, w.clientWidth]; })()`); got[0] > got[1] {
			t.Errorf("at %d px the table is %v pixels wide, %v are seen", width, got[0], got[1])
		}
	}
}

// TestRefusalAtTheButton submits a segment that lacks something: why it is refused stands
// at the button, the card is marked, and the page scrolls only where what is missing is out
// of view.
func TestRefusalAtTheButton(t *testing.T) {
	long := strings.Repeat("The old ferry leaves the harbour at nine. ", 60)
	for _, win := range [][2]int64{{1440, 900}, {390, 844}} {
		m := newMarkerOf(t, "esa", long)
		run(t, m.ctx, "the window", Look(win[0], win[1], false))
		m.reload()
		m.toCard("Another one.")
		m.press("a")
		m.typeText("70")
		m.press("Escape")
		// The score of the long card is in view, its beginning is not.
		field := `[...document.querySelectorAll('.card')].find((c) => c.textContent.includes('harbour')).querySelector('.score')`
		ask[bool](t, m.ctx, `(scrollBy({ top: `+field+`.getBoundingClientRect().top - innerHeight / 2, behavior: 'instant' }), true)`)
		from := ask[float64](t, m.ctx, `scrollY`)
		m.clickOn("#submit")
		run(t, m.ctx, "the refusal", Until(`document.querySelector('#missing').classList.contains('refused')`))
		if got := ask[string](t, m.ctx, missingLine); !strings.HasPrefix(got, "Not submitted: ") || !strings.HasSuffix(got, "needs a score") {
			t.Errorf("said %q", got)
		}
		// The distance from the words to the button, across and down.
		if got := ask[[]float64](t, m.ctx, `(() => { const p = document.querySelector('#missing').getBoundingClientRect(), b = document.querySelector('#submit').getBoundingClientRect();
			return [Math.max(0, b.left - p.right, p.left - b.right), Math.max(0, b.top - p.bottom, p.top - b.bottom), p.top, innerHeight - p.bottom]; })()`); got[0] > 24 || got[1] > 24 || got[2] < 0 || got[3] < 0 {
			t.Errorf("at %d px the words are %v by %v pixels from the button", win[0], got[0], got[1])
		}
		if got := ask[string](t, m.ctx, `document.querySelector('.card.wanting .card-lacks').textContent`); got != "Still needs a score" {
			t.Errorf("the card says %q", got)
		}
		if got := ask[float64](t, m.ctx, `scrollY`); got != from {
			t.Errorf("at %d px the page scrolled from %v to %v", win[0], from, got)
		}
	}
}

// TestConflictOfSubmit: a segment that was changed in another window is not submitted.
// The page says which card shows the newer version now; on a phone the bar keeps its
// height, and all of what is said can be read. Time that another window saved without
// a change does not keep the segment from being submitted.
func TestConflictOfSubmit(t *testing.T) {
	b := browser(t)
	const text, other = "The old ferry sleeps.", "Another one."
	w := newWorldOf(t, "esa", "de", "en")
	w.importSegments(two("s1", "Die alte Fähre.", text, other))
	first := newMarker(t, b, w, "ann")
	id := first.assignment()
	score := func(on, points string) {
		t.Helper()
		first.toCard(on)
		first.press("a")
		first.typeText(points)
		first.press("Escape")
		first.saved()
	}
	// Time alone is saved as well, without a word of the page. None of the other card may come later.
	run(t, first.ctx, "count requests", do(`(() => {
		const real = window.fetch;
		window.requests = 0;
		window.fetch = (...how) => { window.requests++; return real(...how).finally(() => { window.requests--; }); };
	})()`))
	score(text, "70")
	score(other, "60")
	first.toCard(text)
	run(t, first.ctx, "all requests are answered", Until(`window.requests === 0`))
	second := &marker{annotator: *newAnnotator(t, b, w, nil), login: "ann"}
	second.begin(first.again())
	run(t, second.ctx, "a phone", Look(390, 844, false))
	second.reload()
	score(text, "80")
	const bar = `document.querySelector('.bar').getBoundingClientRect().height`
	high := ask[float64](t, second.ctx, bar)
	second.press("Ctrl+Enter")
	run(t, second.ctx, "the conflict is said", Until(missingLine+`.startsWith('Not submitted:')`))
	name := ask[string](t, second.ctx, `document.querySelector('.card[aria-current] .card-name').textContent.trim().split(' ').at(-1)`)
	if got, want := ask[string](t, second.ctx, missingLine), "Not submitted: "+name+" was changed in another window; the newer version is shown now, look at it and submit again"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := ask[string](t, second.ctx, `document.querySelector('.card[aria-current] .text').textContent + ' ' + document.querySelector('.card[aria-current] .score-number').value`); got != text+" 80" {
		t.Errorf("the card in work shows %q", got)
	}
	if got := ask[float64](t, second.ctx, bar); got != high {
		t.Errorf("the bar grew from %v to %v pixels", high, got)
	}
	if !ask[bool](t, second.ctx, `(() => {
		const line = document.querySelector('#missing'), r = line.getBoundingClientRect();
		return line.scrollHeight <= line.clientHeight + 1 && line.scrollWidth <= line.clientWidth && r.top > 0 && r.bottom <= document.querySelector('#submit').getBoundingClientRect().top;
	})()`) {
		t.Error("a part of the message can't be read")
	}
	// Where time is saved first, the page meets the newer version before it submits.
	score(text, "90")
	run(t, second.ctx, "time goes on", do(`(() => { const real = performance.now.bind(performance); performance.now = () => real() + 20_000; })()`))
	second.press("Ctrl+Enter")
	run(t, second.ctx, "the newer version is shown", Until(`document.querySelector('.card[aria-current] .score-number').value === '90' && `+missingLine+`.endsWith('submit again')`))
	second.saveTime(id, text)
	if second.submit() {
		t.Error("there was only one segment")
	}
	if got := first.stored(id, text).Scores["score"]; got != 90 {
		t.Errorf("stored %v", got)
	}
}

// TestUndoInOpenList: an open list has all keys for itself. Undoing what is typed there
// takes no mark away.
func TestUndoInOpenList(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "mqm", text)
	m.toCard(text)
	m.press("Enter M c")
	for _, typed := range []string{"", "mis"} {
		m.typeText(typed)
		m.press("Ctrl+z Ctrl+z")
		if got := ask[string](t, m.ctx, `document.querySelectorAll('.card[aria-current] .mark-entry').length + ' ' + !!document.querySelector('.picker') + ' ' + document.activeElement.matches('.picker input')`); got != "1 true true" {
			t.Errorf("after undoing %q in the list: %s", typed, got)
		}
	}
	m.press("Escape Ctrl+z Ctrl+z")
	if got := len(m.shown(protocol.Target)); got != 0 {
		t.Errorf("%d marks are left after both steps are undone", got)
	}
}

// TestListTakesAllKeys: digits and letters are for the list that is open, also where
// the focus is elsewhere, as after a finger has marked the words.
func TestListTakesAllKeys(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "rate", text)
	id := m.assignment()
	m.toCard(text)
	for _, keys := range []string{"1", "m i s Enter"} { // a severity, and nothing
		m.press("Home Enter c")
		ask[bool](t, m.ctx, `(document.querySelector('.card[aria-current]').focus(), true)`)
		m.press(keys)
		run(t, m.ctx, "a category by "+keys, Until(`document.querySelector('.card[aria-current] .mark-entry').textContent.includes('Mistranslation')`))
		m.saved()
		wantSpans(t, keys, m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "The", protocol.Target, "", "Mistranslation"))
		m.press("x")
	}
}

// TestOneQuestionAtATime: while the list of categories is open it takes the digits, and only
// the list has the colour of what is asked for. Once it is shut the severities have both.
func TestOneQuestionAtATime(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "rate", text)
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	id := m.assignment()
	m.toCard(text)
	asked := func(want string) {
		t.Helper()
		if got := ask[string](t, m.ctx, `(() => {
			const colour = Object.assign(document.createElement('i'), { style: 'background: var(--warn-tint)' });
			document.body.append(colour);
			const asked = getComputedStyle(colour).backgroundColor;
			colour.remove();
			return ['.mark-grades', '.picker-head'].filter((s) => { const e = document.querySelector('#mark-bar ' + s); return e && getComputedStyle(e).backgroundColor === asked; }).join();
		})()`); got != want {
			t.Errorf("asked for by its colour is %q, want %q", got, want)
		}
	}
	m.drag(protocol.Target, "ferry")
	run(t, m.ctx, "the list", Until(`!!document.querySelector('#mark-bar .picker')`))
	asked(".picker-head")
	m.press("3")
	run(t, m.ctx, "the list is shut", Until(`!document.querySelector('#mark-bar .picker')`))
	asked(".mark-grades")
	m.press("3")
	asked("")
	m.saved()
	wantSpans(t, "digits", m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "ferry", protocol.Target, "3", "Overtranslation"))
}

// TestFocusAfterSeverity: a click on a severity leaves the focus in the card, where the
// keys that follow are heard.
func TestFocusAfterSeverity(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	id := m.assignment()
	m.toCard(text)
	m.drag(protocol.Target, "ferry")
	m.clickOn(`#mark-bar [data-grade=major]`)
	m.saved()
	if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Severity != "major" {
		t.Fatalf("stored %+v", got)
	}
	if got := ask[string](t, m.ctx, `document.activeElement.closest('.card[aria-current]') ? 'the card' : document.activeElement.tagName`); got != "the card" {
		t.Errorf("after the click the focus is in %s", got)
	}
	m.press("m")
	m.saved()
	if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Severity != "minor" {
		t.Errorf("a key after the click: stored %+v", got)
	}
}

// TestNextWordsAreFree marks an error in the middle of a text and says what it is, as
// somebody who reads on does: nothing lies over the words that follow it, at any width.
func TestNextWordsAreFree(t *testing.T) {
	text := strings.Repeat("It leaves the harbour at nine and nobody knows why. ", 14) + "Midway it turns. " +
		strings.Repeat("The passengers look at the water and wait. ", 14)
	for protocol, widths := range map[string][]int64{"esa": {1440}, "mqm": {1440, 1024, 390}, "rate": {390}} {
		m := newMarkerOn(t, protocol, "", two("s1", "Die alte Fähre.", text, "Another one."))
		for _, width := range widths {
			// A page that is loaded again would go back to its place at some moment, even during the drag.
			run(t, m.ctx, "a window", Look(width, 900, false), do("history.scrollRestoration = 'manual'"))
			m.reload()
			if n := ask[int](t, m.ctx, `document.querySelectorAll('.card mark').length`); n != 0 {
				t.Fatalf("%s at %d px: the page has %d marks that were undone before it was loaded", protocol, width, n)
			}
			m.toCard(text)
			_, top, _, _ := m.box("target", "Midway")
			ask[bool](t, m.ctx, `(async () => {
				scrollBy({ top: `+fmt.Sprint(top)+` - 0.6 * innerHeight, behavior: 'instant' });
				for (let still = 0, y = NaN; still < 4; still = scrollY === y ? still + 1 : 0, y = scrollY) await new Promise(requestAnimationFrame);
				return true;
			})()`, chromedp.EvalAwaitPromise)
			m.drag("target", "Midway")
			run(t, m.ctx, "wait for the mark", Until(`document.querySelector('.card[aria-current] mark.lit') !== null`))
			if protocol != "esa" {
				run(t, m.ctx, "wait for its categories", Until(`document.querySelector('#picker-1')?.getClientRects().length > 0`))
				m.clickOn("#picker-1")
			}
			m.clickOn(`#mark-bar [data-grade]`)
			// Every character from the mark on that is in view and above the foot of the page.
			if covered := ask[string](t, m.ctx, `(() => {
				const on = document.querySelector('.card[aria-current] [data-side=target]');
				const foot = document.querySelector('.bar').getBoundingClientRect().top;
				const after = document.querySelector('.card[aria-current] mark.lit');
				const walk = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
				let covered = '', seen = 0;
				for (let n = walk.nextNode(); n; n = walk.nextNode()) {
					if (!(after.compareDocumentPosition(n) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY))) continue;
					for (let i = 0; i < n.nodeValue.length; i++) {
						const r = new Range();
						r.setStart(n, i);
						r.setEnd(n, i + 1);
						const b = r.getBoundingClientRect();
						if (!b.width || b.bottom > foot) continue;
						seen++;
						const over = document.elementFromPoint((b.left + b.right) / 2, (b.top + b.bottom) / 2);
						if (!on.contains(over) && !over?.matches('.handle')) covered += n.nodeValue[i];
					}
				}
				const bar = document.querySelector('#mark-bar').getBoundingClientRect();
				return seen < 40 ? 'only ' + seen + ' characters are in view' : bar.height < 20 ? 'there is no bar' : covered;
			})()`); covered != "" {
				t.Errorf("%s at %d px: covered: %s", protocol, width, covered)
			}
			m.press("Escape Ctrl+z Ctrl+z Ctrl+z")
			run(t, m.ctx, "wait until the mark is undone", Until(`document.querySelector('.card[aria-current] mark') === null`))
		}
	}
}
