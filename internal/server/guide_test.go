package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

const ownGuide = "# House rules\n\nMark *names* first. See [the list](https://example.org/names).\n\n<script>alert(1)</script>\n\nاقرأ النص أولاً."

// TestGuide: a guide of the campaign's own is what annotators read, on its page and at their work, beside the scale. Of
// two leads who change it at a time, the second is shown what the first has written.
func TestGuide(t *testing.T) {
	s := newSite(t)
	path := "/campaigns/" + s.Campaign.Slug + "/guide"
	lead, ann := s.signedIn(s.Lead), s.signedIn(s.Annotators[0])
	first := lead.get(path).page(t)
	if first.Find(".levels dt").Length() != 5 || first.Find(".guide-example").Length() == 0 || !strings.Contains(first.Find("#guide-text").Text(), "Examples") {
		t.Error("without a guide of its own, the campaign does not show and offer that of SQM")
	}
	was, _ := first.Find("form.form input[name=was]").Attr("value")
	send := func(act, text, was string) answer {
		return lead.post(path, url.Values{"act": {act}, "text": {text}, "was": {was}})
	}
	seen := send("preview", ownGuide, was)
	doc := seen.page(t)
	if seen.status != http.StatusOK || doc.Find(".guide-own h3").Text() != "House rules" || doc.Find("#guide-text").Text() != ownGuide || doc.Find("script:not([src])").Length() != 0 {
		t.Errorf("the preview answered %d: %s", seen.status, seen.body)
	}
	if s.Reload(t); s.Campaign.Guide != "" {
		t.Error("a preview was saved")
	}
	wantStatus(t, "saving", send("save", strings.ReplaceAll(ownGuide, "\n", "\r\n"), was), http.StatusSeeOther)
	for _, page := range []string{path, "/campaigns/" + s.Campaign.Slug + "/assignments/" + s.Next(t, 0)} {
		doc := ann.get(page).page(t)
		if doc.Find(".guide-own em").Text() != "names" || doc.Find(".levels dt").Length() != 5 || doc.Find(".guide-example").Length() != 0 || !strings.Contains(doc.Find(".guide-own").Text(), "<script>") {
			t.Errorf("%s does not show the guide of the lead", page)
		}
		if link := doc.Find(".guide-own a"); link.AttrOr("target", "") != "_blank" || !strings.Contains(link.AttrOr("rel", ""), "noopener") {
			t.Errorf("%s: a link is %v", page, link.Nodes)
		}
	}
	if ann.get(path).page(t).Find("form textarea").Length() != 0 {
		t.Error("annotators are shown the form")
	}
	got := send("save", "Mine", was)
	doc = got.page(t)
	if got.status != http.StatusUnprocessableEntity || doc.Find("#guide-text").Text() != "Mine" || doc.Find(".guide-own h3").Text() != "House rules" {
		t.Fatalf("an edit of an old guide answered %d", got.status)
	}
	wantStatus(t, "going back", send("clear", "", doc.Find("form.form input[name=was]").AttrOr("value", "")), http.StatusSeeOther)
	if s.Reload(t); s.Campaign.Guide != "" {
		t.Errorf("it is still %q", s.Campaign.Guide)
	}
}

func TestGuideIsRefused(t *testing.T) {
	s := newSite(t)
	path := "/campaigns/" + s.Campaign.Slug + "/guide"
	lead := s.signedIn(s.Lead)
	for _, tt := range []struct{ name, text, want string }{
		{"an image", "a\n\n![b](https://example.org/c.png)", "Line 3: an image"},
		{"a link that runs", "[a](javascript:b)", "Line 1: a link to"},
		{"too long", strings.Repeat("文", campaign.MaxGuide/3+1), "use at most 102400"},
		{"U+0000", "a\x00b", "U+0000"},
	} {
		for _, act := range []string{"save", "preview"} {
			if tt.name == "U+0000" && act == "preview" {
				continue
			}
			got := lead.post(path, url.Values{"act": {act}, "text": {tt.text}})
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.page(t).Find(".field-bad").Text(), tt.want) {
				t.Errorf("%s, %s: answered %d", tt.name, act, got.status)
			}
		}
	}
	if s.Reload(t); s.Campaign.Guide != "" {
		t.Errorf("kept %q", s.Campaign.Guide)
	}
}
