package e2e

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// TestTerms: a term is marked, sorted, explained and linked to its counterpart in the reference by keyboard, on the first
// segment; by hand, on the second.
func TestTerms(t *testing.T) {
	j := pagesJudge(t)
	const source, reference = "Sie bekam 🎒 eine Schultüte.", "She got 🎒 a cone."
	var segments []campaign.Segment
	for i := range 3 { // the last one is not begun
		segments = append(segments, campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: source, Translations: campaign.ItselfOnly(),
			References: []campaign.Reference{{Name: "ref", Text: reference}}})
	}
	m := newMarkerOn(t, "terms", "", segments...)
	m.press("Ctrl+Enter")
	run(t, m.ctx, "what is missing", Until(`document.querySelector('#missing').textContent.includes('a term, or “no terms”')`))
	m.press("Escape 0")
	m.press("0 End ArrowLeft ArrowLeft Enter c 1 f")
	m.typeText("A cone of sweets.")
	m.press("Escape s End ArrowLeft ArrowLeft Enter l 1")
	m.saved()
	ratings := m.submits(t, j, "terms by keyboard")
	wantsLine(t, ratings, `"side":"source","start":17,"end":26,"text":"Schultüte","category":"Material","answers":{"explication":"A cone of sweets."}}`)
	wantsLine(t, ratings, `"side":"reference","start":12,"end":16,"text":"cone","category":"Material","link":"`)

	m.drag(protocol.Source, "Schultüte")
	run(t, m.ctx, "the list of categories", Until(`document.querySelector('.mark-box .pick-list, .mark-box [role=listbox], .mark-box input')`))
	run(t, m.ctx, "the category comes first", Until(`document.querySelector('#missing').textContent.includes('a category for')`))
	m.press("1")
	if keys := ask[string](t, m.ctx, `[...document.querySelectorAll('.term-questions kbd')].filter((k) => k.checkVisibility({ visibilityProperty: true })).map((k) => k.textContent).join()`); keys != "f,u" {
		t.Errorf("the questions of the term in work show the keys %q", keys)
	}
	m.drag(protocol.Reference, "cone")
	run(t, m.ctx, "the list of terms", Until(`document.querySelector('.mark-box [role=option]')?.textContent.includes('Schultüte')`))
	m.press("1")
	run(t, m.ctx, "the counterpart is linked and sorted", Until(`document.querySelector('.card-marks li:nth-child(2) .mark-entry')?.textContent.match(/Material.*goes with 1/)`))
	m.clickOn(`[data-asked=equivalent] textarea`)
	m.typeText("school cone")
	m.clickOn(`[data-asked=explication] textarea`)
	m.typeText("A cone of sweets.")
	m.saved()
	ratings = m.submits(t, j, "terms by hand")
	wantsLine(t, ratings, `"segment_id":"s1"`)
	wantsLine(t, ratings, `"answers":{"equivalent":"school cone","explication":"A cone of sweets."}}`)
	if n := strings.Count(ratings, `"text":"cone","category":"Material","link":"`); n != 2 {
		t.Errorf("%d counterparts are linked, not one by keyboard and one by hand", n)
	}
}

// TestCulture: the terms of a segment are shown with what they mean. Digits answer one after the other; a click answers as
// well; none can be added or removed. A segment without terms is not handed out.
func TestCulture(t *testing.T) {
	j := pagesJudge(t)
	const source, reference = "Sie bekam eine Schultüte zum Feierabend.", "She got a cone after work."
	var segments []campaign.Segment
	for i := range 4 {
		s := campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: source, References: []campaign.Reference{{Name: "ref", Text: reference}},
			Translations: []campaign.Translation{{System: "secret-one", Text: "She got a bag."}, {System: "secret-two", Text: "A cone for after work."}}}
		if i > 0 {
			cone := at(source, "Schultüte", protocol.Source, "", "Material")
			cone.ID, cone.Link, cone.Answers = "a", "c", map[string]string{campaign.Explication: "A cone of sweets."}
			rest := at(source, "Feierabend", protocol.Source, "", "Social")
			rest.ID = "b"
			there := at(reference, "cone", protocol.Reference, "", "Material")
			there.ID = "c"
			s.Terms = []protocol.ErrorSpan{cone, rest, there}
		}
		segments = append(segments, s)
	}
	m := newMarkerOn(t, "culture", "", segments...)
	if said := ask[string](t, m.ctx, `document.querySelector('.term-about').textContent + ' ' + document.querySelector('.aside mark').textContent`); said != "A cone of sweets.In the reference: cone cone" {
		t.Errorf("of the term the page says %q", said)
	}
	if ask[bool](t, m.ctx, `document.querySelector('.card-sum').checkVisibility()`) {
		t.Error("a blank line stands above the terms")
	}
	digits := `[...document.querySelectorAll('.card')].flatMap((c) => [...c.querySelectorAll('li')].map((li) => [...li.querySelectorAll('.answer-digit')].filter((k) => k.checkVisibility({ visibilityProperty: true })).length)).join(' ')`
	if got := ask[string](t, m.ctx, digits); got != "2 0 0 0" {
		t.Errorf("before the first answer, the terms show the digits %s", got)
	}
	m.press("Ctrl+Enter")
	run(t, m.ctx, "what is missing", Until(`document.querySelector('#missing').textContent.includes('Rendered?')`))
	m.press("Escape 1 2")
	if got := ask[string](t, m.ctx, digits); got != "0 7 0 0" {
		t.Errorf("of an error of the second term, the terms show the digits %s", got)
	}
	if n := ask[int](t, m.ctx, `[...document.querySelectorAll('.handle')].filter((h) => h.checkVisibility()).length`); n != 0 {
		t.Errorf("a given term cannot be changed, and has %d handles", n)
	}
	m.press("3")
	m.drag(protocol.Source, "eine")
	if n := ask[int](t, m.ctx, `document.querySelectorAll('.card[aria-current] .mark-entry').length`); n != 2 {
		t.Errorf("a word was marked: there are %d terms", n)
	}
	m.press("j 1")
	for _, answer := range []string{"[data-asked=rendered] label:nth-child(2) input", "[data-asked=error] label:nth-child(1) input"} {
		answer = ".card[aria-current] li:nth-child(2) " + answer
		ask[bool](t, m.ctx, fmt.Sprintf(`(document.querySelector(%q).scrollIntoView({ block: 'center', behavior: 'instant' }), true)`, answer))
		m.clickOn(answer)
	}
	m.saved()
	ratings := m.submits(t, j, "culture")
	wantsLine(t, ratings, `"segment_id":"s1"`)
	wantsLine(t, ratings, `"text":"Schultüte","category":"Material","answers":{"rendered":"yes"}}`)
	wantsLine(t, ratings, `"text":"Feierabend","category":"Social","answers":{"error":"sense_error","rendered":"no"}}`)
	wantsLine(t, ratings, `"text":"Feierabend","category":"Social","answers":{"error":"omission","rendered":"no"}}`)
	// Once the annotator switches that on, the last answer of a card leads to the next card.
	m.choose("#go-on")
	m.press("1 1 2")
	if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current]').dataset.index + [...document.querySelectorAll('input:checked')].filter((x) => x.closest('.term-questions')).map((x) => ' ' + x.value).join('')`); got != "1 yes yes no" {
		t.Errorf("after three answers: %s, want the second card in work and its first term answered", got)
	}
}
