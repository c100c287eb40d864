package e2e

import (
	"fmt"
	"slices"
	"testing"

	"annotate/internal/protocol"
)

// toPlace makes the card at a place, from 0, the one in work, by keys.
func (m *marker) toPlace(place int) {
	t := m.w.t
	t.Helper()
	at := ask[int](t, m.ctx, `Number(document.querySelector('.card[aria-current]').dataset.index)`)
	m.press(repeat(max(0, place-at), "j") + repeat(max(0, at-place), "k"))
}

// A judgement is taken over by a card with the same text, by key and by button: its score,
// errors and comment. It is saved, and undone in one step. Different errors are
// asked about before the segment is submitted.
func TestJudgementTakenOver(t *testing.T) {
	b := browser(t)
	const source, text, other = "这波操作真绝了👏。", "What a 👏 move, it were unreal.", "Quite another text."
	w := newWorldOf(t, "esa", "zh", "en")
	w.importSegments(three("s1", source, text, other, text))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	cards := ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((e) => e.textContent)`)
	first, odd := slices.Index(cards, text), slices.Index(cards, other)
	second := 3 - first - odd
	button := func(place int) string { return fmt.Sprintf("#card-%d [data-as]", place) }
	offers := func(place int) string {
		return ask[string](t, m.ctx, fmt.Sprintf(`(() => { const b = document.querySelector(%q); return b.disabled ? '' : b.firstElementChild.textContent; })()`, button(place)))
	}
	if n := ask[int](t, m.ctx, `document.querySelectorAll('[data-as]').length`); n != 2 {
		t.Fatalf("%d cards have the button, want 2", n)
	}
	if got := offers(first) + offers(second); got != "" {
		t.Errorf("offered while nothing is judged: %q", got)
	}

	m.toPlace(first)
	m.press("Ctrl+ArrowRight Ctrl+ArrowRight Enter M End ArrowLeft Enter m n")
	m.typeText("why")
	m.press("Escape Escape s End ArrowLeft Enter m a")
	m.typeText("70")
	m.press("Escape")
	m.saved()
	texts := protocol.Texts{Source: source, Translation: text}
	want := m.ratings(id)[first].Rating
	if len(want.Spans) != 3 || want.Scores["score"] != 70 {
		t.Fatalf("judged as %+v", want)
	}
	if got, name := offers(second), ask[string](t, m.ctx, fmt.Sprintf(`'judge as ' + document.querySelector('#card-%d .card-name').lastChild.textContent`, first)); got != name {
		t.Errorf("%q is offered, want %q", got, name)
	}
	taken := func(what string) {
		t.Helper()
		got := m.ratings(id)[second].Rating
		same := slices.Clone(want.Spans)
		for i := range same {
			same[i].ID = ""
		}
		wantSpans(t, what, got.Spans, texts, same...)
		if got.Scores["score"] != 70 {
			t.Errorf("%s: scores %v", what, got.Scores)
		}
		for i, s := range got.Spans {
			if s.ID == want.Spans[i].ID || s.Comment != want.Spans[i].Comment {
				t.Errorf("%s: error %+v, taken from %+v", what, s, want.Spans[i])
			}
		}
	}
	m.toPlace(second)
	m.press("=")
	m.saved()
	taken("by key")
	m.press("Ctrl+z")
	m.saved()
	if got := m.ratings(id)[second].Rating; len(got.Spans) != 0 || len(got.Scores) != 0 {
		t.Errorf("after undo: %+v", got)
	}
	// What is typed and is no score does not outlive it.
	m.press("a")
	m.typeText("700")
	m.press("Escape")
	m.clickOn(button(second))
	m.saved()
	taken("by button")
	if got := ask[string](t, m.ctx, fmt.Sprintf(`document.querySelector('#card-%d .score-number').value`, second)); got != "70" {
		t.Errorf("the field of the score shows %q", got)
	}
	m.reload()
	m.toPlace(second)
	if got := m.shown(protocol.Target); len(got) != 2 {
		t.Errorf("after a reload the card shows %q", got)
	}

	// Another severity on one of the two is asked about.
	m.toPlace(odd)
	m.press("a")
	m.typeText("90")
	m.press("Escape")
	m.toPlace(second)
	m.press(". M Escape Ctrl+Enter")
	run(t, m.ctx, "different errors", Until(`document.querySelector('#missing').textContent.includes('have the same text and different errors: press again')`))
	m.toPlace(second)
	m.press("=")
	run(t, m.ctx, "what was replaced can be undone", Until(`document.querySelector('#missing').textContent.endsWith('in place of its own; Ctrl+Z undoes it')`))
	if m.submit() {
		t.Error("there was only one segment")
	}
	taken("submitted")
}
