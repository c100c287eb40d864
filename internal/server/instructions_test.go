package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestInstructionsAreRefused checks that a preview stores nothing, that a text that can't be shown and a change of an old
// version are refused, and that accepting a version that is not current leads to the instructions.
func TestInstructionsAreRefused(t *testing.T) {
	s := newSite(t)
	path := "/campaigns/" + s.Campaign.Slug + "/instructions"
	lead, ann := s.signedIn(s.Lead), s.signedIn(s.Annotators[0])
	for _, tt := range []struct {
		act, text, find, shown string
		status                 int
	}{
		{"save", "![a](b)", "#instructions-text", "![a](b)", http.StatusUnprocessableEntity},
		{"preview", "Be *fair*.", ".guide-own em", "fair", http.StatusOK},
		{"save", "Be *fair*. <script>x</script>", "", "", http.StatusSeeOther},
		{"save", "Mine", "#instructions-text", "Mine", http.StatusUnprocessableEntity},
	} {
		if got := lead.post(path, url.Values{"act": {tt.act}, "was": {"0"}, "text": {tt.text}}); got.status != tt.status || tt.find != "" && got.page(t).Find(tt.find).Text() != tt.shown {
			t.Errorf("%s of %q answered %d", tt.act, tt.text, got.status)
		}
		if must := storetest.Must(s.db.Training.MustAccept(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t); must != (tt.status == http.StatusSeeOther || tt.text == "Mine") {
			t.Errorf("after %s of %q an annotator must accept instructions: %t", tt.act, tt.text, must)
		}
	}
	page := ann.get(path).page(t)
	if page.Find(".guide-own script").Length() != 0 || page.Find("form.form textarea").Length() != 0 || strings.Contains(page.Text(), "ann2") {
		t.Error("the annotator's page is not the instructions alone")
	}
	if got := ann.post(path+"/accept", url.Values{"version": {"7"}}); got.location() != path {
		t.Errorf("accepting an unknown version leads to %s", got.location())
	}
}
