package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// phone makes the window that of a phone, with a finger in place of a mouse.
func (m *marker) phone() {
	t := m.w.t
	t.Helper()
	points := int64(1)
	run(t, m.ctx, "a phone", Look(390, 844, false), chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: points})
		return err
	}))
	m.reload()
}

// finger puts a finger down at the first place, lets it rest until an expression is
// true, takes it to the others, and lifts it.
func (m *marker) finger(rest string, at ...[2]float64) {
	t := m.w.t
	t.Helper()
	do := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
		if points == nil {
			points = []*input.TouchPoint{} // none is not null
		}
		return chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
			_, err := cdp.Call(ctx, tg, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		})
	}
	// In one list of steps: a finger that is down for long rests.
	steps := []chromedp.Action[chromedp.Void]{do(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at[0][0], Y: at[0][1]})}
	if rest != "" {
		steps = append(steps, Until(rest))
	}
	for _, p := range at[1:] {
		steps = append(steps, do(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: p[0], Y: p[1]}))
	}
	run(t, m.ctx, strings.TrimSpace("a finger "+rest), append(steps, do(input.DispatchTouchEventTypeTouchEnd))...)
	m.events++
}

// previewed is true while something is about to be marked.
const previewed = `CSS.highlights.size > 0`

// TestTouch marks on a phone: by a long press, by a long press that is drawn on, by
// two taps, and by dragging an end. A swipe scrolls and marks nothing.
func TestTouch(t *testing.T) {
	b := browser(t)
	const source = "第一句很长🍜，第二句。"
	const first = "The 🍜 first sentence is very long, the second is short and nobody reads it."
	w := newWorldOf(t, "esa", "zh", "en")
	w.importSegments(two("s1", source, first, "One."))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	m.phone()
	m.toCard(first)
	texts := protocol.Texts{Source: source, Translation: first}
	// middle is where a word stands, once it is in view.
	middle := func(words string) [2]float64 {
		t.Helper()
		ask[bool](t, m.ctx, `(document.querySelector('.card[aria-current] [data-side=target]').scrollIntoView({ block: 'center' }), true)`)
		x1, y1, _, _ := m.box(protocol.Target, words)
		return [2]float64{x1 + 4, y1}
	}

	m.finger(previewed, middle("sentence"))
	m.press("m")
	m.saved()
	want := []protocol.ErrorSpan{at(first, "sentence", protocol.Target, "minor", "")}
	wantSpans(t, "a long press", m.stored(id, first).Spans, texts, want...)
	m.press("Escape")

	m.finger(previewed, middle("second"), middle("is short"), middle("short"))
	m.press("m")
	m.saved()
	want = append(want, at(first, "second is short", protocol.Target, "minor", ""))
	wantSpans(t, "drawn on", m.stored(id, first).Spans, texts, want...)
	m.press("Escape")

	m.finger("", middle("very"))
	run(t, m.ctx, "the first tap is shown", Until(previewed))
	m.finger("", middle("long"))
	m.press("m")
	m.saved()
	want = append(want, at(first, "very long", protocol.Target, "minor", ""))
	wantSpans(t, "two taps", m.stored(id, first).Spans, texts, want...)

	// The end of the mark, which is large enough for a finger.
	handle := ask[[]float64](t, m.ctx, `(() => { const r = [...document.querySelectorAll('.handle')].at(-1).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height - 6, r.width, r.height]; })()`)
	if handle[2] < 24 || handle[3] < 24 {
		t.Errorf("a handle has %v by %v pixels", handle[2], handle[3])
	}
	// drag takes a finger from the end of words to that of others, along with the handle
	// that it is on: the mark ends as far from the finger as it did.
	drag := func(x, y, fromX, fromY, toX, toY float64) {
		t.Helper()
		m.finger("", [2]float64{x, y}, [2]float64{(2*x + toX - fromX) / 2, y + toY - fromY}, [2]float64{x + toX - fromX, y + toY - fromY})
		m.saved()
	}
	_, _, x1, y1 := m.box(protocol.Target, "very long")
	_, _, x2, y2 := m.box(protocol.Target, "very long, the")
	drag(handle[0], handle[1], x1, y1, x2, y2)
	want[2] = at(first, "very long, the", protocol.Target, "minor", "")
	wantSpans(t, "an end dragged", m.stored(id, first).Spans, texts, want...)

	// Of a short mark both ends are under the finger; it takes the nearer one.
	m.press("Escape")
	m.finger(previewed, middle("it."))
	m.press("m")
	m.saved()
	x1, y1, _, _ = m.box(protocol.Target, "it.")
	x2, y2, _, _ = m.box(protocol.Target, "reads it.")
	both := ask[bool](t, m.ctx, fmt.Sprintf(`[...document.querySelectorAll('.handle')].every((h) => { const r = h.getBoundingClientRect(); return r.left <= %[1]v && %[1]v <= r.right; })`, x1+2))
	if !both {
		t.Error("the ends of a short mark do not overlap; the test shows nothing")
	}
	drag(x1+2, handleY(t, m), x1, y1, x2, y2)
	want = append(want, at(first, "reads it", protocol.Target, "minor", ""))
	wantSpans(t, "the nearer end dragged", m.stored(id, first).Spans, texts, want...)

	// A swipe over the text.
	m.press("Escape")
	from := middle("nobody")
	m.finger("", from, [2]float64{from[0], from[1] - 60}, [2]float64{from[0], from[1] - 160})
	if ask[bool](t, m.ctx, previewed+` || document.body.classList.contains('touching')`) {
		t.Error("after a swipe something is about to be marked")
	}
	wantSpans(t, "a swipe", m.stored(id, first).Spans, texts, want...)
	if got := ask[bool](t, m.ctx, `document.documentElement.scrollWidth <= innerWidth`); !got {
		t.Error("the page is wider than the phone")
	}
}

// handleY is where a finger takes the handles of the mark in work.
func handleY(t *testing.T, m *marker) float64 {
	t.Helper()
	return ask[float64](t, m.ctx, `document.querySelector('.handle').getBoundingClientRect().bottom - 6`)
}

// TestSwipeChangesNoScore scrolls with a finger that comes down on a slider: the score
// stays as it is, or stays open. A tap and a finger that moves sideways set it.
func TestSwipeChangesNoScore(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", text, strings.Repeat("Another one. ", 200)))
	id := m.assignment()
	m.phone()
	m.toCard(text)
	const card = `document.querySelector('.card[aria-current]')`
	// slider is the place at a share of the width of the slider, once it is in view and
	// the page stands still.
	slider := func(share float64) [2]float64 {
		t.Helper()
		at := ask[[]float64](t, m.ctx, `(async () => {
			const x = `+card+`.querySelector('[type=range]');
			// A swipe scrolls on for a while, against what is asked of the page.
			for (let still = 0, y = NaN; still < 4; still = scrollY === y ? still + 1 : 0, y = scrollY) {
				x.scrollIntoView({ block: 'center', behavior: 'instant' });
				await new Promise(requestAnimationFrame);
			}
			const r = x.getBoundingClientRect();
			return [r.left, r.width, r.top + r.height / 2];
		})()`, chromedp.EvalAwaitPromise)
		return [2]float64{at[0] + at[1]*share, at[2]}
	}
	swipe := func() {
		t.Helper()
		from := slider(0.7)
		ask[bool](t, m.ctx, `(window.over = false, document.addEventListener('touchend', () => setTimeout(() => { window.over = true; }), { once: true }), true)`)
		m.finger("", from, [2]float64{from[0], from[1] - 30}, [2]float64{from[0], from[1] - 90}, [2]float64{from[0] + 2, from[1] - 140})
		run(t, m.ctx, "the finger is lifted", Until(`window.over`))
	}
	shown := func(want string) {
		t.Helper()
		run(t, m.ctx, "the field shows "+want, Until(card+`.querySelector('.score-number').value === `+quoted(want)+` && `+card+`.querySelector('[type=range]').classList.contains('unset') === `+fmt.Sprint(want == "")))
	}
	stored := func(want any) {
		t.Helper()
		if got := m.stored(id, text).Scores["score"]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("stored %v, want %v", got, want)
		}
	}

	swipe()
	shown("")
	if got := m.stored(id, text).Scores; len(got) != 0 {
		t.Errorf("a swipe stored %v", got)
	}
	m.press("a")
	m.typeText("93")
	swipe() // while the number is being typed
	shown("93")
	m.press("Enter")
	m.saved()
	stored(93)
	m.toCard(text)
	swipe()
	shown("93")
	m.saved()
	stored(93)
	m.reload() // nothing scrolls on from here
	m.toCard(text)
	from := slider(0.5)
	m.finger("", from, [2]float64{from[0] - 20, from[1] + 2}, [2]float64{slider(0)[0] + 1, from[1] + 8})
	shown("0")
	m.saved()
	stored(0)
	m.reload()
	m.toCard(text)
	m.finger("", slider(0.5))
	shown("50")
	m.saved()
	stored(50)
}

// onLongPhone is an annotator with a phone, whose page is many windows high.
func onLongPhone(t *testing.T) *marker {
	t.Helper()
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", "The old ferry sleeps.", strings.Repeat("Another one. ", 200)))
	m.assignment()
	m.phone()
	return m
}

// TestSwipeOnSource scrolls the page with a finger that comes down on the source, which
// lies over the page of a phone and is too short to scroll by itself.
func TestSwipeOnSource(t *testing.T) {
	m := onLongPhone(t)
	from := ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('.source .current').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	x, y := from[0], from[1]
	m.finger("", [2]float64{x, y}, [2]float64{x, y - 30}, [2]float64{x, y - 70}, [2]float64{x, y - 110})
	run(t, m.ctx, "the page scrolls", Until(`scrollY > 0`))
}

// TestMessageInLandscape taps a button that refuses, on a phone that lies on its side: the
// reason is in view, although the foot of the page is not.
func TestMessageInLandscape(t *testing.T) {
	m := onLongPhone(t)
	m.tapOn(`.card[aria-current] [data-gap]`)
	run(t, m.ctx, "the reason speaks of taps", Until(`document.querySelector('#missing').textContent === 'Tap the word after which the punctuation is missing'`))
	run(t, m.ctx, "on its side", Look(844, 390, false))
	m.reload()
	m.tapOn(`.card[aria-current] [data-gap]`)
	run(t, m.ctx, "the reason is in view", Until(`(() => { const e = document.querySelector('#missing'), r = e.getBoundingClientRect();
		return e.matches('.told') && r.top >= 0 && r.bottom <= innerHeight && r.width > 200; })()`))
}

// tapOn taps the middle of what a selector finds.
func (m *marker) tapOn(selector string) {
	t := m.w.t
	t.Helper()
	at := ask[[]float64](t, m.ctx, `(() => { const x = document.querySelector(`+quoted(selector)+`); x.scrollIntoView({ block: 'nearest' });
		const r = x.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	m.finger("", [2]float64{at[0], at[1]})
}

// TestTouchPage works on a phone: what is meant for fingers is large enough, nothing
// brings up the keyboard over a list, a text stays where it is when it is marked, and
// scrolling puts no other card in work.
func TestTouchPage(t *testing.T) {
	const text, other = "The old ferry sleeps.", "A ferry is asleep."
	m := newMarkerOn(t, "mqm", "", two("s1", "Die alte Fähre.", text, other))
	id := m.assignment()
	m.phone()
	m.toCard(text)
	const current = `document.querySelector('.card[aria-current] .card-text').textContent`
	if got := ask[string](t, m.ctx, `document.querySelector('.mark-tip').textContent`); !strings.HasPrefix(got, "Errors: hold a word") {
		t.Errorf("the page teaches a finger: %q", got)
	}

	// The gap below the text of the other card, where a finger scrolls.
	gap := ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('.card:not([aria-current]) .card-sum').getBoundingClientRect(); return [r.left + 20, r.top + 5]; })()`)
	m.finger("", [2]float64{gap[0], gap[1]}, [2]float64{gap[0], gap[1] - 40}, [2]float64{gap[0], gap[1] - 120})
	if got := ask[string](t, m.ctx, current); got != text {
		t.Errorf("scrolling put %q in work", got)
	}
	m.finger("", [2]float64{gap[0], gap[1]})
	run(t, m.ctx, "a tap puts the other card in work", Until(current+` === `+quoted(other)))

	// Two taps on the text of the first card put it in work and mark.
	tap := func(words string) {
		t.Helper()
		at := ask[[]float64](t, m.ctx, `(() => { const on = [...document.querySelectorAll('.card-text')].find((x) => x.textContent === `+quoted(text)+`), r = new Range(), at = on.textContent.indexOf(`+quoted(words)+`);
			const n = document.createTreeWalker(on, NodeFilter.SHOW_TEXT).nextNode(); r.setStart(n, at); r.setEnd(n, at + `+fmt.Sprint(len(words))+`);
			const b = r.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`)
		m.finger("", [2]float64{at[0], at[1]})
	}
	const top = `[...document.querySelectorAll('.card-text')].find((x) => x.textContent === ` + "`" + text + "`" + `).getBoundingClientRect().top`
	before := ask[float64](t, m.ctx, top)
	tap("old")
	run(t, m.ctx, "the first tap is shown", Until(previewed))
	tap("ferry")
	const list = `!!document.querySelector('.picker')`
	run(t, m.ctx, "the list is open", Until(list))
	if got := ask[float64](t, m.ctx, top); got != before {
		t.Errorf("the text moved from %v to %v", before, got)
	}
	const typing = `document.activeElement.matches('input')`
	if ask[bool](t, m.ctx, typing) {
		t.Error("two taps bring up the keyboard")
	}
	small := ask[[]string](t, m.ctx, `[...document.querySelectorAll('.mark-tools .btn, .picker [role=option]')].filter((x) => x.checkVisibility() && x.getBoundingClientRect().height < 36).map((x) => x.textContent)`)
	if len(small) > 0 {
		t.Errorf("too small for a finger: %q", small)
	}
	m.tapOn("#picker-0")
	run(t, m.ctx, "the list is shut", Until(`!`+list))
	m.tapOn("#mark-bar [data-do=category]")
	run(t, m.ctx, "the list is open again", Until(list))
	if ask[bool](t, m.ctx, typing) {
		t.Error("opening the categories brings up the keyboard")
	}
	m.tapOn("#picker-2")
	m.tapOn("#mark-bar [data-grade=minor]")
	m.saved()
	wantSpans(t, "two taps", m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "old ferry", protocol.Target, "minor", "Accuracy/Mistranslation"))
}

// TestBarOnPhone marks one word after the other on a phone, from the first line of the text on:
// the bar of a mark lies over none of the words that follow in its line and the next two. While
// its list is open, Submit is free, and the two take less than six tenths of the window.
func TestBarOnPhone(t *testing.T) {
	const text = "Nobody near the bridge has heard of the ferry that sleeps in the harbour, and the captain, whose hat is red, looks at the water and waits for the passengers until the lights go out over the old town, one after the other, as they always did."
	for _, id := range []string{"rate", "esa"} {
		m := newMarkerOn(t, id, "", two("s1", strings.Repeat("Die alte Fähre schläft. ", 12), text, "Another one."))
		m.phone()
		m.toCard(text)
		ask[bool](t, m.ctx, `(() => { const on = document.querySelector('.card[aria-current] [data-side=target]');
			scrollBy({ top: on.getBoundingClientRect().top - document.querySelector('.source').getBoundingClientRect().bottom - 12, behavior: 'instant' }); return true; })()`)
		for _, words := range []string{"Nobody", "bridge", "harbour"} {
			x, y, _, _ := m.box(protocol.Target, words)
			m.finger(previewed, [2]float64{x + 4, y})
			run(t, m.ctx, "the mark of "+words, Until(`document.querySelector('.card[aria-current] mark.lit')?.textContent === `+quoted(words)))
			if id != "esa" {
				run(t, m.ctx, "the list", Until(`!!document.querySelector('#mark-bar .picker')`))
				if got := ask[string](t, m.ctx, `(() => {
					const s = document.querySelector('#submit').getBoundingClientRect();
					const [a, b] = ['#mark-bar', '.mark-box'].map((s) => document.querySelector(s).getBoundingClientRect());
					const high = a.height + b.height;
					return (document.elementFromPoint(s.left + s.width / 2, s.top + s.height / 2)?.closest('#submit') ? '' : 'Submit is covered ') + (high < 0.6 * innerHeight ? '' : high + ' px high');
				})()`); got != "" {
					t.Errorf("%s, the list of %q: %s", id, words, got)
				}
				m.useWith(true, "#picker-0")
				run(t, m.ctx, "the list is shut", Until(`!document.querySelector('#mark-bar .picker')`))
			}
			if covered := ask[string](t, m.ctx, `(() => {
				const on = document.querySelector('.card[aria-current] [data-side=target]'), mark = on.querySelector('mark.lit').getBoundingClientRect();
				const r = new Range(), out = [], walk = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
				for (let n = walk.nextNode(); n; n = walk.nextNode()) {
					for (const w of n.nodeValue.matchAll(/\p{L}+/gu)) {
						r.setStart(n, w.index);
						r.setEnd(n, w.index + w[0].length);
						const b = r.getBoundingClientRect();
						if (b.top < mark.top - 4 || (b.top < mark.top + 4 && b.left < mark.right) || b.top > mark.top + 2.5 * mark.height) continue;
						const over = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
						if (!on.contains(over) && !over?.matches('.handle')) out.push(w[0]);
					}
				}
				return out.join(' ');
			})()`); covered != "" {
				t.Errorf("%s, after %q the bar covers %q", id, words, covered)
			}
		}
	}
}

// TestFootOfPhone: on a phone the foot of the page, which stays in view, says how saving
// goes and has room for both undo and redo; and the first of two taps says what it waits for
// without moving anything.
func TestFootOfPhone(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", text, strings.Repeat("Another one. ", 120)))
	m.phone()
	m.toCard(text)
	stands := `JSON.stringify([...document.querySelectorAll('.card-text')].map((e) => Math.round(e.getBoundingClientRect().top + scrollY)))`
	before := ask[string](t, m.ctx, stands)
	x, y, _, _ := m.box(protocol.Target, "old")
	m.finger("", [2]float64{x + 6, y})
	run(t, m.ctx, "what is waited for", Until(`document.querySelector('.card[aria-current] .card-sum').textContent.endsWith('Now tap the last word')`))
	if got := ask[string](t, m.ctx, stands); got != before {
		t.Errorf("the texts moved from %s to %s", before, got)
	}
	x, y, _, _ = m.box(protocol.Target, "ferry")
	m.finger("", [2]float64{x + 6, y})
	run(t, m.ctx, "nothing is waited for", Until(`!document.querySelector('.mark-waits') && document.querySelectorAll('mark').length === 1`))
	ask[bool](t, m.ctx, `(scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }), true)`)
	m.saved()
	run(t, m.ctx, "it is saved", Until(`document.querySelector('#saved-short').textContent === '✓ saved'`))
	if got := ask[string](t, m.ctx, `['#saved-short', '#undo', '#redo', '#report', '#submit'].filter((s) => { const r = document.querySelector(s).getBoundingClientRect();
		return !r.width || r.left < 0 || r.right > innerWidth || r.top < 0 || r.bottom > innerHeight; }).join()`); got != "" {
		t.Errorf("not in view: %s", got)
	}
	m.tapOn("#undo")
	run(t, m.ctx, "undone", Until(`!document.querySelector('mark')`))
	m.tapOn("#redo")
	run(t, m.ctx, "done again", Until(`!!document.querySelector('mark')`))
}

// TestNamesOfLevels clicks and taps the name of a band below a slider, and that of an
// anchor: the score is the middle of the band, or the anchor's value. Each band is as wide
// as its values, and no name is printed over another, in any window.
func TestNamesOfLevels(t *testing.T) {
	const text = "The old ferry sleeps."
	for _, c := range []struct {
		protocol, score string
		name            int
		want            float64
	}{{"rate", "accuracy", 3, 80}, {"esa", "score", 2, 66}} {
		m := newMarkerOn(t, c.protocol, "", two("s1", "Die alte Fähre.", text, "Another one."))
		for _, win := range windows[1:3] {
			m.window(win.width, win.height, win.finger)
			m.toCard(text)
			name := fmt.Sprintf(".card[aria-current] .slider-levels span:nth-child(%d)", c.name+1)
			ask[bool](t, m.ctx, `(document.querySelector(`+quoted(name)+`).scrollIntoView({ block: 'center', behavior: 'instant' }), true)`)
			if got := ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card[aria-current] .slider-levels')].flatMap((box) => {
				const items = [...box.children], words = items.map((e) => { const r = new Range(); r.selectNodeContents(e); return [...r.getClientRects()]; }), out = [];
				words.forEach((a, i) => words.slice(i + 1).forEach((b, k) => { if (a.some((x) => b.some((y) => x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 1 && y.top < x.bottom - 1))) out.push(items[i].textContent + ' over ' + items[i + k + 1].textContent); }));
				if (box.matches('.bands')) {
					const wide = items.map((e) => e.getBoundingClientRect().width / Number(getComputedStyle(e).flexGrow));
					if (Math.max(...wide) > 1.1 * Math.min(...wide)) out.push('pixels for each value: ' + wide.map((x) => x.toFixed(1)));
				}
				return out;
			})`); len(got) > 0 {
				t.Errorf("%s at %d by %d: %q", c.protocol, win.width, win.height, got)
			}
			m.useWith(win.finger, name)
			run(t, m.ctx, "the score", Until(fmt.Sprintf(`document.querySelector('.card[aria-current] [type=number]').value === '%v'`, c.want)))
			m.saved()
			if got := m.stored(m.assignment(), text).Scores[c.score]; got != c.want {
				t.Errorf("%s at %d px: stored %v, want %v", c.protocol, win.width, got, c.want)
			}
			m.press("Escape Ctrl+z")
			m.saved()
		}
	}
}

// TestTapReplacesScore taps a field that has a score: what is typed replaces it.
func TestTapReplacesScore(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	id := m.assignment()
	m.phone()
	m.toCard(text)
	for _, score := range []string{"49", "95"} {
		m.tapOn(".card[aria-current] .score-number")
		m.typeText(score)
		m.press("Escape")
	}
	m.saved()
	if got := m.stored(id, text).Scores["score"]; got != 95 {
		t.Errorf("stored %v", got)
	}
}

// TestCommentAboveBar opens a comment whose place is under the bar: the page scrolls as
// far as needed to show all of its field.
func TestCommentAboveBar(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", text, strings.Repeat("Another one. ", 80)))
	m.phone()
	m.toCard(text)
	const card, bar = `document.querySelector('.card[aria-current]')`, `document.querySelector('.bar').getBoundingClientRect().top`
	at := ask[[]float64](t, m.ctx, `(() => { const x = `+card+`.querySelector('[data-comment]'), r = () => x.getBoundingClientRect();
		document.querySelector('.cards').style.marginBlock = '600px';
		scrollBy({ top: r().bottom + 4 - `+bar+`, behavior: 'instant' }); return [r().left + 10, r().top + 10]; })()`)
	m.finger("", [2]float64{at[0], at[1]})
	run(t, m.ctx, "the field has the focus", Until(`document.activeElement === `+card+`.querySelector('textarea')`))
	if ends, begins := ask[float64](t, m.ctx, `document.activeElement.getBoundingClientRect().bottom`), ask[float64](t, m.ctx, bar); ends > begins {
		t.Errorf("the field ends at %v, the bar begins at %v", ends, begins)
	}
}
