package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
)

const (
	adjudicatedSource = "Die alte 🛥️ Fähre fährt heute nicht, sagt der Kapitän."
	adjudicatedText   = "The old 🛥️ fairy do not go today, says the capitain."
	adjudicatedOther  = "The ferry is off."
)

// given is what one annotator gave to the two translations of a segment.
type given [2]protocol.Rating

// marked is a rating with marks and scores by name, such as "score=40".
func marked(scores string, spans ...protocol.ErrorSpan) protocol.Rating {
	r := protocol.Rating{Scores: map[string]float64{}, Spans: spans, NoErrors: len(spans) == 0}
	for s := range strings.FieldsSeq(scores) {
		name, value, _ := strings.Cut(s, "=")
		var x float64
		fmt.Sscan(value, &x)
		r.Scores[name] = x
	}
	for i := range r.Spans {
		r.Spans[i].ID = fmt.Sprint("x", i+1)
	}
	return r
}

// rate imports the ratings of annotators first, second, … of segment s1.
func (w *world) rate(all ...given) {
	t := w.t
	t.Helper()
	ctx := context.Background()
	lines := func(yield func(campaign.RatingLine, error) bool) {
		n := 0
		for a, ratings := range all {
			for i, r := range ratings {
				n++
				line := campaign.RatingLine{SegmentID: "s1", System: []string{"Aster", "Birch"}[i], Rating: campaign.Rating{
					Annotator: []string{"first", "second", "third"}[a], Round: 1, Rating: r}}
				if !yield(line, nil) {
					return
				}
			}
		}
	}
	if _, err := w.st.Intake.ImportRatings(ctx, w.c.ID, lines, intake.ImportOptions{File: "r.jsonl"}); err != nil {
		t.Fatal(err)
	}
}

// toAdjudicate imports ratings and asks for the adjudication of the segment.
func (w *world) toAdjudicate(all ...given) {
	t := w.t
	t.Helper()
	ctx := context.Background()
	w.rate(all...)
	list, _, err := w.st.Desk.Segments(ctx, w.c.ID, desk.SegmentFilter{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.st.Rounds.AskForAdjudication(ctx, w.c.ID, []string{list[0].ID}, "please decide", ""); err != nil {
		t.Fatal(err)
	}
}

// adjudicator signs in an adjudicator and opens the first segment that waits, by keys.
func (w *world) adjudicator(b context.Context) *marker {
	t := w.t
	t.Helper()
	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: "judge"}
	run(t, m.ctx, "sign in", Look(1440, 900, false), signInWith(t, w.invite("judge", campaign.Adjudicator)))
	run(t, m.ctx, "open the segment", chromedp.Navigate(w.url+"/campaigns/"+w.slug+"/adjudicate"), chromedp.Focus("td form button"), leaves(Key("Enter")), Visible("#cards"))
	m.ready()
	return m
}

// peer is the selector of a button in the card in work, by what it is for and the
// beginning of its name.
func peer(what, name string) string {
	return fmt.Sprintf(`.card[aria-current] .peers [data-take=%s][aria-label^=%q]`, what, name)
}

// letterOf is the letter under which an annotator's mark stands beside the card in work.
func (m *marker) letterOf(name string) string {
	m.w.t.Helper()
	return ask[string](m.w.t, m.ctx, fmt.Sprintf(`document.querySelector(%q).ariaLabel.at(-1)`, peer("span", name)))
}

// goTo presses o until the button of a name has the focus.
func (m *marker) goTo(selector string) {
	t := m.w.t
	t.Helper()
	for range 40 {
		m.press("o")
		if ask[bool](t, m.ctx, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	t.Fatalf("o does not lead to %s", selector)
}

// said is what the database has of a translation: each mark's words and severity, then
// the scores.
func (m *marker) said(assignment, text string) string {
	m.w.t.Helper()
	m.saved()
	r := m.stored(assignment, text)
	var out []string
	for _, s := range r.Spans {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s:%s %s", s.Text, s.Severity, s.Category)))
	}
	if r.NoErrors {
		out = append(out, "no errors")
	}
	return strings.Join(append(out, fmt.Sprint(r.Scores)), ", ")
}

// esaPeers are three annotators' ratings: two saw the fairy, all of them "do not", each
// in another stretch, and one the source.
func esaPeers() []given {
	on := func(words, severity string) protocol.ErrorSpan {
		return at(adjudicatedText, words, protocol.Target, severity, "")
	}
	return []given{
		{marked("score=30", on("fairy", "major"), on("do not", "major")), marked("score=90")},
		{marked("score=50", on("fairy", "minor"), on("do not go", "major"), at(adjudicatedSource, "Kapitän", protocol.Source, "minor", "")), marked("score=80")},
		{marked("score=70", on("not go", "minor")), marked("score=60", at(adjudicatedOther, "off", protocol.Target, "minor", ""))},
	}
}

// mqmPeers are ratings with categories, one of them in the source.
func mqmPeers() []given {
	return []given{
		{marked("", at(adjudicatedText, "fairy", protocol.Target, "major", "Accuracy/Mistranslation"), at(adjudicatedText, "capitain", protocol.Target, "minor", "Fluency/Spelling")), marked("")},
		{marked("", at(adjudicatedText, "fairy", protocol.Target, "minor", "Accuracy/Mistranslation")), marked("", at(adjudicatedSource, "Kapitän", protocol.Source, "major", "Accuracy/Omission"))},
		{marked("", at(adjudicatedText, "do not go", protocol.Target, "minor", "Fluency/Grammar")), marked("")},
	}
}

// TestAdjudicationByKeyboard takes, changes, drops and merges annotators' marks and
// starts with the majority, by keys alone; each is one step to undo.
func TestAdjudicationByKeyboard(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=3")
	w.importSegments(two("s1", adjudicatedSource, adjudicatedText, adjudicatedOther))
	w.toAdjudicate(esaPeers()...)
	m := w.adjudicator(b)
	id := m.assignment()
	m.toCard(adjudicatedText)
	check := func(what, want string) {
		t.Helper()
		if got := m.said(id, adjudicatedText); got != want {
			t.Errorf("%s: the card has %s, want %s", what, got, want)
		}
	}

	// One mark is taken, dropped again, taken, and undone.
	m.goTo(peer("span", "Take “fairy”, Major"))
	m.press("t")
	check("taken", "fairy:major, map[]")
	if got := ask[string](t, m.ctx, `document.activeElement.getAttribute('aria-pressed')`); got != "true" {
		t.Errorf("the button of a mark that was taken is pressed: %q", got)
	}
	m.press("t")
	check("dropped", "map[]")
	m.press("Enter")
	check("taken by Enter", "fairy:major, map[]")
	m.press("Ctrl+z")
	check("undone", "map[]")
	m.press("Ctrl+Shift+z")

	// Changed: picked, made minor, longer by a character.
	m.press(". m ]")
	check("changed", "fairy d:minor, map[]")
	m.press("Ctrl+z Ctrl+z")
	check("change undone", "fairy:major, map[]")

	// Merged with one annotator's mark after the other.
	m.goTo(peer("span", "Take “do not”"))
	m.press("t")
	m.goTo(peer("span", "Take “not go”"))
	m.press("i")
	check("merged", "fairy:major, do not go:major, map[]")
	m.press("Ctrl+z")
	check("merging undone", "fairy:major, do not:major, map[]")
	m.press("Ctrl+z")

	// Merged with those of all annotators at once: two of three say major.
	m.goTo(peer("span", "Take “not go”"))
	m.press("i")
	check("merged at once", "fairy:major, do not go:major, map[]")
	m.press("Ctrl+z Ctrl+z")
	check("all undone", "map[]")

	// The majority: what its annotators do not agree on is asked for.
	m.press("v")
	check("majority", "fairy:, do not go:major, map[]")
	m.press("v")
	if got := m.text("#missing"); !strings.HasPrefix(got, "There is no further mark") {
		t.Errorf("a second time the page says %q", got)
	}
	m.press("Ctrl+z")
	check("majority undone", "map[]")

	// All of one annotator, with the score, beside what is there.
	m.press("v")
	letter := m.letterOf("Take “fairy”, Minor")
	m.goTo(peer("all", "Take all marks and scores of annotator "+letter))
	m.press("t")
	const all = "fairy:minor, do not go:major, Kapitän:minor, map[score:50]"
	check("all taken", all)
	m.press("Ctrl+z")
	check("all undone", "fairy:, do not go:major, map[]")
	m.press("Ctrl+Shift+z")

	// One score, of the other translation.
	m.toCard(adjudicatedOther)
	m.goTo(peer("score", "Take Score 80"))
	m.press("t v")
	if got := m.said(id, adjudicatedOther); got != "no errors, map[score:80]" {
		t.Errorf("the other card has %s", got)
	}
	m.submit()
	list, _, err := w.st.Desk.Segments(t.Context(), w.c.ID, desk.SegmentFilter{Limit: 9})
	if err != nil || list[0].Status != campaign.Adjudicated {
		t.Errorf("the segment is %v, %v", list[0].Status, err)
	}
	if got := w.exported("ratings"); !strings.Contains(got, `"annotator":"judge","adjudicated":true,"scores":{"score":50}`) {
		t.Errorf("ratings lack the adjudication:\n%s", got)
	}
}

// TestAdjudicationByMouse does the same by clicks: what is clicked stays below the
// pointer although the card above it grows.
func TestAdjudicationByMouse(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "mqm", "de", "en", "redundancy=2")
	w.importSegments(two("s1", adjudicatedSource, adjudicatedText, adjudicatedOther))
	on := func(words, severity, category string) protocol.ErrorSpan {
		return at(adjudicatedText, words, protocol.Target, severity, category)
	}
	w.toAdjudicate(
		given{marked("", on("fairy", "major", "Accuracy/Mistranslation"), on("do not", "minor", "Fluency/Grammar")), marked("")},
		given{marked("", on("do not go", "minor", "Fluency/Register"), on("capitain", "minor", "Fluency/Spelling")), marked("", protocol.ErrorSpan{Side: protocol.Target, End: 17, Severity: "major", Category: "Non-translation"})},
	)
	m := w.adjudicator(b)
	id := m.assignment()
	m.toCard(adjudicatedText)
	check := func(what, text, want string) {
		t.Helper()
		if got := m.said(id, text); got != want {
			t.Errorf("%s: the card has %s, want %s", what, got, want)
		}
	}
	click := func(selector string) {
		t.Helper()
		top := fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, selector)
		run(t, m.ctx, "bring into view", do(fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: 'center' })`, selector)))
		before := ask[float64](t, m.ctx, top)
		m.clickOn(selector)
		m.saved()
		if after := ask[float64](t, m.ctx, top); after-before > 1 || before-after > 1 {
			t.Errorf("%s moved from %v to %v", selector, before, after)
		}
	}
	click(peer("span", "Take “fairy”"))
	check("one", adjudicatedText, "fairy:major Accuracy, map[]")
	click(peer("span", "Take “do not”"))
	click(peer("merge", "Merge “do not go”"))
	check("merged", adjudicatedText, "fairy:major Accuracy, do not go:minor Fluency, map[]")
	if got := m.stored(id, adjudicatedText).Spans[1].Subcategory; got != "Grammar" {
		t.Errorf("merging made the kind %s", got)
	}
	click(peer("span", "Take “fairy”"))
	check("dropped", adjudicatedText, "do not go:minor Fluency, map[]")
	click(peer("all", "Take all marks and scores of annotator "+m.letterOf("Take “capitain”")))
	check("all", adjudicatedText, "do not go:minor Fluency, capitain:minor Fluency, map[]")
	click(`.card[aria-current] .peers [data-take=majority]`)
	check("majority has nothing more", adjudicatedText, "do not go:minor Fluency, capitain:minor Fluency, map[]")

	// A non-translation stands alone.
	m.toCard(adjudicatedOther)
	m.press("0")
	click(peer("span", "Take “The ferry is off.”"))
	check("non-translation", adjudicatedOther, "The ferry is off.:major Non-translation, map[]")
	m.submit()
	if got := w.exported("mqm-tsv"); !strings.Contains(got, "judge") {
		t.Errorf("the table lacks the adjudication:\n%s", got)
	}
}

// TestAdjudicationKeepsLinks takes all of one annotator under RATE, with the links between marks, and submits it.
func TestAdjudicationKeepsLinks(t *testing.T) {
	b := browser(t)
	on := func(words, severity, category string) protocol.ErrorSpan {
		return at(adjudicatedText, words, protocol.Target, severity, category)
	}
	linked, other := marked("accuracy=40 fluency=60", on("fairy", "4", "Mistranslation"), on("capitain", "2", "Inconsistency")), marked("accuracy=90 fluency=80")
	linked.Spans[1].Link = linked.Spans[0].ID
	w := newWorldOf(t, "rate", "de", "en", "redundancy=2")
	w.importSegments(two("s1", adjudicatedSource, adjudicatedText, adjudicatedOther))
	w.toAdjudicate(given{linked, other}, given{other, other})
	m := w.adjudicator(b)
	id := m.assignment()
	m.toCard(adjudicatedText)
	m.goTo(peer("all", "Take all marks and scores of annotator "+m.letterOf("Take “fairy”")))
	m.press("t")
	if got, want := m.said(id, adjudicatedText), "fairy:4 Mistranslation, capitain:2 Inconsistency, map[accuracy:40 fluency:60]"; got != want {
		t.Errorf("the card has %s, want %s", got, want)
	}
	if spans := m.stored(id, adjudicatedText).Spans; spans[1].Link != spans[0].ID {
		t.Errorf("the link is lost: %+v", spans)
	}
	m.toCard(adjudicatedOther)
	m.press("o t")
	m.saved()
	m.submit()
	if got := w.exported("ratings"); strings.Count(got, `"adjudicated":true`) != 2 {
		t.Errorf("the export lacks adjudications:\n%s", got)
	}
}

// TestAdjudicationFromAskToExport plays a whole adjudication: a lead asks for it and lets
// an annotator of the segment have it, who takes what one annotator gave and submits; the lead sees it on
// the page of the segment, and it is in the exports.
func TestAdjudicationFromAskToExport(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=3")
	w.importSegments(two("s1", adjudicatedSource, adjudicatedText, adjudicatedOther))
	ctx := context.Background()
	// The people can sign in before their ratings are imported.
	for _, login := range []string{"first", "second", "third"} {
		w.invite(login, campaign.Annotator)
	}
	w.rate(esaPeers()...)
	if err := w.st.Accounts.AddMember(ctx, w.c.ID, "first", campaign.Adjudicator, ""); err != nil {
		t.Fatal(err)
	}
	row, err := w.st.Records.SegmentRowID(ctx, w.c.ID, "s1", "s1")
	if err != nil {
		t.Fatal(err)
	}
	page := w.url + "/campaigns/" + w.slug + "/segments/" + row
	lead := window(t, b)
	run(t, lead, "sign in", Look(1280, 900, false), signInWith(t, w.invite("lead", campaign.Lead)))
	run(t, lead, "ask for adjudication", chromedp.Navigate(page), Visible("h1"),
		chromedp.Focus("#act-ask-adjudication > summary"), Key("Enter"), Until(`document.querySelector('#act-ask-adjudication').open`),
		chromedp.Focus("#ask-own"), Key(" "), leaves(chromedp.SendKeys("#ask-adjudication-reason", "read it again\r")),
		Until(`document.querySelector('.notice-success')?.textContent.includes('Adjudicators are asked')`))

	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: "first"}
	run(t, m.ctx, "sign in", Look(1440, 900, false), SignIn(m.again()), Visible("h1"))
	run(t, m.ctx, "find the segment from my work", chromedp.Focus(`a[href$="/adjudicate"]`), leaves(Key("Enter")), Visible("td form button"))
	if got := m.text("tbody"); !strings.Contains(got, "read it again") {
		t.Errorf("the list lacks the lead's words: %s", got)
	}
	run(t, m.ctx, "open it", chromedp.Focus("td form button"), leaves(Key("Enter")), Visible("#cards"))
	m.ready()

	m.toCard(adjudicatedText)
	m.goTo(peer("all", "Take all marks and scores of annotator "+m.letterOf("Take “do not”")))
	m.press("t")
	m.toCard(adjudicatedOther)
	m.press("o t")
	m.saved()
	m.submit()
	if got := m.text(".notice-success"); !strings.Contains(got, "The segment is adjudicated.") {
		t.Errorf("after submitting the page says %q", got)
	}

	run(t, lead, "look at the segment", chromedp.Navigate(page), Visible("h1"))
	if got := ask[string](t, lead, `document.querySelector('main').innerText`); !strings.Contains(got, "adjudicated") || !strings.Contains(got, "do not") || !strings.Contains(got, "30") {
		t.Errorf("the lead's page lacks the adjudication:\n%s", got)
	}
	for format, want := range map[string]string{
		"ratings": `"annotator":"first","adjudicated":true,"scores":{"score":30},"spans":[{"id":"`,
		"gold":    `adjudicated,0,30,`,
		"mqm-tsv": "<v>do not</v>",
		"mtme":    "",
	} {
		if got := w.exported(format); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", format, want, got)
		}
	}
}
