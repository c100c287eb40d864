package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// TestImportOfAnotherProgram: a lead checks a campaign of another program, whose format they do not name, by mouse, reads how
// the first segments were read, and imports what was checked.
func TestImportOfAnotherProgram(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "ar", "zh")
	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: "lead"}
	const text = `{"info":{"assignment":"single-stream","protocol":"ESA"},"campaign_id":"c","data":[[{"item_id":"d_#_0","src":"لا تنسَ مفتاحك.","tgt":{"A":"别忘了钥匙。","B":""}}]]}`
	run(t, m.ctx, "sign in", Look(1440, 900, false), SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(w.url+"/campaigns/"+w.slug+"/import"), Visible("#file"))
	run(t, m.ctx, "check", choose("#file", "c.json", text), chromedp.Click("input[name=check]"), opens(".btn-main"), Visible(".first-segments"))
	accessible(t, m.ctx, pagesJudge(t), "the first segments of an import")
	said := ask[string](t, m.ctx, `document.querySelector('.result').innerText`)
	for _, want := range []string{"nothing was stored", "1 file recognised as pearmut", "لا تنسَ مفتاحك.", "别忘了钥匙。", "(no translation)"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q:\n%s", want, said)
		}
	}
	if got := w.exported("jsonl"); got != "" {
		t.Errorf("a check stored\n%s", got)
	}
	run(t, m.ctx, "import", opens(".result .btn-main"), Visible("#report-title"))
	if got := w.exported("jsonl"); !strings.Contains(got, `"translations":{"A":"别忘了钥匙。","B":""}`) {
		t.Errorf("imported is\n%s", got)
	}
}
