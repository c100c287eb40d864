package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// newCurator is an annotator of a campaign with the protocol of testdata/curate.json, whose segments are rated
// themselves, with the first of two before them.
func newCurator(t *testing.T) *marker {
	t.Helper()
	b := browser(t)
	text, err := os.ReadFile("../protocol/testdata/curate.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.ReadOwn(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldBy(t, p, string(text), "de", "en", "redundancy=1")
	for i := range 2 {
		w.importSegments(campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: "Die alte Fähre 🚢 fährt.", Translations: campaign.ItselfOnly(),
			Candidates: []campaign.CandidateText{{Name: "secret-one", Text: "The old ferry goes."}, {Name: "secret-two", Text: "Old ferry drives."}}})
	}
	return newMarker(t, b, w, "ann")
}

// answers are what the page shows as answered: the words of each chosen answer and each text, of the questions that
// are asked.
func (m *marker) answers() string {
	return ask[string](m.w.t, m.ctx, `[...document.querySelectorAll('.question:not([hidden])')].map((q) => q.dataset.question + '=' +
		[...q.querySelectorAll('input:checked')].map((x) => x.dataset.score ? x.value : x.closest('label').querySelector('.answer-name').textContent).join('+') + (q.querySelector('textarea')?.value ?? '')).join(' | ')`)
}

// TestQuestions: a segment is curated by keyboard alone. Digits choose, letters lead to questions, what depends on an
// answer comes and goes with it, a text begins from the chosen candidate, and all is saved, undone and kept over a
// reload. Nothing on the page names a system.
func TestQuestions(t *testing.T) {
	j := pagesJudge(t)
	m := newCurator(t)
	want := func(what, answers string) {
		t.Helper()
		if got := m.answers(); got != answers {
			t.Errorf("%s:\n got %s\nwant %s", what, got, answers)
		}
	}
	want("at first", "keep= | best=")
	m.press("Ctrl+Enter")
	run(t, m.ctx, "what is missing", Until(`document.querySelector('#missing').textContent.includes('an answer to “Keep the sentence?”')`))
	m.press("Escape 1 4")
	want("kept, and difficult", "keep=Keep | difficulty=4 | phenomena= | cleaned=Die alte Fähre 🚢 fährt. | best= | edited=")
	m.press("y 1 3 1")
	want("of several answers one is taken back", "keep=Keep | difficulty=4 | phenomena=Allusion | cleaned=Die alte Fähre 🚢 fährt. | best= | edited=")
	m.press("b 1")
	best := ask[string](t, m.ctx, `document.querySelector('[data-question=best] input:checked').closest('label').querySelector('.answer-name').textContent`)
	m.press("c Ctrl+End")
	m.typeText(" Now.")
	m.press("Escape")
	m.saved()
	edited := m.answers()
	if !strings.HasSuffix(edited, "edited="+best+" Now.") {
		t.Errorf("the edited text: %s", edited)
	}
	m.press("Ctrl+z")
	if got := m.answers(); !strings.HasSuffix(got, "edited="+best) {
		t.Errorf("after undo: %s", got)
	}
	m.press("Ctrl+Shift+z")
	if got := m.answers(); got != edited {
		t.Errorf("after redo: %s", got)
	}
	m.saved()
	m.reload()
	if got := m.answers(); got != edited {
		t.Errorf("after a reload:\n got %s\nwant %s", got, edited)
	}
	m.press("e 2")
	want("dropped", "keep=Drop | best="+best)
	m.press("Ctrl+Enter")
	run(t, m.ctx, "why", Until(`document.querySelector('#missing').textContent.includes('a comment that explains')`))
	m.press("Escape e 1")
	if got := m.answers(); got != edited {
		t.Errorf("kept again:\n got %s\nwant %s", got, edited)
	}
	if html := ask[string](t, m.ctx, `document.documentElement.outerHTML`); strings.Contains(html, "secret") {
		t.Error("the page names a system")
	}
	accessible(t, m.ctx, j, "the questions of a segment")
	run(t, m.ctx, "a phone", Look(390, 844, true))
	if wide := ask[int](t, m.ctx, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %d wide", wide)
	}
	m.saved()
	run(t, m.ctx, "submit", Look(1280, 900, false), leaves(Key("Ctrl+Enter")))
	m.ready()
	line := m.w.exported("ratings")
	for _, part := range []string{
		`{"doc_id":"d0","segment_id":"s0","annotator":"ann","round":1,"scores":{"difficulty":4},"answers":{"keep":"yes","phenomena":["allusion"],"cleaned":"Die alte Fähre 🚢 fährt.","best":"secret-`,
		`"edited":"` + best + ` Now."}`,
	} {
		if !strings.Contains(line, part) {
			t.Errorf("the rating lacks %s:\n%s", part, line)
		}
	}
}

// TestInspecting inspects sentences by hand: the question in work is told, the text is edited in the face in which it is
// read and as a whole, what takes an edit back keeps the focus on the card, and keys lead to what is rarely needed.
func TestInspecting(t *testing.T) {
	texts := []string{"Kurz.", "Noch kürzer.", strings.Repeat("Die alte Fähre fährt. ", 200)}
	segments := make([]campaign.Segment, len(texts))
	for i, text := range texts {
		segments[i] = campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: text, Translations: campaign.ItselfOnly()}
	}
	m := newMarkerOn(t, "inspect", "redundancy=1", segments...)
	is := func(what, expression string) {
		t.Helper()
		if !ask[bool](t, m.ctx, expression) {
			t.Errorf("%s: not %s", what, expression)
		}
	}
	const inside = `document.querySelector('.question.at').getBoundingClientRect().left - document.querySelector('.card').getBoundingClientRect().left >= 5`
	is("the line beside the question", inside)
	m.press("1 3 b")
	is("the face of the text", `getComputedStyle(document.activeElement).fontFamily === getComputedStyle(document.querySelector('#current .text, #current.text, #current > :last-child')).fontFamily`)
	m.typeText(" Ja.")
	m.saved()
	run(t, m.ctx, "nothing can be submitted", do(`(() => { const real = window.fetch; window.fetch = (url, how) => (url.endsWith('/submit') ? Promise.reject(new Error()) : real(url, how)); window.restored = () => { window.fetch = real; }; })()`))
	m.press("Ctrl+Enter")
	run(t, m.ctx, "the refusal", Until(missingLine+`.startsWith('Not submitted')`), do(`window.restored()`))
	run(t, m.ctx, "beginning again is possible", Until(`!document.querySelector('.question:not([hidden]) [data-begin]').disabled`))
	m.clickOn(`.question:not([hidden]) [data-begin]`)
	is("after beginning again", `document.activeElement.matches('.card') && document.querySelector('[data-question=cleaned] textarea').value === 'Kurz.' && document.querySelector('.question:not([hidden]) [data-begin]').disabled`)
	m.press("?")
	is("the keys", `document.querySelector('#keys').open && /the cleaned sentence/.test(document.querySelector('#keys-list').textContent) && !/same text|side by side|fold all/.test(document.querySelector('#keys-list').textContent)`)
	m.press("Escape R")
	is("a problem", `document.querySelector('#problem').open`)
	m.clickOn(`[data-reason]`)
	is("the reason for skipping", `document.activeElement.id === 'skip-reason' && document.activeElement.value !== ''`)
	m.press("Escape")
	m.saved()
	run(t, m.ctx, "submit", leaves(Key("Ctrl+Enter")))
	m.ready()
	is("the key that takes back", `document.querySelector('.take-back [data-key]').checkVisibility()`)
	m.press("2 3")
	is("undo is for the answer now", `!document.querySelector('.take-back [data-key]').checkVisibility()`)
	m.saved()
	run(t, m.ctx, "submit", leaves(Key("Ctrl+Enter")))
	m.ready()
	m.press("1 5 b")
	is("a long text", `document.activeElement.clientHeight > innerHeight / 3 && document.activeElement.scrollTop > 0`)
	m.press("Escape")
	m.saved()
	m.phone()
	is("the line on a phone", inside)
	is("an answer for fingers", `[...document.querySelectorAll('[data-question=phenomena] .answer')].every((a) => {
		const [box, words] = [a, a.querySelector('.answer-words')].map((x) => x.getBoundingClientRect());
		return box.height >= 44 && Math.abs(box.top + box.bottom - words.top - words.bottom) < 6;
	})`)
}
