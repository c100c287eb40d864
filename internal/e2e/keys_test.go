package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// TestChangeKeys gives acts other keys, by keys alone: they work at once, are written
// wherever keys are, follow the person to another browser, and can be taken back. A
// key that is taken is refused with the reason.
func TestChangeKeys(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en")
	const text = "The old ferry sleeps."
	w.importSegments(two("s1", "Die alte Fähre.", text, "2"))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	m.toCard(text)
	// focus goes to the button of an act's key.
	focus := func(act string) {
		t.Helper()
		ask[bool](t, m.ctx, `(document.querySelector('#keys [data-act="`+act+`"]').focus(), true)`)
	}
	said := func(want string) {
		t.Helper()
		run(t, m.ctx, want, Until(`document.querySelector('.keys-say').textContent === `+quoted(want)))
	}
	m.press("?")
	run(t, m.ctx, "the list is there", Until(`document.querySelector('#keys[open] [data-act=mark]') !== null`))
	if got := ask[int](t, m.ctx, `[...document.querySelectorAll('.keys-key')].filter((k) => k.offsetHeight > 32 || k.offsetLeft + k.offsetWidth > k.closest('div').querySelector('dd').offsetLeft + 8).length`); got > 0 {
		t.Errorf("%d keys take two lines or lie over what they do", got)
	}
	focus("mark")
	m.press("Enter m")
	said("m is taken by “Minor”")
	m.press("Ctrl+t")
	said("Ctrl+T belongs to the browser")
	m.press("w")
	said("mark the selection, or the word at the caret: w")
	if got := ask[string](t, m.ctx, `document.activeElement.dataset.act`); got != "mark" {
		t.Errorf("the focus is on %q", got)
	}
	focus("severity:major")
	m.press("Enter Shift+Q")
	said("Major: Shift+q")
	focus("gap")
	m.press("Enter Escape")
	if !ask[bool](t, m.ctx, `document.querySelector('#keys').open`) {
		t.Error("leaving a key closed the list")
	}
	focus("gap")
	m.press("Enter o")
	said("missing punctuation at the caret: o")
	m.press("Escape")

	// The keys work, and the old ones do not.
	use := func(m *marker) {
		t.Helper()
		if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] [data-gap] kbd').textContent`); got != "o" {
			t.Errorf("the button says %q", got)
		}
		m.toCard(text)
		m.press("Home Enter w Shift+Q")
		m.saved()
		wantSpans(t, "marked with other keys", m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "The", protocol.Target, "major", ""))
		if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.mark-grades kbd')].map((k) => k.textContent).join()`); got != "m,Q" {
			t.Errorf("the bar says %q", got)
		}
		m.press("x")
		m.saved()
	}
	use(m)

	// In another browser they are there from the start.
	other := &marker{annotator: *newAnnotator(t, b, w, nil), login: "ann"}
	other.begin(m.again())
	other.ready()
	use(other)
	other.press("?")
	run(t, other.ctx, "reset one", Until(`document.querySelector('#keys .keys-back') !== null`),
		chromedp.Click(`#keys div:has(> dt [data-act=gap]) .keys-back`), Until(`document.querySelector('#keys [data-act=gap]').textContent === 'p'`),
		chromedp.Click(`#keys .keys-say ~ .btn`), Until(`document.querySelector('#keys .keys-back') === null`), Key("Escape"), Until(`!document.querySelector('#keys').open`))
	other.press("Home Enter M")
	other.saved()
	wantSpans(t, "with the usual keys", other.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "The", protocol.Target, "major", ""))

	// What can't be kept is not gone by.
	ask[bool](t, other.ctx, `(window.fetch = () => Promise.reject(new TypeError('offline')), true)`)
	other.press("? Tab")
	ask[bool](t, other.ctx, `(document.querySelector('#keys [data-act=mark]').focus(), true)`)
	other.press("Enter w")
	run(t, other.ctx, "the reason", Until(`document.querySelector('.keys-say').textContent === 'Not changed: no connection'`))
	if got := ask[string](t, other.ctx, `document.querySelector('#keys [data-act=mark]').textContent`); got != "↵" {
		t.Errorf("without a connection the key became %q", got)
	}
}
