package e2e

import (
	"testing"

	"annotate/internal/protocol"
)

// What somebody meets on their first day: a slip in a score, a hint how to mark,
// nothing to undo.

const missingLine = `document.querySelector('#missing').textContent`

// TestWrongScore leaves what is no score in its field, says so there and at the
// bottom with the name of the card, and saves nothing until it is right.
func TestWrongScore(t *testing.T) {
	const text = "The old ferry sleeps."
	m := newMarkerOf(t, "esa", text)
	id := m.assignment()
	m.toCard(text)
	name := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .card-name').lastChild.textContent`)
	const field = `document.querySelector('.card[aria-current] .score-number')`
	m.press("0")
	m.saved()
	for _, wrong := range []string{"101", "-3", "66.7"} {
		m.press("a")
		m.typeText(wrong)
		m.press("Enter")
		if got := ask[string](t, m.ctx, field+`.value`); got != wrong {
			t.Errorf("of %s the field keeps %q", wrong, got)
		}
		if !ask[bool](t, m.ctx, `document.activeElement === `+field+` && `+field+`.getAttribute('aria-invalid') === 'true' &&
			document.getElementById(`+field+`.getAttribute('aria-describedby')).textContent === 'a whole number from 0 to 100'`) {
			t.Errorf("%s is not marked as wrong where it was typed", wrong)
		}
		m.press("Escape")
		if got, want := ask[string](t, m.ctx, field+`.value`), wrong; got != want {
			t.Errorf("after leaving, the field has %q, want %q", got, want)
		}
		m.saved()
		if got := m.stored(id, text).Scores; len(got) != 0 {
			t.Errorf("of %s was saved: %v", wrong, got)
		}
	}
	// Everything else is finished; submitting leads to the field and names the card.
	m.toCard("Another one.")
	m.press("0 a")
	m.typeText("80")
	m.press("Escape Ctrl+Enter")
	run(t, m.ctx, "the card is named", Until(missingLine+` === 'Not submitted: `+name+` needs another score'`))
	if !ask[bool](t, m.ctx, `document.activeElement === `+field) {
		t.Error("submitting does not lead to the field")
	}
	m.typeText("67")
	m.press("Enter")
	if ask[bool](t, m.ctx, `!!document.querySelector('[aria-invalid]')`) {
		t.Error("a good score is still marked as wrong")
	}
	m.saved()
	if got := m.stored(id, text).Scores["score"]; got != 67 {
		t.Errorf("saved %v, want 67", got)
	}
	// An emptied field shows again what the card holds.
	m.toCard(text)
	m.press("a Backspace Escape")
	if got := ask[string](t, m.ctx, field+`.value`); got != "67" {
		t.Errorf("emptied, the field has %q", got)
	}
}

// TestFirstMark: how errors are marked is said until somebody has marked one, and an
// open list of categories takes what is typed after the mouse as well.
func TestFirstMark(t *testing.T) {
	const text = "The old fairy sleeps."
	m := newMarkerOf(t, "mqm", text)
	id := m.assignment()
	m.toCard(text)
	run(t, m.ctx, "the hint", Until(`document.querySelector('.card[aria-current] .mark-tip')?.textContent === 'Errors: drag over words, or click the first and the last one; ? shows the keys'`))
	m.press("Ctrl+z")
	if got := ask[string](t, m.ctx, missingLine); got != "Nothing to undo since the page was opened" {
		t.Errorf("with nothing to undo the page says %q", got)
	}
	m.drag(protocol.Target, "fairy")
	run(t, m.ctx, "the list is open", Until(`document.querySelector('#mark-bar .picker') !== null`))
	if ask[bool](t, m.ctx, `!!document.querySelector('.mark-tip')`) {
		t.Error("the hint stays after a mark")
	}
	m.press("1 3 m")
	m.saved()
	texts := protocol.Texts{Source: "Die alte Fähre.", Translation: text}
	wantSpans(t, "by digits", m.stored(id, text).Spans, texts, at(text, "fairy", protocol.Target, "minor", "Accuracy/Mistranslation"))
	m.drag(protocol.Target, "The")
	m.press("g r a Enter M")
	m.saved()
	wantSpans(t, "by letters", m.stored(id, text).Spans, texts,
		at(text, "fairy", protocol.Target, "minor", "Accuracy/Mistranslation"), at(text, "The", protocol.Target, "major", "Fluency/Grammar"))
	if ask[string](t, m.ctx, `localStorage.getItem('annotate/marked/ann')`) != "yes" {
		t.Error("the hint would be back on the next page")
	}
}
