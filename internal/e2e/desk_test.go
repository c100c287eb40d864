package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// TestDeskIsKeptUp: what an annotator submits shows on a desk that is open, and
// the lead's place on it stays: focus, scroll and open fold-outs.
func TestDeskIsKeptUp(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	quality := func(text string, _ bool) int {
		return map[string]int{"best": 4, "fair": 2, "poor": 0}[strings.Fields(text)[0]]
	}
	first, second := newAnnotator(t, b, w, quality), newAnnotator(t, b, w, quality)
	first.begin(w.invite("first", campaign.Annotator))
	first.score(0)
	first.submit()
	second.begin(w.invite("second", campaign.Annotator))

	lead := window(t, b)
	desk := w.url + "/campaigns/" + w.slug
	run(t, lead, "sign in", Look(1000, 600, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(desk),
		Until(`document.querySelector('[data-live]').dataset.ready === 'live'`))
	const tile = `[...document.querySelectorAll('.tile')].find((e) => e.querySelector('.tile-label').textContent === %q)?.querySelector('.tile-value').textContent`
	ratings := fmt.Sprintf(tile, "Ratings")
	if got := ask[string](t, lead, ratings); got != "3" {
		t.Fatalf("the desk begins with %s ratings, want 3", got)
	}
	if ask[bool](t, lead, `document.querySelector('.heat') !== null`) {
		t.Error("a heatmap of one annotator")
	}
	// Where the lead is on the page, and a mark that a new page would not have.
	ask[bool](t, lead, `(() => {
		window.samePage = true;
		document.querySelector('[data-keep=scores]').open = true;
		const link = document.querySelector('tr[data-key=first] a');
		link.focus();
		window.scrollTo(0, 180);
		window.before = {link, row: document.querySelector('tr[data-key=first]'), top: link.getBoundingClientRect().top};
		return true;
	})()`)
	second.score(0)
	submitted := time.Now()
	second.submit()
	run(t, lead, "wait for the submission to show", Until(ratings+` === "6"`))
	t.Logf("the submission showed within %v", time.Since(submitted).Round(100*time.Millisecond))
	for what, kept := range map[string]string{
		"the page":           `window.samePage === true`,
		"the fold-out":       `document.querySelector('[data-keep=scores]').open`,
		"the focus":          `document.activeElement === window.before.link`,
		"the row":            `document.querySelector('tr[data-key=first]') === window.before.row`,
		"what is said":       `document.querySelector('[data-live-said]').textContent.startsWith('6 ratings, 1 of 1 segment settled, updated ')`,
		"silence":            `document.querySelector('[data-live-said]').getAttribute('aria-live') === 'off'`,
		"the place on it":    `window.scrollY > 0 && Math.abs(document.activeElement.getBoundingClientRect().top - window.before.top) < 60`,
		"the new heatmaps":   `document.querySelectorAll('.heat').length === 2`,
		"r of the two":       `document.querySelector('.heat td a')?.getAttribute('aria-label') === 'first and second: very strong, r 1.00, 1 shared segment'`,
		"agreed at first":    fmt.Sprintf(tile, "Agreed in round 1") + ` === "100%"`,
		"a second histogram": `document.querySelectorAll('.multiple').length === 2`,
	} {
		if !ask[bool](t, lead, kept) {
			t.Errorf("after the submission %s is not as it should be", what)
		}
	}

	// Without a connection the page says so, and catches up when it is back.
	ask[bool](t, lead, `(() => {
		window.real = window.fetch;
		window.fetch = () => Promise.reject(new TypeError('offline'));
		return true;
	})()`)
	run(t, lead, "wait for the page to notice", Until(`document.querySelector('[data-live-said]').textContent.startsWith('No connection')`))
	w.importSegments(
		segment("d2", "s2", "第二句", texts("s2")),
		segment("d2", "s3", "第三句", texts("s3")),
		segment("d2", "s4", "第四句", texts("s4")),
	)
	for _, a := range []*annotator{first, second} {
		run(t, a.ctx, "back to my work", chromedp.Navigate(w.url+"/work"), Visible("h1"))
		a.startByKeyboard()
	}
	second.score(0)
	second.submit()
	if !ask[bool](t, lead, `(() => {
		let asked = false;
		window.fetch = (...how) => { asked = true; return window.real(...how); };
		dispatchEvent(new Event('online'));
		return asked;
	})()`) {
		t.Error("the page does not ask at once when the connection is back")
	}
	run(t, lead, "wait for the page to catch up", Until(ratings+` === "9"`))

	// A table sorted by ratings is sorted anew, with the focus on the same person.
	run(t, lead, "open the annotators", chromedp.Navigate(desk+"/annotators?sort=ratings&order=down"), Until(`document.querySelector('[data-live]')?.dataset.ready === 'live'`))
	order := `[...document.querySelectorAll('tbody tr')].map((r) => r.dataset.key).join(' ')`
	if got := ask[string](t, lead, order); got != "second first" {
		t.Fatalf("sorted by ratings: %s", got)
	}
	ask[bool](t, lead, `(() => { document.querySelector('tr[data-key=second] a').focus(); return true; })()`)
	for range 2 {
		first.score(0)
		first.submit()
	}
	run(t, lead, "wait for the order to change", Until(order+` === "first second"`))
	if !ask[bool](t, lead, `document.activeElement === document.querySelector('tr[data-key=second] a')`) {
		t.Error("the focus has moved to somebody else")
	}

	// Somebody who may not see the campaign any more is told so once.
	w.invite("other", campaign.Lead)
	if err := w.st.Accounts.RemoveMember(t.Context(), w.c.ID, "lead", ""); err != nil {
		t.Fatal(err)
	}
	run(t, lead, "wait for the page to say so", Until(`document.querySelector('[data-live-said]').textContent.startsWith('Not kept up any more')`))
}
