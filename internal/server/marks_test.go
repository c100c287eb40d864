package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"annotate/internal/store/storetest"
	"annotate/internal/wire"
)

// TestMarking: what is marked is saved with the card, answered in a conflict, and there when the page comes again.
func TestMarking(t *testing.T) {
	s := newSite(t, storetest.Protocol("esa"))
	v, path := s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug+"/assignments/"+s.Next(t, 0)
	card := v.get(path).state(t).Cards[0].ID
	span := map[string]any{"id": "s1", "side": "target", "start": 0, "end": 11, "text": "Translation", "severity": "minor"}
	save := func(revision int, id string, more map[string]any) answer {
		body := map[string]any{"revision": revision, "save_id": id, "scores": map[string]any{}, "comment": ""}
		maps.Copy(body, more)
		return v.json("PUT", path+"/cards/"+card, body)
	}
	wantStatus(t, "a mark", save(0, "a", map[string]any{"spans": []any{span}}), http.StatusOK)
	wantStatus(t, "a mark and no errors", save(1, "b", map[string]any{"spans": []any{span}, "no_errors": true}), http.StatusUnprocessableEntity, `"field":"no_errors"`)
	var conflict struct{ Card wire.Card }
	got := save(0, "c", map[string]any{"no_errors": true})
	if err := json.Unmarshal([]byte(got.body), &conflict); err != nil || got.status != http.StatusConflict {
		t.Fatalf("an old revision: %d %s", got.status, got.body)
	}
	if c := conflict.Card; c.Revision != 1 || c.Spans == nil || len(*c.Spans) != 1 || (*c.Spans)[0].Text != "Translation" || *c.NoErrors {
		t.Errorf("the conflict has %+v", c)
	}
	state := v.get(path).state(t)
	if spans := *state.Cards[0].Spans; len(spans) != 1 || spans[0].End != 11 || state.Cards[0].Revision != 1 {
		t.Errorf("the page has %+v", state.Cards[0])
	}
}
