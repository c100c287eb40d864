package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

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
	first := storetest.TurnOf(t, s.db, "s1", s.Annotators[0].Login, 1)
	s.Fill(t, 0, first, 3, 2, 1)
	if got := states(); got[0] != wire.Changed {
		t.Errorf("a change that was not submitted again shows as %q", got[0])
	}
	s.Submit(t, 0, first)
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

// TestOwnSegments: from My work and from the page of a segment, annotators come to the list of their own
// segments, and from there to each of them.
func TestOwnSegments(t *testing.T) {
	s := newSite(t, storetest.Segments(6), storetest.PerDocument(3), storetest.Set("context=document", "assign=document"))
	v := s.signedIn(s.Annotators[0])
	prefix := "/campaigns/" + s.Campaign.Slug
	if got := v.get(prefix + "/finished?show=all").page(t).Find(".empty h2").Text(); got != "No such segment" {
		t.Errorf("before anything is given the list says %q", got)
	}
	s.RateNext(t, 0, 1, 2, 3)
	storetest.Check(t, s.db.Work.Skip(t.Context(), s.Campaign, s.Annotators[0].ID, s.Next(t, 0), "not my field"))
	id := s.Next(t, 0)
	rows := func(path string) (states []string) {
		t.Helper()
		doc := v.get(path).page(t)
		for _, address := range doc.Find("tbody a").Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") }) {
			if got := v.get(address); got.status != http.StatusOK {
				t.Errorf("%s answers %d", address, got.status)
			}
		}
		return doc.Find("tbody .badge").Map(textOf)
	}
	all := v.get("/work").page(t).Find(`a:contains("My segments")`).AttrOr("href", "")
	if got := rows(all); !slices.Equal(got, []string{"submitted", "skipped", "to do"}) {
		t.Errorf("%s lists %q", all, got)
	}
	document := v.get(prefix+"/assignments/"+id).page(t).Find("a.strip-progress").AttrOr("href", "")
	if got := rows(document); document != prefix+"/finished?show=all&text=d1" || len(got) != 3 {
		t.Errorf("the page leads to %s, which lists %q", document, got)
	}
	for query, want := range map[string]int{"": 1, "?show=skipped": 1, "?show=open": 1, "?show=begun": 0, "?text=d2": 0, "?text=d1": 3, "?show=nothing": 3, "?show=all&page=2": 0, "?show=done&text=d": 1} {
		if got := rows(prefix + "/finished" + query); len(got) != want {
			t.Errorf("%q lists %q, want %d", query, got, want)
		}
	}
	option := v.get(prefix + "/finished?show=skipped").page(t).Find("#show option[selected]").Text()
	if option != "skipped (1)" {
		t.Errorf("the list is of %q", option)
	}
}

// TestMarksOfDocument: a page names new errors with ids of its own, and has what the annotator
// marked in the other segments of the document by the system of a card.
func TestMarksOfDocument(t *testing.T) {
	s := newSite(t, storetest.Protocol("rate"), storetest.Segments(2), storetest.PerDocument(2), storetest.Systems(1), storetest.Set("context=document", "assign=document"))
	id, v := s.Next(t, 0), s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/"
	one, two := v.get(path+id).state(t), v.get(path+id).state(t)
	if first, second := one.Marking.IDPrefix, two.Marking.IDPrefix; len(first) < 8 || first == second {
		t.Errorf("ids begin with %q, and on the page loaded again with %q", first, second)
	}
	span := map[string]any{"id": one.Marking.IDPrefix + "1", "side": "target", "start": 0, "end": 11, "text": "Translation", "severity": "3", "category": "Inconsistency", "comment": "not sent"}
	save := map[string]any{"revision": 0, "save_id": "x", "scores": map[string]int{"accuracy": 1}, "comment": "", "spans": []any{span}}
	if got := v.json("PUT", path+id+"/cards/"+one.Cards[0].ID, save); got.status != http.StatusOK {
		t.Fatalf("saving answers %d %s", got.status, got.body)
	}
	next := storetest.TurnOf(t, s.db, "s2", "ann1", 1)
	got := v.get(path + next + "/document?card=" + s.CardID(t, 0, next, 0))
	want := `"marks":[{"id":"` + one.Marking.IDPrefix + `1","side":"target","text":"Translation","severity":"3","category":"Inconsistency"}]`
	if !strings.Contains(got.body, want) || strings.Contains(got.body, "not sent") {
		t.Errorf("the document is %s, want %s", got.body, want)
	}
	span["id"], span["link"] = "mine", one.Marking.IDPrefix+"1"
	if got := v.json("PUT", path+next+"/cards/"+s.CardID(t, 0, next, 0), save); got.status != http.StatusOK {
		t.Errorf("a link to it answers %d %s", got.status, got.body)
	}
	span["link"] = one.Marking.IDPrefix + "2"
	save["revision"], save["save_id"] = 1, "y"
	if got := v.json("PUT", path+next+"/cards/"+s.CardID(t, 0, next, 0), save); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "is linked to does not exist") {
		t.Errorf("a link to nothing answers %d %s", got.status, got.body)
	}
}
