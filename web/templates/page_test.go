package templates_test

import (
	"strings"
	"testing"

	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestNav(t *testing.T) {
	for role, want := range map[string]string{
		"lead":       "Overview Segments Queue Agreement Annotators Plan Messages Members Training Import Judges Report Export Guide Settings",
		"researcher": "Overview Segments Queue Agreement Annotators Judges Report Export Guide",
		"annotator":  "My segments My numbers Guide",
		"":           "",
	} {
		var labels []string
		for _, item := range (templates.Page{Campaign: &templates.Campaign{Slug: "ment", Role: role}}).Nav() {
			labels = append(labels, item.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s sees %q, want %q", role, got, want)
		}
	}
}

func TestLayoutStranger(t *testing.T) {
	doc, _ := pagetest.Written(t, templates.Layout(templates.Page{Static: "/static/x"}))
	if doc.Find("nav").Length() != 0 || doc.Find("form").Length() != 0 {
		t.Error("a stranger sees a navigation")
	}
	if got := doc.Find("link[rel=stylesheet]").First().AttrOr("href", ""); got != "/static/x/css/base.css" {
		t.Errorf("style sheet at %q", got)
	}
}

func TestInput(t *testing.T) {
	doc, _ := pagetest.Written(t, templates.Input(templates.Field{Name: "quota", Label: "Quota", Type: "number", Value: "-3", Help: "a day", Error: "not negative", Min: "0"}))
	in := doc.Find("input")
	for attr, want := range map[string]string{"value": "-3", "min": "0", "aria-invalid": "true", "aria-describedby": "quota-help quota-error"} {
		if got := in.AttrOr(attr, ""); got != want {
			t.Errorf("%s = %q, want %q", attr, got, want)
		}
	}
	if got := doc.Find("#quota-error").Text(); got != "not negative" {
		t.Errorf("error = %q", got)
	}
	doc, _ = pagetest.Written(t, templates.Input(templates.Field{Name: "p", Label: "Password", Type: "password", Value: "secret"}))
	if _, ok := doc.Find("input").Attr("value"); ok {
		t.Error("a password is sent back to the page")
	}
}

func TestErrorWords(t *testing.T) {
	doc, _ := pagetest.Written(t, templates.Error(templates.ErrorView{Code: 404, RequestID: "r1"}))
	if got := doc.Find("h1").Text(); got != "There is nothing at this address" {
		t.Errorf("heading = %q", got)
	}
	if strings.Contains(doc.Text(), "r1") {
		t.Error("a request id where nobody needs it")
	}
	doc, _ = pagetest.Written(t, templates.Error(templates.ErrorView{Code: 599, RequestID: "r1"}))
	if got := doc.Find(".gate").Text(); !strings.Contains(got, "our side") || !strings.Contains(got, "r1") {
		t.Errorf("page = %q", got)
	}
}
