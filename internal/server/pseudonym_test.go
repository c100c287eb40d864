package server

import (
	"net/http"
	"strings"
	"testing"

	"annotate/internal/report/gather"
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
				s.reportDone(gather.Choices{Pseudonyms: "yes"})
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
		if got := researcher.get(at + path); got.status != http.StatusForbidden {
			t.Errorf("a researcher at %s: %d", path, got.status)
		}
		if got := lead.get(at + path); got.status != http.StatusOK {
			t.Errorf("a lead at %s: %d", path, got.status)
		}
	}
	if got := lead.get(at + "/pseudonym-key.csv").body; !strings.Contains(got, "A01,ann1,") {
		t.Errorf("the key is %s", got)
	}
	if got := lead.get(at + "/export/ratings?pseudonyms=no").body; !strings.Contains(got, `"annotator":"ann1"`) {
		t.Errorf("a lead who asks for logins gets %s", got)
	}
	doc := researcher.get(at + "/export").page(t)
	if doc.Find(`a[href*="pseudonym"]`).Length() != 0 {
		t.Error("a researcher is led to logins or the key")
	}

	s.Change(t, "pseudonyms=no")
	if got := researcher.get(at + "/export/ratings").body; !strings.Contains(got, "ann1") {
		t.Errorf("without pseudonyms: %s", got)
	}
	doc = researcher.get(at + "/export?pseudonyms=yes").page(t)
	href := doc.Find(`a[href*="/export/ratings"]`).AttrOr("href", "")
	if got := researcher.get(href).body; !strings.HasSuffix(href, "?pseudonyms=yes") || strings.Contains(got, "ann1") || !strings.Contains(got, "A01") {
		t.Errorf("with pseudonyms from %s: %s", href, got)
	}
}
