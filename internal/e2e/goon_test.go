package e2e

import (
	"testing"
)

// Under SQM a score that is given by a key leads on to the next card, once the annotator
// switches that on. The browser keeps the choice. A click leaves the card in work.
func TestNextCardAfterScore(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	inWork := func(what string, want int) {
		t.Helper()
		if got := ask[int](t, m.ctx, `Number(document.querySelector('.card[aria-current]').dataset.index)`); got != want {
			t.Errorf("%s: card %d is in work, want %d", what, got, want)
		}
	}
	m.press("2")
	inWork("at first", 0)
	m.choose("#go-on")
	run(t, m.ctx, "switched on", Until(`document.querySelector('#go-on').checked`))
	m.press("3")
	inWork("after a score", 1)
	m.press("Ctrl+z")
	inWork("after undo", 0)
	m.press("1")
	m.clickOn("#card-2 .scale label:nth-child(2)")
	run(t, m.ctx, "scored by mouse", Until(`document.querySelector('#card-2 input[value="1"]').checked`))
	inWork("after a click", 2)
	m.saved()
	m.reload()
	m.toPlace(1)
	m.press("4")
	inWork("after a reload", 2)
	last := ask[int](t, m.ctx, `document.querySelectorAll('.card').length - 1`)
	m.toPlace(last)
	m.press("4")
	inWork("on the last card", last)
	m.saved()
	if got := m.ratings(m.assignment()); got[0].Rating.Scores["sqm"] != 1 || got[1].Rating.Scores["sqm"] != 4 || got[last].Rating.Scores["sqm"] != 4 {
		t.Errorf("scores %v", got)
	}
}
