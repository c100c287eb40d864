package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// TestNextCampaign checks that a lead can undo a wrong import, copy a campaign with some of its members, add another of its members later, and
// have the copy follow the campaign and take over a settled segment, whose page leads back, all by mouse.
func TestNextCampaign(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")))
	w.importSegments(segment("d1", "s2", "第二句", texts("s2")))
	for _, login := range []string{"ann1", "ann2"} {
		w.invite(login, campaign.Annotator)
	}
	lead := window(t, b)
	page := w.url + "/campaigns/" + w.slug
	flash := func(want string) {
		t.Helper()
		run(t, lead, want, Until(`document.querySelector('.notice-success, .flash')?.textContent.includes(`+"`"+want+"`"+`)`))
	}
	run(t, lead, "sign in", Look(1000, 800, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(page+"/import"), Visible("#imports-title"))
	if n := ask[int](t, lead, `document.querySelectorAll('section[aria-labelledby=imports-title] tbody tr').length`); n != 2 {
		t.Fatalf("%d imports are listed, want 2", n)
	}
	run(t, lead, "ask", opens("section[aria-labelledby=imports-title] tbody tr:first-child a.btn"), Visible(".btn-danger"))
	run(t, lead, "undo", opens(".btn-danger"), Visible("#imports-title"))
	flash("was undone.")
	if left := w.exported("jsonl"); strings.Contains(left, "第二句") || !strings.Contains(left, "第一句") {
		t.Errorf("after the undo the campaign has\n%s", left)
	}

	run(t, lead, "begin a copy", chromedp.Navigate(w.url+"/campaigns/new"), Visible("#from-title"), opens("section[aria-labelledby=from-title] button"), Visible("input[name=member]"))
	run(t, lead, "copy", chromedp.SetValue("#title", "The next one"), do(`document.querySelector('input[name=member][value=ann2]').checked = false`), opens(".btn-main"), Visible("#start-title"))
	flash("was created from Small campaign.")
	run(t, lead, "choose members", chromedp.Navigate(w.url+"/campaigns/the-next-one/members"), Visible("#from-title"), opens("section[aria-labelledby=from-title] button"), Visible("input[name=member][value=ann2]"))
	if n := ask[int](t, lead, `document.querySelectorAll('input[name=member]').length`); n != 1 {
		t.Errorf("%d members can be chosen, want the one who is not there", n)
	}
	run(t, lead, "take over", do(`document.querySelector('input[name=member]').checked = true`), opens(".btn-main"), Visible("#invite-title"))
	flash("1 member came from Small campaign.")

	w.rated(map[string][2][3]float64{"s1": {{0, 2, 4}, {0, 3, 4}}})
	next := w.url + "/campaigns/the-next-one/import"
	run(t, lead, "follow", chromedp.Navigate(next), chromedp.Click("section[aria-labelledby=chain-title] summary"), chromedp.SetValue("#from", w.slug), opens("form[action$='/import/follow'] button"), Visible("#chain-title"))
	flash("This campaign follows Small campaign.")
	accessible(t, lead, pagesJudge(t), "a campaign that follows another one")
	const ready = "form[action$='/import/take-over'] button"
	if got := ask[string](t, lead, `document.querySelector("`+ready+`").textContent`); got != "Take over 1 segment that is ready" {
		t.Errorf("the button says %q", got)
	}
	run(t, lead, "take over segments", opens(ready), Visible("#chain-title"))
	if ask[bool](t, lead, `!!document.querySelector("`+ready+`")`) {
		t.Error("a segment can be taken over twice")
	}
	run(t, lead, "its segment", chromedp.Navigate(w.url+"/campaigns/the-next-one/segments"), opens("tbody a[href*='/segments/']"), Visible("#lineage-title"))
	accessible(t, lead, pagesJudge(t), "a segment that was taken over")
	run(t, lead, "back to where it comes from", opens("#stage-0 a"), Visible("#lineage-title"))
	if got := ask[string](t, lead, `document.querySelector('section[aria-labelledby=lineage-title]').textContent`); !strings.Contains(got, "Went on to") || !strings.Contains(got, "The next one") {
		t.Errorf("the earlier campaign says %q", got)
	}
}
