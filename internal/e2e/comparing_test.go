package e2e

import (
	"reflect"
	"slices"
	"testing"

	"annotate/internal/protocol"
)

// What differs between translations is shown and hidden by a key and by a button. No text
// moves for it, marking goes on over it, and what is shown follows the marks.
func TestDifferencesShown(t *testing.T) {
	texts := []string{"The old 👏 ferry sleeps.", "The new 👏 ferry sleeps.", "The 👏 ferry sleeps now."}
	m := newMarkerOn(t, "esa", "", three("s1", "Die alte Fähre schläft.", texts[0], texts[1], texts[2]))
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	// The names of highlights by the words they show, on each card.
	shown := func(name string) [][]string {
		return ask[[][]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((on) => [...CSS.highlights.get('`+name+`') ?? []].filter((r) => on.contains(r.startContainer)).map((r) => {
			const live = new Range();
			live.setStart(r.startContainer, r.startOffset);
			live.setEnd(r.endContainer, r.endOffset);
			return live.toString();
		}))`)
	}
	none := [][]string{{}, {}, {}}
	places := func() []float64 {
		return ask[[]float64](t, m.ctx, `[...document.querySelectorAll('.card, .card-text')].flatMap((on) => { const r = on.getBoundingClientRect(); return [r.top, r.left, r.width, r.height]; })`)
	}
	// The cards stand in any order.
	cards := ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((e) => e.textContent)`)
	old, fresh, now := slices.Index(cards, texts[0]), slices.Index(cards, texts[1]), slices.Index(cards, texts[2])
	m.toPlace(old)
	before := places()
	m.press("D")
	if after := places(); !reflect.DeepEqual(after, before) {
		t.Errorf("texts moved from %v to %v", before, after)
	}
	if len(shown("changed")[0]) != 0 || reflect.DeepEqual(shown("changed"), none) {
		t.Errorf("compared with the card before: %q", shown("changed"))
	}

	// With one that is chosen.
	choose := func(place int) {
		t.Helper()
		ask[bool](t, m.ctx, `(() => { document.querySelector('#compare-with').focus(); return true; })()`)
		m.press(repeat(4, "ArrowUp") + repeat(place+1, "ArrowDown"))
	}
	check := func(what, name string, of map[int][]string) {
		t.Helper()
		want := slices.Clone(none)
		for place, words := range of {
			want[place] = words
		}
		if got := shown(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s %q, want %q", what, name, got, want)
		}
	}
	choose(old)
	check("from the old one", "changed", map[int][]string{fresh: {"new"}, now: {" now"}})
	check("from the old one", "missing", map[int][]string{now: {" 👏"}})
	choose(now)
	check("from the last one", "changed", map[int][]string{fresh: {"new "}, old: {"old "}})
	choose(old)

	// Marks go where they were made, and what differs is shown over them.
	run(t, m.ctx, "leave the choice", Key("Tab"))
	m.toPlace(fresh)
	m.drag(protocol.Target, "new 👏 fer")
	m.press("M Escape Escape")
	m.saved()
	wantSpans(t, "marked", m.stored(m.assignment(), texts[1]).Spans, protocol.Texts{Source: "Die alte Fähre schläft.", Translation: texts[1]}, at(texts[1], "new 👏 ferry", protocol.Target, "major", ""))
	check("after a mark", "changed", map[int][]string{fresh: {"new"}, now: {" now"}})
	m.press("D")
	check("hidden", "changed", nil)
	m.clickOn("#compare")
	run(t, m.ctx, "shown", Until(`!document.querySelector('#compare-bar').hidden`))
	check("by the button", "changed", map[int][]string{fresh: {"new"}, now: {" now"}})
	m.clickOn("#compare-bar button")
	run(t, m.ctx, "hidden", Until(`document.querySelector('#compare-bar').hidden`))
	check("hidden by its button", "changed", nil)
	check("hidden by its button", "missing", nil)
}
