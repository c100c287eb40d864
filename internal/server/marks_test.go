package server

import (
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
	"annotate/internal/work"
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
	if got := s.signedIn(s.Annotators[0]).get(path); got.status != http.StatusForbidden {
		t.Errorf("an annotator got %d", got.status)
	}
	if got := s.stranger().get(path); got.status != http.StatusSeeOther {
		t.Errorf("a stranger got %d", got.status)
	}
}

// TestMarking: an annotator is given a segment to mark errors in; what is marked is
// saved with the card, answered in a conflict, and there when the page comes again.
func TestMarking(t *testing.T) {
	s := marked(t, "esa", map[string]float64{"score": 60})
	v := s.signedIn(s.Annotators[0])
	prefix := "/campaigns/" + s.Campaign.Slug
	if work := v.get("/work").page(t).Find(".job"); work.Find("form").Length() != 1 {
		t.Errorf("my work says %q", work.Text())
	}
	next := v.post(prefix+"/next", url.Values{})
	path := next.location()
	if next.status != http.StatusSeeOther || !strings.HasPrefix(path, prefix+"/assignments/") {
		t.Fatalf("asked for the next segment: %d %s", next.status, path)
	}
	card := v.get(path).state(t).Cards[0].ID
	span := map[string]any{"id": "s1", "side": "target", "start": 0, "end": 11, "text": "Translation", "severity": "minor"}
	save := func(revision int, id string, more map[string]any) answer {
		body := map[string]any{"revision": revision, "save_id": id, "scores": map[string]any{}, "comment": ""}
		maps.Copy(body, more)
		return v.json("PUT", path+"/cards/"+card, body)
	}
	if got := save(0, "a", map[string]any{"spans": []any{span}}); got.status != http.StatusOK {
		t.Fatalf("a mark: %d %s", got.status, got.body)
	}
	if got := save(1, "b", map[string]any{"spans": []any{span}, "no_errors": true}); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"no_errors"`) {
		t.Errorf("a mark and no errors: %d %s", got.status, got.body)
	}
	var conflict struct{ Card wire.Card }
	got := save(0, "c", map[string]any{"no_errors": true})
	if err := json.Unmarshal([]byte(got.body), &conflict); err != nil || got.status != http.StatusConflict {
		t.Fatalf("an old revision: %d %s", got.status, got.body)
	}
	if c := conflict.Card; c.Spans == nil || len(*c.Spans) != 1 || (*c.Spans)[0].Text != "Translation" || *c.NoErrors {
		t.Errorf("the conflict has %+v", c)
	}
	again := v.get(path)
	state := again.state(t)
	if spans := *state.Cards[0].Spans; len(spans) != 1 || spans[0].End != 11 || state.Cards[0].Revision != 1 {
		t.Errorf("the page has %+v", state.Cards[0])
	}
	for _, word := range append([]string{"ann2", "grim", "Oddity"}, s.Systems...) {
		if strings.Contains(again.body, word) {
			t.Errorf("the page has %q in it", word)
		}
	}
}

// TestFinishedMarks: an annotator reads the ratings that were imported under their
// login, and can't change them away.
func TestFinishedMarks(t *testing.T) {
	for id, scores := range map[string]map[string]float64{"esa": {"score": 60}, "mqm": nil} {
		s := marked(t, id, scores)
		v := s.signedIn(s.Annotators[0])
		prefix := "/campaigns/" + s.Campaign.Slug
		list := v.get(prefix + "/finished").page(t)
		given := strings.Split(list.Find("td.scores").Text(), " · ")
		with, without := 0, 0
		for _, card := range given {
			if strings.HasSuffix(card, "2 errors") {
				with++
			} else if card == "60" || card == "no errors" {
				without++
			}
		}
		if len(given) != 3 || with != 1 || without != 2 {
			t.Errorf("%s: finished work lists %q", id, given)
		}
		if list.Find(`form[action$="/next"]`).Length() != 1 {
			t.Errorf("%s: finished work does not lead to the next segment", id)
		}
		path := list.Find("tbody a").AttrOr("href", "")
		got := v.get(path)
		doc := got.page(t)
		if n := doc.Find(".card .ref").Length(); n != 2 {
			t.Errorf("%s: the page shows %d marks, want 2", id, n)
		}
		if n := doc.Find(".card .no-errors").Length(); n != 2 {
			t.Errorf("%s: no errors said on %d cards, want 2", id, n)
		}
		if doc.Find("#submit, #report, input[data-score]").Length() != 0 {
			t.Errorf("%s: the page can be submitted", id)
		}
		ask := doc.Find("#ask").Remove() // it says "the lead", which is also the lead's login
		rest, err := doc.Html()
		if err != nil || ask.Length() != 1 {
			t.Fatalf("%s: %d dialogs to ask, %v", id, ask.Length(), err)
		}
		for _, word := range append([]string{"ann2", "lead"}, s.Systems...) {
			if strings.Contains(rest, word) {
				t.Errorf("%s: the annotator's page has %q in it", id, word)
			}
		}
		if !strings.Contains(doc.Find("#band").Text(), "This round of the segment is complete") {
			t.Errorf("%s: the page says %q", id, doc.Find("#band").Text())
		}
		for _, got := range []answer{
			v.json("PUT", path+"/cards/"+got.state(t).Cards[0].ID, map[string]any{"revision": 0, "save_id": "x", "scores": scores, "comment": "x"}),
			v.json("POST", path+"/submit", map[string]any{"cards": map[string]int{}}),
		} {
			if got.status != http.StatusConflict || !strings.Contains(got.body, `"code":"closed"`) {
				t.Errorf("%s: a change was answered with %d %s", id, got.status, got.body)
			}
		}
		for _, seg := range s.All(t) {
			if seg.SegmentID == "s1" && len(seg.Translations[0].Ratings[0].Spans) != 2 {
				t.Errorf("%s: the marks are gone", id)
			}
		}
	}
}

// TestSecondLookAtMarks: a second look begins with what the annotator marked in the
// first, and with nobody else's.
func TestSecondLookAtMarks(t *testing.T) {
	s := marked(t, "esa", map[string]float64{"score": 60}, storetest.Set("gate=on", "tolerance=0"))
	v := s.signedIn(s.Annotators[0])
	page := v.get(v.post("/campaigns/"+s.Campaign.Slug+"/next", url.Values{}).location())
	doc, state := page.page(t), page.state(t)
	var starts []int
	for _, c := range state.Cards {
		for _, span := range *c.Spans {
			starts = append(starts, span.Start)
		}
	}
	if state.Round != 2 || len(starts) != 2 || starts[0] != 0 {
		t.Errorf("round %d begins with marks at %v, want the annotator's two", state.Round, starts)
	}
	if doc.Find("#submit").Length() != 1 {
		t.Error("it can't be submitted")
	}
}

// TestNewCampaignProtocols: all protocols are offered, and a campaign of each can
// be made with what is usual for it.
func TestNewCampaignProtocols(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.admin())
	form := v.get("/campaigns/new").page(t).Find("main form")
	for _, id := range protocol.IDs() {
		if form.Find(`input[name=protocol][value=`+id+`]`).Length() != 1 {
			t.Errorf("%s is not offered", id)
		}
		got := v.post("/campaigns/new", url.Values{"title": {"New " + id}, "protocol": {id}, "redundancy": {"2"}, "quota": {"0"}, "threshold": {"0.7"}, "gate": {""}})
		if got.status != http.StatusSeeOther {
			t.Errorf("%s: %d", id, got.status)
			continue
		}
		c, err := s.db.Store.Records.Campaign(t.Context(), "new-"+id)
		p, _ := protocol.Lookup(id)
		if err != nil || string(c.Settings.Gate) != p.GateByDefault {
			t.Errorf("%s: gate %q, want %q (%v)", id, c.Settings.Gate, p.GateByDefault, err)
		}
		if got := v.get("/campaigns/new-" + id + "/export"); got.status != http.StatusOK {
			t.Errorf("%s: export %d", id, got.status)
		}
		formats := v.get("/campaigns/new-" + id + "/import").page(t).Find("input[name=format][value=mqm-tsv]").Length()
		if want := map[string]int{"mqm": 1}[id]; formats != want {
			t.Errorf("%s: the import offers mqm-tsv %d times, want %d", id, formats, want)
		}
	}
}

// TestBlindingOfMarks: another annotator's marks, their comments and the systems are
// on no page of an annotator, nor in the answer to a save or a conflict.
func TestBlindingOfMarks(t *testing.T) {
	s := newSite(t, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(2), storetest.Annotators(2))
	id := s.Next(t, 0)
	for _, card := range s.Work(t, 0, id).Cards {
		save := work.CardSave{AssignmentID: id, CardID: card.ID, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{{
			ID: "mark-of-another", Side: protocol.Target, Start: 0, End: 1, Severity: "major", Category: "Accuracy", Subcategory: "Mistranslation", Comment: "whispered",
		}}}}
		if _, err := s.db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, save); err != nil {
			t.Fatal(err)
		}
	}
	s.Submit(t, 0, id)
	v := s.signedIn(s.Annotators[1])
	path := v.post("/campaigns/"+s.Campaign.Slug+"/next", nil).location()
	card := map[string]any{"revision": 0, "save_id": "a", "spans": []any{}, "no_errors": true}
	again := map[string]any{"revision": 0, "save_id": "b", "spans": []any{}, "no_errors": false}
	page := v.get(path)
	address := path + "/cards/" + page.state(t).Cards[0].ID
	saved, conflict := v.json("PUT", address, card), v.json("PUT", address, again)
	if page.status != http.StatusOK || saved.status != http.StatusOK || conflict.status != http.StatusConflict {
		t.Fatalf("the page %d, a save %d, a conflict %d", page.status, saved.status, conflict.status)
	}
	for what, a := range map[string]answer{"the page": page, "a save": saved, "a conflict": conflict, "my work": v.get("/work")} {
		for _, secret := range append([]string{"mark-of-another", "whispered", s.Annotators[0].Login}, s.Systems...) {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s tells the annotator %q", what, secret)
			}
		}
	}
}
