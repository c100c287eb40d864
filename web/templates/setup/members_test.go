package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestMembersForms(t *testing.T) {
	v := MembersView{Page: pagetest.LeadPage("lead"), Members: []MemberRow{{Login: "a+b@x.org", Role: campaign.Annotator}, {Login: "old", Role: campaign.Annotator, Removed: true}, {Login: "kim", Role: campaign.Annotator, Fixed: true}},
		Links:  []templates.SignInLink{{Login: "mara", Name: "Mara", URL: "https://x/l/1", Locked: false}, {Login: "ben", Name: "", URL: "", Locked: false}},
		Invite: InviteForm{Login: "no good", People: "x, y"}, Errors: map[string]string{"login": "not so", "people": "line 1: no"}}
	doc, _ := pagetest.Written(t, Members(v))
	for _, sub := range []string{"link", "role", "remove"} {
		if doc.Find(`form[action="/campaigns/ment/members/a+b@x.org/`+sub+`"]`).Length() != 1 {
			t.Errorf("no form for %s", sub)
		}
		if doc.Find(`form[action="/campaigns/ment/members/old/`+sub+`"]`).Length() != 0 {
			t.Errorf("a form for %s of someone removed", sub)
		}
	}
	// Somebody who has annotated stays an annotator, and may be an adjudicator beside.
	if got := doc.Find(`form[action="/campaigns/ment/members/kim/role"] option`).Map(func(_ int, o *goquery.Selection) string { return o.AttrOr("value", "") }); !slices.Equal(got, []string{"annotator", "adjudicator"}) {
		t.Errorf("someone who has annotated can be made %v", got)
	}
	if got := doc.Find("#login-error").Text() + "; " + doc.Find("#people-error").Text(); got != "not so; line 1: no" {
		t.Errorf("errors: %s", got)
	}
	if got := doc.Find("#login").AttrOr("value", "") + "; " + doc.Find("#people").Text(); got != "no good; x, y" {
		t.Errorf("typed: %s", got)
	}
	if got := doc.Find(".links input[readonly]").AttrOr("value", ""); got != "https://x/l/1" {
		t.Errorf("link = %q", got)
	}
	if text := doc.Find(".links").Text(); !strings.Contains(text, "Shown only now") || !strings.Contains(text, "14 days") || !strings.Contains(text, "Has an account and has joined") {
		t.Errorf("the links say %q", text)
	}
}
