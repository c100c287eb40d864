package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// watchShifts records where each text stands when a pointer goes down, and each text
// that stands elsewhere before the pointer has been lifted.
const watchShifts = `(() => {
	window.shifts = [];
	let stood = null;
	const presses = [];
	const places = () => [...document.querySelectorAll('.card .text, #current')].map((e) => { const r = e.getBoundingClientRect(); return [r.left, r.top + scrollY, r.width, r.height].map(Math.round).join(); });
	addEventListener('pointerdown', (e) => { stood = places(); presses.push([e.timeStamp, Infinity]); }, true);
	const look = (what) => { if (stood) places().forEach((p, i) => { if (p !== stood[i]) shifts.push(what + ' ' + i + ': ' + stood[i] + ' -> ' + p); }); };
	addEventListener('pointermove', () => look('move'), true);
	addEventListener('pointerup', (e) => { look('up'); stood = null; presses.at(-1)[1] = e.timeStamp; }, true);
	// What has an empty place before was not in view: an entry of a long list of marks that the browser had not laid out. The line that says
	// how saving goes is flush right, so its text begins elsewhere with other words.
	const seen = (e) => e.sources.some(({ node, previousRect: r }) => r.width > 0 && r.height > 0 && node?.parentNode?.id !== 'saved-text');
	new PerformanceObserver((list) => { for (const e of list.getEntries()) if (seen(e) && presses.some(([down, up]) => down < e.startTime && e.startTime < up)) shifts.push('layout shift of ' + e.value + ': ' + e.sources.map(({ node, previousRect: a, currentRect: b }) => [node?.nodeName, node?.className, a.x, a.y, a.width, a.height, '->', b.x, b.y, b.width, b.height].join(' ')).join('; ')); }).observe({ type: 'layout-shift' });
	return true;
})()`

// TestLongListStandsStill scrolls past a list of marks that the browser lays out only
// where it is in view: nothing below it moves, also after the window became narrower.
func TestLongListStandsStill(t *testing.T) {
	h := heavy{"", 2, 800, 60, "Die alte Fähre."}
	m := newMarkerOn(t, "esa", "", h.segment())
	m.fill(h) // some marks are so long that their entries have several lines
	run(t, m.ctx, "a desk", Look(1440, 900, false))
	m.reload()
	for _, width := range []int64{1440, 390} {
		run(t, m.ctx, "a window", Look(width, 800, false))
		// The browser skips what it has laid out and is out of view.
		run(t, m.ctx, "skipped entries", Until(`document.querySelectorAll('.card-marks > .settled').length === 120 &&
			[...document.querySelectorAll('.mark-n')].some((n) => !n.checkVisibility({ contentVisibilityAuto: true }))`))
		if moved := ask[string](t, m.ctx, `(() => {
			const rows = () => [...document.querySelectorAll('.card-marks > li')].map((e) => e.getBoundingClientRect().height);
			const skipped = rows();
			for (const e of document.querySelectorAll('.card-marks > li')) e.classList.remove('settled');
			return rows().map((h, n) => h === skipped[n] ? '' : n + ': ' + skipped[n] + ' -> ' + h).filter(Boolean).join(', ');
		})()`); moved != "" {
			t.Errorf("at %d px entries have another height in view: %s", width, moved)
		}
	}
}

// TestChangedEntryStandsStill changes an entry of a list that is out of view in the
// frame in which the browser begins to skip it: it has the height that it has in view.
func TestChangedEntryStandsStill(t *testing.T) {
	text := strings.Repeat("The old ferry leaves the harbour at nine. ", 60)
	m := newMarkerOf(t, "esa", text)
	run(t, m.ctx, "a phone's width", Look(390, 800, false))
	m.reload()
	m.toCard(text)
	m.press("Home " + repeat(5, "Ctrl+Shift+ArrowRight"))
	got := ask[[]float64](t, m.ctx, `new Promise((done) => {
		const key = (key, code) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
		const entry = () => document.querySelector('.card[aria-current] .card-marks > li');
		const height = () => entry().getBoundingClientRect().height;
		const frames = (n, go) => (n ? requestAnimationFrame(() => frames(n - 1, go)) : go());
		let first;
		frames(1, () => {
			first = height(); // it says that it needs a severity
			requestAnimationFrame(() => {
				key('M', 'KeyM');
				frames(6, () => {
					const skipped = height();
					entry().classList.remove('settled');
					done([first, skipped, height()]);
				});
			});
		});
		key('Enter', 'Enter');
	})`, chromedp.EvalAwaitPromise)
	if got[0] == got[2] {
		t.Fatalf("the entry is %v pixels high whatever it says", got[0])
	}
	if got[1] != got[2] {
		t.Errorf("the entry is %v pixels high out of view and %v in view", got[1], got[2])
	}
}

// TestSeamsMoveNothing holds long texts as they are drawn, with their seams, against the
// same texts as plain words, in every script: each character stands where it stood.
func TestSeamsMoveNothing(t *testing.T) {
	b := browser(t)
	random := rand.New(rand.NewPCG(7, 7))
	for _, langs := range [][]string{{"en", "zh", "th", "hi"}, {"ar", "he"}} {
		w := newWorldOf(t, "esa", "de", langs[0])
		s := campaign.Segment{DocID: "d", SegmentID: "s", Domain: "test", Source: "Die alte Fähre."}
		for i, lang := range langs {
			s.Translations = append(s.Translations, campaign.Translation{System: lang, Text: hostile(random, lang, i, 1500)})
		}
		w.importSegments(s)
		m := newMarker(t, b, w, "ann")
		run(t, m.ctx, "a window", Look(390, 900, false))
		m.reload()
		if moved := ask[[]string](t, m.ctx, `(() => {
				let seams = 0;
				const out = [];
				// Where the lines of a text begin, and how far each reaches.
				const lines = (on) => {
					const all = new Map();
					const r = new Range();
					const walk = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
					let from = 0;
					for (let n = walk.nextNode(); n; n = walk.nextNode()) {
						for (const { segment, index } of new Intl.Segmenter().segment(n.nodeValue)) {
							r.setStart(n, index);
							r.setEnd(n, index + segment.length);
							const b = r.getBoundingClientRect();
							const line = Math.round(b.top - on.getBoundingClientRect().top);
							if (b.width) all.set(line, [Math.min(all.get(line)?.[0] ?? Infinity, from + index), Math.max(all.get(line)?.[1] ?? 0, b.right), Math.min(all.get(line)?.[2] ?? Infinity, b.left)]);
						}
						from += n.nodeValue.length;
					}
					return [...all].map(([top, [first, right, left]]) => [top, first, right, left]);
				};
				for (const on of document.querySelectorAll('.card-text')) {
					seams += on.querySelectorAll('wbr').length;
					const drawn = lines(on);
					const plain = on.cloneNode();
					plain.textContent = on.textContent;
					on.replaceWith(plain);
					lines(plain).forEach((line, i) => {
						// A blank at a seam is as wide as without the letters around it.
						if (line.some((x, k) => !(Math.abs(x - drawn[i]?.[k]) < (k < 2 ? 0.1 : 1.5)))) out.push(plain.textContent.slice(0, 20) + ' line ' + i + ': ' + line + ' -> ' + drawn[i]);
					});
				}
				if (!seams) out.push('there is no seam');
				return out;
			})()`); len(moved) > 0 {
			t.Errorf("%v: %d lines are other than without seams (top, first character, right, left): %s", langs, len(moved), moved[0])
		}
	}
}

// TestMarksCardAfterCard marks words by mouse in card after card, as somebody who
// never closes what the last mark has opened does: each mark is over the words pointed at,
// and no text moves while the button is down or between two clicks.
func TestMarksCardAfterCard(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "s", Domain: "test", Source: "Die alte Fähre."}
	for i := range 5 {
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprint("S", i), Text: fmt.Sprintf("The old ferry number %d leaves the harbour.\nNobody aboard knows when they arrive.", i)})
	}
	m := newMarkerOn(t, "esa", "", s)
	run(t, m.ctx, "a desk", Look(1440, 900, false))
	m.opt("usual/esa=minor fold-done=on spaces=on text-size=115 side-by-side=on")
	m.reload()
	for i := range 5 { // each card that is left is done, and folds
		m.toPlace(i)
		m.press("a")
		m.typeText("70")
		m.press("Escape")
	}
	ask[bool](t, m.ctx, watchShifts)
	folds := 0
	// place is where words of a card stand, once it is in view; nothing if something lies over them.
	// A bar goes along with its mark in the frame after the page is scrolled.
	place := func(card int, words string) string {
		return fmt.Sprintf(`(document.querySelectorAll('.card [data-side]')[%[1]d].scrollIntoView({ block: 'nearest' }),
		new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
			const on = document.querySelectorAll('.card [data-side]')[%[1]d];
			const start = on.textContent.indexOf(%[2]s), end = start + %[3]d;
			const place = (unit) => {
				const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
				for (let n = all.nextNode(); n; n = all.nextNode()) {
					if (unit < n.nodeValue.length) { const r = new Range(); r.setStart(n, unit); r.setEnd(n, unit + 1); return r.getBoundingClientRect(); }
					unit -= n.nodeValue.length;
				}
			};
			const a = place(start), b = place(end - 1);
			const free = (x, y) => on.contains(document.elementFromPoint(x, y));
			const y = (a.top + a.bottom) / 2;
			return free(a.left + 1, y) && free(b.right - 1, y) ? [a.left, y, b.right] : [];
		}))`, card, quoted(words), len(words))
	}
	box := func(card int, words string) []float64 {
		t.Helper()
		return ask[[]float64](t, m.ctx, place(card, words), chromedp.EvalAwaitPromise)
	}
	// free waits until nothing lies over the words: the card before may fold meanwhile.
	free := func(card int, words string) []float64 {
		t.Helper()
		run(t, m.ctx, "nothing lies over "+words, Until(place(card, words)+`.then((at) => at.length > 0)`))
		return box(card, words)
	}
	pairs := []string{"old ferry", "number", "leaves the", "aboard knows"}
	marked := map[int][]string{}
	const marks = 12 // no words twice
	for n := range marks {
		card, words := (n*3)%5, pairs[n%4]
		if slices.Contains(m.folded(), card) {
			folds++
			m.clickOn(fmt.Sprintf("#card-%d .card-line", card))
		}
		at := box(card, words)
		if len(at) == 0 {
			m.press("Escape Escape") // covered by the bar of the mark before, as anyone sees
			at = free(card, words)
		}
		if n%2 == 0 {
			run(t, m.ctx, "drag", drag(at[0]+1, at[1], at[2]-1, at[1]))
		} else {
			run(t, m.ctx, "two clicks", chromedp.MouseClickXY(at[0]+3, at[1]))
			at := free(card, words)
			run(t, m.ctx, "second click", chromedp.MouseClickXY(at[2]-3, at[1]))
		}
		marked[card] = append(marked[card], words)
	}
	m.saved()
	for i, c := range m.ratings(m.assignment()) {
		var want []protocol.ErrorSpan
		for _, words := range marked[i] {
			want = append(want, at(c.Text, words, protocol.Target, "minor", ""))
		}
		wantSpans(t, fmt.Sprint("card ", i), c.Rating.Spans, protocol.Texts{Source: s.Source, Translation: c.Text}, want...)
	}
	if got := ask[[]string](t, m.ctx, `shifts`); len(got) > 0 {
		t.Errorf("moved under the pointer: %q", got)
	}
	if folds == 0 {
		t.Error("no card was folded")
	}
}

// TestSavedLineMovesNothing checks that everything else keeps its place whatever the page says about saving,
// even if the words are so long that they scroll.
func TestSavedLineMovesNothing(t *testing.T) {
	m := newMarkerOf(t, "mqm", "The old ferry leaves the harbour at nine.")
	const places = `[...document.querySelectorAll('.strip, .strip > :not(#saved), .strip-where > *, .source-head > *, #current, .card-text')].map((e) => { const r = e.getBoundingClientRect(); return [e.className, r.left, r.top, r.width, r.height].join(' '); }).join('\n')`
	for _, width := range []int64{1440, 1280, 1024} {
		run(t, m.ctx, "a window with scroll bars", Look(width, 800, false), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: false})
			return err
		}))
		m.reload()
		stood := ask[string](t, m.ctx, places)
		for _, says := range []string{"saving…", "saved 14:18 UTC, not submitted again", "not found for this sign-in, 12 changes kept"} {
			ask[bool](t, m.ctx, fmt.Sprintf(`(document.querySelector('#saved').dataset.state = 'saved', document.querySelector('#saved-text').textContent = %q, true)`, says))
			if got := ask[string](t, m.ctx, places); got != stood {
				t.Errorf("at %d px %q moves\n%s\nto\n%s", width, says, stood, got)
			}
		}
		ask[bool](t, m.ctx, `(document.body.append(Object.assign(document.createElement('div'), { style: 'position: absolute; top: 0; width: 1px; height: 3000px' })), true)`)
		if got := ask[string](t, m.ctx, places); got != stood {
			t.Errorf("at %d px a scroll bar moves\n%s\nto\n%s", width, stood, got)
		}
	}
}
