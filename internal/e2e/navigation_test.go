package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// entries are the entries of a campaign's navigation.
const entries = `[...document.querySelectorAll('nav[aria-label=Campaign] a')]`

// entry is the script that finds an entry by its label.
func entry(label string) string {
	return fmt.Sprintf(`%s.find((a) => a.firstChild.textContent.trim() === %q)`, entries, label)
}

// followed follows an entry of the campaign's navigation, and waits until it is the current page or its group.
func followed(label string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(leaves(do(entry(label)+`.click()`)), Until(entry(label)+`?.ariaCurrent > ''`))
}

// TestNavigation: on a phone and in a wide window a lead sees at most six entries, and each page of a group when they
// follow it, with the page and its group marked. Tab and Enter lead to a page of another group.
func TestNavigation(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	p := window(t, b)
	run(t, p, "sign in", signInWith(t, w.invite("lead", campaign.Lead)))
	for _, width := range []int64{390, 1440} {
		run(t, p, "open the campaign", Look(width, 844, false), chromedp.Navigate(w.url+"/campaigns/"+w.slug), Visible("h1"))
		groups := ask[[]string](t, p, entries+`.map((a) => a.firstChild.textContent.trim())`)
		if len(groups) == 0 || len(groups) > 6 {
			t.Fatalf("a lead meets the entries %q, want at most six", groups)
		}
		for _, group := range groups {
			run(t, p, "follow "+group, followed(group))
			if hidden := ask[[]string](t, p, entries+`.filter((a) => ((r) => r.left < 0 || r.right > innerWidth || r.height < 24 || !a.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)))(a.getBoundingClientRect())).map((a) => a.textContent)`); len(hidden) > 0 {
				t.Errorf("at %d px %q cannot be reached by pointer under %s", width, hidden, group)
			}
			current := strings.Join(ask[[]string](t, p, `[...document.querySelectorAll('nav[aria-label=Campaign] [aria-current]')].map((a) => a.ariaCurrent + ' ' + a.firstChild.textContent.trim())`), ", ")
			if !strings.HasPrefix(current, "true "+group+", page ") && current != "page "+group {
				t.Errorf("under %s the current entries are %q", group, current)
			}
			if over := ask[float64](t, p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("at %d px the page of %s is %v px too wide", width, group, over)
			}
		}
	}
	run(t, p, "back to the overview", followed("Overview"), do(`document.querySelector('.skip').focus()`))
	for _, label := range []string{"Set-up", "Audit log"} {
		for range 30 {
			run(t, p, "Tab", Key("Tab"))
			if ask[bool](t, p, `document.activeElement === `+entry(label)) {
				break
			}
		}
		run(t, p, "Enter on "+label, leaves(Key("Enter")), Until(entry(label)+`?.ariaCurrent > ''`))
	}
	if got := ask[string](t, p, `document.querySelector('h1').textContent`); got != "Audit log" {
		t.Errorf("Tab and Enter lead to %q, want the audit log", got)
	}
}
