package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/transfer"
)

const (
	suggestedSource = "Die alte 🛥️ Fähre fährt heute nicht."
	suggestedText   = "The old 🛥️ fairy don't go today."
	suggestedOther  = "The ferry is off."
)

// suggest imports suggestions for the first translation, named so that nothing of
// them may reach the page, and one for the second.
func (w *world) suggest(origin string, marks ...protocol.ErrorSpan) {
	w.t.Helper()
	lines := []campaign.SuggestionLine{{SegmentID: "s1", System: "Aster", Suggestions: protocol.Suggestions{Origin: origin}}}
	for i, s := range marks {
		s.ID = fmt.Sprint(origin, "-", i+1)
		lines[0].Spans = append(lines[0].Spans, s)
	}
	_, err := w.st.Intake.ImportSuggestions(context.Background(), w.c.ID, func(yield func(campaign.SuggestionLine, error) bool) {
		for _, s := range lines {
			if !yield(s, nil) {
				return
			}
		}
	}, intake.ImportOptions{File: "f"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// exported is the campaign in a format.
func (w *world) exported(format string) string {
	w.t.Helper()
	var b strings.Builder
	if _, err := transfer.Export(context.Background(), w.st, w.c, format, &b); err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// suggested is what the page draws as suggested in the card in work: words by place.
func (m *marker) suggested() map[string]string {
	out := map[string]string{}
	for id, words := range m.shown(protocol.Target) {
		if place, ok := strings.CutPrefix(id, "?"); ok {
			out[place] = words
		}
	}
	return out
}

func (m *marker) text(selector string) string {
	m.w.t.Helper()
	return ask[string](m.w.t, m.ctx, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// outcomes is what the draft of the first translation says of its suggestions.
func (m *marker) outcomes(id string) string {
	m.w.t.Helper()
	var out []string
	for _, o := range m.stored(id, suggestedText).Suggestions {
		out = append(out, fmt.Sprint(o.ID, " ", o.Became))
	}
	return strings.Join(out, ", ")
}

// TestSuggestionsByKeyboard decides on suggestions by keys alone, with a reload in
// between, and finds what became of them in the export.
func TestSuggestionsByKeyboard(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("secretmetric",
		at(suggestedText, "fairy", protocol.Target, "major", ""), at(suggestedText, "don't go", protocol.Target, "minor", ""),
		at(suggestedText, "🛥️", protocol.Target, "minor", ""), at(suggestedSource, "Fähre", protocol.Source, "major", ""))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	if page := ask[string](t, m.ctx, `document.documentElement.outerHTML`); strings.Contains(page, "secretmetric") || strings.Contains(page, "Aster") {
		t.Error("the page says what made the suggestions, or for which system")
	}
	m.toCard(suggestedText)
	if got, want := fmt.Sprint(m.suggested()), "map[1:fairy 2:don't go 3:🛥️]"; got != want {
		t.Errorf("suggested are %s, want %s", got, want)
	}
	if got := m.text(".card[aria-current] .suggested-head"); !strings.HasPrefix(got, "4 suggestions to decide") {
		t.Errorf("the card says %q", got)
	}
	if got := m.text(".card[aria-current] .card-marks"); got != "" {
		t.Errorf("marks before anything was accepted: %q", got)
	}

	// The first by reading is that of the source, which is rejected; then the boat,
	// rejected too, and the fairy, accepted.
	m.events = 0
	m.press("y r r y")
	t.Logf("keys for three decisions: %d", m.events)
	m.saved()
	if got, want := m.outcomes(id), "1 accepted, 3 rejected, 4 rejected"; got != want {
		t.Errorf("decided by keys: %s, want %s", got, want)
	}
	// What was rejected last can be taken back and is open again.
	m.press("Ctrl+z Ctrl+z")
	m.saved()
	if got, want := m.outcomes(id), "4 rejected"; got != want {
		t.Errorf("undone: %s, want %s", got, want)
	}
	m.press("Ctrl+Shift+z Ctrl+Shift+z")
	m.saved()

	m.reload()
	m.toCard(suggestedOther)
	m.press("a")
	m.typeText("90")
	m.press("Escape")
	m.toCard(suggestedText)
	if got, want := fmt.Sprint(m.suggested()), "map[2:don't go]"; got != want {
		t.Errorf("after a reload suggested are %s, want %s", got, want)
	}
	// Submitting without a decision is refused and leads there.
	m.press("a")
	m.typeText("40")
	m.press("Enter Ctrl+Enter")
	run(t, m.ctx, "what is missing is named", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent === 'Still needs a decision on 1 suggestion'`))
	if got := m.text("#mark-bar .btn"); got != "Accepty" {
		t.Errorf("the bar begins with %q", got)
	}
	// Changed at once: graver, and longer by a word's end.
	m.press("M ]")
	m.saved()
	if got, want := m.outcomes(id), "1 accepted, 2 changed, 3 rejected, 4 rejected"; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	// Removing the accepted one rejects it; undone, it is accepted again.
	m.press(", x")
	m.saved()
	if got, want := m.outcomes(id), "1 rejected, 2 changed, 3 rejected, 4 rejected"; got != want {
		t.Errorf("removed: %s, want %s", got, want)
	}
	m.press("Ctrl+z")
	m.saved()
	m.submit()
	for format, want := range map[string]string{
		"ratings":     `"suggestions":[{"id":"secretmetric-1","became":"accepted"},{"id":"secretmetric-2","became":"changed"},{"id":"secretmetric-3","became":"rejected"},{"id":"secretmetric-4","became":"rejected"}]`,
		"csv":         `spans,suggestions,comment`,
		"suggestions": `"origin":"secretmetric"}`,
	} {
		if got := w.exported(format); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", format, want, got)
		}
	}
	changed := at(suggestedText, "don't go t", protocol.Target, "major", "")
	accepted := at(suggestedText, "fairy", protocol.Target, "major", "")
	changed.Suggestion, accepted.Suggestion = "2", "1"
	wantSpans(t, "submitted", m.stored(id, suggestedText).Spans, protocol.Texts{Source: suggestedSource, Translation: suggestedText}, accepted, changed)
}

// TestSuggestionsGoOn: the key that accepts goes to the next card that has a suggestion, and the
// list of suggestions shows a suggestion as it was changed.
func TestSuggestionsGoOn(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "major", ""))
	m := newMarker(t, b, w, "ann")
	m.toCard(suggestedOther)
	m.press("y")
	run(t, m.ctx, "the card with the suggestion", Until(`document.querySelector('.card[aria-current] .card-text').textContent === `+quoted(suggestedText)+` && document.querySelector('#mark-bar').checkVisibility()`))
	const grade = `.card[aria-current] .suggested-box li .grade`
	if got := m.text(grade); got != "Major" {
		t.Errorf("suggested is %q", got)
	}
	m.press("m")
	m.saved()
	if got, want := m.text(grade)+" "+m.outcomes(m.assignment()), "Minor 1 changed"; got != want {
		t.Errorf("after the change the list says %q, want %q", got, want)
	}
	m.press("Escape y")
	if got := m.text("#missing"); got != "No suggestion waits on any card" {
		t.Errorf("at the end it says %q", got)
	}
}

// TestSuggestionsByMouse decides by buttons: in the text, in the list, all at once.
func TestSuggestionsByMouse(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "mqm", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x",
		at(suggestedText, "fairy", protocol.Target, "major", "Accuracy/Mistranslation"), at(suggestedText, "don't", protocol.Target, "minor", ""),
		at(suggestedText, "today", protocol.Target, "minor", "Fluency/Grammar"), at(suggestedText, "old", protocol.Target, "minor", "Fluency/Grammar"))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a window that has all of the list, whichever card it is", Look(1280, 900, false))
	id := m.assignment()
	m.toCard(suggestedText)
	m.events = 0
	x1, y1, _, _ := m.box(protocol.Target, "fairy")
	run(t, m.ctx, "click on what is suggested", chromedp.MouseClickXY(x1+4, y1))
	m.clickOn("#mark-bar .btn")
	m.saved()
	t.Logf("mouse events for a decision in the text: %d", m.events+1)
	if got, want := m.outcomes(id), "1 accepted"; got != want {
		t.Errorf("clicked in the text: %s, want %s", got, want)
	}
	// In the list, and taken back.
	m.clickOn(`.card[aria-current] .suggested-box [aria-label="Reject “today”"]`)
	m.saved()
	if got, want := m.outcomes(id), "1 accepted, 3 rejected"; got != want {
		t.Errorf("rejected in the list: %s, want %s", got, want)
	}
	m.clickOn(`.card[aria-current] .suggested-box [data-suggest=back]`)
	m.saved()
	if got, want := m.outcomes(id), "1 accepted"; got != want {
		t.Errorf("taken back: %s, want %s", got, want)
	}
	// All at once takes a second click.
	const all = `.card[aria-current] .suggested-head button`
	m.clickOn(all)
	if got := m.text(all); got != "Accept all 3?" {
		t.Errorf("the button asks %q", got)
	}
	if got, want := m.outcomes(id), "1 accepted"; got != want {
		t.Errorf("after one click: %s, want %s", got, want)
	}
	m.clickOn(all)
	m.saved()
	if got, want := m.outcomes(id), "1 accepted, 2 accepted, 3 accepted, 4 accepted"; got != want {
		t.Errorf("all: %s, want %s", got, want)
	}
	// One came without a category and is to be told; then it is changed.
	m.toCard(suggestedOther)
	m.press("0 Ctrl+Enter")
	run(t, m.ctx, "what is missing is named", Until(`document.querySelector('.card[aria-current] .card-lacks').textContent.startsWith('Still needs a category')`))
	m.press("c 2 3")
	m.saved()
	if got, want := m.outcomes(id), "1 accepted, 2 changed, 3 accepted, 4 accepted"; got != want {
		t.Errorf("with a category: %s, want %s", got, want)
	}
}

// TestSuggestionRowsStand decides on suggestions in their rows: each row keeps its place
// in the window, so that the button of the next one is where it was, and no bar lies over
// the rows.
func TestSuggestionRowsStand(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "mqm", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	noted := at(suggestedText, "don't", protocol.Target, "minor", "")
	noted.Comment = "does not, since the ferry is one"
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "major", "Accuracy/Mistranslation"), noted,
		at(suggestedText, "today", protocol.Target, "minor", "Fluency/Grammar"), at(suggestedText, "old", protocol.Target, "minor", "Fluency/Grammar"))
	m := newMarker(t, b, w, "ann")
	id := m.assignment()
	for _, width := range []int64{1440, 390} {
		run(t, m.ctx, "a window", Look(width, 1000, false))
		m.reload()
		m.toCard(suggestedText)
		rows := `JSON.stringify([...document.querySelectorAll('.card[aria-current] .suggested-box li')].map((e) => { const r = e.getBoundingClientRect(); return [r.top, r.height].map(Math.round); }))`
		before := ask[string](t, m.ctx, rows)
		// The question of the button for all takes no more room than its name, so that the
		// next click, which takes the question away, meets the row that it was aimed at.
		m.clickOn(`.card[aria-current] .suggested-head button`)
		if got := ask[string](t, m.ctx, rows); got != before {
			t.Errorf("at %d px, when all are asked about the rows stand at %s, before at %s", width, got, before)
		}
		for _, act := range []string{"Reject “fairy”", "Accept “don't”", "Accept “old”", "Take back “fairy”"} {
			m.clickOn(`.card[aria-current] .suggested-box [aria-label="` + act + `"]`)
			m.saved()
			if got := ask[string](t, m.ctx, rows); got != before {
				t.Errorf("at %d px, after %s the rows stand at %s, before at %s", width, act, got, before)
			}
			if ask[bool](t, m.ctx, `!!document.querySelector('#mark-bar')?.checkVisibility()`) {
				t.Errorf("at %d px, after %s a bar is open", width, act)
			}
		}
		if got, want := m.outcomes(id), "2 accepted, 4 accepted"; got != want {
			t.Errorf("decided: %s, want %s", got, want)
		}
		m.press("Ctrl+z Ctrl+z Ctrl+z Ctrl+z")
		m.saved()
	}
}

// TestShownSeverityAccepts presses the severity that a suggestion has, by mouse and by
// key: that accepts it, and the bar stays with the mark.
func TestShownSeverityAccepts(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "major", ""), at(suggestedText, "today", protocol.Target, "minor", ""))
	m := newMarker(t, b, w, "ann")
	run(t, m.ctx, "a desk", Look(1280, 900, false))
	id := m.assignment()
	m.toCard(suggestedText)
	m.press("y")
	m.clickOn("#mark-bar [data-grade=major]")
	m.saved()
	if got := m.outcomes(id); got != "1 accepted" {
		t.Fatalf("after a click: %q", got)
	}
	if got := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] mark.lit')?.textContent ?? ''`); got != "fairy" {
		t.Errorf("in work is %q", got)
	}
	m.press("Escape y m")
	m.saved()
	if got := m.outcomes(id); got != "1 accepted, 2 accepted" {
		t.Errorf("after a key: %q", got)
	}
}

// TestSuggestionsInTwoWindows: a decision made elsewhere is a conflict like any other
// change, and taking the other window's version takes its decisions.
func TestSuggestionsInTwoWindows(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en", "redundancy=1")
	w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
	w.suggest("x", at(suggestedText, "fairy", protocol.Target, "major", ""), at(suggestedText, "don't go", protocol.Target, "minor", ""))
	one := newMarker(t, b, w, "ann")
	id := one.assignment()
	other := &marker{annotator: *newAnnotator(t, b, w, nil), login: "ann"}
	other.begin(one.again())
	other.ready()
	one.toCard(suggestedText)
	other.toCard(suggestedText)
	one.press("y r")
	one.saved()
	other.press("y y")
	run(t, other.ctx, "the conflict is told", Until(`!!document.querySelector('.conflict')`))
	if got := other.text(".conflict [data-theirs]"); !strings.Contains(got, "suggestions rejected: 1") {
		t.Errorf("the other window's version is %q", got)
	}
	run(t, other.ctx, "take the other", chromedp.Click(`.conflict [data-keep=theirs]`))
	run(t, other.ctx, "the conflict is over", Until(`!document.querySelector('.conflict')`))
	if got, want := one.outcomes(id), "1 rejected"; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(other.suggested()), "map[2:don't go]"; got != want {
		t.Errorf("suggested are %s, want %s", got, want)
	}
}
