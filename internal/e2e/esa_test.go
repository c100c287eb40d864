package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// two makes a segment of two translations.
func two(id, source, first, second string) campaign.Segment {
	return campaign.Segment{DocID: id, SegmentID: id, Domain: "test", Source: source, Translations: []campaign.Translation{{System: "Aster", Text: first}, {System: "Birch", Text: second}}}
}

// TestESAByKeyboard marks and scores a whole segment by keys alone, with an emoji
// before and in the marks, and goes on after a reload in the middle.
func TestESAByKeyboard(t *testing.T) {
	const source = "Die alte 🛥️ Fähre fährt heute nicht, sagt der Kapitän."
	const first = "The old 🛥️ fairy don't go today says\nthe captain 👨‍👩‍👧 now."
	const second = "The ferry is off."
	m := newMarkerOn(t, "esa", "", two("s1", source, first, second))
	id := m.assignment()
	texts := protocol.Texts{Source: source, Translation: first}

	m.toCard(first)
	// Three words as major, with the caret before the first: "don't go today".
	m.press(repeat(4, "Ctrl+ArrowRight"))
	m.events = 0
	m.press(repeat(3, "Ctrl+Shift+ArrowRight") + "M")
	if m.events > 4 {
		t.Errorf("a mark of three words and its severity took %d keys", m.events)
	}
	// The word at the caret, whose severity is asked for.
	m.press("Home " + repeat(3, "Ctrl+ArrowRight") + "Enter")
	m.saved()
	if got := m.stored(id, first).Spans[1].Severity; got != "" {
		t.Errorf("a mark whose severity nobody chose is %q", got)
	}
	m.press("M")
	// The family, by characters.
	m.press("End " + repeat(5, "ArrowLeft") + "Shift+ArrowLeft Enter m")
	// The comma that is missing before "says".
	m.press("Home " + repeat(7, "Ctrl+ArrowRight") + "ArrowLeft p")
	// Two words of the source that are not there.
	m.press("s End ArrowLeft " + repeat(2, "Ctrl+Shift+ArrowLeft") + "Enter M")
	m.saved()
	want := []protocol.ErrorSpan{
		at(first, "don't go today", protocol.Target, "major", ""),
		at(first, "fairy", protocol.Target, "major", ""),
		at(first, "👨‍👩‍👧", protocol.Target, "minor", ""),
		{Side: protocol.Target, Start: at(first, " says", protocol.Target, "", "").Start, End: at(first, " says", protocol.Target, "", "").Start, Severity: "minor", Subcategory: "missing punctuation"},
		at(source, "der Kapitän", protocol.Source, "major", ""),
	}
	wantSpans(t, "marked by keys", m.stored(id, first).Spans, texts, want...)
	drawn := m.shown(protocol.Target)
	for _, s := range m.stored(id, first).Spans {
		if s.Side == protocol.Target && drawn[s.ID] != s.Text {
			t.Errorf("the page draws %q over %q", drawn[s.ID], s.Text)
		}
	}

	// All of it is there after a reload, and undo and redo take single steps.
	m.reload()
	m.toCard(first)
	if got := m.shown(protocol.Target); fmt.Sprint(got) != fmt.Sprint(drawn) {
		t.Errorf("after a reload the page draws %v, before %v", got, drawn)
	}
	m.press(". . x")
	m.saved()
	if n := len(m.stored(id, first).Spans); n != 4 {
		t.Errorf("%d marks after one was removed", n)
	}
	m.press("Ctrl+z")
	m.saved()
	wantSpans(t, "undone", m.stored(id, first).Spans, texts, want...)
	// The end of the second mark by two characters, and its start by one, over the blanks
	// before them, and back again.
	m.press("Home . . ] ]")
	m.saved()
	want[1].End += 3
	wantSpans(t, "a longer mark", m.stored(id, first).Spans, texts, want...)
	m.press("Shift+[")
	m.saved()
	want[1].Start -= 3
	wantSpans(t, "begins earlier", m.stored(id, first).Spans, texts, want...)
	m.press("Ctrl+z Ctrl+z Ctrl+z")
	want[1].Start += 3
	want[1].End -= 3

	// Submitting says what is missing, and where.
	m.press("Ctrl+Enter")
	run(t, m.ctx, "the missing score is named", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent === 'Still needs a score'`))
	m.toCard(first)
	m.press("a")
	m.typeText("45")
	m.press("Enter")
	m.toCard(second)
	m.press("0 a")
	m.typeText("80")
	m.press("Escape")
	if got := ask[string](t, m.ctx, `document.querySelector('#missing').textContent`); got != "Every card is finished" {
		t.Errorf("the page says %q", got)
	}
	if m.submit() {
		t.Error("there was only one segment")
	}
	got := m.stored(id, first)
	wantSpans(t, "submitted", got.Spans, texts, want...)
	if got.Scores["score"] != 45 {
		t.Errorf("scores %v", got.Scores)
	}
	if got := m.stored(id, second); len(got.Spans) != 0 || got.Scores["score"] != 80 {
		t.Errorf("the second is stored as %+v", got)
	}
}

// TestESAByMouse marks by dragging, by two clicks and by a double click, moves a
// bound, and scores with the slider.
func TestESAByMouse(t *testing.T) {
	b := browser(t)
	const source = "第一句很长🍜，第二句。"
	const first = "The 🍜 first sentence is very long, the second is short and nobody reads it."
	const second = "One."
	w := newWorldOf(t, "esa", "zh", "en")
	w.importSegments(two("s1", source, first, second))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a wide window", Look(1280, 900, false))
	id := m.assignment()
	m.toCard(first)
	m.events = 0
	m.drag(protocol.Target, "🍜 first sentence")
	m.press("m")
	if m.events > 2 {
		t.Errorf("a mark by dragging and its severity took %d events", m.events)
	}
	m.clickWords(protocol.Target, "very long")
	m.press("M")
	m.drag(protocol.Source, "第二句")
	m.press("M Escape")
	x, y, _, _ := m.box(protocol.Target, "nobody")
	run(t, m.ctx, "double click", chromedp.MouseClickXY(x+6, y), chromedp.MouseClickXY(x+6, y, chromedp.ClickCount(2)))
	m.clickOn(".mark-grades .btn:first-child")
	m.saved()
	texts := protocol.Texts{Source: source, Translation: first}
	want := []protocol.ErrorSpan{
		at(first, "🍜 first sentence", protocol.Target, "minor", ""), at(first, "very long", protocol.Target, "major", ""),
		at(source, "第二句", protocol.Source, "major", ""), at(first, "nobody", protocol.Target, "minor", ""),
	}
	wantSpans(t, "marked by mouse", m.stored(id, first).Spans, texts, want...)
	// A click picks a mark, and its end is dragged to another place.
	x, y, _, _ = m.box(protocol.Target, "very")
	run(t, m.ctx, "pick a mark", chromedp.MouseClickXY(x+4, y))
	end := ask[[]float64](t, m.ctx, `(() => { const r = [...document.querySelectorAll('.handle')].at(-1).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	_, _, x2, y2 := m.box(protocol.Target, "the second")
	run(t, m.ctx, "drag its end", drag(end[0], end[1], x2, y2))
	m.saved()
	want[1] = at(first, "very long, the second", protocol.Target, "major", "")
	wantSpans(t, "a bound dragged", m.stored(id, first).Spans, texts, want...)
	m.press("Escape")
	// The slider has no value until it is touched.
	m.clickOn(".card[aria-current] .slider input")
	m.saved()
	if got := m.stored(id, first).Scores["score"]; got < 48 || got > 52 {
		t.Errorf("a press in the middle of the slider gave %v", got)
	}
}
