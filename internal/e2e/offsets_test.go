package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

// TestPointingWhereDirectionsMeet: where digits stand in a text from right to left, one
// place in the window is two in the text. A drag onto the number, as it is reached, or
// beyond it covers it, and a click on any part of it means it.
func TestPointingWhereDirectionsMeet(t *testing.T) {
	b := browser(t)
	const text = "وسيرسل المبلغ بعد 18 يوما."
	w := newWorldOf(t, "esa", "en", "ar")
	w.importSegments(two("s1", "He will send the money after 18 days.", text, "2"))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	id := m.assignment()
	m.toCard(text)
	for to, place := range map[string]float64{"onto the near end": 0.9, "beyond the far end": -0.04} {
		x, y, _, _ := m.box(protocol.Target, "بعد")
		left, _, right, _ := m.box(protocol.Target, "18")
		run(t, m.ctx, "drag", drag(x+4, y, left+(right-left)*place, y))
		m.saved()
		if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Text != "بعد 18" {
			t.Errorf("dragged %s of 18: %+v", to, got)
		}
		m.press("Ctrl+z")
		m.saved()
	}
	for _, along := range []float64{0.2, 0.8} {
		left, top, right, _ := m.box(protocol.Target, "8")
		for range 2 {
			run(t, m.ctx, "click", chromedp.MouseClickXY(left+(right-left)*along, top))
		}
		m.saved()
		if got := m.stored(id, text).Spans; len(got) != 1 || got[0].Text != "18" {
			t.Errorf("clicked at %.0f %% of 8: %+v", along*100, got)
		}
		m.press("Ctrl+z")
		m.saved()
	}
}

// TestDragWithinLetters drags, without whole words, over words that are not taken whole, from a place in their
// first letter to one in their last, in both directions: a letter of which more than half
// is passed over belongs to the mark. Letters that are joined to one shape are one.
func TestDragWithinLetters(t *testing.T) {
	b := browser(t)
	for _, c := range []struct {
		lang, text string
		words      []string
	}{
		{"ar", "السيد يعتذر عن التأخير، أهلا بكم في السلام والليل", []string{"السيد", "السلام"}},
		{"he", "שלום עולם, הספינה הישנה ישנה ליד הגשר", []string{"שלום", "ישנה"}},
	} {
		w := newWorldOf(t, "esa", "en", c.lang)
		w.importSegments(two("s1", "A source.", c.text, "2"))
		m := newMarker(t, b, w, "ann")
		run(t, m.ctx, "a wide window", Look(1440, 900, false))
		m.opt("words=off")
		m.reload()
		id := m.assignment()
		m.toCard(c.text)
		for _, words := range c.words {
			all := []rune(words)
			right := ask[[]float64](t, m.ctx, letterBox(words, 0))
			left := ask[[]float64](t, m.ctx, letterBox(words, len(all)-1))
			for _, within := range []float64{0.1, 0.4} { // of the letter's width, not yet passed over
				from, to := right[1]-within*(right[1]-right[0]), left[0]+within*(left[1]-left[0])
				for _, ends := range [][2]float64{{from, to}, {to, from}} {
					run(t, m.ctx, "drag", drag(ends[0], right[2], ends[1], left[2]))
					m.saved()
					if got := m.stored(id, c.text).Spans; len(got) != 1 || got[0].Text != words {
						t.Errorf("%s: dragged over %q from %.1f to %.1f: %+v", c.lang, words, ends[0], ends[1], got)
					}
					m.press("Escape Ctrl+z")
					m.saved()
				}
			}
		}
	}
}

// letterBox asks for the left and right edge and the middle of the height of a letter of
// some words: the n-th, counted from the first place where the words stand. A letter that
// is drawn in one shape with the one before it has the edges of that shape.
func letterBox(words string, n int) string {
	return fmt.Sprintf(`(() => {
		const on = document.querySelector('.card[aria-current] [data-side=target]');
		const text = on.textContent;
		for (let unit = text.indexOf(%s) + %d; ; unit--) {
			const r = new Range();
			const node = document.createTreeWalker(on, NodeFilter.SHOW_TEXT).nextNode();
			r.setStart(node, unit);
			r.setEnd(node, unit + 1);
			const b = r.getBoundingClientRect();
			if (b.width) return [b.left, b.right, (b.top + b.bottom) / 2];
		}
	})()`, quoted(words), n)
}

// TestSpansThatCutCharacters shows suggestions that begin and end between the code
// points of one character. The page draws them around whole characters, keeps the words
// after them where they are, and marks the words that a drag passes over.
func TestSpansThatCutCharacters(t *testing.T) {
	b := browser(t)
	const text = "The 👩🏽‍🚀 of the 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ferry 👩🏽‍🚀 sleeps near the bridge."
	const plain = "The 👩🏽‍🚀 of the 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ferry 👩🏽‍🚀 sleeps near the bridge!" // no suggestions
	cuts := func(start, end int) protocol.ErrorSpan {
		words, _ := codepoint.Slice(text, start, end)
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: words, Severity: "minor"}
	}
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", "Die Fähre.", text, plain))
	w.suggest("m", cuts(0, 6), cuts(7, 12), cuts(18, 20), cuts(30, 33))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	id := m.assignment()
	m.toCard(plain)
	left, _, _, _ := m.box(protocol.Target, "bridge")
	m.toCard(text)
	if now, _, _, _ := m.box(protocol.Target, "bridge"); math.Abs(now-left) > 1 {
		t.Errorf("with suggestions the last word stands at %v instead of %v", now, left)
	}
	if got, want := fmt.Sprint(m.suggested()), "map[1:The 👩🏽‍🚀 2:👩🏽‍🚀 of  3:🏴󠁧󠁢󠁥󠁮󠁧󠁿 4:👩🏽‍🚀]"; got != want {
		t.Errorf("drawn are %s, want %s", got, want)
	}
	m.drag(protocol.Target, "near the")
	m.saved()
	wantSpans(t, "after a drag", m.stored(id, text).Spans, protocol.Texts{Source: "Die Fähre.", Translation: text}, at(text, "near the", protocol.Target, "", ""))
}

// offsetCase is a text and stretches of it as the vectors of internal/codepoint have
// them, which the code of the server and that of the browser are held to as well.
type offsetCase struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Spans []struct {
		Start int `json:"start"`
		End   int `json:"end"`
	} `json:"spans"`
}

// selected is a stretch without the blanks at its ends, unless it is nothing else, and then
// with all of the characters that it touches.
func selected(text string, start, end int) (to [2]int) {
	words, _ := codepoint.Slice(text, start, end)
	isBlank := func(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) }
	if rest := strings.TrimFunc(words, isBlank); rest != "" {
		start += codepoint.Len(words) - codepoint.Len(strings.TrimLeftFunc(words, isBlank))
		end = start + codepoint.Len(rest)
	}
	at, found := 0, false
	for c := range codepoint.Graphemes(text) {
		from := at
		at += codepoint.Len(c)
		if from >= end || at <= start {
			continue
		}
		if !found {
			to[0], found = from, true
		}
		to[1] = at
	}
	return to
}

// TestSharedOffsets makes in a browser the selections that the vectors hold, by characters: what is stored is what they
// say, without blanks at its ends, and what the page draws as marked covers just these words, at once and after a reload.
func TestSharedOffsets(t *testing.T) {
	file, err := os.ReadFile("../codepoint/testdata/offsets.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []offsetCase
	if err := json.Unmarshal(file, &cases); err != nil {
		t.Fatal(err)
	}
	b := browser(t)
	w := newWorldOf(t, "esa", "en", "en")
	s := campaign.Segment{DocID: "d", SegmentID: "s", Domain: "test", Source: "x"}
	want := map[string][]protocol.ErrorSpan{}
	asked := map[string][][2]int{}
	for i, c := range cases {
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprintf("S%03d", i), Text: c.Text})
		for _, span := range c.Spans {
			to := selected(c.Text, span.Start, span.End)
			if span.Start == span.End {
				continue // nothing is selected
			}
			asked[c.Text] = append(asked[c.Text], [2]int{span.Start, span.End})
			one := protocol.ErrorSpan{Side: protocol.Target, Start: to[0], End: to[1], Severity: "minor"}
			if !slices.ContainsFunc(want[c.Text], one.Equal) { // what is marked already is picked
				want[c.Text] = append(want[c.Text], one)
			}
		}
	}
	w.importSegments(s)
	m := newMarker(t, b, w, "ann")
	m.opt("words=off")
	m.reload()
	id := m.assignment()
	stretches, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	ask[bool](t, m.ctx, fmt.Sprintf(`((asked) => {
		const texts = JSON.parse(document.getElementById('assignment-state').textContent).cards.map((c) => c.text);
		const place = (on, points) => {
			let unit = [...on.textContent].slice(0, points).join('').length;
			const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
			let last;
			for (let n = all.nextNode(); n; last = n, n = all.nextNode()) {
				if (unit <= n.nodeValue.length) return [n, unit];
				unit -= n.nodeValue.length;
			}
			return [last, last.nodeValue.length];
		};
		texts.forEach((text, i) => {
			for (const [start, end] of asked[text] ?? []) {
				const on = document.querySelectorAll('.card')[i].querySelector('[data-side=target]');
				// Backwards every other time.
				const ends = [place(on, start), place(on, end)];
				if ((start + end) %% 2) ends.reverse();
				getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
				document.dispatchEvent(new Event('selectionchange'));
				on.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', code: 'KeyM', bubbles: true }));
			}
		});
		return true;
	})(%s)`, stretches))
	m.saved()
	check := func(when string) {
		// By place: two cases may have the same text only if both are empty.
		drawn := ask[[]map[string]string](t, m.ctx, `[...document.querySelectorAll('.card')].map((card) => {
			const out = {};
			for (const n of card.querySelectorAll('[data-side=target] mark')) for (const id of n.dataset.m.split(' ')) out[id] = (out[id] ?? '') + n.textContent;
			return out;
		})`)
		for i, rating := range m.ratings(id) {
			wantSpans(t, fmt.Sprintf("%s, %q", when, rating.Text), rating.Rating.Spans, protocol.Texts{Source: "x", Translation: rating.Text}, want[rating.Text]...)
			for _, span := range rating.Rating.Spans {
				if drawn[i][span.ID] != span.Text {
					t.Errorf("%s, %q: drawn over %q, stored as %q", when, rating.Text, drawn[i][span.ID], span.Text)
				}
			}
		}
	}
	check("at once")
	m.reload()
	check("after a reload")
}
