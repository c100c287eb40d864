package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
	"annotate/internal/wire"
)

// TestDocument: a card shows what its system wrote in the whole document, a submission is
// taken back, and nothing names a system.
func TestDocument(t *testing.T) {
	s := newSite(t, storetest.Segments(4), storetest.PerDocument(4), storetest.Set("context=document", "assign=document"))
	s.RateNext(t, 0, 1, 2, 3)
	id, v := s.Next(t, 0), s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	document := func() (out wire.Document) {
		t.Helper()
		got := v.get(path + "/document?card=" + s.CardID(t, 0, id, 0))
		if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.status != http.StatusOK {
			t.Fatalf("%d: %s", got.status, got.body)
		}
		if i := slices.IndexFunc(s.Systems, func(name string) bool { return strings.Contains(got.body, name) }); i >= 0 {
			t.Errorf("the document names %s", s.Systems[i])
		}
		return out
	}
	states := func() (out []string) {
		t.Helper()
		for i, seg := range document().Segments {
			if seg.Place != i+1 || seg.Translation == nil || seg.URL == "" {
				t.Errorf("segment %d is %+v", i+1, seg)
			}
			out = append(out, seg.State)
		}
		return out
	}
	if got := states(); !slices.Equal(got, []string{wire.Submitted, wire.ToDo, wire.ToDo, wire.ToDo}) {
		t.Errorf("states %q", got)
	}
	s.Rate(t, 0, id, 1, 2, 3)
	got := v.json("POST", path+"/take-back", nil)
	var next wire.Next
	if err := json.Unmarshal([]byte(got.body), &next); err != nil || next.Next != path {
		t.Errorf("taking back answers %d %s", got.status, got.body)
	}
	if got := states(); !slices.Equal(got, []string{wire.Submitted, wire.Begun, wire.ToDo, wire.ToDo}) {
		t.Errorf("states %q after it was taken back", got)
	}
	if got := v.get(path + "/document?card=unknown"); got.status != http.StatusConflict {
		t.Errorf("an unknown card answers %d", got.status)
	}
}
