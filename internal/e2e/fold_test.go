package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// folder is an annotator of four cards of German into English with some lines each. The
// texts end with their numbers; the last two are the same.
func folder(t *testing.T, settings ...string) (m *marker, texts []string) {
	t.Helper()
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", settings...)
	s := campaign.Segment{DocID: "d", SegmentID: "s1", Domain: "test", Source: "Die alte Fähre."}
	for i := range 4 {
		text := strings.Repeat("The old ferry leaves the harbour at nine and nobody knows why. ", 9) + fmt.Sprint("Number ", min(i, 2))
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprint("S", i), Text: text})
	}
	w.importSegments(s)
	m = newMarker(t, b, w, "ann")
	run(t, m.ctx, "a desk", Look(1280, 760, false))
	m.reload()
	return m, m.texts(".card-text")
}

// folded are the places of the folded cards, which have no text to be seen.
func (m *marker) folded() []int {
	m.w.t.Helper()
	return ask[[]int](m.w.t, m.ctx, `[...document.querySelectorAll('.card')].flatMap((c, i) => c.querySelector('.card-body').checkVisibility() ? [] : [i])`)
}

func (m *marker) wantFolded(what string, want ...int) {
	m.w.t.Helper()
	if got := m.folded(); !slices.Equal(got, want) {
		m.w.t.Errorf("%s: folded %v, want %v", what, got, want)
	}
}

// clean gives the card in work a score and says that it has no errors.
func (m *marker) clean(score string) {
	m.press("0 a")
	m.typeText(score)
	m.press("Escape")
}

// opt keeps choices in the browser, such as "spaces=on text-size=130", for the next page.
func (m *marker) opt(choices string) {
	m.w.t.Helper()
	for choice := range strings.FieldsSeq(choices) {
		name, value, _ := strings.Cut(choice, "=")
		ask[bool](m.w.t, m.ctx, fmt.Sprintf(`(localStorage.setItem('annotate/' + %q, %q), true)`, name, value))
	}
}

// choose opens the menu Options, scrolls to a choice in it, clicks the choice, and closes the menu.
func (m *marker) choose(selector string) {
	t := m.w.t
	t.Helper()
	m.clickOn("#options-open")
	run(t, m.ctx, "the menu", Until(`document.querySelector('#options').matches(':popover-open')`))
	run(t, m.ctx, "scroll to the choice", do(fmt.Sprintf("document.querySelector(%q).scrollIntoView({ block: 'nearest' })", selector)))
	m.clickOn(selector)
	m.press("Escape")
	run(t, m.ctx, "the menu is closed", Until(`!document.querySelector('#options').matches(':popover-open')`))
}

// TestFoldOneByOne folds cards by key and by button, and opens them by key, click and Tab.
func TestFoldOneByOne(t *testing.T) {
	m, _ := folder(t)
	m.press("h")
	if got := m.text("#missing"); !strings.HasSuffix(got, "needs a score; a card folds once it is done") {
		t.Errorf("a card that is not done: %q", got)
	}
	m.wantFolded("not done")
	m.clean("70")
	m.press("h")
	m.wantFolded("by key", 0)
	inWork := func(want int) {
		t.Helper()
		if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current]').dataset.index + (document.querySelector('.card[aria-current]').contains(document.activeElement) ? '' : ' without the focus')`); got != fmt.Sprint(want) {
			t.Errorf("card %s is in work, want %d", got, want)
		}
	}
	inWork(1)
	if got := m.text("#card-0 .card-line-sum"); got != "Score 70 · no errors" {
		t.Errorf("the line says %q", got)
	}
	if got := m.text("#card-0 .card-line-words"); !strings.HasPrefix(got, "The old ferry leaves") {
		t.Errorf("the line begins with %q", got)
	}
	m.clean("60")
	m.clickOn("#card-1 [data-fold]")
	m.wantFolded("by button", 0, 1)
	inWork(2)
	m.press("k")
	m.wantFolded("gone to by key", 0)
	inWork(1)
	if got := ask[float64](t, m.ctx, `document.querySelector('#card-1').getBoundingClientRect().top`); got < 48 {
		t.Errorf("the card gone to begins at %v", got)
	}
	m.press("h")
	m.wantFolded("by key again", 0, 1)
	m.clickOn("#card-0 .card-line")
	m.wantFolded("opened by a click", 1)
	inWork(0)
	ask[bool](t, m.ctx, `(document.querySelector('#card-0 [data-fold]').focus(), true)`)
	m.press("Tab")
	m.wantFolded("opened by Tab")
	inWork(1)
	m.press("h Ctrl+z")
	m.wantFolded("undo opens the card that it is about")
	inWork(1)
	m.saved()
}

// TestFoldKeepsItsPlace folds all cards that are done while somebody marks by mouse: nothing moves
// under the pointer, what is above folds where the page can make up for it, and otherwise once
// it is out of view.
func TestFoldKeepsItsPlace(t *testing.T) {
	m, _ := folder(t)
	ask[bool](t, m.ctx, watchShifts)
	m.choose("#option-fold-done")
	top := func(card int) float64 {
		t.Helper()
		return ask[float64](t, m.ctx, fmt.Sprintf(`document.querySelector('#card-%d .card-text').getBoundingClientRect().top`, card))
	}
	word := func(card int, n int) (x, y float64) {
		t.Helper()
		at := ask[[]float64](t, m.ctx, fmt.Sprintf(`(() => { const r = new Range(), on = document.querySelector('#card-%d .card-text').firstChild; r.setStart(on, %d); r.setEnd(on, %d); const b = r.getBoundingClientRect(); return [(b.left + b.right) / 2, (b.top + b.bottom) / 2]; })()`, card, n, n+1))
		return at[0], at[1]
	}
	// At the top of the page there is no room to make up for a fold.
	m.clean("70")
	m.wantFolded("in work")
	before := top(1)
	x, y := word(1, 1)
	run(t, m.ctx, "a click", chromedp.MouseClickXY(x, y))
	m.wantFolded("between two clicks")
	x, y = word(1, 5)
	run(t, m.ctx, "another click", chromedp.MouseClickXY(x, y))
	m.wantFolded("no room")
	if got := top(1); math.Abs(got-before) > 1 {
		t.Errorf("without room the card in work moved from %v to %v", before, got)
	}
	// Out of view it folds, and nothing that is seen moves.
	ask[bool](t, m.ctx, `(scrollBy({ top: document.querySelector('#card-0').getBoundingClientRect().bottom + 2, behavior: 'instant' }), true)`)
	before = top(1)
	run(t, m.ctx, "folded out of view", Until(`document.querySelector('#card-0').matches('.folded')`))
	if got := top(1); math.Abs(got-before) > 1 {
		t.Errorf("a fold out of view moved the card in work from %v to %v", before, got)
	}
	// The card that was left folds in view, and the words that were dragged over stay.
	m.press("m Escape")
	m.clean("50") // its errors are marked, so that 0 does nothing
	ask[bool](t, m.ctx, `(scrollTo({ top: 0, behavior: 'instant' }), document.querySelector('#card-2').scrollIntoView({ block: 'center', behavior: 'instant' }), true)`)
	ask[bool](t, m.ctx, `(document.querySelector('.cards').style.setProperty('padding-top', '400px'), scrollBy({ top: 400, behavior: 'instant' }), true)`)
	before = top(2)
	x, y = word(2, 4)
	run(t, m.ctx, "drag", drag(x, y, x+60, y))
	m.wantFolded("left", 0, 1)
	if got := top(2); math.Abs(got-before) > 1 {
		t.Errorf("the card in work moved from %v to %v", before, got)
	}
	if got := ask[[]string](t, m.ctx, `shifts`); len(got) > 0 {
		t.Errorf("moved under the pointer: %q", got)
	}
	m.saved()
	m.reload()
	m.wantFolded("after a reload", 0, 1)
	m.choose("#option-fold-done")
	m.wantFolded("switched off")
	m.press("H")
	m.wantFolded("switched on by key", 0, 1)
}

// TestConflictOnFoldedCard checks that a folded card opens when the page learns that it was changed in
// another window, so that the annotator can read both versions. The chosen version is saved, and the card
// can be folded again.
func TestConflictOnFoldedCard(t *testing.T) {
	m, _ := folder(t)
	b, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	other := &marker{annotator: *newAnnotator(t, b, m.w, nil), login: "ann"}
	other.begin(m.again())
	other.ready()
	ask[bool](t, other.ctx, `(window.online = window.fetch, window.fetch = () => Promise.reject(new TypeError('offline')), true)`)
	other.clean("70")
	other.press("h")
	other.wantFolded("not sent yet", 0)
	m.clean("50")
	m.saved()
	ask[bool](t, other.ctx, `(window.fetch = window.online, dispatchEvent(new Event('online')), true)`)
	run(t, other.ctx, "the conflict is said", Until(`document.querySelector('#saved-text').textContent === 'not saved: changed elsewhere'`))
	run(t, other.ctx, "both are seen", Until(`!!document.querySelector('#card-0 .conflict')?.checkVisibility()`))
	other.wantFolded("in conflict")
	run(t, other.ctx, "keep mine", chromedp.Click(`#card-0 .conflict [data-keep=mine]`))
	other.saved()
	other.wantFolded("settled")
	other.press("h")
	other.wantFolded("folded again", 0)
	run(t, other.ctx, "what was kept", Until(`document.querySelector('#card-0 .card-line').textContent.includes('70')`))
	m.reload()
	if got := ask[string](t, m.ctx, `document.querySelector('#card-0 .score-number').value`); got != "70" {
		t.Errorf("the other window shows %q", got)
	}
}

// TestFoldedCounts submits a segment whose cards are folded: a question about two of them opens
// both, and what was given is submitted. The page of a submitted segment folds them as well.
func TestFoldedCounts(t *testing.T) {
	m, texts := folder(t)
	id := m.assignment()
	page := ask[string](t, m.ctx, "location.href")
	m.press("H")
	var same []int
	for i, text := range texts {
		m.toPlace(i)
		m.clean(fmt.Sprint(70 + i))
		if strings.HasSuffix(text, "Number 2") {
			same = append(same, i)
		}
	}
	if !slices.Contains(same, 0) {
		m.toPlace(0)
	}
	m.press("Ctrl+Enter")
	run(t, m.ctx, "the question", Until(`document.querySelector('#missing').textContent.includes('have the same text and different scores')`))
	for _, i := range same {
		if slices.Contains(m.folded(), i) {
			t.Errorf("card %d, which the question is about, is folded", i)
		}
	}
	m.press("=")
	m.submit()
	for i, text := range texts {
		if got := m.ratings(id)[i].Rating.Scores["score"]; got != float64(70+i) && !slices.Contains(same, i) {
			t.Errorf("%q is stored with %v", text, got)
		}
	}
	run(t, m.ctx, "a submitted segment", chromedp.Navigate(page))
	m.ready()
	m.wantFolded("a submitted segment", 1, 2, 3)
	other := slices.IndexFunc(texts, func(text string) bool { return !strings.HasSuffix(text, "Number 2") })
	next := (other + 1) % len(texts)
	m.toPlace(other)
	m.press("a")
	m.typeText("12")
	m.press("Escape")
	m.toPlace(next)
	if slices.Contains(m.folded(), next) || !slices.Contains(m.folded(), other) {
		t.Errorf("revised %d, in work %d, folded %v", other, next, m.folded())
	}
	if got := m.text(fmt.Sprintf("#card-%d .card-line-sum", other)); got != "Score 12 · no errors" {
		t.Errorf("the line says %q", got)
	}
	if m.submit() {
		t.Error("there was only one segment")
	}
	if got := m.ratings(id)[other].Rating; got.Scores["score"] != 12 || len(got.Spans) != 0 {
		t.Errorf("submitted %+v", got)
	}
}
