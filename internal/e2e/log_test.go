package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/sample"
)

// Audit logs fit the width of a phone: neither the page nor the list moves sideways.
func TestLogsFitAPhone(t *testing.T) {
	h := newHouse(t, browser(t))
	for login, path := range map[string]string{siteAdmin: "/audit", sample.Lead: "/campaigns/" + sample.ChineseEnglish + "/audit"} {
		w := h.window(login)
		run(t, w, path, Look(390, 844, false), chromedp.Navigate(h.url+path), Visible(".log"))
		if !ask[bool](t, w, `[document.documentElement, ...document.querySelectorAll('.table-wrap')].every(x => x.scrollWidth <= x.clientWidth)`) {
			t.Errorf("%s can be moved sideways", path)
		}
	}
}
