package server

import (
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
)

// marked is a site whose only campaign marks errors, with ratings of the first
// segment by two annotators, imported: "Translation 1 of segment 1." by sys-001. Scores are those of the first annotator; the second gives 40 less.
func marked(t *testing.T, id string, scores map[string]float64, opts ...storetest.Option) *sampleSite {
	t.Helper()
	s := newSite(t, append(opts, storetest.Protocol(id), storetest.Segments(2))...)
	var lines []campaign.NumberedRating
	for i, login := range []string{"ann1", "ann2"} {
		for _, system := range s.Systems {
			r := campaign.RatingLine{DocID: "d1", SegmentID: "s1", System: system}
			r.Annotator, r.Round, r.Seconds = login, 1, 5
			r.Scores = map[string]float64{}
			for name, x := range scores {
				r.Scores[name] = x - float64(40*i)
			}
			if system == s.Systems[0] {
				r.Spans = []protocol.ErrorSpan{
					{ID: "1", Side: protocol.Target, Start: i, End: 11, Severity: "major", Category: "Accuracy", Subcategory: "Mistranslation", Comment: "<b>see</b>"},
					{ID: "2", Side: protocol.Source, Start: 0, End: 2, Severity: "grim", Category: "Oddity"},
				}
			}
			lines = append(lines, campaign.NumberedRating{Line: len(lines) + 1, Rating: r})
		}
	}
	var all iter.Seq2[campaign.NumberedRating, error] = func(yield func(campaign.NumberedRating, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
	report, err := s.db.Intake.ImportRatings(t.Context(), s.Campaign.ID, all, intake.ImportOptions{File: "r.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.OwnSeverities) == 0 {
		t.Fatal("the import names no new severity")
	}
	s.Reload(t)
	return s
}

// TestMarkedSegment: those who may read a campaign see every annotator's marks;
// nobody else does.
func TestMarkedSegment(t *testing.T) {
	s := marked(t, "mqm", nil)
	path := "/campaigns/" + s.Campaign.Slug + "/segments/" + s.RowID(t, "d1", "s1")
	for _, v := range []*visitor{s.signedIn(s.Lead), s.signedIn(s.Researcher)} {
		for _, query := range []string{"", "?marks=apart", "?round=all", "?marks=apart&round=1"} {
			got := v.get(path + query)
			if got.status != http.StatusOK {
				t.Fatalf("%s: %d", query, got.status)
			}
			doc := got.page(t)
			if n := doc.Find("#t1 .ref").Length(); n != 4 {
				t.Errorf("%s: %d marks, want 4", query, n)
			}
			if n := doc.Find("#t2 .no-errors").Length(); n != 2 {
				t.Errorf("%s: no errors said %d times, want 2", query, n)
			}
			if doc.Find("#t1 .unknown").Length() != 2 || doc.Find("#t1 b").Length() != 0 {
				t.Errorf("%s: new severities are not named, or a comment is not escaped", query)
			}
			if !strings.Contains(got.header.Get("Content-Security-Policy"), "style-src 'self'") || strings.Contains(got.body, " style=") {
				t.Errorf("%s: the page has styles of its own", query)
			}
		}
		if n := v.get(path + "?round=2").page(t).Find("#t1 .ref").Length(); n != 0 {
			t.Errorf("round 2 has %d marks", n)
		}
	}
	wantStatus(t, "an annotator got", s.signedIn(s.Annotators[0]).get(path), http.StatusForbidden)
	wantStatus(t, "a stranger got", s.stranger().get(path), http.StatusSeeOther)
}

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
