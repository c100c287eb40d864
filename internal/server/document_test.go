package server

import (
	"net/http"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/store/storetest"
)

// TestOwnSegments: from My work and from the page of a segment, annotators come to the list of their own
// segments, and from there to each of them.
func TestOwnSegments(t *testing.T) {
	s := newSite(t, storetest.Segments(6), storetest.PerDocument(3), storetest.Set("context=document", "assign=document"))
	v := s.signedIn(s.Annotators[0])
	prefix := "/campaigns/" + s.Campaign.Slug
	if got := v.get(prefix + "/finished?show=all").page(t).Find(".empty h2").Text(); got != "No such segment" {
		t.Errorf("before anything is given the list says %q", got)
	}
	s.RateNext(t, 0, 1, 2, 3)
	storetest.Check(t, s.db.Work.Skip(t.Context(), s.Campaign, s.Annotators[0].ID, s.Next(t, 0), "not my field"))
	id := s.Next(t, 0)
	rows := func(path string) (states []string) {
		t.Helper()
		doc := v.get(path).page(t)
		for _, address := range doc.Find("tbody a").Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") }) {
			wantStatus(t, address, v.get(address), http.StatusOK)
		}
		return doc.Find("tbody .badge").Map(textOf)
	}
	all := v.get("/work").page(t).Find(`a:contains("My segments")`).AttrOr("href", "")
	if got := rows(all); !slices.Equal(got, []string{"submitted", "skipped", "to do"}) {
		t.Errorf("%s lists %q", all, got)
	}
	document := v.get(prefix+"/assignments/"+id).page(t).Find("a.strip-progress").AttrOr("href", "")
	if got := rows(document); document != prefix+"/finished?show=all&text=d1" || len(got) != 3 {
		t.Errorf("the page leads to %s, which lists %q", document, got)
	}
	for query, want := range map[string]int{"": 1, "?show=skipped": 1, "?show=open": 1, "?show=begun": 0, "?text=d2": 0, "?text=d1": 3, "?show=nothing": 3, "?show=all&page=2": 0, "?show=done&text=d": 1} {
		if got := rows(prefix + "/finished" + query); len(got) != want {
			t.Errorf("%q lists %q, want %d", query, got, want)
		}
	}
	option := v.get(prefix + "/finished?show=skipped").page(t).Find("#show option[selected]").Text()
	if option != "skipped (1)" {
		t.Errorf("the list is of %q", option)
	}
}
