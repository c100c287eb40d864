package e2e

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// TestTextSizeAndWidth: texts become larger and narrower, and the words in work keep their place.
// The browser keeps the choice and has it when it first lays out the page.
func TestTextSizeAndWidth(t *testing.T) {
	m, _ := folder(t)
	size := func() float64 {
		return ask[float64](t, m.ctx, `parseFloat(getComputedStyle(document.querySelector('#card-1 .card-text')).fontSize)`)
	}
	usual := size()
	m.toPlace(1)
	m.press(repeat(20, "Ctrl+ArrowRight"))
	ask[bool](t, m.ctx, `(scrollBy({ top: 150, behavior: 'instant' }), true)`)
	const caret = `document.querySelector('.caret').getBoundingClientRect().top`
	before := ask[float64](t, m.ctx, caret)
	m.choose(`.options-row [value="150"]`)
	if got := size(); math.Abs(got-1.5*usual) > 0.1 {
		t.Errorf("at 150 %% the text has %v px, usually %v", got, usual)
	}
	if got := ask[float64](t, m.ctx, caret); math.Abs(got-before) > 1 {
		t.Errorf("larger, the caret moved from %v to %v", before, got)
	}
	m.choose(`.options-row [value=narrow]`)
	if got := ask[float64](t, m.ctx, `document.querySelector('#card-1 .card-text').offsetWidth`) / size(); got > 28.1 || got < 20 {
		t.Errorf("narrow, the text is %v em wide", got)
	}
	// A stretch is marked where it is seen.
	m.press("Home")
	m.drag(protocol.Target, "harbour")
	m.press("m Escape")
	m.saved()
	text := m.text("#card-1 .card-text")
	wantSpans(t, "marked in large type", m.ratings(m.assignment())[1].Rating.Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, protocol.ErrorSpan{Side: protocol.Target, Start: strings.Index(text, "harbour"), End: strings.Index(text, "harbour") + 7, Severity: "minor"})

	m.reload()
	if got := size(); math.Abs(got-1.5*usual) > 0.1 {
		t.Errorf("after a reload the text has %v px", got)
	}
	// The script that knows the choice stands before what it changes, and the browser waits for it.
	if !ask[bool](t, m.ctx, `(() => { const s = document.body.firstElementChild; return s.matches('script[src*="first.js"]:not([type], [async], [defer])'); })()`) {
		t.Error("the choice is put in place after the page may have been painted")
	}
	if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.options-row :checked')].map((x) => x.value).join()`); got != "150,narrow" {
		t.Errorf("the menu says %s", got)
	}
}

// spaced are texts with spaces of all kinds, in scripts of both directions.
var spaced = []string{
	"The old  ferry\u00a0leaves\tat nine.\nNobody\u200b knows 👨‍👩‍👧 why\u2003now ",
	"السيد\u00a0Smith\u200f يعتذر عن\u200cالتأخير.\nوسيرسل المبلغ ",
	"这波操作\u3000真绝了，全群 都看呆了。",
}

// TestSpacesShown: spaces are shown without moving a character, follow the marks, and go again.
func TestSpacesShown(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "s1", Domain: "test", Source: "Die alte\u00a0Fähre schläft."}
	for i, text := range spaced {
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprint("S", i), Text: text})
	}
	m := newMarkerOn(t, "esa", "", s)
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	places := func() [][]float64 {
		return ask[[][]float64](t, m.ctx, `[...document.querySelectorAll('#current [data-side], .card-text')].map((on) => {
			const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT), r = new Range(), out = [on.offsetWidth, on.offsetHeight];
			for (let n = all.nextNode(); n; n = all.nextNode()) for (let i = 0; i < n.length; i++) {
				r.setStart(n, i);
				r.setEnd(n, i + 1);
				const b = r.getBoundingClientRect();
				out.push(b.left, b.top, b.width);
			}
			return out;
		})`)
	}
	// The signs over the card with this text, in order, and whether each stands where a character of
	// its kind is.
	signs := func(text string) string {
		return ask[string](t, m.ctx, fmt.Sprintf(`(() => {
			const on = [...document.querySelectorAll('.card-text')].find((e) => e.textContent === %s);
			const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT), r = new Range(), at = [];
			for (let n = all.nextNode(); n; n = all.nextNode()) for (let i = 0; i < n.length; i++) if (/[^\p{L}\p{N}\p{P}\p{So}\ud800-\udfff ]/u.test(n.nodeValue[i])) {
				r.setStart(n, i);
				r.setEnd(n, i + 1);
				at.push(r.getBoundingClientRect());
			}
			return [...on.parentElement.querySelectorAll('.space-signs i')].map((s) => {
				const b = s.getBoundingClientRect();
				return s.className.slice(5) + (at.some((o) => Math.abs(o.left - b.left) < 1 && Math.abs(o.top - b.top) < 1) ? '' : ' misplaced');
			}).join();
		})()`, quoted(text)))
	}
	const dots = `[...document.querySelectorAll('.space-signs b')].reduce((n, b) => n + b.style.boxShadow.split(',').length, 0)`
	before := places()
	m.press("S")
	run(t, m.ctx, "drawn", Until(dots+` > 0 && document.querySelectorAll('.space-signs i').length > 8`))
	if after := places(); !reflect.DeepEqual(after, before) {
		t.Error("characters moved")
	}
	want := []string{"nbsp,tab,line,zero,wide", "nbsp,rtl,zero,line", "wide"}
	check := func(what string) {
		t.Helper()
		for i, text := range spaced {
			if got := signs(text); got != want[i] {
				t.Errorf("%s: over %q stand %s, want %s", what, text, got, want[i])
			}
		}
		plain := strings.Count(s.Source+strings.Join(spaced, ""), " ")
		if got := ask[int](t, m.ctx, dots); got != plain {
			t.Errorf("%s: %d plain spaces have a dot, want %d", what, got, plain)
		}
	}
	check("shown")
	m.toCard(spaced[0])
	m.drag(protocol.Target, "ferry")
	m.press("M D")
	m.saved()
	wantSpans(t, "marked", m.stored(m.assignment(), spaced[0]).Spans, protocol.Texts{Source: s.Source, Translation: spaced[0]}, at(spaced[0], "ferry", protocol.Target, "major", ""))
	check("with a mark and differences")
	run(t, m.ctx, "mark the signs", do(`document.querySelectorAll('.card .space-signs i').forEach((sign) => { sign.dataset.old = 'yes'; })`))
	m.choose(`.options-row [value="130"]`)
	run(t, m.ctx, "the signs of the cards are drawn anew", Until(`document.querySelectorAll('.space-signs i').length > 8 && !document.querySelector('.card .space-signs [data-old]')`))
	check("larger")
	m.reload()
	run(t, m.ctx, "drawn again", Until(dots+` > 0 && document.querySelectorAll('.space-signs i').length > 8`))
	check("after a reload")
	m.press("S")
	if got := ask[int](t, m.ctx, `document.querySelectorAll('.space-signs i').length + `+dots); got != 0 {
		t.Errorf("hidden, %d signs are left", got)
	}
}

// TestSideBySide: in a wide window a long translation scrolls in its box beside the source. What
// the reader scrolls leads, the other one follows by its share, and marks go where they are made.
func TestSideBySide(t *testing.T) {
	var source, text strings.Builder
	for i := range 120 {
		fmt.Fprintf(&source, "Satz %d: Die alte Fähre verlässt den Hafen um neun. ", i)
		fmt.Fprintf(&text, "Sentence %d: the old ferry leaves the harbour at nine. ", i)
	}
	thai := strings.Repeat("ฟ้าใหม่ 👍🏽 ", 30) + "ฟ้าใหม่"
	s := three("s1", source.String(), text.String(), text.String()+"Two.", "Short.")
	s.Translations = append(s.Translations, campaign.Translation{System: "Dune", Text: thai})
	m := newMarkerOn(t, "esa", "", s)
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	m.reload()
	m.toCard(text.String())
	const box, src = `document.querySelector('.card[aria-current] .card-scroll')`, `document.querySelector('#source')`
	if got := ask[bool](t, m.ctx, box+`.scrollHeight > `+box+`.clientHeight + 1`); got {
		t.Error("at first the text has a box of its own")
	}
	m.press("V")
	ask[bool](t, m.ctx, `(`+box+`.scrollIntoView({ block: 'nearest' }), true)`)
	// The shares of their ways that both are scrolled by.
	shares := func() []float64 {
		return ask[[]float64](t, m.ctx, `[`+box+`, `+src+`].map((e) => e.scrollTop / (e.scrollHeight - e.clientHeight))`)
	}
	settle := func(of float64) {
		t.Helper()
		run(t, m.ctx, "in step", Until(fmt.Sprintf(`[%s, %s].every((e) => Math.abs(e.scrollTop / (e.scrollHeight - e.clientHeight) - %v) < 0.05)`, box, src, of)))
	}
	ask[bool](t, m.ctx, `(`+box+`.scrollTop = 0.5 * (`+box+`.scrollHeight - `+box+`.clientHeight), true)`)
	settle(0.5)
	led := shares()[0]
	ask[bool](t, m.ctx, `(`+src+`.scrollTop = 0.8 * (`+src+`.scrollHeight - `+src+`.clientHeight), true)`)
	settle(0.8)
	if math.Abs(led-0.5) > 0.01 {
		t.Errorf("the text that was scrolled stood at %v of its way, want 0.5", led)
	}
	// Words in the middle are marked by mouse: nothing scrolls, and the bar stands beside them.
	before := ask[[]float64](t, m.ctx, `[scrollY, `+box+`.scrollTop, `+src+`.scrollTop]`)
	words := ask[string](t, m.ctx, `(() => {
		const on = `+box+`.querySelector('.card-text'), r = `+box+`.getBoundingClientRect(), p = document.caretPositionFromPoint(r.left + 300, r.top + r.height / 2);
		let n = 0;
		for (const node of [...on.childNodes]) { if (node === p.offsetNode) break; n += node.textContent.length; }
		const number = on.textContent.slice(0, n + p.offset).match(/Sentence \d+/g).at(-1);
		return number;
	})()`)
	m.drag(protocol.Target, words)
	m.press("M")
	m.saved()
	wantSpans(t, "marked in the box", m.stored(m.assignment(), text.String()).Spans, protocol.Texts{Source: source.String(), Translation: text.String()}, at(text.String(), words, protocol.Target, "major", ""))
	if after := ask[[]float64](t, m.ctx, `[scrollY, `+box+`.scrollTop, `+src+`.scrollTop]`); !reflect.DeepEqual(after, before) {
		t.Errorf("marking scrolled from %v to %v", before, after)
	}
	if got := ask[float64](t, m.ctx, `(() => { const b = document.querySelector('#mark-bar').getBoundingClientRect(), w = `+box+`.querySelector('mark').getBoundingClientRect(); return Math.max(b.top - w.bottom, w.top - b.bottom); })()`); got < 0 || got > 80 {
		t.Errorf("the bar is %v pixels from its mark", got)
	}
	// The caret is brought into view in the box, and the source follows.
	m.press("Escape End")
	settle(1)
	if !ask[bool](t, m.ctx, `(() => { const c = document.querySelector('.caret').getBoundingClientRect(), r = `+box+`.getBoundingClientRect(); return c.top >= r.top && c.bottom <= r.bottom + 1 && c.bottom <= innerHeight; })()`) {
		t.Error("the caret is out of view")
	}
	// A text that is seen as a whole does not scroll, wherever the handles of its marks stand.
	m.choose(`.options-row [value="150"]`)
	for _, short := range []string{"Short.", thai} {
		m.toCard(short)
		for _, keys := range []string{"End Shift+ArrowLeft Shift+ArrowLeft M", "Escape Escape Home Shift+ArrowRight M"} {
			m.press(keys)
			if got := ask[[]float64](t, m.ctx, `((b) => [b.scrollHeight - b.clientHeight, b.scrollWidth - b.clientWidth, b.querySelectorAll('.handle:not([hidden])').length])(`+box+`)`); !reflect.DeepEqual(got, []float64{0, 0, 2}) {
				t.Errorf("%.10s, %s: the box scrolls by %v", short, keys, got)
			}
		}
		m.press("Escape Escape")
	}
	m.choose(`.options-row [value="100"]`)
	// On a narrow window there are no boxes.
	run(t, m.ctx, "a narrow window", Look(900, 800, false))
	if got := ask[bool](t, m.ctx, box+`.scrollHeight > `+box+`.clientHeight + 1`); got {
		t.Error("in a narrow window the text has a box of its own")
	}
}

// TestPhoneLeavesWordsFree marks by finger on a phone, upright and on its side, beside a source
// that is longer than its place: neither the source nor the tools lie over the words of the mark,
// and a source of two lines gives the translation its room.
func TestPhoneLeavesWordsFree(t *testing.T) {
	source := strings.Repeat("Die alte Fähre verlässt den Hafen um neun, und niemand weiß warum. ", 12)
	text := "First the ferry. " + strings.Repeat("It leaves the harbour at nine and nobody knows why. ", 8) + "Midway it turns. " +
		strings.Repeat("The passengers look at the water and wait. ", 8) + "Finally it arrives."
	m := newMarkerOn(t, "mqm", "", two("s1", source, text, "Another one."))
	m.phone()
	// free says where words of the card in work stand, and what lies over them.
	free := func(words string) string {
		x1, y1, x2, y2 := m.box(protocol.Target, words)
		return ask[string](t, m.ctx, fmt.Sprintf(`[[%v, %v], [%v, %v]].map(([x, y]) => {
			const e = document.elementFromPoint(x, y);
			return document.querySelector('.card[aria-current] [data-side=target]').contains(e) || e?.matches('.handle') ? '' : e?.tagName + '.' + e?.className;
		}).join('')`, x1+1, y1, x2-1, y2))
	}
	for _, size := range [][2]int64{{390, 844}, {844, 390}} {
		run(t, m.ctx, "a phone", Look(size[0], size[1], false))
		m.reload()
		for _, words := range []string{"First", "Finally"} {
			m.toCard(text)
			_, y, _, _ := m.box(protocol.Target, words)
			// In the middle of what is seen below the source, or beside it.
			ask[bool](t, m.ctx, fmt.Sprintf(`(scrollBy({ top: %v - (innerWidth < 760 ? (document.querySelector('.source').getBoundingClientRect().bottom + document.querySelector('.bar').getBoundingClientRect().top) / 2 : innerHeight / 2), behavior: 'instant' }), true)`, y))
			x, y, _, _ := m.box(protocol.Target, words)
			m.finger(previewed, [2]float64{x + 4, y})
			run(t, m.ctx, "the list of "+words, Until(`!!document.querySelector('#mark-bar:not([hidden]) .picker')`))
			if got := free(words); got != "" {
				t.Errorf("%v: over %q with its list lies %s", size, words, got)
			}
			at := ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('#picker-1').getBoundingClientRect(); return [r.left + 20, r.top + r.height / 2]; })()`)
			m.finger("", [2]float64{at[0], at[1]})
			run(t, m.ctx, "a category", Until(`!document.querySelector('#mark-bar .picker')`))
			at = ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('[data-grade=minor]').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
			m.finger("", [2]float64{at[0], at[1]})
			run(t, m.ctx, "a severity", Until(`document.querySelector('[data-grade=minor]').getAttribute('aria-pressed') === 'true'`))
			if got := free(words); got != "" {
				t.Errorf("%v: over %q lies %s", size, words, got)
			}
			m.press("x Escape")
		}
	}
	run(t, m.ctx, "upright", Look(390, 844, false))
	m.reload()
	m.toCard(text)
	const high = `document.querySelector('.source').getBoundingClientRect().height`
	ask[bool](t, m.ctx, `(scrollTo({ top: 400, behavior: 'instant' }), true)`)
	before := ask[[]float64](t, m.ctx, `[`+high+`, document.querySelector('.card[aria-current]').getBoundingClientRect().top]`)
	m.clickOn("#option-source-folded")
	run(t, m.ctx, "two lines", Until(`document.documentElement.dataset.sourceFolded === 'on'`))
	after := ask[[]float64](t, m.ctx, `[`+high+`, document.querySelector('.card[aria-current]').getBoundingClientRect().top]`)
	if before[0]-after[0] < 150 || math.Abs(before[1]-after[1]) > 1 {
		t.Errorf("the source went from %v to %v px, and the card in work from %v to %v", before[0], after[0], before[1], after[1])
	}
	const lines = `(() => {
		const [source, x] = [document.querySelector('#source'), document.createRange()];
		source.scrollTop = 0;
		x.selectNodeContents(document.querySelector('#current > :last-child'));
		const tops = [...x.getClientRects()].map((l) => l.top);
		const [edge, line] = [source.getBoundingClientRect().bottom, parseFloat(getComputedStyle(document.querySelector('#current')).lineHeight)];
		return new Set(tops.map(Math.round)).size < 3 ? 'a short text' : [...new Set(tops.map(Math.round))].filter((t) => t < edge - 4).length + ' ' + (source.scrollHeight > source.clientHeight + line / 2);
	})()`
	if got := ask[string](t, m.ctx, lines); got != "2 true" {
		t.Errorf("the lines of the folded source that are seen, and whether the others scroll: %s", got)
	}
	m.reload()
	if got := ask[float64](t, m.ctx, high); got > after[0]+1 {
		t.Errorf("after a reload the source has %v px, want %v", got, after[0])
	}
}
