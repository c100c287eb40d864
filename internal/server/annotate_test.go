package server

import (
	"net/http"
	"strings"
	"testing"
)

// A score that is null is none, and no 0.
func TestSaveNull(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	v := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id + "/cards/0"
	got := v.do("PUT", path, "application/json", `{"save_id":"a","scores":{"sqm":null}}`)
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"sqm"`) {
		t.Errorf("null: %d %s", got.status, got.body)
	}
	if got := v.do("PUT", path, "application/json", `{"save_id":"b","scores":{},"comment":"later"}`); got.status != http.StatusOK {
		t.Errorf("no score: %d %s", got.status, got.body)
	}
	if card := s.Work(t, 0, id).Cards[0]; len(card.Rating.Scores) != 0 {
		t.Errorf("stored %v", card.Rating.Scores)
	}
}
