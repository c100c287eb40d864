package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// stage opens the first of two segments of a campaign with a protocol that makes test data.
func stage(t *testing.T, id string, candidates ...campaign.CandidateText) *marker {
	t.Helper()
	var segments []campaign.Segment
	for i := range 2 {
		s := campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: "Da liegt der Hund begraben 🐶 #fun", Translations: campaign.ItselfOnly(), Candidates: candidates}
		if id == "review" {
			s.References = []campaign.Reference{{Name: "ref", Text: "That's the crux of matter 🐶."}}
		}
		segments = append(segments, s)
	}
	return newMarkerOn(t, id, "", segments...)
}

// submits checks that the page has no accessibility problem and fits a phone, submits it by a key, and returns the ratings.
func (m *marker) submits(t *testing.T, j *judge, what string) string {
	t.Helper()
	accessible(t, m.ctx, j, what)
	// What lies over the page finds its place after the window has changed.
	run(t, m.ctx, what+" fits a phone", Look(390, 844, true), Until(`document.documentElement.scrollWidth <= 390`))
	m.saved()
	run(t, m.ctx, "submit", Look(1280, 900, false), leaves(Key("Ctrl+Enter")))
	m.ready()
	return m.w.exported("ratings")
}

// wantsLine checks that the ratings have a part.
func wantsLine(t *testing.T, ratings, part string) {
	t.Helper()
	if !strings.Contains(ratings, part) {
		t.Errorf("the ratings lack %s:\n%s", part, ratings)
	}
}

// TestInspect: a sentence is inspected by keyboard: dropped for a reason, then kept, judged and cleaned.
func TestInspect(t *testing.T) {
	j := pagesJudge(t)
	m := stage(t, "inspect")
	m.press("?")
	if keys := m.text("#keys-list"); strings.Contains(keys, "fold") || strings.Contains(keys, "differs between") || !strings.Contains(keys, "answer the question") {
		t.Errorf("the list of keys has %q", keys)
	}
	m.press("Escape 2 4")
	if got := m.answers(); got != "keep=Drop | reason=Not difficult" {
		t.Errorf("dropped: %s", got)
	}
	m.press("e 1 4 u 2 3 b Ctrl+End")
	for range len(" #fun") {
		m.press("Backspace")
	}
	m.press("Escape")
	if got := m.answers(); got != "keep=Keep | difficulty=4 | phenomena=Idiom or set phrase+Slang or unusual spelling | cleaned=Da liegt der Hund begraben 🐶" {
		t.Errorf("kept: %s", got)
	}
	wantsLine(t, m.submits(t, j, "a sentence that is inspected"), `"scores":{"difficulty":4},"answers":{"keep":"yes","phenomena":["idiom","slang"],"cleaned":"Da liegt der Hund begraben 🐶"}`)
}

// TestReference: the best candidate is chosen and edited by keyboard.
func TestReference(t *testing.T) {
	j := pagesJudge(t)
	m := stage(t, "reference", campaign.CandidateText{Name: "secret-one", Text: "The dog is buried there 🐶."}, campaign.CandidateText{Name: "secret-two", Text: "That's where the dog is buried 🐶."})
	box := ask[[]float64](t, m.ctx, `(() => { const r = document.querySelector('[data-candidate]').getBoundingClientRect(); return [r.left + 8, r.top + r.height / 2]; })()`)
	run(t, m.ctx, "select words of a candidate", drag(box[0], box[1], box[0]+60, box[1]))
	if got := ask[string](t, m.ctx, `getSelection().toString()`); len(got) < 3 || m.answers() != "best= | edited=" {
		t.Errorf("dragging over a candidate selects %q and answers %s", got, m.answers())
	}
	run(t, m.ctx, "choose it", do(`getSelection().removeAllRanges()`))
	m.clickOn(`[data-candidate]`)
	if got := m.answers(); !strings.HasPrefix(got, "best=T") {
		t.Errorf("a click on a candidate answers %s", got)
	}
	m.press("Ctrl+z")
	note := func() bool { return ask[bool](t, m.ctx, `!document.querySelector('[data-stayed]').hidden`) }
	m.press("r")
	m.typeText("Mine.")
	if m.press("Escape e 1"); !note() {
		t.Error("after the first choice, nothing says that the text stays")
	}
	m.clickOn(`[data-question=edited] [data-begin]`)
	m.press("Escape D") // beginning again leaves the focus in the text
	run(t, m.ctx, "differences", Until(`[...CSS.highlights.get('changed') ?? []].length > 0 && !document.querySelector('#compare-bar').hidden`))
	m.press("D e 0")
	if got := m.answers(); got != "best=None of them | edited=" {
		t.Errorf("none of them: %s", got)
	}
	m.press("r")
	m.typeText("Own.")
	m.press("Escape")
	if !ask[bool](t, m.ctx, `document.querySelector('[data-question=edited] [data-begin]').disabled`) {
		t.Error("where no candidate is chosen, the text can begin again")
	}
	m.press("Ctrl+z e j j")
	const place = `document.querySelector('.question.at').dataset.question + ' ' + document.activeElement.tagName`
	if got := ask[string](t, m.ctx, place) + " " + m.answers(); got != "edited ARTICLE best=None of them | edited=" {
		t.Errorf("after the key for the next question, twice: %s", got)
	}
	m.press("Enter")
	if got := ask[string](t, m.ctx, place); got != "edited TEXTAREA" {
		t.Errorf("after Enter on the text: %s", got)
	}
	m.press("Escape k")
	if got := ask[string](t, m.ctx, place); got != "best INPUT" {
		t.Errorf("after the key for the previous question: %s", got)
	}
	m.press("e 1")
	best := ask[string](t, m.ctx, `document.querySelector('[data-question=best] input:checked').closest('label').querySelector('.answer-name').textContent`)
	m.press("r Ctrl+Home")
	m.typeText("Well: ")
	m.press("Ctrl+End")
	m.typeText(" ")
	m.press("Escape")
	if got := m.answers(); got != "best="+best+" | edited=Well: "+best+" " {
		t.Errorf("chosen and edited: %s", got)
	}
	if m.press("e 2"); !note() || !strings.HasSuffix(m.answers(), "edited=Well: "+best+" ") {
		t.Error("after another choice, nothing says that the edited text stays")
	}
	m.saved()
	if m.reload(); !note() {
		t.Error("once the page is loaded again, nothing says that the edited text stays")
	}
	if m.press("e 1"); note() {
		t.Error("the page still says that another answer is chosen")
	}
	ratings := m.submits(t, j, "a reference that is chosen")
	wantsLine(t, ratings, `"answers":{"best":"secret-`)
	wantsLine(t, ratings, `"edited":"Well: `+best+`"}`)
}

// TestWritingReference: one key takes back what was typed at one go. The choice by which texts scroll in step, which was made
// where cards have texts, leaves the page as it is. The chosen candidate looks chosen under the pointer, and candidates have
// their numbers also where these are no keys. Their spaces are shown.
func TestWritingReference(t *testing.T) {
	m := stage(t, "reference", campaign.CandidateText{Name: "one", Text: "There's the rub."}, campaign.CandidateText{Name: "two", Text: "There lies the dog buried."})
	m.press("e 2")
	if !ask[bool](t, m.ctx, `document.activeElement.checked`) {
		t.Error("after a digit the focus is at a candidate that is not chosen")
	}
	m.saved()
	m.press("r")
	begun := ask[string](t, m.ctx, `document.activeElement.value`)
	m.press("Escape S r")
	run(t, m.ctx, "spaces of the candidates", Until(`document.querySelectorAll('.answer .space-signs b').length === 2`))
	m.typeText(" Mine is better than that.")
	m.press("Ctrl+z")
	if got := ask[string](t, m.ctx, `document.activeElement.value`); got != begun {
		t.Errorf("after one key the text is %q", got)
	}
	m.press("Escape")
	numbers := func() string {
		return ask[string](t, m.ctx, `[...document.querySelectorAll('.answer-digit')].filter((x) => x.checkVisibility({ visibilityProperty: true })).map((x) => x.textContent).join(' ')`)
	}
	if got := numbers(); got != "1 2" {
		t.Errorf("where digits choose no candidate, the numbers %q are seen", got)
	}
	run(t, m.ctx, "a phone", Look(390, 844, true))
	if got := numbers(); got != "1 2" {
		t.Errorf("on a phone the numbers %q are seen", got)
	}
	run(t, m.ctx, "a wide window", Look(1280, 900, false))
	tint := func() string {
		return ask[string](t, m.ctx, `getComputedStyle(document.querySelector('.answer:has(:checked)')).backgroundColor`)
	}
	before := tint()
	m.clickOn(`.answer:has(:checked)`)
	if got := tint(); got != before {
		t.Errorf("under the pointer the chosen candidate is %s in place of %s", got, before)
	}
	width := func() float64 { return ask[float64](t, m.ctx, `document.querySelector('#source').offsetWidth`) }
	wide := width()
	m.opt("side-by-side=on")
	m.reload()
	if got := width(); got != wide || ask[bool](t, m.ctx, `!!document.querySelector('#option-side-by-side')`) {
		t.Errorf("the source is %v px wide, and %v px where texts of cards scroll in step", wide, got)
	}
}

// TestDigitOnText: after the text was gone to, a digit chooses the candidate that it begins with; what was typed stays.
func TestDigitOnText(t *testing.T) {
	m := stage(t, "reference", campaign.CandidateText{Name: "one", Text: "There's the rub."}, campaign.CandidateText{Name: "two", Text: "There lies the dog buried."})
	m.press("1 r Escape 2")
	second := ask[string](t, m.ctx, `document.querySelectorAll('[data-question=best] .answer-name')[1].textContent`)
	if got := m.answers(); got != "best="+second+" | edited="+second {
		t.Errorf("a digit after the text was gone to chooses %s", got)
	}
	m.press("r")
	m.typeText(" Well.")
	m.press("Escape 1")
	if got := m.answers(); strings.HasPrefix(got, "best="+second) || !strings.HasSuffix(got, "| edited="+second+" Well.") {
		t.Errorf("another one after the text was edited: %s", got)
	}
}

// TestKeysAfterDecision: the page of a segment that is decided has the keys that go on from it, and a report is sent by the key
// that sends a question.
func TestKeysAfterDecision(t *testing.T) {
	segment := func(id string) campaign.Segment {
		return campaign.Segment{DocID: "d", SegmentID: id, Source: "Da liegt der Hund begraben.", Translations: campaign.ItselfOnly(), Candidates: []campaign.CandidateText{{Name: "one", Text: "There's the rub."}}}
	}
	m := newMarkerOn(t, "reference", "undo_seconds=60", segment("s1"), segment("s2"), segment("s3"))
	m.press("1")
	m.saved()
	run(t, m.ctx, "submit", leaves(Key("Ctrl+Enter")))
	m.went("segment 2 of 3")
	m.press("d")
	run(t, m.ctx, "the document", Until(`document.querySelector('#document-list li')?.innerText.includes("There's the rub.") && document.querySelector('#document-about').textContent.endsWith('what you have submitted.')`), Key("Escape"), Until(`!document.querySelector('#document').open`))
	m.press("q")
	run(t, m.ctx, "the decided segment", Until(`document.querySelector('.place-list')?.innerText === 'segment 1 of 3' && document.readyState === 'complete'`))
	if !ask[bool](t, m.ctx, `!!document.querySelector('.take-back')`) {
		t.Error("the page of the segment that was just submitted does not offer to take it back")
	}
	run(t, m.ctx, "taken back", leaves(Key("Ctrl+z")))
	m.ready()
	run(t, m.ctx, "submit again", leaves(Key("Ctrl+Enter")))
	m.went("segment 2 of 3")
	m.press("q")
	run(t, m.ctx, "the decided segment", Until(`document.querySelector('.place-list')?.innerText === 'segment 1 of 3' && document.readyState === 'complete'`))
	m.press("A")
	run(t, m.ctx, "a question", Until(`document.querySelector('#ask').open`))
	m.typeText("w")
	run(t, m.ctx, "no question", Key("Escape"), Until(`!document.querySelector('#ask').contains(document.activeElement)`))
	m.press("w")
	m.went("segment 2 of 3")
	m.press("R")
	m.typeText("Half a sentence.")
	if !ask[bool](t, m.ctx, `!!document.querySelector('.take-back')`) {
		t.Error("the page after a submission does not offer to take it back")
	}
	run(t, m.ctx, "report", leaves(Key("Ctrl+Enter")))
	m.went("segment 3 of 3")
	if ask[bool](t, m.ctx, `!!document.querySelector('.take-back')`) {
		t.Error("the page after a report offers to take back the submission before it")
	}
	run(t, m.ctx, "My work in a wide window", Look(1440, 900, false), chromedp.Navigate(m.w.url+"/work"), Visible(".job"))
	if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.job .actions .btn')].map((b) => b.firstChild.textContent.trim() + Math.round(b.getBoundingClientRect().top - document.querySelector('.job .actions').getBoundingClientRect().top)).join()`); got != "Continue0,My segments0,My numbers0" {
		t.Errorf("the acts of a campaign and how far each stands below the first are %s", got)
	}
}

// TestNoCandidate: a digit and a click leave a candidate that has no text alone.
func TestNoCandidate(t *testing.T) {
	j := pagesJudge(t)
	m := stage(t, "reference", campaign.CandidateText{Name: "one", Text: "There's the rub."}, campaign.CandidateText{Name: "two"})
	digit := ask[string](t, m.ctx, `document.querySelector('[data-candidate=none]').closest('label').querySelector('kbd').textContent`)
	m.press("e " + digit)
	m.clickOn(`[data-candidate=none]`)
	if got := m.answers(); got != "best= | edited=" {
		t.Errorf("a candidate without text is chosen: %s", got)
	}
	m.press(map[string]string{"1": "2", "2": "1"}[digit])
	if got := m.answers(); got != "best=There's the rub. | edited=There's the rub." {
		t.Errorf("the other candidate is not chosen: %s", got)
	}
	m.submits(t, j, "a candidate without text")
}

// TestCompareSkipsEmpty: a candidate is compared with the one before it that has a text.
func TestCompareSkipsEmpty(t *testing.T) {
	var candidates []campaign.CandidateText
	for i := range 10 {
		candidates = append(candidates, campaign.CandidateText{Name: fmt.Sprint("c", i)})
		if i%2 == 0 {
			candidates[i].Text = fmt.Sprint("There's rub ", i, ".")
		}
	}
	m := stage(t, "reference", candidates...)
	m.press("D")
	run(t, m.ctx, "differences", Until(`!document.querySelector('#compare-bar').hidden`))
	if got := ask[string](t, m.ctx, `[...CSS.highlights.get('changed')].map((r) => r.endOffset - r.startOffset).join(' ')`); got != "1 1 1 1" {
		t.Errorf("the stretches that differ have %s characters, want a digit in each text but the first", got)
	}
}

// TestReview: a reference is rejected with a reason, then accepted with an edit that begins from it, by keyboard.
func TestReview(t *testing.T) {
	j := pagesJudge(t)
	m := stage(t, "review")
	if got := ask[string](t, m.ctx, `document.querySelector('.aside .text').textContent`); got != "That's the crux of matter 🐶." {
		t.Errorf("the page shows the reference %q", got)
	}
	m.press("S")
	run(t, m.ctx, "spaces of the reference", Until(`document.querySelectorAll('[data-reference] .space-signs b').length === 1`))
	m.press("S")
	m.press("3 Ctrl+Enter")
	run(t, m.ctx, "why", Until(`document.querySelector('#missing').textContent.includes('a comment that explains')`))
	if got := ask[string](t, m.ctx, `document.activeElement.closest('.card') && document.activeElement.tagName`); got != "TEXTAREA" {
		t.Errorf("the reason is missing, and the focus is in %s", got)
	}
	m.press("Escape e 2 Ctrl+Enter")
	run(t, m.ctx, "unchanged", Until(`document.querySelector('#missing').textContent.includes('The corrected reference was not changed')`))
	m.press("Ctrl+End")
	m.typeText(" Yes.")
	m.press("Escape")
	if got := m.answers(); got != "verdict=Accept with an edit | edited=That's the crux of matter 🐶. Yes." {
		t.Errorf("edited: %s", got)
	}
	wantsLine(t, m.submits(t, j, "a reference that is reviewed"), `"answers":{"verdict":"edit","edited":"That's the crux of matter 🐶. Yes."}`)
}

// TestReferenceScrolls: on a phone the source alone stays in view above the cards. The reference that is reviewed scrolls with
// its questions. In a wide window it stands below the source again.
func TestReferenceScrolls(t *testing.T) {
	m := stage(t, "review")
	const below = `(([source, asides]) => !source.querySelector('.aside') && source.nextElementSibling === asides && asides.querySelector('.aside .text') && asides)([document.querySelector('#source'), document.querySelector('.asides')])`
	run(t, m.ctx, "a phone", Look(390, 560, true), Until(`!!`+below))
	m.press("e 2")
	run(t, m.ctx, "the end of the page", Until(`(scrollTo({ top: 1e6, behavior: 'instant' }), document.querySelector('.asides').getBoundingClientRect().top < document.querySelector('#source').getBoundingClientRect().bottom - 20)`))
	if high := ask[float64](t, m.ctx, `document.querySelector('#source').getBoundingClientRect().bottom`); high < 60 || high > 180 {
		t.Errorf("%v px of a short source stay in view", high)
	}
	run(t, m.ctx, "a wide window", Look(1440, 900, false), Until(`!document.querySelector('.asides') && !!document.querySelector('#source .aside .text')`))
}

// TestAdjudicateAnswers: two annotators' texts differ, so that the segment waits for an adjudicator, who sees the words that
// differ, takes answers by keys, and drops one again.
func TestAdjudicateAnswers(t *testing.T) {
	b, j := browser(t), pagesJudge(t)
	w := newWorldOf(t, "inspect", "de", "en", "gate=report")
	w.importSegments(campaign.Segment{DocID: "d", SegmentID: "s1", Source: "Da liegt der Hund begraben #fun", Translations: campaign.ItselfOnly()})
	lines := func(yield func(campaign.RatingLine, error) bool) {
		for i, cleaned := range []string{"Da liegt der Hund begraben", "Dort liegt der Hund begraben"} {
			r := protocol.Rating{Scores: map[string]float64{"difficulty": float64(2 + i)}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: cleaned}, "phenomena": {Several: []string{"idiom"}}}}
			if !yield(campaign.RatingLine{DocID: "d", SegmentID: "s1", Rating: campaign.Rating{Annotator: []string{"first", "second"}[i], Round: 1, Rating: r}}, nil) {
				return
			}
		}
	}
	storetest.Must(w.st.Intake.ImportRatings(t.Context(), w.c.ID, lines, intake.ImportOptions{File: "r.jsonl"}))(t)
	m := w.adjudicator(b)
	if got := ask[string](t, m.ctx, `[...document.querySelectorAll('.differs')].map((e) => e.textContent).toSorted().join()`); got != "Da,Dort" {
		t.Errorf("what differs is %q", got)
	}
	m.goTo(`.peer [data-take=all]`)
	m.press("t")
	first := ask[string](t, m.ctx, `document.querySelector('.peer [data-answer=cleaned] .text').textContent`)
	difficulty := ask[string](t, m.ctx, `document.querySelector('.peer [data-of=difficulty] strong').textContent`)
	taken := "keep=Keep | difficulty=" + difficulty + " | phenomena=Idiom or set phrase | cleaned=" + first
	if got := m.answers(); got != taken {
		t.Errorf("all taken: %s, want %s", got, taken)
	}
	m.goTo(peer("answer", "Take What makes it difficult?"))
	m.press("t")
	if got, want := m.answers(), strings.Replace(taken, "Idiom or set phrase", "", 1); got != want {
		t.Errorf("one dropped: %s, want %s", got, want)
	}
	m.press("t")
	accessible(t, m.ctx, j, "an adjudication of answers")
	m.saved()
	run(t, m.ctx, "submit", leaves(Key("Ctrl+Enter")), chromedp.WaitReady("body"))
	wantsLine(t, w.exported("answers"), "d,s1,,,cleaned,,gold,"+first+",")
}
