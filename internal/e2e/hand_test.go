package e2e

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// TestWheelChangesNoScore turns the wheel over a score that has the focus: the page
// scrolls, and the score stays.
func TestWheelChangesNoScore(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", text, strings.Repeat("Another one. ", 200)))
	run(t, m.ctx, "a small window", Look(1280, 600, false))
	m.toCard(text)
	m.press("a")
	m.typeText("50")
	at := ask[[]float64](t, m.ctx, `(() => { const r = document.activeElement.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2, scrollY]; })()`)
	turn := 30.0
	if ask[bool](t, m.ctx, `scrollY + innerHeight > document.documentElement.scrollHeight - 40`) { // the card is the last one
		turn = -30
	}
	run(t, m.ctx, "wheel", chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at[0], Y: at[1], DeltaX: 0.01, DeltaY: turn})
		return err
	}), Until(fmt.Sprintf(`scrollY !== %v`, at[2])))
	if got := ask[string](t, m.ctx, `document.activeElement.value`); got != "50" {
		t.Errorf("after the wheel the score is %q", got)
	}
	m.saved()
	if got := m.stored(m.assignment(), text).Scores["score"]; got != 50 {
		t.Errorf("saved %v", got)
	}
}

// TestLookingAcceptsNothing opens all that a suggestion has and leaves it again: it
// goes on waiting. A comment that is typed accepts it.
func TestLookingAcceptsNothing(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "rate", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "4", "Mistranslation"))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	id := m.assignment()
	m.toCard(suggestedText)
	m.press("Home Enter 1")
	m.saved()
	for _, look := range []string{"c Escape", "l Escape", "n Escape", "."} {
		m.press("y " + look)
		m.press("Escape Escape")
		m.saved()
		if got := m.outcomes(id); got != "" {
			t.Fatalf("%s decided: %s", look, got)
		}
	}
	m.press("y")
	h := ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('.handle').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	run(t, m.ctx, "touch a handle", chromedp.MouseClickXY(h[0], h[1]))
	m.saved()
	if got := m.outcomes(id); got != "" {
		t.Fatalf("a touched handle decided: %s", got)
	}
	m.press("n")
	m.typeText("no")
	m.press("Escape")
	m.saved()
	if got := m.outcomes(id); got != "1 changed" {
		t.Errorf("a comment decided: %q", got)
	}
	if got := m.stored(id, suggestedText).Spans[1].Comment; got != "no" {
		t.Errorf("the comment is %q", got)
	}
}

// TestLongTextKeepsItsPlace marks in the middle of long texts: nothing scrolls while
// the words are in view, and the caret is found again by the least.
func TestLongTextKeepsItsPlace(t *testing.T) {
	text := strings.Repeat("The old ferry leaves the harbour at nine. ", 240) // 10,080 characters
	m := newMarkerOf(t, "mqm", text)
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	m.toCard(text)
	m.press("Home")
	from := ask[float64](t, m.ctx, `scrollY`)
	m.press("Ctrl+ArrowRight Enter m c 1 3 Ctrl+z Ctrl+z")
	if got := ask[float64](t, m.ctx, `scrollY`); got != from {
		t.Errorf("marking in the first line scrolled from %v to %v", from, got)
	}
	// In the middle, by mouse.
	ask[bool](t, m.ctx, `(scrollTo(0, 2000), true)`)
	at := ask[[]float64](t, m.ctx, `(() => {
		const on = document.querySelector('.card[aria-current] [data-side]');
		const p = document.caretPositionFromPoint(on.getBoundingClientRect().left + 200, 400);
		const r = new Range();
		r.setStart(p.offsetNode, p.offset);
		r.setEnd(p.offsetNode, p.offset + 5);
		const b = r.getClientRects()[0];
		return [b.left, (b.top + b.bottom) / 2, b.right];
	})()`)
	run(t, m.ctx, "drag", drag(at[0]+1, at[1], at[2]-1, at[1]))
	m.press("1 3 M")
	m.saved()
	if got := ask[float64](t, m.ctx, `scrollY`); got != 2000 {
		t.Errorf("marking in the middle scrolled from 2000 to %v", got)
	}
	// Up and down move by a line from a caret that is out of view.
	m.press("Escape")
	before := ask[float64](t, m.ctx, `document.querySelector('.caret').getBoundingClientRect().top + scrollY`)
	ask[bool](t, m.ctx, `(scrollTo(0, 0), true)`)
	m.press("ArrowDown")
	if by := ask[float64](t, m.ctx, `document.querySelector('.caret').getBoundingClientRect().top + scrollY`) - before; by < 15 || by > 50 {
		t.Errorf("a line down moved the caret by %v pixels", by)
	}
}

// TestSlips: a click that is not quite still marks no letter, a third click no second
// mark, and a drag that begins left of the first word marks it.
func TestSlips(t *testing.T) {
	const text = "The old ferry sleeps near the new bridge."
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	id := m.assignment()
	m.toCard(text)
	texts := protocol.Texts{Source: "Die alte Fähre.", Translation: text}
	x, y, _, _ := m.box(protocol.Target, "ferry")
	// Over the middle of a letter, where the point that is nearest changes.
	_, _, end, _ := m.box(protocol.Target, "The old fe")
	_, _, begin, _ := m.box(protocol.Target, "The old f")
	run(t, m.ctx, "a twitch", drag((begin+end)/2-2, y, (begin+end)/2+1, y))
	if got := len(m.shown(protocol.Target)); got != 0 {
		t.Errorf("a twitch left %d marks", got)
	}
	m.press("Escape")
	for n := range 3 {
		run(t, m.ctx, "click", chromedp.MouseClickXY(x+8, y, chromedp.ClickCount(n+1)))
	}
	m.press("m Escape Escape")
	m.saved()
	want := []protocol.ErrorSpan{at(text, "ferry", protocol.Target, "minor", "")}
	wantSpans(t, "three clicks", m.stored(id, text).Spans, texts, want...)
	x1, y1, _, _ := m.box(protocol.Target, "The")
	_, _, x2, _ := m.box(protocol.Target, "old")
	run(t, m.ctx, "from the left", drag(x1-14, y1, x2-1, y1))
	m.press("M")
	m.saved()
	wantSpans(t, "from the left", m.stored(id, text).Spans, texts, append(want, at(text, "The old", protocol.Target, "major", ""))...)
}

// TestCaretFollowsTheHandle drags an end of a mark: the caret stands at the new one.
func TestCaretFollowsTheHandle(t *testing.T) {
	const text = "The old ferry sleeps near the new bridge."
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	m.toCard(text)
	m.drag(protocol.Target, "old ferry")
	h := ask[[]float64](t, m.ctx, `(() => { const r = [...document.querySelectorAll('.handle')].at(-1).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	_, _, x, _ := m.box(protocol.Target, "sleeps")
	run(t, m.ctx, "drag the end", drag(h[0], h[1], x, h[1]))
	m.saved()
	if got := ask[float64](t, m.ctx, `document.querySelector('.caret').getBoundingClientRect().left`); math.Abs(got-x) > 3 {
		t.Errorf("the caret stands at %v, the mark ends at %v", got, x)
	}
}

// TestHandleScrolls drags the end of a mark to the edge of what is in view of a long text
// and waits there: the text scrolls, and the mark grows beyond what was seen.
func TestHandleScrolls(t *testing.T) {
	text := strings.Repeat("The old ferry leaves the harbour at nine. ", 120)
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a low window", Look(1024, 600, false))
	m.toCard(text)
	m.press("Home Enter")
	h := ask[[]float64](t, m.ctx, `(() => { const r = [...document.querySelectorAll('.handle')].at(-1).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2, document.querySelector('.bar').getBoundingClientRect().top - 2]; })()`)
	from := ask[float64](t, m.ctx, `scrollY`)
	run(t, m.ctx, "drag the end to the edge", chromedp.MouseEvent(chromedp.MouseMoved, h[0], h[1]),
		chromedp.MouseEvent(chromedp.MousePressed, h[0], h[1], chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, h[0]+40, h[2], chromedp.ButtonLeft),
		Until(fmt.Sprintf(`scrollY > %v + 200`, from)),
		chromedp.MouseEvent(chromedp.MouseReleased, h[0]+40, h[2], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	m.saved()
	words := m.stored(m.assignment(), text).Spans[0]
	if words.Start != 0 || words.End < 600 {
		t.Errorf("the mark goes from %d to %d", words.Start, words.End)
	}
}

// TestWithoutLetters marks by keyboard with single-key shortcuts off: arrows and Enter
// work, the severity is a button, and letters do nothing.
func TestWithoutLetters(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	id := m.assignment()
	m.toCard(text)
	ask[bool](t, m.ctx, `(document.querySelector('#keys-on').click(), true)`)
	m.press("Ctrl+ArrowRight Enter m x Tab Tab")
	if got := ask[string](t, m.ctx, `document.activeElement.dataset.grade ?? document.activeElement.outerHTML`); got != "major" {
		t.Fatalf("the focus is on %s", got)
	}
	m.press("Enter")
	m.saved()
	wantSpans(t, "marked", m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "old", protocol.Target, "major", ""))
	if got := ask[string](t, m.ctx, `document.activeElement.dataset.grade`); got != "major" {
		t.Error("the focus has left the severity")
	}
}

// TestSourceMarkNamesItsCard: a mark in the source says for which card it is, beside
// the source and in its bar.
func TestSourceMarkNamesItsCard(t *testing.T) {
	m := newMarkerOf(t, "esa", "The old ferry.")
	run(t, m.ctx, "a desk", Look(1280, 800, false))
	m.toCard("Another one.")
	name := m.text(".card[aria-current] .card-name")
	name = name[len(name)-1:]
	m.drag(protocol.Source, "alte")
	if got := m.text("#source-whose") + m.text(".mark-whose"); got != name+"for "+name {
		t.Errorf("card %s: the page says %q", name, got)
	}
	if got := m.text("#announce"); got != "marked “alte” in the source for translation "+name+", no severity yet" {
		t.Errorf("announced %q", got)
	}
}

// TestUsualSeverity: a severity is inherited from no mark before; only one that the
// annotator sets begins a mark, also after a reload.
func TestUsualSeverity(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	id := m.assignment()
	texts := protocol.Texts{Source: "Die alte Fähre.", Translation: text}
	m.toCard(text)
	m.press("Enter M Ctrl+ArrowRight Enter")
	m.saved()
	want := []protocol.ErrorSpan{at(text, "The", protocol.Target, "major", ""), at(text, "old", protocol.Target, "", "")}
	wantSpans(t, "after a major one", m.stored(id, text).Spans, texts, want...)
	m.toCard("Another one.")
	m.press("a")
	m.typeText("70")
	m.press("Escape")
	m.toCard(text)
	m.press("a")
	m.typeText("60")
	m.press("Escape Ctrl+Enter")
	run(t, m.ctx, "the severity is asked for", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent === 'Still needs a severity for “old”'`))
	m.press("m Escape")
	want[1].Severity = "minor"
	ask[bool](t, m.ctx, `((s) => { s.value = 'major'; s.dispatchEvent(new Event('change')); return true; })(document.querySelector('#usual-severity'))`)
	m.reload()
	m.toCard(text)
	m.press("Home " + repeat(2, "Ctrl+ArrowRight") + "Enter")
	m.saved()
	wantSpans(t, "with a usual one", m.stored(id, text).Spans, texts, append(want, at(text, "ferry", protocol.Target, "major", ""))...)
}

// TestSubmitUnderWay: while an answer is awaited nothing can be changed, and one that
// is lost leaves the page open, to be submitted once more.
func TestSubmitUnderWay(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	id := m.assignment()
	for _, card := range []string{text, "Another one."} {
		m.toCard(card)
		m.press("a")
		m.typeText("70")
		m.press("Escape")
	}
	m.saved()
	// The request arrives, but no answer to it.
	ask[bool](t, m.ctx, `(() => {
		const real = window.fetch;
		window.fetch = async (url, init) => {
			if (init?.method !== 'POST') return real(url, init);
			window.answered = await real(url, init).then((r) => r.status);
			await new Promise((go) => { window.lose = go; });
			window.fetch = real;
			throw new TypeError('lost');
		};
		return true;
	})()`)
	m.press("Ctrl+Enter")
	run(t, m.ctx, "the server has it", Until(`window.answered === 200 && !!window.lose`))
	m.press("Enter M a")
	if got := ask[string](t, m.ctx, `document.querySelectorAll('mark').length + ' ' + document.querySelector('#main').inert + ' ' + document.querySelector('#submit').getAttribute('aria-busy')`); got != "0 true true" {
		t.Errorf("while submitting: %s", got)
	}
	ask[bool](t, m.ctx, `(window.lose(), true)`)
	run(t, m.ctx, "the reason", Until(missingLine+`.startsWith('Not submitted: no connection')`))
	if got := ask[string](t, m.ctx, `document.querySelector('#closed').hidden + ' ' + document.querySelector('#main').inert`); got != "true false" {
		t.Errorf("after a lost answer: %s", got)
	}
	if m.submit() {
		t.Error("there was only one segment")
	}
	if got := m.stored(id, text).Scores["score"]; got != 70 {
		t.Errorf("stored %v", got)
	}
}

// TestKeysOfThePane: arrows scroll the source while it has the focus, and a caret that
// moves is read out.
func TestKeysOfThePane(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	m.toCard(text)
	m.press("Home Ctrl+ArrowRight")
	if got := m.text("#announce"); got != "old" {
		t.Errorf("a word further is read out as %q", got)
	}
	m.press("ArrowRight")
	if got := m.text("#announce"); got != "l" {
		t.Errorf("a character further is read out as %q", got)
	}
	const taken = `(() => { const e = new KeyboardEvent('keydown', { key: 'ArrowDown', code: 'ArrowDown', bubbles: true, cancelable: true }); document.querySelector(%q).dispatchEvent(e); return e.defaultPrevented; })()`
	if ask[bool](t, m.ctx, fmt.Sprintf(taken, "#source")) {
		t.Error("an arrow in the source is taken from it")
	}
	if !ask[bool](t, m.ctx, fmt.Sprintf(taken, ".card[aria-current]")) {
		t.Error("an arrow on a card does not move the caret")
	}
	if ask[bool](t, m.ctx, `document.querySelector('#missing').hasAttribute('aria-live')`) {
		t.Error("what is missing is read out twice")
	}
}

// TestUndoByMouse takes a mark that a slip removed back, by buttons. They can't be pressed while there is nothing to
// take back or to do again.
func TestUndoByMouse(t *testing.T) {
	const source, text = "Die alte Fähre.", "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a window in which the bar leaves the list's buttons free", Look(1280, 800, false))
	id := m.assignment()
	m.toCard(text)
	off := func(want string) {
		t.Helper()
		run(t, m.ctx, "buttons "+want, Until(`[...document.querySelectorAll('#undo, #redo')].map((b) => b.disabled).join(' ') === `+quoted(want)))
	}
	off("true true")
	m.drag(protocol.Target, "ferry")
	m.clickOn("#mark-bar [data-grade=major]")
	m.clickOn(".card[aria-current] .mark-away")
	m.saved()
	if got := len(m.shown(protocol.Target)); got != 0 {
		t.Fatalf("%d marks are left", got)
	}
	m.clickOn("#undo")
	m.saved()
	wantSpans(t, "taken back", m.stored(id, text).Spans, protocol.Texts{Source: source, Translation: text}, at(text, "ferry", protocol.Target, "major", ""))
	off("false false")
	m.clickOn("#redo")
	m.saved()
	wantSpans(t, "done again", m.stored(id, text).Spans, protocol.Texts{Source: source, Translation: text})
	off("false true")
	// A comment is one step as soon as its field is left.
	m.clickOn(".card[aria-current] [data-comment]")
	m.typeText("odd")
	m.clickOn("#undo")
	m.saved()
	if got := m.stored(id, text).Comment; got != "" {
		t.Errorf("the comment %q is left", got)
	}
	for range 3 {
		m.clickOn("#undo")
	}
	off("true false")
}

// TestDoubleClick: of a double click on a button the first click counts alone, whatever
// it has brought under the pointer: another severity, another mark's button, a text.
func TestDoubleClick(t *testing.T) {
	b := browser(t)
	const source, text, words = suggestedSource, suggestedText, "go today"
	w := newWorldOf(t, "mqm", "de", "en")
	w.importSegments(two("s1", source, text, suggestedOther))
	w.suggest("x", at(text, "The", protocol.Target, "major", "Fluency/Grammar"))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a desk", Look(1440, 900, false))
	id := m.assignment()
	texts := protocol.Texts{Source: source, Translation: text}
	double := func(selector string) {
		t.Helper()
		at := ask[[]float64](t, m.ctx, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.left + 20, r.top + r.height / 2]; })()`, selector))
		run(t, m.ctx, "first click on "+selector, chromedp.MouseClickXY(at[0], at[1]))
		run(t, m.ctx, "drawn", Until(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`))
		run(t, m.ctx, "second click", chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
		m.saved()
	}
	m.toCard(text)
	x, y, _, _ := m.box(protocol.Target, "The")
	run(t, m.ctx, "pick what is suggested", chromedp.MouseClickXY(x+3, y))
	double("#mark-bar [data-do=accept]")
	accepted := at(text, "The", protocol.Target, "major", "Fluency/Grammar")
	accepted.Suggestion = "1"
	wantSpans(t, "accepted", m.stored(id, text).Spans, texts, accepted)
	if got, want := m.outcomes(id), "1 accepted"; got != want {
		t.Errorf("accepted: %s, want %s", got, want)
	}
	// An entry of the list of categories has other things below it.
	m.drag(protocol.Target, words)
	m.clickOn("#mark-bar [data-grade=minor]")
	double("#picker-2")
	marked := at(text, words, protocol.Target, "minor", "Accuracy/Mistranslation")
	wantSpans(t, "categorised", m.stored(id, text).Spans, texts, accepted, marked)
	m.toCard(text)
	m.press("Escape")
	double(".card[aria-current] .mark-away")
	if got := len(m.shown(protocol.Target)); got != 1 {
		t.Errorf("%d marks are left, want 1", got)
	}
	// The bar lies over the card above or below where its mark is near to it.
	for of, word := range map[string]string{text: "fairy", suggestedOther: "ferry"} {
		m.toCard(of)
		m.drag(protocol.Target, word)
		double("#mark-bar [data-do=remove]")
		if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .card-text').textContent`); got != of {
			t.Errorf("two clicks on Remove in the card of %q put that of %q in work", of, got)
		}
	}
	m.toCard(suggestedOther)
	double(".card[aria-current] [data-none]")
	if !m.stored(id, suggestedOther).NoErrors {
		t.Error("no errors was taken back")
	}
}

// TestClickOnNothing: a click on an empty place closes the bar and its list, forgets the
// first of two clicks and scrolls nothing.
func TestClickOnNothing(t *testing.T) {
	const text = "The old fairy sleeps today."
	m := newMarkerOn(t, "mqm", "", two("s1", "Die alte Fähre schläft.", text, strings.Repeat("Another one. ", 100)))
	run(t, m.ctx, "a desk", Look(1280, 700, false))
	m.toCard(text)
	places := map[string][]float64{
		"below the source": ask[[]float64](t, m.ctx, `[100, innerHeight - 120]`),
		"beside the text":  ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('.card[aria-current] .card-name').getBoundingClientRect(); return [r.left - 6, r.bottom + 2]; })()`),
	}
	for name, at := range places {
		m.drag(protocol.Target, "old fairy")
		run(t, m.ctx, "the list is open", Until(`!!document.querySelector('#mark-bar .picker')`))
		top := ask[float64](t, m.ctx, "scrollY")
		run(t, m.ctx, "click "+name, chromedp.MouseClickXY(at[0], at[1]))
		run(t, m.ctx, name+": the bar is closed", Until(`document.querySelector('#mark-bar').hidden && !document.querySelector('.picker')`))
		if got := ask[float64](t, m.ctx, "scrollY"); got != top {
			t.Errorf("%s: the page scrolled from %v to %v", name, top, got)
		}
		x, y, _, _ := m.box(protocol.Target, "sleeps")
		run(t, m.ctx, "the first of two clicks", chromedp.MouseClickXY(x+4, y))
		run(t, m.ctx, "click "+name, chromedp.MouseClickXY(at[0], at[1]))
		x, y, _, _ = m.box(protocol.Target, "today")
		run(t, m.ctx, "a first click again", chromedp.MouseClickXY(x+4, y))
		run(t, m.ctx, "click "+name, chromedp.MouseClickXY(at[0], at[1]))
		if got := m.shown(protocol.Target); len(got) != 1 {
			t.Errorf("%s: two clicks that were let go marked %v", name, got)
		}
	}
}
