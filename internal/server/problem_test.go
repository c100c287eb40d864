package server

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// TestAnswersComeBack: the lead's answer stands beside the segment when the
// annotator gets it back.
func TestAnswersComeBack(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	annotator, lead := s.signedIn(s.Annotators[0]), s.signedIn(s.Lead)
	path := "/campaigns/" + s.Campaign.Slug
	got := annotator.json("POST", path+"/assignments/"+id+"/problem", map[string]string{"text": "is this a name?"})
	if got.status != http.StatusOK {
		t.Fatalf("reporting answered %d %s", got.status, got.body)
	}
	var on struct{ Next string }
	if err := json.Unmarshal([]byte(got.body), &on); err != nil {
		t.Fatal(err)
	}
	if page := annotator.get(on.Next).body; !strings.Contains(page, "Your report is with the lead") {
		t.Error("the next page does not confirm the report")
	}
	if got := lead.answer(t, path+"/messages", "return", "yes, a river"); got.status != http.StatusSeeOther {
		t.Fatalf("answering: %d %s", got.status, got.body)
	}
	next := annotator.post(path+"/next", nil).location()
	if !strings.HasSuffix(next, id) {
		t.Errorf("the annotator goes on with %s, want the segment that was answered", next)
	}
	text := annotator.get(next).page(t).Find("#source").Text()
	if !strings.Contains(text, "is this a name?") || !strings.Contains(text, "yes, a river") {
		t.Errorf("the page shows neither question nor answer: %s", text)
	}
}

// answer fills in the first form on the page of messages and presses one of its buttons.
func (v *visitor) answer(t *testing.T, path, do, text string) answer {
	t.Helper()
	form := v.get(path).page(t).Find("form.thread-form").First()
	values := url.Values{"do": {do}, "answer": {text}}
	form.Find("input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		values.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return v.post(form.AttrOr("action", "no form"), values)
}

// TestCampaignsListIsNotForAnnotators: it tells how far the annotators agree.
func TestCampaignsListIsNotForAnnotators(t *testing.T) {
	s := newSite(t)
	if got := s.signedIn(s.Annotators[0]).get("/campaigns"); got.status != http.StatusForbidden {
		t.Errorf("an annotator gets %d from the list of campaigns", got.status)
	}
	if got := s.signedIn(s.Researcher).get("/campaigns"); got.status != http.StatusOK || !strings.Contains(got.body, s.Campaign.Title) {
		t.Errorf("a researcher gets %d from the list of campaigns", got.status)
	}
}
