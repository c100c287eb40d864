package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// TestRATEByKeyboard marks and scores a whole segment by keys alone: five severities,
// categories, comments, links, missing punctuation, and two scores.
func TestRATEByKeyboard(t *testing.T) {
	b := browser(t)
	const source = "The ferry leaves at nine, and the ferry is full 👍🏽."
	const first = "العبارة تغادر في التاسعة والسفينة 👍🏽 مليئة"
	const second = "العبارة تغادر."
	w := newWorldOf(t, "rate", "en", "ar")
	w.importSegments(two("s1", source, first, second))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	m.toCard(first)
	m.events = 0
	m.press("Enter 3 c 8")
	t.Logf("keys for a mark of the first word, its severity and its category: %d", m.events)
	m.press(repeat(4, "Ctrl+ArrowLeft") + "Enter 4 c 8 l 1")
	m.press("End p 1")
	m.press("Home Ctrl+ArrowLeft Ctrl+Shift+ArrowLeft Ctrl+Shift+ArrowLeft Enter 5 c")
	m.typeText("oth")
	m.press("Enter n")
	m.typeText("no such time")
	m.press("Escape")
	m.saved()
	texts := protocol.Texts{Source: source, Translation: first}
	linked := at(first, "والسفينة", protocol.Target, "4", "Inconsistency")
	linked.Link = "1"
	end := at(first, "مليئة", protocol.Target, "1", "Grammar/missing punctuation")
	end.Start = end.End
	other := at(first, "تغادر في", protocol.Target, "5", "Other")
	other.Comment = "no such time"
	want := []protocol.ErrorSpan{at(first, "العبارة", protocol.Target, "3", "Inconsistency"), linked, end, other}
	wantSpans(t, "marked by keys", m.stored(id, first).Spans, texts, want...)

	// A comment on the card is another one.
	m.press("Escape n")
	m.typeText("on the whole")
	m.press("Escape 0 . .")
	if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.card[aria-current] :is(.mark-note, textarea)')].map((e) => e.value || e.textContent).join(' | ')`); got != "no such time | on the whole" {
		t.Errorf("comments on the page: %q", got)
	}

	m.press("a")
	m.typeText("62")
	m.press("Enter")
	m.typeText("85")
	m.press("Enter")
	m.toCard(second)
	m.press("a")
	m.typeText("101")
	m.press("Escape")
	if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .score-level').textContent`); got != "a whole number from 0 to 100" {
		t.Errorf("too high a score: %q", got)
	}
	m.press("a")
	m.typeText("30")
	m.press("Enter")
	m.typeText("0")
	m.press("Escape")
	if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.card[aria-current] .score-level')].map((e) => e.textContent).join()`); got != "Poor,Very poor" {
		t.Errorf("the bands are %q", got)
	}
	if m.submit() {
		t.Error("there was only one segment")
	}
	got := m.stored(id, first)
	wantSpans(t, "submitted", got.Spans, texts, want...)
	if got.Scores["accuracy"] != 62 || got.Scores["fluency"] != 85 || got.Comment != "on the whole" {
		t.Errorf("stored %+v", got)
	}
	if got := m.stored(id, second); got.Scores["accuracy"] != 30 || got.Scores["fluency"] != 0 {
		t.Errorf("scores of the second %v", got.Scores)
	}
}

// TestMissingPunctuationByMouse: where no place was chosen, the button asks for it, and the
// next click marks after the word that is clicked.
func TestMissingPunctuationByMouse(t *testing.T) {
	const text = "The old ferry sleeps near the bridge"
	m := newMarkerOf(t, "rate", text)
	run(t, m.ctx, "a window that has the whole card", Look(1440, 900, false))
	id := m.assignment()
	m.toCard(text)
	m.clickOn(".card[aria-current] [data-gap]")
	if got := m.text(".card[aria-current] .card-marks"); got != "" {
		t.Errorf("without a place chosen: %q", got)
	}
	if got := m.text("#missing"); got != "Click the word after which the punctuation is missing, or move the caret there and press p" {
		t.Errorf("it says %q", got)
	}
	x, y, _, _ := m.box(protocol.Target, "ferry")
	run(t, m.ctx, "click on the word", chromedp.MouseClickXY(x+12, y))
	m.saved()
	if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Start != 13 || got[0].End != 13 {
		t.Errorf("after a click on a word: %+v", got)
	}
}

// TestMissingPunctuationSaysWhere: the row of missing punctuation says after which word it
// stands, and its handle takes it elsewhere. The text stands still meanwhile.
func TestMissingPunctuationSaysWhere(t *testing.T) {
	const text = "The old ferry sleeps near the bridge"
	m := newMarkerOf(t, "rate", text)
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	id := m.assignment()
	m.toCard(text)
	x, y, _, _ := m.box(protocol.Target, "ferry")
	run(t, m.ctx, "click on the word", chromedp.MouseClickXY(x+12, y))
	m.clickOn(".card[aria-current] [data-gap]")
	row := func(want string) {
		t.Helper()
		run(t, m.ctx, "the row says "+want, Until(`document.querySelector('.card[aria-current] .mark-entry').textContent.endsWith(`+quoted(want)+`)`))
	}
	row("Grammar / missing punctuation after ferry")
	ask[bool](t, m.ctx, watchShifts)
	h := ask[[][]float64](t, m.ctx, `[...document.querySelectorAll('.handle')].filter((h) => h.checkVisibility()).map((h) => { const r = h.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })`)
	if len(h) != 1 {
		t.Fatalf("it has %d handles", len(h))
	}
	_, _, x, _ = m.box(protocol.Target, "near")
	run(t, m.ctx, "drag it", drag(h[0][0], h[0][1], x, h[0][1]))
	m.saved()
	if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Start != 25 || got[0].End != 25 {
		t.Errorf("dragged to the end of “near”: %+v", got)
	}
	row("after near")
	if got := ask[[]string](t, m.ctx, `shifts`); len(got) > 0 {
		t.Errorf("moved under the pointer: %q", got)
	}
}
