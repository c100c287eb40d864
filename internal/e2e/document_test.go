package e2e

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/desk"
)

// documentOf is a document whose translations name their system and place.
func documentOf(id string, segments int) (out []campaign.Segment) {
	for n := range segments {
		seg := campaign.Segment{DocID: id, SegmentID: fmt.Sprint(id, "-", n+1), Source: fmt.Sprintf("Satz %d von %s.", n+1, id)}
		for _, system := range []string{"Aster", "Birch", "Cedar", "Dahlia", "Elder"} {
			seg.Translations = append(seg.Translations, campaign.Translation{System: system, Text: fmt.Sprintf("%s wrote sentence %d of %s.", system, n+1, id)})
		}
		out = append(out, seg)
	}
	return out
}

// texts lists what a selector finds.
func (m *marker) texts(selector string) []string {
	m.w.t.Helper()
	return ask[[]string](m.w.t, m.ctx, `[...document.querySelectorAll(`+quoted(selector)+`)].map((e) => e.innerText.replace(/^The segment (before|after):\s*/, ''))`)
}

// went waits for the page of a segment of a document.
func (m *marker) went(place string) {
	m.w.t.Helper()
	run(m.w.t, m.ctx, "wait for "+place, Until(`document.documentElement.dataset.ready === "annotate" && document.querySelector('.place-list')?.innerText === `+quoted(place)))
}

// TestDocumentInCards: a card shows what its system wrote around its text, in one order in
// the whole document; the document is read, and gone through, by keys and by mouse.
func TestDocumentInCards(t *testing.T) {
	m := newMarkerOn(t, "mqm", "assign=document", append(documentOf("boat", 4), documentOf("shore", 3)...)...)
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	m.went("segment 1 of 4")
	systems := func() (out []string) {
		for _, text := range m.texts(".card-text") {
			out = append(out, strings.Fields(text)[0])
		}
		return out
	}
	order := systems()
	wrote := func(n int) (out []string) {
		for _, system := range order {
			out = append(out, fmt.Sprintf("%s wrote sentence %d of boat.", system, n))
		}
		return out
	}
	if got := m.texts(".card-text ~ .neighbour"); !slices.Equal(got, wrote(2)) {
		t.Errorf("after the texts stand %q", got)
	}
	if got := m.texts(".neighbour:has(~ .card-text)"); len(got) > 0 {
		t.Errorf("before the texts of the first segment stand %q", got)
	}

	m.press("w")
	m.went("segment 2 of 4")
	if got := systems(); !slices.Equal(got, order) {
		t.Errorf("the cards of segment 2 are %q, of segment 1 %q", got, order)
	}
	if got := m.texts(".neighbour:has(~ .card-text)"); !slices.Equal(got, wrote(1)) {
		t.Errorf("before the texts stand %q", got)
	}
	m.press("j d")
	run(t, m.ctx, "wait for the document", Until(`document.querySelectorAll('#document-list li').length === 4`))
	for n, text := range m.texts(".document-translation") {
		if want := wrote(n + 1)[1]; text != want {
			t.Errorf("segment %d of the document is %q, want %q of the second card", n+1, text, want)
		}
	}
	if got := m.texts(".document-list [aria-current] .document-head"); fmt.Sprint(got) != "[2 this segment]" {
		t.Errorf("the current segment is %q", got)
	}
	run(t, m.ctx, "go to the fourth", chromedp.Click("#document-list li:nth-child(4) a"))
	m.went("segment 4 of 4")
	m.press("w")
	run(t, m.ctx, "wait for the word", Until(`document.querySelector('#announce').textContent.includes('no segment after')`))
	run(t, m.ctx, "go back by mouse", chromedp.Click("#segment-before"))
	m.went("segment 3 of 4")
	run(t, m.ctx, "a phone", Look(390, 844, true))
	if wide := ask[float64](t, m.ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("the page is %v px wider than a phone", wide)
	}
}

// TestTakeBackSubmission: for a moment a submission can be taken back on the page that
// follows it, by mouse and by key, and what was entered is there.
func TestTakeBackSubmission(t *testing.T) {
	m := newMarkerOn(t, "mqm", "assign=document undo_seconds=60", documentOf("boat", 2)...)
	m.went("segment 1 of 2")
	id := m.assignment()
	state := func() campaign.AssignmentState {
		u, err := m.w.st.Accounts.UserByLogin(context.Background(), m.login)
		if err != nil {
			t.Fatal(err)
		}
		work, err := m.w.st.Work.LoadWork(context.Background(), m.w.c, id, u.ID)
		if err != nil {
			t.Fatal(err)
		}
		return work.Assignment.State
	}
	for _, back := range []func(){
		func() { m.press("Ctrl+z") },
		func() { run(t, m.ctx, "take back", chromedp.Click(".take-back button")) },
	} {
		if state() == campaign.InWork && len(m.texts(".card.done")) == 0 {
			m.press("0 j 0 j 0 j 0 j 0")
			m.saved()
		}
		m.press("Ctrl+Enter")
		m.went("segment 2 of 2")
		if state() != campaign.Submitted {
			t.Error("the segment is not submitted")
		}
		run(t, m.ctx, "wait for the offer", Visible(".take-back button"))
		back()
		m.went("segment 1 of 2")
		if got := len(m.texts(".card.done")); state() != campaign.InWork || got != 5 {
			t.Errorf("it is %s with %d finished cards after it was taken back", state(), got)
		}
	}
}

// TestTakeBackOnPhone: on a phone the offer to take a submission back lies over no text and over
// nothing that is worked with.
func TestTakeBackOnPhone(t *testing.T) {
	segments := documentOf("boat", 2)
	for n := range segments {
		segments[n].Translations = segments[n].Translations[:1]
	}
	m := newMarkerOn(t, "esa", "assign=document undo_seconds=60", segments...)
	m.phone()
	m.press("0 a")
	m.typeText("70")
	m.press("Escape")
	m.saved()
	m.tapOn("#submit")
	run(t, m.ctx, "wait for the offer", Until(`document.documentElement.dataset.ready === 'annotate' && document.querySelector('.take-back button')?.checkVisibility()`))
	if got := ask[[]string](t, m.ctx, `(() => {
		const o = document.querySelector('.take-back').getBoundingClientRect();
		const meets = (r) => r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom;
		return [...document.querySelectorAll('.slider, .score, .controls button, .strip button, .bar button, .bar a.btn, .card-text, #current')].filter((e) => [...e.getClientRects()].some(meets)).map((e) => e.className || e.id);
	})()`); len(got) > 0 {
		t.Errorf("the offer lies over %q", got)
	}
}

// TestCompareBarCoversNothing: what says how texts are compared lies neither over the comment that is written nor under the offer to take a
// submission back.
func TestCompareBarCoversNothing(t *testing.T) {
	m := newMarkerOn(t, "esa", "", documentOf("boat", 1)...)
	for _, width := range []int64{1440, 390} {
		run(t, m.ctx, "a window", Look(width, 800, false), do(`sessionStorage.setItem('annotate/take-back', JSON.stringify({url: '/x', until: Date.now() + 60_000}))`), do(`document.body.dataset.before = 'yes'`),
			chromedp.Reload(), Until(`!document.body.dataset.before && document.documentElement.dataset.ready === 'annotate' && document.querySelector('.take-back')`),
			do(`document.querySelector('#compare').click()`), do(`document.querySelector('.card:last-child [data-comment]').click()`), Until(`document.activeElement.matches('.card-note textarea')`))
		if got := ask[[]string](t, m.ctx, `(() => {
			const b = document.querySelector('.compare-bar').getBoundingClientRect();
			const meets = (r) => r.left < b.right && b.left < r.right && r.top < b.bottom && b.top < r.bottom;
			return ['.take-back', '.card-note textarea:focus'].filter((s) => meets(document.querySelector(s).getBoundingClientRect()));
		})()`); len(got) > 0 {
			t.Errorf("in a window %d wide, the bar meets %q", width, got)
		}
	}
}

// TestTakeBackLastSubmission: after the last segment My work offers to take the submission back, also once it is loaded again.
func TestTakeBackLastSubmission(t *testing.T) {
	m := newMarkerOn(t, "mqm", "undo_seconds=60", documentOf("boat", 1)...)
	if got := ask[int](t, m.ctx, `JSON.parse(document.getElementById('assignment-state').textContent).undo_seconds`); got != 60 {
		t.Errorf("the page offers to take back for %d seconds", got)
	}
	at := ask[string](t, m.ctx, `location.pathname`)
	m.press("0 j 0 j 0 j 0 j 0")
	m.saved()
	m.press("Ctrl+Enter")
	run(t, m.ctx, "wait for the offer on My work", Until(`location.pathname === '/work' && document.querySelector('.take-back button') !== null`))
	run(t, m.ctx, "load the page again", do(`document.body.dataset.before = 'yes'`), chromedp.Reload(), Until(`!document.body.dataset.before && document.querySelector('.take-back button') !== null`))
	run(t, m.ctx, "take back", chromedp.Click(".take-back button"))
	run(t, m.ctx, "wait for the segment", Until(`location.pathname === '`+at+`' && document.querySelectorAll('.card.done').length === 5`))
}

// TestSkip: an annotator who cannot judge a segment skips it by mouse, and goes on with
// another one.
func TestSkip(t *testing.T) {
	m := newMarkerOn(t, "esa", "", two("s1", "Der Kläger trägt vor.", "The plaintiff submits.", "The suer carries."), two("s2", "Es regnet.", "It rains.", "Rain is."))
	run(t, m.ctx, "a phone", Look(390, 844, false))
	run(t, m.ctx, "open the dialog", chromedp.Click("#report"), Visible("#skip-form"))
	// What the page still has to say of the time that was spent does not take the segment up again.
	run(t, m.ctx, "half a minute later", do(`(() => { const real = performance.now.bind(performance); performance.now = () => real() + 30_000; })()`))
	run(t, m.ctx, "choose a reason", chromedp.Click("[data-reason='Not my field']"), chromedp.Click("#skip-form button[type=submit]"))
	run(t, m.ctx, "wait for the next segment", Until(`document.documentElement.dataset.ready === "annotate" && document.querySelector('.source-doc')?.innerText.includes('s2')`))
	if got := m.texts(".band:not([hidden])"); len(got) != 1 || !strings.Contains(got[0], "You skipped the segment") {
		t.Errorf("the next page says %q", got)
	}
	turns, _, err := m.w.st.Desk.Segments(context.Background(), m.w.c.ID, desk.SegmentFilter{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	skipped, err := m.w.st.Desk.Segment(context.Background(), m.w.c, turns[0].ID)
	if err != nil || len(skipped.Turns) != 1 || skipped.Turns[0].Skipped != "Not my field" || skipped.Turns[0].State != campaign.Released {
		t.Errorf("turns %+v, %v", skipped.Turns, err)
	}
}

// TestLinkAcrossSegments: a mark is linked, by keys, to one that the annotator made in
// another segment of the document, on what the same system wrote.
func TestLinkAcrossSegments(t *testing.T) {
	m := newMarkerOn(t, "rate", "assign=document", documentOf("boat", 2)...)
	run(t, m.ctx, "a wide window", Look(1440, 900, false))
	m.went("segment 1 of 2")
	first := m.texts(".card-text")[0]
	one := m.assignment()
	m.press("Enter 2 c 1") // the first word
	m.saved()
	m.press("w")
	m.went("segment 2 of 2")
	second := m.texts(".card-text")[0]
	m.press("Enter 2 c 1 l")
	run(t, m.ctx, "wait for the list", Until(`document.querySelector('[role=listbox] [role=option]') !== null`))
	if got := m.texts("[role=option]"); len(got) != 1 || !strings.Contains(got[0], "in segment 1") {
		t.Errorf("the list offers %q", got)
	}
	m.press("2") // its number, after those of the card
	m.saved()
	target := m.stored(one, first).Spans[0].ID
	if got := m.stored(m.assignment(), second).Spans; len(got) != 1 || got[0].Link != target {
		t.Errorf("the errors are %+v, want one linked to %s", got, target)
	}
	if got := m.text(".card-marks"); !strings.Contains(got, "goes with one in another segment") {
		t.Errorf("the list of marks says %q", got)
	}
	m.reload()
	m.press(". n")
	m.typeText("see the first")
	m.press("Escape")
	m.saved()
	if got := m.stored(m.assignment(), second).Spans; got[0].Link != target || got[0].Comment == "" {
		t.Errorf("after a comment the errors are %+v", got)
	}
}

// TestSourceStandsBesideCards goes through a document: the segment in work stands at the same
// height beside the first card from the third segment on, below the end of what comes before
// it, and the place of the document is in view.
func TestSourceStandsBesideCards(t *testing.T) {
	segments := documentOf("boat", 8)
	for n := range segments {
		segments[n].Source = strings.Repeat(segments[n].Source+" Die alte Fähre fährt heute nicht. ", 1+n%4)
	}
	segments[0].Source = "Bis morgen!"
	m := newMarkerOn(t, "mqm", "assign=document", segments...)
	for _, width := range []int64{1440, 1024} {
		run(t, m.ctx, "a desk", Look(width, 900, false))
		var first float64
		for n := 1; n <= 8; n++ {
			if n > 1 {
				m.press("w")
			}
			m.went(fmt.Sprintf("segment %d of 8", n))
			// The focus by key, not by mouse, has an outline.
			if n == 5 && !ask[bool](t, m.ctx, `((s) => { s.focus({ focusVisible: true, preventScroll: true }); const r = s.getBoundingClientRect(), on = document.elementFromPoint(r.left + r.width / 2, r.top + 1); s.blur(); return !on.closest('.source-head'); })(document.querySelector('#source'))`) {
				t.Error("the head of the source lies over its outline")
			}
			at := ask[struct {
				Current, Card, End, Place, Scrolled float64
				Cut, Covered                        int
			}](t, m.ctx, `(() => {
				const r = (s) => document.querySelector(s).getBoundingClientRect();
				const edge = r('.source-head').bottom + parseFloat(document.querySelector('#source').style.getPropertyValue('--cover') || 0);
				const lines = [...document.querySelectorAll('#source .text')].flatMap((p) => { const x = document.createRange(); x.selectNodeContents(p); return [...x.getClientRects()]; });
				return { Covered: document.querySelector('#source').scrollTop === 0 ? lines.filter((l) => l.top < edge - 3).length : 0, Cut: lines.filter((l) => l.top < edge - 3 && l.bottom > edge + 3).length, Current: r('#current').top, Card: r('.card').top, End: r('.card').bottom, Place: r('.place').top, Scrolled: scrollY };
			})()`)
			if n == 3 {
				first = at.Current
			}
			if at.Cut > 0 || at.Covered > 0 {
				t.Errorf("%d px, segment %d of 8: %d lines before the segment are cut, and %d are covered", width, n, at.Cut, at.Covered)
			}
			if at.Current < at.Card || at.Current > at.End || at.Place < 0 || at.Place > at.Current || at.Scrolled != 0 || n > 3 && math.Abs(at.Current-first) > 1 {
				t.Errorf("%d px, segment %d of 8: %+v, the third stood at %v", width, n, at, first)
			}
		}
		run(t, m.ctx, "back", chromedp.Navigate(ask[string](t, m.ctx, `document.querySelector('#segment-before').href`)))
		for n := 7; n > 1; n-- {
			m.went(fmt.Sprintf("segment %d of 8", n))
			m.press("q")
		}
		m.went("segment 1 of 8")
	}
}

// TestDocumentOnPhone: on a phone the document unfolds above the cards with the segment in view, and so is the box that folds it again.
func TestDocumentOnPhone(t *testing.T) {
	m := newMarkerOn(t, "sqm", "assign=document", documentOf("boat", 9)...)
	run(t, m.ctx, "a phone", Look(390, 844, true))
	for n := 2; n <= 6; n++ {
		m.press("w")
		m.went(fmt.Sprintf("segment %d of 9", n))
	}
	m.clickOn("#context")
	seen := func(selector string) bool {
		return ask[bool](t, m.ctx, `((r, [x, y] = [r.left + r.width / 2, r.top + r.height / 2]) => [...document.elementsFromPoint(x, y)].includes(document.querySelector(`+quoted(selector)+`)))(document.querySelector(`+quoted(selector)+`).getBoundingClientRect())`)
	}
	if !seen("#context") || !seen("#current") {
		t.Errorf("the box is seen: %v, the segment: %v", seen("#context"), seen("#current"))
	}
	if end := ask[float64](t, m.ctx, `((s) => { s.scrollTop = 1e6; return s.getBoundingClientRect().bottom - [...s.querySelectorAll('.text')].at(-1).getBoundingClientRect().bottom; })(document.querySelector('#source'))`); end > 20 {
		t.Errorf("the unfolded document ends in a blank of %v px", end)
	}
	m.clickOn("#context")
	if !seen("#current") {
		t.Error("the segment is not seen")
	}
}

// TestSignInOnPhone: where the sign-in has ended, the foot of a narrow page leads to signing in, while its head is out of view.
func TestSignInOnPhone(t *testing.T) {
	m := newMarkerOn(t, "esa", "", documentOf("boat", 1)...)
	m.phone()
	run(t, m.ctx, "sign out elsewhere", do(`void fetch('/sign-out', { method: 'POST' }).then((r) => { document.body.dataset.out = r.status; })`), Until(`document.body.dataset.out === '200'`))
	m.press("0")
	run(t, m.ctx, "what the foot says", Until(`(scrollTo(0, 400), document.querySelector('#saved-short a')?.getBoundingClientRect().bottom <= innerHeight)`))
	if got := ask[string](t, m.ctx, `(([a, head]) => a.textContent + ' ' + a.getAttribute('href') + (head.getBoundingClientRect().bottom < 0 ? '' : ', with the head in view'))([document.querySelector('#saved-short a'), document.querySelector('.strip')])`); got != "Sign in to save /sign-in" {
		t.Errorf("the foot says %q", got)
	}
}
