package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestInstructionsBeforeWork checks that annotators come to a new version before their next segment but
// not during one, and go on to the segment once they have accepted it. It also checks that a preview
// stores nothing and that a text that can't be shown is refused.
func TestInstructionsBeforeWork(t *testing.T) {
	s := newSite(t, storetest.Segments(3), storetest.PerDocument(3))
	campaignPath := "/campaigns/" + s.Campaign.Slug
	path := campaignPath + "/instructions"
	lead, ann := s.signedIn(s.Lead), s.signedIn(s.Annotators[0])
	if got := ann.post(campaignPath+"/next", nil).location(); !strings.Contains(got, "/assignments/") {
		t.Fatalf("without instructions an annotator is led to %s", got)
	}
	open := s.Next(t, 0)
	if got := lead.post(path, url.Values{"act": {"save"}, "was": {"0"}, "text": {"![a](b)"}}); got.status != http.StatusUnprocessableEntity || got.page(t).Find("#instructions-text").Text() != "![a](b)" {
		t.Errorf("an image answered %d", got.status)
	}
	if got := lead.post(path, url.Values{"act": {"preview"}, "was": {"0"}, "text": {"Be *fair*."}}); got.status != http.StatusOK || got.page(t).Find(".guide-own em").Text() != "fair" {
		t.Errorf("a preview answered %d", got.status)
	}
	if must := storetest.Must(s.db.Training.MustAccept(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t); must {
		t.Error("a preview was stored")
	}
	if got := lead.post(path, url.Values{"act": {"save"}, "was": {"0"}, "text": {"Be *fair*. <script>x</script>"}}); got.status != http.StatusSeeOther {
		t.Fatalf("saving answered %d %s", got.status, got.body)
	}
	if got := lead.post(path, url.Values{"act": {"save"}, "was": {"0"}, "text": {"Mine"}}); got.status != http.StatusUnprocessableEntity || got.page(t).Find("#instructions-text").Text() != "Mine" {
		t.Errorf("a change of an old version answered %d", got.status)
	}
	// The annotator can finish the open segment. The instructions come next.
	if got := ann.get(campaignPath + "/assignments/" + open); got.status != http.StatusOK {
		t.Errorf("the page of work answers %d", got.status)
	}
	s.Fill(t, 0, open, 0, 2, 4)
	got := ann.json("POST", campaignPath+"/assignments/"+open+"/submit", map[string]any{"cards": storetest.Revisions(s.Work(t, 0, open))})
	if got.status != http.StatusOK || !strings.Contains(got.body, path) {
		t.Fatalf("submitting answers %d %s, want it to lead to the instructions", got.status, got.body)
	}
	page := ann.get(path).page(t)
	if page.Find(".guide-own em").Text() != "fair" || page.Find(".guide-own script").Length() != 0 || page.Find("form.form textarea").Length() != 0 || strings.Contains(page.Text(), "ann2") {
		t.Error("the annotator's page is not the instructions alone")
	}
	version := page.Find("input[name=version]").AttrOr("value", "")
	if got := ann.post(path+"/accept", url.Values{"version": {"7"}}); got.location() != path {
		t.Errorf("accepting an unknown version leads to %s", got.location())
	}
	if got := ann.post(path+"/accept", url.Values{"version": {version}}); !strings.Contains(got.location(), "/assignments/") {
		t.Errorf("accepting leads to %s, want the next segment", got.location())
	}
	if said := lead.get(path).page(t).Find("tbody").Text(); !strings.Contains(said, "ann1") || !strings.Contains(said, "not accepted") {
		t.Errorf("the lead reads %q", said)
	}
}
