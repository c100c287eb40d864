package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// front makes a tab the one that is seen: those behind it get no keys, and paint
// nothing.
func (m *marker) front() {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "to the front", chromedp.Func(func(ctx context.Context, tg *chromedp.Target) error {
		_, err := cdp.Call(ctx, tg, page.BringToFront, cdp.Empty{})
		return err
	}), Until(`document.visibilityState === 'visible'`))
}

// TestMarksInTwoTabs marks in two tabs of one browser, which share what the browser
// keeps: the one that saves later is told what the other has, both versions are
// there to be chosen, and a tab that was never saved loses nothing to the other.
func TestMarksInTwoTabs(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en")
	const source, text = "Die alte Fähre schläft.", "The old ferry sleeps."
	texts := protocol.Texts{Source: source, Translation: text}
	w.importSegments(two("s1", source, text, "2"))
	first := newMarker(t, b, w, "ann")
	id := first.assignment()
	address := ask[string](t, first.ctx, "location.href")
	tab, end := chromedp.NewContext(first.ctx) // of the same person
	t.Cleanup(end)
	// A tab ends with the context in which it is first used, which must not be that of
	// a single step.
	if err := chromedp.Do(tab); err != nil {
		t.Fatal(err)
	}
	second := &marker{annotator: annotator{w: w, ctx: tab}, login: "ann"}
	run(t, second.ctx, "the second tab", chromedp.Navigate(address))
	second.ready()

	first.front()
	first.toCard(text)
	first.press("Enter M")
	first.saved()

	second.front()
	second.toCard(text)
	second.press("Ctrl+ArrowRight Enter m")
	run(t, second.ctx, "both are shown", Until(`document.querySelector('.conflict [data-mine]')?.textContent.includes('“old”, minor') && document.querySelector('.conflict [data-theirs]').textContent.includes('“The”, major')`))
	run(t, second.ctx, "the conflict is said", Until(`document.querySelector('#saved-text').textContent === 'not saved: changed elsewhere'`))
	wantSpans(t, "undecided", first.stored(id, text).Spans, texts, at(text, "The", protocol.Target, "major", ""))

	// What the first tab does meanwhile is saved as always.
	first.front()
	first.press("Ctrl+ArrowRight Ctrl+ArrowRight Enter M")
	first.saved()
	wantSpans(t, "meanwhile", first.stored(id, text).Spans, texts, at(text, "The", protocol.Target, "major", ""), at(text, "ferry", protocol.Target, "major", ""))

	// A reload of the second keeps its own marks, and asks again.
	second.front()
	second.reload()
	run(t, second.ctx, "asked again", Until(`document.querySelector('.conflict [data-mine]')?.textContent.includes('“old”, minor') && document.querySelector('.conflict [data-theirs]').textContent.includes('“ferry”, major')`))
	run(t, second.ctx, "take the other", chromedp.Click(`.conflict [data-keep=theirs]`), Until(`!document.querySelector('.conflict')`))
	second.toCard(text)
	second.press("End Ctrl+ArrowLeft Enter m")
	second.saved()
	want := []protocol.ErrorSpan{at(text, "The", protocol.Target, "major", ""), at(text, "ferry", protocol.Target, "major", ""), at(text, "sleeps", protocol.Target, "minor", "")}
	wantSpans(t, "decided", second.stored(id, text).Spans, texts, want...)

	// And the first one is told in its turn.
	first.front()
	first.press("x")
	run(t, first.ctx, "told in turn", Until(`document.querySelector('.conflict [data-theirs]')?.textContent.includes('“sleeps”, minor')`))
	run(t, first.ctx, "keep mine", chromedp.Click(`.conflict [data-keep=mine]`))
	first.saved()
	wantSpans(t, "the first one's", first.stored(id, text).Spans, texts, want[0])
}

// TestOtherLayouts gives keys as keyboards without Latin letters do: they go by their
// places, so that every act is at hand without switching.
func TestOtherLayouts(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "mqm", "de", "en")
	const source, text = "Die alte Fähre schläft.", "The old ferry sleeps."
	texts := protocol.Texts{Source: source, Translation: text}
	w.importSegments(two("s1", source, text, "2"))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	m.toCard(text)
	// press dispatches what a browser does for a key of another layout.
	press := func(key, code string, shift bool) {
		t.Helper()
		ask[bool](t, m.ctx, `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: `+quoted(key)+`, code: `+quoted(code)+`, shiftKey: `+map[bool]string{true: "true", false: "false"}[shift]+`, bubbles: true, cancelable: true })) || true`)
	}
	mark := func(severity string) protocol.ErrorSpan { return at(text, "The", protocol.Target, severity, "") }
	m.press("Enter")
	m.saved()
	for _, k := range []struct {
		what, key, code string
		shift           bool
		want            string
	}{
		{"Cyrillic, major", "Ь", "KeyM", true, "major"},
		{"Cyrillic, minor", "ь", "KeyM", false, "minor"},
		{"Greek, neutral", "θ", "KeyU", false, "neutral"},
		{"Arabic, minor", "ة", "KeyM", false, "minor"},
		{"Hebrew, neutral", "ו", "KeyU", false, "neutral"},
	} {
		press(k.key, k.code, k.shift)
		m.saved()
		wantSpans(t, k.what, m.stored(id, text).Spans, texts, mark(k.want))
	}
	// The ends of the mark: х and ъ are where [ and ] are.
	press("ъ", "BracketRight", false)
	m.saved()
	wantSpans(t, "the end on, past the blank", m.stored(id, text).Spans, texts, at(text, "The o", protocol.Target, "neutral", ""))
	press("х", "BracketLeft", false)
	m.saved()
	// с is where c is; the list takes the digits.
	press("с", "KeyC", false)
	run(t, m.ctx, "the list of categories", Until(`document.activeElement.role === 'combobox' || document.activeElement.getAttribute('role') === 'combobox'`))
	m.press("1 3")
	m.saved()
	wantSpans(t, "categories", m.stored(id, text).Spans, texts, at(text, "The", protocol.Target, "neutral", "Accuracy/Mistranslation"))
	press("ч", "KeyX", false)
	m.saved()
	wantSpans(t, "removed", m.stored(id, text).Spans, texts)

	// Beside a mark in the source the bar and its list are in view, and cover no word of it.
	press("ы", "KeyS", false)
	m.press("Enter c")
	if !ask[bool](t, m.ctx, `(() => {
		const bar = document.querySelector('#mark-bar');
		const [r, mark] = [bar, document.querySelector('[data-side=source] mark')].map((e) => e.getBoundingClientRect());
		return bar.contains(document.activeElement) && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && (r.top >= mark.bottom || r.bottom <= mark.top);
	})()`) {
		t.Error("the bar of a mark in the source is out of view, or over its words")
	}
}
