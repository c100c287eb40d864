package e2e

import (
	"testing"

	"annotate/internal/chrome"
	"annotate/internal/protocol"
)

// TestInputEvents counts what a hand does to mark three words with their severity and
// category: a key, a click, a drag.
// The counts are held to, so that marking does not become more work unseen.
func TestInputEvents(t *testing.T) {
	b := browser(t)
	const text = "The old ferry sleeps near the new bridge."
	const words = "The old ferry"
	for _, tt := range []struct {
		id, severity, category string // keys
		stored, kind           string
		want                   [3]int // by drag, by clicks, by keys
	}{
		{"esa", "M", "", "major", "", [3]int{2, 3, 4}},
		{"mqm", "M", "1 1", "major", "Accuracy/Addition", [3]int{4, 5, 7}},
		{"rate", "4", "1", "4", "Mistranslation", [3]int{3, 4, 6}},
	} {
		t.Run(tt.id, func(t *testing.T) {
			w := newWorldOf(t, tt.id, "de", "en")
			w.importSegments(two("s1", "Die alte Fähre.", text, "2"))
			m := newMarker(t, b, w, "ann")
			run(t, m.ctx, "a wide window", chrome.Look(1280, 900, false))
			id := m.assignment()
			for i, way := range []string{"drag", "two clicks", "keys"} {
				m.toCard(text)
				m.press("Escape Escape Home")
				m.events = 0
				switch i {
				case 0:
					m.drag(protocol.Target, words)
					m.press(tt.category + " " + tt.severity) // the list of categories waits open
				case 1:
					m.clickWords(protocol.Target, words)
					m.press(tt.category + " " + tt.severity)
				case 2:
					m.press(repeat(3, "Ctrl+Shift+ArrowRight") + tt.severity)
					if tt.category != "" {
						m.press("c " + tt.category)
					}
				}
				if m.events != tt.want[i] {
					t.Errorf("%s: %d events, want %d", way, m.events, tt.want[i])
				}
				m.saved()
				wantSpans(t, way, m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, words, protocol.Target, tt.stored, tt.kind))
				m.press("x")
				m.saved()
			}
		})
	}
}
