package annotating

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestWork(t *testing.T) {
	item := WorkItem{Campaign: templates.Campaign{Slug: "ment", Title: "MENT", State: "open", Role: "annotator"}, Done: 2, Available: 3}
	page := func(edit func(*WorkItem)) *goquery.Document {
		item := item
		edit(&item)
		doc, _ := pagetest.Written(t, MyWork(MyWorkView{Page: templates.Page{User: &templates.User{Login: "lin"}}, Campaigns: []WorkItem{item}}))
		return doc
	}
	form := page(func(*WorkItem) {}).Find("main form")
	if form.AttrOr("action", "") != "/campaigns/ment/next" || form.AttrOr("method", "") != "post" || !strings.Contains(form.Text(), "Start") {
		t.Errorf("start form: %s %s %q", form.AttrOr("method", ""), form.AttrOr("action", ""), form.Text())
	}
	if got := page(func(w *WorkItem) { w.Begun = true }).Find("main form").Text(); !strings.Contains(got, "Continue") {
		t.Errorf("button says %q, want Continue", got)
	}
	doc := page(func(w *WorkItem) { w.Blocked = "Today's quota is reached." })
	if doc.Find("main form").Length() != 0 || !strings.Contains(doc.Find(".job").Text(), "Today's quota is reached.") {
		t.Error("blocked work can be started, or does not say why not")
	}
	if got := strings.Join(strings.Fields(page(func(w *WorkItem) { w.Joining = 1 }).Find(".job-fill").Text()), " "); got != "1 segment that the lead asks you to rate; it comes first." {
		t.Errorf("joining: %q", got)
	}
	if got := page(func(w *WorkItem) { w.SecondLooks = 1 }).Find(".badge").Text(); got != "1 second look" {
		t.Errorf("badge = %q", got)
	}
}

func TestWords(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 47.6: "48 s", 200: "3 min 20 s", 3900: "1 h 5 min"} {
		if got := duration(s); got != want {
			t.Errorf("duration(%v) = %q, want %q", s, got, want)
		}
	}
	for text, want := range map[string]string{"text": "text", "这波操作真绝了": "这波操作…", "a\nb": "a…"} {
		if got := templates.First(text, 4); got != want {
			t.Errorf("first(%q) = %q, want %q", text, got, want)
		}
	}
}
