package e2e

import (
	"testing"

	"annotate/internal/protocol"
)

// TestInputEvents counts what a hand does under MQM to mark three words with their severity and
// category: a key, a click, a drag.
// The counts are held to, so that marking does not become more work unseen.
func TestInputEvents(t *testing.T) {
	const text, words = "The old ferry sleeps near the new bridge.", "The old ferry"
	m := newMarkerOf(t, "mqm", text)
	run(t, m.ctx, "a wide window", Look(1280, 900, false))
	id := m.assignment()
	for _, way := range []struct {
		name   string
		mark   func()
		events int
	}{
		{"drag", func() { m.drag(protocol.Target, words); m.press("1 1 M") }, 4}, // the list of categories waits open
		{"two clicks", func() { m.clickWords(protocol.Target, words); m.press("1 1 M") }, 5},
		{"keys", func() { m.press(repeat(3, "Ctrl+Shift+ArrowRight") + "M c 1 1") }, 7},
	} {
		m.toCard(text)
		m.press("Escape Escape Home")
		m.events = 0
		way.mark()
		if m.events != way.events {
			t.Errorf("%s: %d events, want %d", way.name, m.events, way.events)
		}
		m.saved()
		wantSpans(t, way.name, m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, words, protocol.Target, "major", "Accuracy/Addition"))
		m.press("x")
		m.saved()
	}
}
