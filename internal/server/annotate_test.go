package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"annotate/internal/store"
	"annotate/web/templates"
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

func TestChangedAfterSubmitting(t *testing.T) {
	s := newSite(t)
	id := s.RateNext(t, 0, 3, 3, 3)
	v := s.signedIn(s.Annotators[0])
	prefix := "/campaigns/" + s.Campaign.Slug
	said := func() (band, list bool) {
		band = strings.Contains(v.get(prefix+"/assignments/"+id).page(t).Find(".band").Text(), "You changed this segment after submitting it")
		list = strings.Contains(v.get(prefix+"/finished").page(t).Find("tbody").Text(), "changed, not submitted again")
		return band, list
	}
	if band, list := said(); band || list {
		t.Errorf("submitted work is said to be changed: page %t, list %t", band, list)
	}
	s.Save(t, 0, id, 0, 1)
	if band, list := said(); !band || !list {
		t.Errorf("the change is said: page %t, list %t, want both", band, list)
	}
	s.Submit(t, 0, id)
	if band, list := said(); band || list {
		t.Errorf("submitted again, the change is still said: page %t, list %t", band, list)
	}
}

// TestLinkDays holds the pages to how long a sign-in link really lives.
func TestLinkDays(t *testing.T) {
	if got := templates.LinkDays * 24 * time.Hour; got != store.LinkLifetime {
		t.Errorf("pages say %s, links live %s", got, store.LinkLifetime)
	}
}
