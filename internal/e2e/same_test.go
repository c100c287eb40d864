package e2e

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/chrome"
)

// Different scores of one text are asked about before they are submitted, and again once
// they are changed; equal ones are not.
func TestSameTextScoredDifferently(t *testing.T) {
	w := newWorld(t)
	same := map[string]string{"Aster": "the same", "Birch": "another", "Cedar": "the same"}
	w.importSegments(segment("d1", "s1", "第一句", same), segment("d1", "s2", "第二句", same))
	a := newAnnotator(t, browser(t), w, nil)
	a.signIn(w.invite("one", campaign.Annotator))
	rate := func(scores ...string) {
		t.Helper()
		given := 0
		for i, text := range a.cards() {
			key := "2"
			if text == "the same" {
				key, given = scores[given], given+1
			}
			if i > 0 {
				run(t, a.ctx, "next card", chrome.Key("j"))
			}
			run(t, a.ctx, "score", chrome.Key(key))
		}
	}
	rate("1", "4")
	run(t, a.ctx, "submit different scores", chrome.Key("Ctrl+Enter"),
		until(`document.querySelector('#missing').textContent.includes('are the same text and are judged differently: press again')`))
	if !a.submit() {
		t.Fatal("there is no second segment")
	}
	run(t, a.ctx, "wait for the second segment", until(`document.documentElement.dataset.ready === "annotate"`))
	rate("3", "3")
	if a.submit() {
		t.Error("equal scores were not submitted at once")
	}
}
