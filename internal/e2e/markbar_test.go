package e2e

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// window sets the size of the window, with a finger in place of a mouse or without.
func (m *marker) window(width, height int64, finger bool) {
	t := m.w.t
	t.Helper()
	points := int64(1)
	run(t, m.ctx, "the window", Look(width, height, false), chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: finger, MaxTouchPoints: points})
		return err
	}))
	m.reload()
}

// markWith marks words with the mouse, or with a finger that rests on the first of them
// and goes on to the last.
func (m *marker) markWith(finger bool, side protocol.Side, words string) {
	m.w.t.Helper()
	if !finger {
		m.drag(side, words)
		return
	}
	x1, y1, x2, y2 := m.box(side, words)
	m.finger(previewed, [2]float64{x1 + 4, y1}, [2]float64{x2 - 4, y2})
}

// useWith clicks or taps what a selector finds, without scrolling.
func (m *marker) useWith(finger bool, selector string) {
	m.w.t.Helper()
	if !finger {
		m.clickOn(selector)
		return
	}
	at := ask[[2]float64](m.w.t, m.ctx, `(() => { const r = document.querySelector(`+quoted(selector)+`).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	m.finger("", at)
}

// windows are those of a desk, a narrow desk, a phone, and a phone that lies on its side.
var windows = []struct {
	width, height int64
	finger        bool
}{{1440, 900, false}, {1024, 768, false}, {390, 844, true}, {844, 390, true}}

// TestSourceMarkLeavesCardsFree marks an omission in the source and says what it is:
// where the source stands beside the cards no word of a card is ever covered, and where
// it stands above them the first line of the card is free.
func TestSourceMarkLeavesCardsFree(t *testing.T) {
	const text = "The old ferry leaves the harbour at nine and nobody aboard knows when."
	m := newMarkerOn(t, "mqm", "", two("s1", "Die alte Fähre verlässt um neun den Hafen.", text, text+" Or so."))
	for _, win := range windows {
		m.window(win.width, win.height, win.finger)
		m.toCard(text)
		ask[bool](t, m.ctx, `(scrollTo({ top: 0, behavior: 'instant' }), true)`)
		covered := func(when string) {
			t.Helper()
			if got := ask[string](t, m.ctx, `(() => {
				const bar = document.querySelector('#mark-bar'), beside = document.querySelector('#source').offsetWidth < innerWidth * 0.8;
				if (!bar.checkVisibility()) return 'there is no bar';
				const box = bar.lastElementChild;
				const over = [bar, ...(box.hidden ? [] : [box])].map((x) => x.getBoundingClientRect());
				const texts = [...document.querySelectorAll('.card-text')].flatMap((on) => { const r = new Range(); r.selectNodeContents(on); return [...r.getClientRects()].slice(0, beside ? Infinity : 1); });
				return texts.slice(0, beside ? Infinity : 1).some((t) => over.some((o) => o.left < t.right && t.left < o.right && o.top < t.bottom && t.top < o.bottom)) ? 'covered' : '';
			})()`); got != "" {
				t.Errorf("%d by %d px, %s: %s", win.width, win.height, when, got)
			}
		}
		m.markWith(win.finger, protocol.Source, "alte Fähre")
		run(t, m.ctx, "the list", Until(`!!document.querySelector('.picker')`))
		if win.width > 760 {
			covered("with the list")
		}
		m.useWith(win.finger, ".picker-shut")
		run(t, m.ctx, "the list is shut", Until(`!document.querySelector('.picker')`))
		covered("with the buttons")
		m.press("Escape Ctrl+z")
		m.saved()
	}
}

// tools is where each button of the bar that can be seen stands, and its size.
const tools = `Object.fromEntries([...document.querySelectorAll('.mark-tools button')].filter((b) => b.checkVisibility({ visibilityProperty: true }))
	.map((b) => { const r = b.getBoundingClientRect(); return [b.dataset.grade ?? b.dataset.do, [r.left, r.top, r.width, r.height]]; }))`

// TestBarStands: the buttons of the bar stay where they were when it was opened, while the
// list opens and closes and while category and severity are chosen, wherever the words
// stand in the window.
func TestBarStands(t *testing.T) {
	text := strings.Repeat("It leaves the harbour at nine and nobody knows why. ", 8) + "Midway it turns. " + strings.Repeat("They look at the water and wait. ", 8) + "Finally it arrives."
	for _, id := range []string{"mqm", "rate"} {
		t.Run(id, func(t *testing.T) {
			m := newMarkerOn(t, id, "", two("s1", "Die alte Fähre.", text, "Another one."))
			for i, win := range windows {
				if (i%2 == 0) != (id == "mqm") {
					continue // half of the windows each
				}
				m.window(win.width, win.height, win.finger)
				for _, words := range []string{"It leaves", "Finally"} {
					m.toCard(text)
					_, top, _, _ := m.box(protocol.Target, words)
					ask[bool](t, m.ctx, `(scrollBy({ top: `+fmt.Sprint(top)+` - 0.55 * innerHeight, behavior: 'instant' }), true)`)
					m.markWith(win.finger, protocol.Target, words)
					run(t, m.ctx, "the list", Until(`!!document.querySelector('.picker')`))
					before := ask[map[string][4]float64](t, m.ctx, tools)
					stands := func(after string) {
						t.Helper()
						for name, is := range ask[map[string][4]float64](t, m.ctx, tools) {
							for k, was := range before[name] {
								if math.Abs(is[k]-was) > 1 { // a button that is down is a pixel lower
									t.Errorf("%d by %d px, %q, after %s the button %s stands at %v, before at %v", win.width, win.height, words, after, name, is, before[name])
									break
								}
							}
						}
					}
					for _, act := range [][2]string{
						{".picker-shut", `!document.querySelector('.picker')`},
						{"#mark-bar [data-do=category]", `!!document.querySelector('.picker')`},
						{"#picker-0", `!document.querySelector('.picker')`},
						{"#mark-bar [data-grade]:last-child", `!!document.querySelector('#mark-bar [data-grade]:last-child[aria-pressed=true]')`},
					} {
						m.useWith(win.finger, act[0])
						run(t, m.ctx, "after "+act[0], Until(act[1]))
						stands(act[0])
					}
					m.press("Escape Escape Ctrl+z Ctrl+z Ctrl+z")
					m.saved()
				}
			}
		})
	}
}

// TestGoingToACardOpensNoBar goes to a card by its letter in the foot of the page: nothing
// lies over its text, and its suggestions wait.
func TestGoingToACardOpensNoBar(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "major", ""))
	m := newMarker(t, b, w, "ann")
	m.phone()
	m.toCard(suggestedOther)
	letter := `[...document.querySelectorAll('.card')].find((c) => c.textContent.includes('fairy')).querySelector('.card-name').textContent.trim().at(-1)`
	at := ask[[2]float64](t, m.ctx, `(() => { const r = [...document.querySelectorAll('#missing a')].find((a) => a.textContent === `+letter+`).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	m.finger("", at)
	run(t, m.ctx, "the card is in work", Until(`document.querySelector('.card[aria-current] .card-text').textContent.includes('fairy')`))
	if ask[bool](t, m.ctx, `!!document.querySelector('#mark-bar')?.checkVisibility()`) {
		t.Error("a bar lies over the text")
	}
}

// TestListHasTheRoom opens the categories on small windows: the list shows many rows, says
// that it goes on, and no longer says so at its end; it covers no word of its mark.
func TestListHasTheRoom(t *testing.T) {
	text := strings.Repeat("It leaves the harbour at nine. ", 6) + "Midway it turns. " + strings.Repeat("They look and wait. ", 6)
	for _, c := range []struct {
		protocol      string
		width, height int64
		rows          int
	}{{"mqm", 390, 844, 9}, {"rate", 195, 422, 3}, {"mqm", 844, 390, 3}} {
		m := newMarkerOn(t, c.protocol, "", two("s1", "Die alte Fähre.", text, "Another one."))
		m.window(c.width, c.height, true)
		m.toCard(text)
		_, top, _, _ := m.box(protocol.Target, "Midway")
		ask[bool](t, m.ctx, `(scrollBy({ top: `+fmt.Sprint(top)+` - 0.55 * innerHeight, behavior: 'instant' }), true)`)
		m.markWith(true, protocol.Target, "Midway")
		run(t, m.ctx, "the list", Until(`!!document.querySelector('.picker')`))
		x1, y1, x2, y2 := m.box(protocol.Target, "Midway")
		const more = `document.querySelector('.picker-more').checkVisibility({ visibilityProperty: true })`
		seen := fmt.Sprintf(`(() => {
			const on = document.querySelector('.card[aria-current] [data-side=target]');
			const free = [[%v + 1, %v], [%v - 1, %v]].every(([x, y]) => on.contains(document.elementFromPoint(x, y)) || document.elementFromPoint(x, y)?.matches('.handle'));
			const rows = [...document.querySelectorAll('.picker [role=option]')].filter((o) => { const r = o.getBoundingClientRect(); return document.elementFromPoint(r.left + 8, r.bottom - 2) === o && document.elementFromPoint(r.left + 8, r.top + 2) === o; }).length;
			return [free ? 1 : 0, rows];
		})()`, x1, y1, x2, y2)
		got := ask[[2]int](t, m.ctx, seen)
		if got[0] != 1 || got[1] < c.rows {
			t.Errorf("%s at %d by %d: words are free: %d, %d rows are seen, want %d", c.protocol, c.width, c.height, got[0], got[1], c.rows)
		}
		const ended = `(() => { const p = document.querySelector('.picker'); return p.scrollTop + p.clientHeight > p.scrollHeight - 2; })()`
		if ask[bool](t, m.ctx, ended) == ask[bool](t, m.ctx, more) {
			t.Errorf("%s at %d by %d: the list says wrongly whether it goes on", c.protocol, c.width, c.height)
		}
		for range 12 {
			if ask[bool](t, m.ctx, ended) {
				break
			}
			from := ask[float64](t, m.ctx, `document.querySelector('.picker').scrollTop`)
			m.useWith(true, ".picker-more")
			run(t, m.ctx, "the list scrolls", Until(fmt.Sprintf(`document.querySelector('.picker').scrollTop > %v`, from)))
		}
		run(t, m.ctx, "the end of the list", Until(ended+` && !`+more))
	}
}

// TestBarOverScoreGoes: a bar that lies over the scores of its card, since there is no room
// above the words, goes once its mark lacks nothing, and comes back with a click on the
// mark.
func TestBarOverScoreGoes(t *testing.T) {
	const text = "The old ferry."
	m := newMarkerOn(t, "rate", "", two("s1", "Die alte Fähre.", text, strings.Repeat("Another one. ", 30)))
	for _, win := range windows[:3] {
		m.window(win.width, win.height, win.finger)
		m.toCard(text)
		ask[bool](t, m.ctx, `(document.querySelectorAll('.card').forEach((c) => { if (!c.matches('[aria-current]')) c.style.order = 1; }), scrollTo({ top: 0, behavior: 'instant' }), true)`)
		const shown = `document.querySelector('#mark-bar').checkVisibility({ visibilityProperty: true })`
		m.markWith(win.finger, protocol.Target, "old")
		run(t, m.ctx, "the list", Until(`!!document.querySelector('.picker')`))
		m.useWith(win.finger, "#picker-0")
		run(t, m.ctx, "the list is shut", Until(`!document.querySelector('.picker')`))
		if !ask[bool](t, m.ctx, shown) {
			t.Fatalf("%d px: the bar goes before the severity is given", win.width)
		}
		m.useWith(win.finger, "#mark-bar [data-grade='3']")
		x, y := 8.0, 300.0
		if !win.finger { // the hand goes on
			run(t, m.ctx, "move on", chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		}
		run(t, m.ctx, "the bar is gone", Until(`!`+shown))
		m.useWith(win.finger, ".card[aria-current] .mark-entry")
		run(t, m.ctx, "the bar is back", Until(shown))
		m.press("Escape Ctrl+z Ctrl+z Ctrl+z")
		m.saved()
	}
}
