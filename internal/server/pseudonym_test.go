package server

import (
	"net/http"
	"strings"
	"testing"

	"annotate/internal/evaluation"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// With pseudonyms on, nobody but a lead gets a file with a login, nor the key; where the
// settings name people, everybody may ask for pseudonyms.
func TestPseudonyms(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Set("pseudonyms=yes"))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	at := "/campaigns/" + s.Campaign.Slug
	lead, researcher := s.signedIn(s.Lead), s.signedIn(s.Researcher)
	for _, path := range []string{"/export/ratings", "/export/csv", "/agreement.csv", "/hours.csv", "/report.html"} {
		for who, v := range map[string]*visitor{"lead": lead, "researcher": researcher} {
			if path == "/report.html" {
				v.get(at + "/report")
				s.reportDone(evaluation.Choices{Pseudonyms: "yes"})
			}
			got := v.get(at + path)
			if got.status == http.StatusSeeOther {
				got = v.get(got.location())
			}
			named := strings.Contains(got.body, "ann1")
			if want := who == "lead" && path == "/hours.csv"; got.status != http.StatusOK || named != want || !want && !strings.Contains(got.body, "A01") {
				t.Errorf("%s of %s: %d, names somebody: %v", path, who, got.status, named)
			}
		}
	}
	for _, path := range []string{"/export/ratings?pseudonyms=no", "/agreement.csv?pseudonyms=no", "/report?pseudonyms=no", "/export?pseudonyms=no", "/pseudonym-key.csv"} {
		wantStatus(t, "a researcher at "+path, researcher.get(at+path), http.StatusForbidden)
		wantStatus(t, "a lead at "+path, lead.get(at+path), http.StatusOK)
	}
	says(t, "the key is", lead.get(at+"/pseudonym-key.csv").body, "A01,ann1,")
	says(t, "a lead who asks for logins gets", lead.get(at+"/export/ratings?pseudonyms=no").body, `"annotator":"ann1"`)
	doc := researcher.get(at + "/export").page(t)
	if doc.Find(`a[href*="pseudonym"]`).Length() != 0 {
		t.Error("a researcher is led to logins or the key")
	}

	s.Change(t, "pseudonyms=no")
	says(t, "without pseudonyms", researcher.get(at+"/export/ratings").body, "ann1")
	doc = researcher.get(at + "/export?pseudonyms=yes").page(t)
	href := doc.Find(`a[href*="/export/ratings"]`).AttrOr("href", "")
	if got := researcher.get(href).body; !strings.HasSuffix(href, "?pseudonyms=yes") || strings.Contains(got, "ann1") || !strings.Contains(got, "A01") {
		t.Errorf("with pseudonyms from %s: %s", href, got)
	}
}

// With pseudonyms on, no page that a researcher can open names an annotator or the author of an act. With
// pseudonyms off, the same pages do.
func TestPseudonymsOnPages(t *testing.T) {
	s := newSite(t, storetest.Segments(6), storetest.Annotators(3), storetest.Systems(4), storetest.Set("pseudonyms=yes"))
	for i := range 6 {
		s.RateNext(t, 0, 0, 2, 4, float64(i%2))
		s.RateNext(t, 1, 4, 2, 0, float64(i%3))
	}
	row := s.RowID(t, "d1", "s1")
	storetest.WantErr(t, s.db.Rounds.FurtherAnnotator(t.Context(), s.Campaign.ID, []string{row}, "ann3", "ann1 asked the lead", s.Lead.ID), nil)
	storetest.WantErr(t, s.db.Desk.SetAside(t.Context(), s.Campaign.ID, "ann2", "ann2 does not read", s.Lead.ID), nil)
	v := s.signedIn(s.Researcher)
	// named lists the routes whose answer names somebody.
	named := func(annotator string, other string) (found []string) {
		t.Helper()
		for _, route := range s.srv.table() {
			if route.Method != http.MethodGet || route.Who&site.Researchers == 0 || !strings.Contains(route.Path, ":slug") {
				continue
			}
			path := strings.NewReplacer(":slug", s.Campaign.Slug, ":login", annotator, ":segment", row, ":a", annotator, ":b", other, ":format", "ratings", ":file", "x").Replace(route.Path)
			for _, query := range []string{"", "?annotator=" + annotator + "&show=all"} {
				got := v.get(path + query)
				all := got.body + got.header.Get("Location")
				for _, who := range []string{"ann1", "ann2", "ann3", "by lead"} {
					if strings.Contains(all, who) {
						found = append(found, route.Path+query+" names "+who)
					}
				}
			}
		}
		return found
	}
	if got := named("A01", "A02"); len(got) > 0 {
		t.Errorf("pages that name somebody:\n%s", strings.Join(got, "\n"))
	}
	for _, path := range []string{"/annotators/A01", "/annotators/A02", "/agreement/pairs/A01/A02", "/segments?annotator=A01"} {
		got := v.get("/campaigns/" + s.Campaign.Slug + path)
		if got.status != http.StatusOK || !strings.Contains(got.body, "A01") && !strings.Contains(got.body, "A02") {
			t.Errorf("%s answers %d", path, got.status)
		}
	}
	wantStatus(t, "a login leads a researcher to a page", v.get("/campaigns/"+s.Campaign.Slug+"/annotators/ann1"), http.StatusNotFound)
	if got := v.get("/campaigns/" + s.Campaign.Slug + "/segments/" + row); !strings.Contains(got.body, "L01") {
		t.Error("the page of a segment has no pseudonym of the lead who acted")
	}
	lead := s.signedIn(s.Lead)
	if got := lead.get("/campaigns/" + s.Campaign.Slug + "/annotators"); !strings.Contains(got.body, "ann1") {
		t.Error("a lead sees no logins")
	}
	s.Change(t, "pseudonyms=no")
	if got := named("ann1", "ann2"); len(got) < 8 {
		t.Errorf("without pseudonyms only these name somebody:\n%s", strings.Join(got, "\n"))
	}
}
