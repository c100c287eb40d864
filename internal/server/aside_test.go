package server

import (
	"net/http"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestAnnotatorSetAside: an annotator who is set aside is told so wherever they go, what they have
// open keeps what was saved, and goes on once they are restored.
func TestAnnotatorSetAside(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	id := s.Next(t, 0)
	s.Save(t, 0, id, 0, 3)
	v := s.signedIn(s.Annotators[0])
	page := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	if err := s.db.Desk.SetAside(t.Context(), s.Campaign.ID, s.Annotators[0].Login, "misread the guide", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	work := v.get("/work").page(t).Find("main")
	if !strings.Contains(work.Text(), "The lead has paused your work in this campaign.") || work.Find(`form[action$="/next"]`).Length() != 0 {
		t.Errorf("my work says %s", work.Text())
	}
	if got := v.post("/campaigns/"+s.Campaign.Slug+"/next", nil); got.status != http.StatusSeeOther || got.location() != "/work" {
		t.Errorf("asking for more: %d to %s", got.status, got.location())
	} else if said := v.get("/work").page(t).Find(".notice").Text(); !strings.Contains(said, "paused your work") {
		t.Errorf("and is told %q", said)
	}
	doc := v.get(page)
	if doc.status != http.StatusOK || !strings.Contains(doc.page(t).Find("#band").Text(), "paused your work") {
		t.Errorf("the open page: %d, %s", doc.status, doc.page(t).Find("#band").Text())
	}
	for _, secret := range []string{"misread", s.Lead.Login + "\""} {
		if strings.Contains(doc.body, secret) {
			t.Errorf("the annotator is told %q", secret)
		}
	}
	saved := v.json("PUT", page+"/cards/"+doc.state(t).Cards[1].ID, map[string]any{"scores": map[string]int{"sqm": 2}, "save_id": "x"})
	if saved.status != http.StatusConflict || !strings.Contains(saved.body, "aside") || !strings.Contains(saved.body, `"closed"`) {
		t.Errorf("a save: %d %s", saved.status, saved.body)
	}
	if err := s.db.Desk.RestoreAnnotator(t.Context(), s.Campaign.ID, s.Annotators[0].Login, "a mistake", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	if got := v.post("/campaigns/"+s.Campaign.Slug+"/next", nil).location(); got != page {
		t.Errorf("restored, the work goes on at %s, want %s", got, page)
	}
	if got := s.Work(t, 0, id).Cards[0].Rating.Scores["sqm"]; got != 3 {
		t.Errorf("the score saved is %v now", got)
	}
}

// TestLooksAreNamed: the band over a segment says which look it is to the annotator;
// an annotator who joins in a later round is not told of a look before.
func TestLooksAreNamed(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Set("rounds=3"))
	disagree(t, s, 1)
	s.AddAnnotator(t, "third")
	if err := s.db.Rounds.FurtherAnnotator(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s1")}, "third", "one more view", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	band := func(i int) string {
		t.Helper()
		got := s.signedIn(s.Annotators[i]).get("/campaigns/" + s.Campaign.Slug + "/assignments/" + s.Next(t, i))
		return got.page(t).Find(".band strong").Text()
	}
	if got := band(0); got != "Second look." {
		t.Errorf("in round 2: %q", got)
	}
	if got := band(2); got != "" {
		t.Errorf("who joins is told %q", got)
	}
	disagree(t, s, 1)
	s.RateNext(t, 2, 0, 2, 4)
	if got := band(1); got != "Another look." {
		t.Errorf("in round 3: %q", got)
	}
}
