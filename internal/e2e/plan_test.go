package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/chrome"
)

// TestPlanByHand: a lead plans documents by keyboard alone, then by mouse, and each change is shown before it
// is done.
func TestPlanByHand(t *testing.T) {
	b := browser(t)
	w, _ := newAnnotatorAtWork(t, b)
	w.importSegments(segment("d2", "s2", "第二句", texts("s2")), segment("d3", "s3", "第三句", texts("s3")), segment("d4", "s4", "第四句", texts("s4")))
	lead := window(t, b)
	page := w.url + "/campaigns/" + w.slug + "/plan"
	const chosen = `document.querySelectorAll('input[name=document]:checked').length`
	const documents = `document.querySelectorAll('[data-plan] tbody tr').length`
	const planned = `document.querySelectorAll('[data-plan] tbody tr:has(.turn:not(.turn-free))').length`
	run(t, lead, "open the plan", chrome.Look(1280, 900, false), chrome.SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(page), chromedp.WaitVisible("[data-plan]"))
	before := ask[int](t, lead, planned)
	if n := ask[int](t, lead, documents); n != 4 {
		t.Fatalf("the campaign has %d documents", n)
	}

	run(t, lead, "choose by key", chromedp.Focus("input[name=document]"), chrome.Key("Shift+ArrowDown"), until(chosen+` === 2 && document.querySelector('[data-chosen]').textContent.startsWith('2 documents, ')`))
	run(t, lead, "Enter sends nothing", chrome.Key("Enter"), until(chosen+` === 2`),
		chromedp.Focus(".plan-people input[name=login]"), chrome.Key(" "), chromedp.Focus("button[value=assign]"), chrome.Key("Enter"),
		until(`document.activeElement.closest('.plan-confirm') !== null`))
	run(t, lead, "confirm by key", chrome.Key("Enter"), until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n < 2 || n < before {
		t.Errorf("%d documents are planned", n)
	}

	run(t, lead, "take away by mouse", chromedp.Click(`[data-all]`), until(chosen+` === `+documents), chromedp.Click("button[value=unassign]"), chromedp.WaitVisible(".plan-confirm"),
		chromedp.Click(".plan-confirm .btn-main"), until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n != before {
		t.Errorf("%d documents have annotators, %d were begun", n, before)
	}
	run(t, lead, "choose a range by mouse", chromedp.Click("tbody tr:nth-child(1) input[name=document]"),
		do(`document.querySelector("[data-plan] tbody tr:last-child input[name=document]").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: true }))`), until(chosen+` === `+documents))
	run(t, lead, "balance", chromedp.Click("button[value=balance]"), chromedp.WaitVisible(".plan-confirm"), chromedp.Click(".plan-confirm .btn-main"), until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n != ask[int](t, lead, documents) {
		t.Errorf("%d documents are planned", n)
	}
}
