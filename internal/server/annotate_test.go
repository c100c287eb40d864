package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// state is the data block of an annotate page.
func (a answer) state(t *testing.T) wire.State {
	t.Helper()
	var state wire.State
	if err := json.Unmarshal([]byte(a.page(t).Find("#assignment-state").Text()), &state); err != nil {
		t.Fatal(err)
	}
	return state
}

// A score that is null is none, and no 0.
func TestSaveNull(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	v := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id + "/cards/" + s.CardID(t, 0, id, 0)
	got := v.do("PUT", path, "application/json", `{"save_id":"a","scores":{"sqm":null}}`)
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"sqm"`) {
		t.Errorf("null: %d %s", got.status, got.body)
	}
	wantStatus(t, "no score", v.do("PUT", path, "application/json", `{"save_id":"b","scores":{},"comment":"later"}`), http.StatusOK)
	if card := s.Work(t, 0, id).Cards[0]; len(card.Rating.Scores) != 0 {
		t.Errorf("stored %v", card.Rating.Scores)
	}
}

// The answer to a submission may be lost: the page asks again and is told the same.
func TestSubmitAnswerIsLost(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Annotators[0])
	for range 2 { // the first segment is undecided then, the second decided
		id := s.Next(t, 0)
		s.Fill(t, 0, id, 3, 2, 1)
		path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id + "/submit"
		body := map[string]any{"cards": storetest.Revisions(s.Work(t, 0, id))}
		first := v.json("POST", path, body)
		if first.status != http.StatusOK || !strings.Contains(first.body, `"next":"/campaigns/`) {
			t.Fatalf("submitted: %d %s", first.status, first.body)
		}
		s.RateNext(t, 1, 3, 2, 1)
		for range 2 {
			if got := v.json("POST", path, body); got.status != http.StatusOK || got.body != first.body {
				t.Errorf("asked again: %d %s, want %s", got.status, got.body, first.body)
			}
		}
	}
}

// A page that an earlier version of the program sent addresses cards by their place.
// It is told that it is out of date, and nothing is written.
func TestPageOfAnEarlierVersion(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	s.Fill(t, 0, id, 3, 2, 1)
	v := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	before := s.Work(t, 0, id)
	for what, got := range map[string]answer{
		"a save":       v.json("PUT", path+"/cards/0", map[string]any{"revision": 1, "save_id": "x", "scores": map[string]int{"sqm": 0}}),
		"a submission": v.json("POST", path+"/submit", map[string]any{"revisions": []int{1, 1, 1}}),
	} {
		if got.status != http.StatusConflict || !strings.Contains(got.body, `"code":"closed"`) || !strings.Contains(got.body, "this page is out of date") {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if after := s.Work(t, 0, id); !reflect.DeepEqual(after, before) {
		t.Errorf("the work was %+v and is %+v", before, after)
	}
}

// A card with many marks is longer than any other request.
func TestLongCard(t *testing.T) {
	s := newSite(t, storetest.Protocol("esa"))
	id := s.Next(t, 0)
	v := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id + "/cards/"
	var spans []map[string]any
	for i := range 190 {
		spans = append(spans, map[string]any{"id": strconv.Itoa(i + 1), "side": "target", "start": 0, "end": 11, "severity": "minor", "comment": strings.Repeat("x", 10_000)})
	}
	body := map[string]any{"save_id": "a", "spans": spans}
	wantStatus(t, "190 marks with long comments", v.json("PUT", path+s.CardID(t, 0, id, 0), body), http.StatusOK)
	if n := len(s.Work(t, 0, id).Cards[0].Rating.Spans); n != len(spans) {
		t.Errorf("%d marks are stored", n)
	}
	body["pad"] = strings.Repeat("x", 300_000)
	wantStatus(t, "more than 2 MiB", v.json("PUT", path+s.CardID(t, 0, id, 1), body), http.StatusRequestEntityTooLarge)
}

// TestSubmittedAgainIsConfirmed: the next page says that a segment was submitted again, and
// says nothing of one that was submitted for the first time.
func TestSubmittedAgainIsConfirmed(t *testing.T) {
	s := newSite(t)
	id := s.RateNext(t, 0, 3, 3, 3)
	v := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	for _, again := range []bool{false, true} {
		s.Save(t, 0, id, 0, 1)
		cards := map[string]int{}
		for _, c := range s.Work(t, 0, id).Cards {
			cards[c.ID] = c.Revision
		}
		got := v.json("POST", path+"/submit", map[string]any{"cards": cards, "again": again})
		var on struct{ Next string }
		if err := json.Unmarshal([]byte(got.body), &on); err != nil || got.status != http.StatusOK {
			t.Fatalf("submitting answered %d %s", got.status, got.body)
		}
		if said := strings.Contains(v.get(on.Next).body, "The segment is submitted again, as you left it."); said != again {
			t.Errorf("submitted again %t, and the next page says so: %t", again, said)
		}
	}
}

// TestLinkDays holds the pages to how long a sign-in link really lives.
func TestLinkDays(t *testing.T) {
	if got := templates.LinkDays * 24 * time.Hour; got != accounts.LinkLifetime {
		t.Errorf("pages say %s, links live %s", got, accounts.LinkLifetime)
	}
}
