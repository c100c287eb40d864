package templates_test

import (
	"strings"
	"testing"

	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

// TestNav has each role's groups with the pages in them.
func TestNav(t *testing.T) {
	lead := "Overview; Work: Segments, Queue, Messages, Plan; People: Annotators, Members, Training, Checks, Announcements; Results: Agreement, Judges, Report, Export; Set-up: Settings, Import, Guide, Instructions, Webhooks, Audit log"
	reader := "Overview; Work: Segments, Queue; People: Annotators, Checks; Results: Agreement, Judges, Report, Export; "
	for _, test := range []struct {
		role string
		of   templates.Campaign
		want string
	}{
		{"lead", templates.Campaign{Role: "lead"}, lead},
		{"lead, who may adjudicate", templates.Campaign{Role: "lead", Adjudicates: true}, lead},
		{"researcher", templates.Campaign{Role: "researcher"}, reader + "Guide"},
		{"lead of an archived campaign", templates.Campaign{Role: "researcher", Leads: true, Archived: true}, reader + "Set-up: Guide, Audit log"},
		{"annotator", templates.Campaign{Role: "annotator"}, "My segments; My numbers; Guide"},
		{"annotator who adjudicates", templates.Campaign{Role: "annotator", Adjudicates: true}, "To adjudicate; My segments; My numbers; Guide"},
		{"adjudicator", templates.Campaign{Role: "adjudicator", Adjudicates: true}, "To adjudicate; Guide"},
		{"nobody", templates.Campaign{}, ""},
	} {
		seen := map[string]string{}
		var groups []string
		for _, here := range []string{"overview", "segments", "annotators", "agreement", "guide"} {
			top, pages, group := templates.Page{Campaign: &test.of, Here: here}.Nav()
			if len(top) > 6 {
				t.Errorf("%s meets %d entries, want at most 6", test.role, len(top))
			}
			groups = labels(top)
			if len(pages) > 0 {
				seen[group] = strings.Join(labels(pages), ", ")
			}
		}
		for i, label := range groups {
			if pages, ok := seen[label]; ok {
				groups[i] += ": " + pages
			}
		}
		if got := strings.Join(groups, "; "); got != test.want {
			t.Errorf("%s sees %q, want %q", test.role, got, test.want)
		}
	}
}

func labels(items []templates.NavItem) (out []string) {
	for _, item := range items {
		out = append(out, item.Label)
	}
	return out
}

// TestNavShowsWhereTheReaderIs follows the marks of the page and of its group, and the counts of both.
func TestNavShowsWhereTheReaderIs(t *testing.T) {
	page := templates.Page{Static: "/static/x", Here: "queue", Campaign: &templates.Campaign{Slug: "ment", Role: "lead", Failed: 2, ToAnswer: 3}}
	doc, _ := pagetest.Written(t, templates.Layout(page))
	nav := doc.Find(`nav[aria-label="Campaign"]`)
	for selector, want := range map[string]string{
		`a[aria-current="true"]`: "Work 5waiting", `a[aria-current="page"]`: "Queue 2to decide",
		`[role=group][aria-label="Work"] a[href="/campaigns/ment/messages"]`: "Messages 3to answer",
	} {
		if got := strings.Join(strings.Fields(nav.Find(selector).Text()), " "); got != want {
			t.Errorf("%s = %q, want %q", selector, got, want)
		}
	}
	if got := nav.Find("a[aria-current]").Length(); got != 2 {
		t.Errorf("%d entries are marked as current, want the page and its group", got)
	}
	page.Here = "report"
	doc, _ = pagetest.Written(t, templates.Layout(page))
	if got := strings.Join(strings.Fields(doc.Find(`nav[aria-label="Campaign"] a:contains("Work")`).Text()), " "); got != "Work 5waiting" {
		t.Errorf("from another group Work is %q", got)
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
