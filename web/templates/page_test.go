package templates

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"annotate/internal/readmodel"
)

// everyPage renders each page once, with texts that would break it if they
// were not escaped.
func everyPage(t *testing.T) map[string]templ.Component {
	t.Helper()
	const evil = `"><b onclick=x>evil</b>`
	p := Page{Title: evil, Static: "/static/x", User: &User{Login: "lin", Name: evil, Admin: true}, Flash: evil, Error: evil, Here: "overview",
		Campaign: &Campaign{Slug: "ment", Title: evil, Protocol: "SQM", SourceLang: "zh", TargetLang: "en", State: "paused", Role: "lead"}}
	v := segment(t)
	v.Page = p
	now := time.Date(2026, 11, 21, 12, 3, 0, 0, time.UTC)
	return map[string]templ.Component{
		"annotate": Annotate(v),
		"sign-in":  SignIn(SignInView{Page: p, Login: evil, Next: evil, Wait: evil}),
		"link":     Link(LinkView{Page: p, Name: evil, Action: "/link/x"}),
		"work":     MyWork(MyWorkView{Page: p, Campaigns: []WorkItem{{Campaign: Campaign{Slug: "m", Title: evil, Role: "annotator", State: "open"}, Done: 1, Available: 2, SecondLooks: 1}}}),
		"numbers":  MyNumbers(MyNumbersView{Page: p, Clock: Clock{Now: now}, Days: []readmodel.AnnotatorDay{{Ratings: 3}, {Day: "2026-11-19", Ratings: 3, Segments: 1, Seconds: 90}}, Done: 2, Words: 40, Left: 3}),
		"finished": Own(OwnView{Page: p, Paging: Paging{1, 50, 1}, Items: []readmodel.OwnSegment{{State: readmodel.OwnDone, AssignmentID: "x", DocID: evil, Source: evil, Scores: []string{"3"}, SubmittedAt: now}}}),
		"account":  Account(AccountView{Page: p, Name: evil, NameError: evil, HasPassword: true, Sessions: []readmodel.Session{{ID: "1", Agent: evil, CreatedAt: now, LastSeenAt: now}, {ID: "2", Current: true}}}),
		"error":    Error(ErrorView{Page: p, Code: 500, Text: evil, RequestID: evil}),
	}
}

// TestEveryPage holds all pages to the content security policy and to names
// for what can be operated.
func TestEveryPage(t *testing.T) {
	for name, c := range everyPage(t) {
		t.Run(name, func(t *testing.T) {
			doc, html := written(t, c)
			if doc.Find("b").Length() != 0 {
				t.Error("a text was not escaped")
			}
			doc.Find("*").Each(func(_ int, s *goquery.Selection) {
				for _, a := range s.Nodes[0].Attr {
					if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
						t.Errorf("<%s> has %s, which the policy blocks", s.Nodes[0].Data, a.Key)
					}
				}
			})
			doc.Find("script").Each(func(_ int, s *goquery.Selection) {
				if s.AttrOr("type", "") != "application/json" && s.AttrOr("src", "") == "" {
					t.Error("an inline script, which the policy blocks")
				}
			})
			if doc.Find("style").Length() != 0 {
				t.Error("an inline style sheet, which the policy blocks")
			}
			doc.Find("form").Each(func(_ int, s *goquery.Selection) {
				switch s.AttrOr("method", "get") {
				case "get", "post", "dialog":
				default:
					t.Errorf("form method %q", s.AttrOr("method", ""))
				}
			})
			doc.Find("input:not([type=hidden]):not([aria-hidden]), select, textarea").Each(func(_ int, s *goquery.Selection) {
				id := s.AttrOr("id", "")
				if s.AttrOr("aria-label", "") == "" && s.Closest("label").Length() == 0 && (id == "" || doc.Find(`label[for="`+id+`"]`).Length() == 0) {
					html, _ := goquery.OuterHtml(s)
					t.Errorf("no label for %s", html)
				}
			})
			if doc.Find("h1").Length() != 1 {
				t.Errorf("%d level-one headings, want 1", doc.Find("h1").Length())
			}
			if !strings.HasPrefix(html, "<!doctype html>") {
				t.Errorf("begins with %.20q", html)
			}
		})
	}
}

func TestNav(t *testing.T) {
	for role, want := range map[string]string{
		"lead":       "Overview Segments Queue Agreement Annotators Plan Messages Members Training Import Judges Report Export Guide Settings",
		"researcher": "Overview Segments Queue Agreement Annotators Judges Report Export Guide",
		"annotator":  "My segments My numbers Guide",
		"":           "",
	} {
		var labels []string
		for _, item := range (Page{Campaign: &Campaign{Slug: "ment", Role: role}}).Nav() {
			labels = append(labels, item.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s sees %q, want %q", role, got, want)
		}
	}
}

func TestLayoutStranger(t *testing.T) {
	doc, _ := written(t, Layout(Page{Static: "/static/x"}))
	if doc.Find("nav").Length() != 0 || doc.Find("form").Length() != 0 {
		t.Error("a stranger sees a navigation")
	}
	if got := doc.Find("link[rel=stylesheet]").First().AttrOr("href", ""); got != "/static/x/css/base.css" {
		t.Errorf("style sheet at %q", got)
	}
}

func TestInput(t *testing.T) {
	doc, _ := written(t, Input(Field{Name: "quota", Label: "Quota", Type: "number", Value: "-3", Help: "a day", Error: "not negative", Min: "0"}))
	in := doc.Find("input")
	for attr, want := range map[string]string{"value": "-3", "min": "0", "aria-invalid": "true", "aria-describedby": "quota-help quota-error"} {
		if got := in.AttrOr(attr, ""); got != want {
			t.Errorf("%s = %q, want %q", attr, got, want)
		}
	}
	if got := doc.Find("#quota-error").Text(); got != "not negative" {
		t.Errorf("error = %q", got)
	}
	doc, _ = written(t, Input(Field{Name: "p", Label: "Password", Type: "password", Value: "secret"}))
	if _, ok := doc.Find("input").Attr("value"); ok {
		t.Error("a password is sent back to the page")
	}
}

func TestErrorWords(t *testing.T) {
	doc, _ := written(t, Error(ErrorView{Code: 404, RequestID: "r1"}))
	if got := doc.Find("h1").Text(); got != "There is nothing at this address" {
		t.Errorf("heading = %q", got)
	}
	if strings.Contains(doc.Text(), "r1") {
		t.Error("a request id where nobody needs it")
	}
	doc, _ = written(t, Error(ErrorView{Code: 599, RequestID: "r1"}))
	if got := doc.Find(".gate").Text(); !strings.Contains(got, "our side") || !strings.Contains(got, "r1") {
		t.Errorf("page = %q", got)
	}
}

func TestWork(t *testing.T) {
	item := WorkItem{Campaign: Campaign{Slug: "ment", Title: "MENT", State: "open", Role: "annotator"}, Done: 2, Available: 3}
	page := func(edit func(*WorkItem)) *goquery.Document {
		item := item
		edit(&item)
		doc, _ := written(t, MyWork(MyWorkView{Page: Page{User: &User{Login: "lin"}}, Campaigns: []WorkItem{item}}))
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
		if got := first(text, 4); got != want {
			t.Errorf("first(%q) = %q, want %q", text, got, want)
		}
	}
}
