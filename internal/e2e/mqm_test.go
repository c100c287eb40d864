package e2e

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func three(id, source, first, second, third string) campaign.Segment {
	s := two(id, source, first, second)
	s.Translations = append(s.Translations, campaign.Translation{System: "Cedar", Text: third})
	return s
}

// TestMQMByKeyboard marks a whole segment by keys alone: categories by number and by
// name, the running score and the limit, a source error outside it, a
// non-translation, no errors.
func TestMQMByKeyboard(t *testing.T) {
	b := browser(t)
	const source = "这波操作真绝了👏，全群都看呆了。"
	const first = "That move were unreal , the whole chat just frooze."
	const second = "Lorem 👏 ipsum dolor."
	const third = "What a move 👏: the whole chat froze."
	w := newWorldOf(t, "mqm", "zh", "en", "critical=yes", "max_errors=2")
	w.importSegments(three("s1", source, first, second, third))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	tally := func() string {
		return ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .card-tally').textContent`)
	}

	m.toCard(first)
	m.events = 0
	m.press(repeat(2, "Ctrl+ArrowRight") + "Enter M c 2 3")
	t.Logf("keys for a mark of one word at the third word, another severity and a category: %d", m.events)
	m.press("Ctrl+ArrowRight Ctrl+ArrowRight ArrowLeft Shift+ArrowLeft Enter m c")
	m.typeText("punc")
	m.press("Enter")
	m.saved()
	texts := protocol.Texts{Source: source, Translation: first}
	want := []protocol.ErrorSpan{at(first, "were", protocol.Target, "major", "Fluency/Grammar"), at(first, ",", protocol.Target, "minor", "Fluency/Punctuation")}
	wantSpans(t, "two errors", m.stored(id, first).Spans, texts, want...)
	if got := tally(); got != "MQM 5.1 · 2 of 2 errors" {
		t.Errorf("running score %q", got)
	}
	// A third is one too many, and said to be; an error of the source does not count.
	m.press("End ArrowLeft Enter X c 2 2")
	run(t, m.ctx, "the limit is said", Until(`document.querySelector('.card[aria-current] .card-trouble').textContent.includes('the limit is 2')`))
	if got := tally(); got != "MQM 30.1 · 3 of 2 errors: remove 1" {
		t.Errorf("beyond the limit: %q", got)
	}
	m.press("x s End Shift+ArrowLeft Enter u c")
	m.typeText("source")
	m.press("Enter")
	m.saved()
	want = append(want, at(source, "。", protocol.Source, "neutral", "Source error"))
	wantSpans(t, "with a source error", m.stored(id, first).Spans, texts, want...)
	if got := tally(); got != "MQM 5.1 · 2 of 2 errors" {
		t.Errorf("with a source error: %q", got)
	}
	// In the translation it is refused.
	m.press(". c")
	m.typeText("source")
	m.press("Enter Escape Escape")
	if got := ask[string](t, m.ctx, `document.querySelector('#missing').textContent`); got != "A source error is marked in the source: mark its words there." {
		t.Errorf("a source error in the translation: %q", got)
	}

	m.toCard(second)
	m.press("Enter c")
	m.typeText("non")
	m.press("Enter")
	m.press("M m Ctrl+ArrowRight Ctrl+ArrowRight Enter")
	if got := ask[string](t, m.ctx, `document.querySelector('#missing').textContent`); got != "A non-translation stands alone; remove it to mark single errors" {
		t.Errorf("a mark beside a non-translation: %q", got)
	}
	m.saved()
	wantSpans(t, "a non-translation", m.stored(id, second).Spans, protocol.Texts{Source: source, Translation: second}, at(second, second, protocol.Target, "major", "Non-translation"))
	if got := tally(); got != "MQM 25 · 1 of 2 errors" {
		t.Errorf("a non-translation: %q", got)
	}

	// A card without a category is named, and its mark picked.
	m.toCard(third)
	m.press("Home Enter m Ctrl+Enter")
	run(t, m.ctx, "the category is asked for", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent === 'Still needs a category for “What”'`))
	if got := ask[bool](t, m.ctx, `document.querySelector('#mark-bar').hidden`); got {
		t.Error("the mark without a category is not picked")
	}
	m.press("x 0")
	if m.submit() {
		t.Error("there was only one segment")
	}
	wantSpans(t, "submitted", m.stored(id, first).Spans, texts, want...)
	if got := m.stored(id, third); len(got.Spans) != 0 {
		t.Errorf("no errors is stored as %+v", got)
	}
}
