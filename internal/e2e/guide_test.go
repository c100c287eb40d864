package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// TestGuideOpensByItself: the guide lies over the first page of work of an annotator until they
// close it, by key or by mouse, and never opens by itself again. The focus goes to the card in
// work, so that its keys act at once.
func TestGuideOpensByItself(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	const (
		open   = `document.documentElement.dataset.ready === 'annotate' && document.querySelector('#guide').open`
		closed = `document.documentElement.dataset.ready === 'annotate' && !document.querySelector('#guide').open`
		inCard = closed + ` && document.activeElement === document.querySelector('.card[aria-current]')`
		told   = `performance.getEntriesByType('resource').some((e) => e.name.endsWith('/guide/closed') && e.responseEnd > 0)`
	)
	for login, closing := range map[string]chromedp.Action[chromedp.Void]{"key": Key("Escape"), "mouse": chromedp.Click("#guide .dialog-head button")} {
		ctx := window(t, b)
		run(t, ctx, login+": the first visit", Look(1280, 900, false), SignIn(w.newcomer(login, campaign.Annotator)), opens(".job .btn-main"), Until(open))
		run(t, ctx, login+": a reload", chromedp.Reload(), Until(open))
		run(t, ctx, login+": close", closing, Until(inCard), Until(told))
		run(t, ctx, login+": score", Key("3"), Until(`document.querySelector('.card input[value="3"]').checked && document.querySelector('#saved').dataset.state === 'saved'`))
		run(t, ctx, login+": the next visit", chromedp.Reload(), Until(closed))
		run(t, ctx, login+": on demand", Key("g"), Until(open), Key("g"), Until(closed))
	}
}
