package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// choose chooses a file with a text in a field of a form.
func choose(field, name, text string) chromedp.Action[chromedp.Void] {
	return do(fmt.Sprintf(`((files, to) => {
		files.items.add(new File([%s], %s));
		to.files = files.files;
	})(new DataTransfer(), document.querySelector(%s))`, strconv.Quote(text), strconv.Quote(name), strconv.Quote(field)))
}

// TestProtocolPreview: a lead uploads a protocol for a new campaign into Arabic, marks and
// scores on the page it makes, by keyboard and by mouse, goes back, and creates the campaign.
// The preview sends nothing and keeps nothing.
func TestProtocolPreview(t *testing.T) {
	b := browser(t)
	definition, err := os.ReadFile("../protocol/testdata/custom.json")
	if err != nil {
		t.Fatal(err)
	}
	j := pagesJudge(t)
	w := newWorld(t)
	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: "lead"}
	run(t, m.ctx, "sign in", Look(1440, 900, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(w.url+"/campaigns/new"), Visible("#definition_file"))
	run(t, m.ctx, "fill in", chromedp.SetValue("#title", "Subtitles"), chromedp.SetValue("#source_lang", "en"), chromedp.SetValue("#target_lang", "ar"))

	wrong := strings.Replace(string(definition), `"id": "break"`, `"id": "Hitch"`, 1)
	run(t, m.ctx, "preview a wrong file", choose("#definition_file", "subtitle.json", wrong), opens("[formaction]"), Visible("#problems-title"))
	if got := ask[string](t, m.ctx, `document.querySelector('section.result tbody tr').innerText.split(/\s+/).filter((s) => s !== "–").slice(0, 3).join(' ')`); got != "subtitle.json 20 spans.severities[1].id" {
		t.Errorf("the first problem is at %q", got)
	}
	accessible(t, m.ctx, j, "a protocol that is refused")
	run(t, m.ctx, "a wide window", Look(1440, 900, false))

	run(t, m.ctx, "preview", choose("#definition_file", "subtitle.json", string(definition)), opens("[formaction]"))
	m.ready()
	before := ask[string](t, m.ctx, `JSON.stringify(Object.entries(localStorage))`)
	words := ask[[]string](t, m.ctx, `[...document.querySelectorAll('.card-text')].map((e) => e.textContent)`)
	if dir := ask[string](t, m.ctx, `getComputedStyle(document.querySelector('.card-text')).direction`); dir != "rtl" || len(words) != 3 {
		t.Fatalf("%d texts, written %s", len(words), dir)
	}
	marks := func() string {
		return ask[string](t, m.ctx, `[...document.querySelectorAll('.card[aria-current] .card-marks li')].length + ' marks, score ' + (document.querySelector('.card[aria-current] .scale input:checked')?.value ?? 'none')`)
	}
	m.press("Enter 2 c 1 1 a ArrowRight ArrowRight Escape")
	if got := marks(); got != "1 marks, score 3" {
		t.Errorf("by keyboard: %s", got)
	}
	m.press("Ctrl+z")
	if got := marks(); got == "1 marks, score 3" {
		t.Errorf("after undo: %s", got)
	}
	m.press("Ctrl+Shift+z j")
	m.drag(protocol.Target, "استبدالها")
	m.clickOn("#mark-bar [data-grade=hitch]")
	m.press("Escape")
	m.clickOn(".card[aria-current] .scale label:nth-child(5)")
	if got := marks(); got != "1 marks, score 5" {
		t.Errorf("by mouse: %s", got)
	}
	m.press("Ctrl+Enter")
	run(t, m.ctx, "what is missing", Until(`document.querySelector('#missing').textContent.startsWith('Not submitted: ')`))
	m.toCard(words[0])
	for range words {
		if ask[bool](t, m.ctx, `!document.querySelector('.card[aria-current] .scale input:checked')`) {
			m.press("0 a ArrowRight Escape")
		}
		m.press("j")
	}
	for i := range words {
		m.toCard(words[i])
		if lacks := ask[string](t, m.ctx, `document.querySelector('.card[aria-current] .card-lacks').textContent`); lacks != "" {
			m.press(". c 1 1 Escape")
		}
	}
	m.clickOn("#submit")
	run(t, m.ctx, "the end of the preview", Until(`document.querySelector('#missing').textContent === 'Preview: this would submit the segment. Nothing was sent.'`))
	if overlaps := ask[bool](t, m.ctx, `[...document.querySelectorAll('.scale input:checked ~ .scale-name')].some((name) => {
		const r = document.createRange(), b = name.closest('.controls').querySelector('[data-gap]').getBoundingClientRect();
		r.selectNodeContents(name);
		const a = r.getBoundingClientRect();
		return a.right > b.left && a.left < b.right && a.bottom > b.top && a.top < b.bottom;
	})`); overlaps {
		t.Error("the name of a score lies over a button")
	}
	m.press("?")
	run(t, m.ctx, "change a key", Visible("#keys [data-act=next]"), chromedp.Click("#keys [data-act=next]"), Key("i"), Until(`document.querySelector('#keys [data-act=next]').textContent === 'i'`), Key("Escape"))
	if n := ask[int](t, m.ctx, `performance.getEntriesByType('resource').filter((e) => ['fetch', 'xmlhttprequest', 'beacon'].includes(e.initiatorType)).length`); n != 0 {
		t.Errorf("the preview sent %d requests", n)
	}
	if after := ask[string](t, m.ctx, `JSON.stringify(Object.entries(localStorage))`); after != before {
		t.Errorf("the browser keeps %s, and %s before", after, before)
	}
	accessible(t, m.ctx, j, "a preview")

	run(t, m.ctx, "back", opens(".band-preview button"), Visible("#definition_file"))
	if help := ask[string](t, m.ctx, `document.querySelector('#definition_file-help').textContent`); !strings.HasPrefix(help, "subtitle.json is kept.") {
		t.Errorf("the form says %q", help)
	}
	run(t, m.ctx, "create", opens(".btn-main"), Visible("#start-title"))
	c, err := w.st.Records.Campaign(t.Context(), "subtitles")
	if err != nil || c.Definition != string(definition) || c.LanguagePair() != "en-ar" {
		t.Errorf("created %s of %s with %d bytes, %v", c.Slug, c.LanguagePair(), len(c.Definition), err)
	}
}
