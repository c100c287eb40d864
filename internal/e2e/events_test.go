package e2e

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
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

// TestSegmentByMouse judges a whole segment under MQM by mouse alone: two cards with one
// categorised error each, two without errors, submitted. No click is lost.
func TestSegmentByMouse(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "s1", Domain: "test", Source: "Die alte Fähre schläft."}
	errors := map[string]string{"The old fairy sleeps here.": "fairy", "The ferry sleep near the bridge.": "ferry sleep"}
	texts := []string{"The old fairy sleeps here.", "An old ferry sleeps.", "The ferry sleep near the bridge.", "The old ferry is asleep."}
	for i, text := range texts {
		s.Translations = append(s.Translations, campaign.Translation{System: string(rune('A' + i)), Text: text})
	}
	m := newMarkerOn(t, "mqm", "redundancy=1", s)
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	id := m.assignment()
	m.events = 0
	for i, text := range ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((e) => e.textContent)`) {
		card := ".card:nth-child(" + string(rune('1'+i)) + ") "
		if words := errors[text]; words != "" {
			m.dragIn(i, words)
			if unused := ask[float64](t, m.ctx, `document.querySelector('#mark-bar').offsetWidth - document.querySelector('.picker').offsetWidth`); unused > 16 {
				t.Errorf("the list of categories leaves %v pixels of the bar's width unused", unused)
			}
			m.clickOn("#picker-2")
			if got, want := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .mark-entry').textContent`), "1? "+words+" Accuracy / Mistranslation needs a severity"; got != want {
				t.Errorf("the list says %q, want %q", got, want)
			}
			m.clickOn("#mark-bar [data-grade=major]")
		} else {
			m.clickOn(card + "[data-none]")
		}
	}
	run(t, m.ctx, "submit", leaves(click("#submit")))
	m.events++
	if m.events > 16 {
		t.Errorf("%d clicks and drags, want at most 16", m.events)
	}
	t.Logf("a segment of four cards by mouse: %d clicks and drags", m.events)
	for _, text := range texts {
		var want []protocol.ErrorSpan
		if words := errors[text]; words != "" {
			want = append(want, at(text, words, protocol.Target, "major", "Accuracy/Mistranslation"))
		}
		wantSpans(t, text, m.stored(id, text).Spans, protocol.Texts{Source: s.Source, Translation: text}, want...)
	}
	if got := m.w.exported("ratings"); strings.Count(got, `"annotator":"ann"`) != len(texts) {
		t.Errorf("submitted: %s", got)
	}
}

// dragIn drags over words of a card by its place, whichever is in work.
func (m *marker) dragIn(card int, words string) {
	t := m.w.t
	t.Helper()
	at := ask[[]float64](t, m.ctx, `((on) => {
		const start = on.textContent.indexOf(`+quoted(words)+`), end = start + `+quoted(words)+`.length;
		const r = new Range();
		r.setStart(on.firstChild, start);
		r.setEnd(on.firstChild, end);
		const { left, right, top, bottom } = r.getBoundingClientRect();
		return [left, right, (top + bottom) / 2];
	})(document.querySelectorAll('.card [data-side=target]')[`+string(rune('0'+card))+`])`)
	run(t, m.ctx, "drag over "+words, drag(at[0]+1, at[2], at[1]-1, at[2]))
	m.events++
}
