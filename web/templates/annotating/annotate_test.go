package annotating

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

// segment is a segment of three cards, the second without a translation.
func segment(t *testing.T) AnnotateView {
	t.Helper()
	sqm, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	v := AnnotateView{
		Page:     templates.Page{Static: "/static/x", User: &templates.User{Login: "lin"}, Campaign: &templates.Campaign{Slug: "ment", Title: "MENT pilot", State: "open", Role: "annotator"}},
		Protocol: sqm, AssignmentID: "a1", Round: 1, SegmentNumber: 12, Done: 11, Available: 69, RatingsToday: 40, Quota: 100, IdleSeconds: 60,
		DocID: "red-note-17", Place: 2, DocLength: 3, Source: templates.Lang{Lang: "zh", Dir: "ltr"}, Target: templates.Lang{Lang: "ar", Dir: "rtl"},
		SourceText: "真绝了\n<b>看呆了</b>", Before: []string{"前"}, After: []string{"后"},
		Cards: []Card{
			{Index: 0, Text: "<script>alert(1)</script> & \n  two", Scores: map[string]float64{"sqm": 3}, Comment: "</textarea>ok", Seconds: 13.2, Revision: 4},
			{Index: 1},
			{Index: 2, Text: "<script>alert(1)</script> & \n  two"},
		},
		BackURL: "/work", CardsURL: "/campaigns/ment/assignments/a1/cards/", SubmitURL: "/campaigns/ment/assignments/a1/submit", ProblemURL: "/campaigns/ment/assignments/a1/problem",
	}
	MarkSame(v.Cards)
	return v
}

func TestAnnotateTexts(t *testing.T) {
	doc, html := pagetest.Written(t, Annotate(segment(t)))
	if got, want := doc.Find("#card-0 .card-text").Text(), "<script>alert(1)</script> & \n  two"; got != want {
		t.Errorf("translation = %q, want %q", got, want)
	}
	if strings.Contains(html, "<script>alert") || doc.Find(".current b").Length() != 0 {
		t.Error("text was not escaped")
	}
	if got := doc.Find("#card-0 textarea").Text(); got != "</textarea>ok" {
		t.Errorf("comment = %q", got)
	}
	if got := doc.Find(".current").Contents().Last().Text(); got != "真绝了\n<b>看呆了</b>" {
		t.Errorf("source = %q", got)
	}
	if got := doc.Find("#card-1 .card-text").Text(); got != "(no translation)" {
		t.Errorf("empty translation = %q", got)
	}
	if n := doc.Find("#card-1 input[type=radio]").Length(); n != 5 {
		t.Errorf("%d score buttons on the empty translation, want 5", n)
	}
	for selector, want := range map[string]string{"#card-0 .card-same": "same text as C", "#card-2 .card-same": "same text as A", "#card-1 .card-same": ""} {
		if got := doc.Find(selector).Text(); got != want {
			t.Errorf("%s = %q, want %q", selector, got, want)
		}
	}
}

func TestAnnotateDirections(t *testing.T) {
	doc, _ := pagetest.Written(t, Annotate(segment(t)))
	for selector, want := range map[string]string{"#card-0 .card-text": "ar rtl", ".current": "zh ltr", ".context": "zh ltr"} {
		s := doc.Find(selector).First()
		if got := s.AttrOr("lang", "") + " " + s.AttrOr("dir", ""); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	// Whatever somebody wrote says how it runs.
	doc.Find("p.text, textarea, .aside-text").Each(func(_ int, s *goquery.Selection) {
		if _, ok := s.Attr("dir"); !ok && !s.HasClass("card-none") {
			html, _ := goquery.OuterHtml(s)
			t.Errorf("no dir on %s", html)
		}
	})
}

func TestAnnotateState(t *testing.T) {
	v := segment(t)
	doc, _ := pagetest.Written(t, Annotate(v))
	var got wire.State
	if err := json.Unmarshal([]byte(doc.Find("#assignment-state").Text()), &got); err != nil {
		t.Fatal(err)
	}
	if got.User != "lin" || got.IdleSeconds != 60 || got.URLs.Cards != v.CardsURL || len(got.Cards) != 3 {
		t.Errorf("state = %+v", got)
	}
	if c := got.Cards[0]; c.Revision != 4 || c.Scores["sqm"] != 3 || c.Comment != "</textarea>ok" || c.Seconds != 13.2 {
		t.Errorf("card 0 = %+v", c)
	}
	if c := got.Cards[1]; c.Scores == nil || len(c.Scores) != 0 {
		t.Errorf("card 1 has scores %v, want an empty object", c.Scores)
	}
	if got := doc.Find("#card-0 input:checked").AttrOr("value", ""); got != "3" {
		t.Errorf("checked score = %q, want 3", got)
	}
	if n := doc.Find("#card-1 input:checked").Length(); n != 0 {
		t.Error("a card without a score has one checked")
	}
}

// TestAnnotateBlind holds the page to what it may say about a translation: its
// place, its letter, the card's id, its text, which cards have the same, and what this annotator gave. Anything else in
// the data block or in an attribute of a card would be a way to tell systems
// apart.
func TestAnnotateBlind(t *testing.T) {
	doc, _ := pagetest.Written(t, Annotate(segment(t)))
	var state struct{ Cards []map[string]any }
	if err := json.Unmarshal([]byte(doc.Find("#assignment-state").Text()), &state); err != nil {
		t.Fatal(err)
	}
	allowed := []string{"id", "revision", "scores", "comment", "seconds", "same"}
	for _, c := range state.Cards {
		for key := range c {
			if !slices.Contains(allowed, key) {
				t.Errorf("a card's data holds %q", key)
			}
		}
	}
	if doc.Find(".aside").Length() != 0 {
		t.Error("a reference, background or note is shown without being there")
	}
	doc.Find(".card").Each(func(i int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			if strings.HasPrefix(a.Key, "data-") && (a.Key != "data-index" || a.Val != fmt.Sprint(i)) {
				t.Errorf("card %d has %s=%q", i, a.Key, a.Val)
			}
		}
	})
}

func TestAnnotateReference(t *testing.T) {
	v := segment(t)
	ref := "المرجع"
	v.Reference, v.Note, v.Context = &ref, "a note", "a background"
	doc, _ := pagetest.Written(t, Annotate(v))
	if got := doc.Find(".aside .text").Text(); got != ref {
		t.Errorf("reference = %q", got)
	}
	if n := doc.Find(".aside").Length(); n != 3 {
		t.Errorf("%d asides, want 3", n)
	}
}

func TestAnnotateBands(t *testing.T) {
	v := segment(t)
	doc, _ := pagetest.Written(t, Annotate(v))
	if got := doc.Find(".band:not([hidden])").Not("noscript .band").Text(); strings.Contains(got, "Second look") || strings.Contains(got, "Finished") {
		t.Errorf("band on a first look: %q", got)
	}
	v.SecondLook, v.Submitted = true, true
	doc, _ = pagetest.Written(t, Annotate(v))
	got := doc.Find(".band").Text()
	for _, want := range []string{"please look at it again", "You have submitted this segment"} {
		if !strings.Contains(got, want) {
			t.Errorf("bands do not say %q: %q", want, got)
		}
	}
	if regexp.MustCompile(`\d`).MatchString(got) {
		t.Errorf("a band says how much or with how many: %q", got)
	}
}

func TestAnnotateSubmitted(t *testing.T) {
	v := segment(t)
	const words = "The changes count once you submit it again."
	for _, tt := range []struct{ submitted, changed bool }{{false, false}, {true, false}, {true, true}} {
		v.Submitted, v.Changed = tt.submitted, tt.changed
		doc, _ := pagetest.Written(t, Annotate(v))
		if got := strings.Contains(doc.Find(".band").Text(), words); got != tt.changed {
			t.Errorf("%+v: the band about changes is there: %t", tt, got)
		}
		if got := doc.Find("#report, #problem").Length() > 0; got == tt.submitted {
			t.Errorf("%+v: a problem can be reported: %t", tt, got)
		}
		if got := v.State(); got.Submitted != tt.submitted || got.Changed != tt.changed {
			t.Errorf("%+v: state says %t, %t", tt, got.Submitted, got.Changed)
		}
	}
}

func TestFinishedChanged(t *testing.T) {
	doc, _ := pagetest.Written(t, Own(OwnView{Page: pagetest.LeadPage("annotator"), Open: true, Items: []readmodel.OwnSegment{{State: readmodel.OwnDone}, {State: readmodel.OwnDone, Changed: true}, {State: readmodel.OwnDone, Decided: true, Changed: true}, {State: readmodel.OwnBegun}}}))
	doc.Find("tbody tr").Each(func(i int, row *goquery.Selection) {
		if got := strings.Contains(row.Text(), "changed, not submitted again"); got != (i == 1) {
			t.Errorf("row %d says that it was changed: %t", i, got)
		}
	})
}

func TestAnnotateReadOnly(t *testing.T) {
	v := segment(t)
	v.ReadOnly = "This campaign is paused."
	doc, html := pagetest.Written(t, Annotate(v))
	if n := doc.Find("input[type=radio], textarea, #submit, #report").Not("#options *, #ask *").Length(); n != 0 {
		t.Errorf("%d controls on a read-only page", n)
	}
	if got := doc.Find("#card-0 .given").Text(); !strings.Contains(got, "3") || !strings.Contains(got, "Right, but not smooth") || !strings.Contains(got, "</textarea>ok") {
		t.Errorf("given = %q", got)
	}
	if !strings.Contains(doc.Find(".band").Text(), "This campaign is paused.") {
		t.Error("the reason is not shown")
	}
	if doc.Find("#kept[hidden] ul").Length() != 1 || doc.Find("#assignment-state").Length() != 1 || !strings.Contains(html, "js/kept.js") {
		t.Error("nothing can show what was never saved")
	}
	if strings.Contains(html, "annotate.js") {
		t.Error("a read-only page loads the scripts of annotating")
	}
}

func TestAnnotateProgress(t *testing.T) {
	v := segment(t)
	tests := []struct {
		name string
		edit func(*AnnotateView)
		want string
	}{
		{"of all", func(*AnnotateView) {}, "11 of 80 segments done · 40 of 100 ratings today"},
		{"in a document", func(v *AnnotateView) { v.NextURL = "/next" }, "11 of 80 segments done · 40 of 100 ratings today"},
		{"the first", func(v *AnnotateView) { v.SegmentNumber, v.Done, v.Available = 1, 0, 1 }, "0 of 1 segment done · 40 of 100 ratings today"},
		{"unknown rest", func(v *AnnotateView) { v.Available = -1 }, "11 segments done · 40 of 100 ratings today"},
		{"no quota", func(v *AnnotateView) { v.Quota = 0 }, "11 of 80 segments done · 40 ratings today"},
		{"looking back", func(v *AnnotateView) { v.SegmentNumber = 3; v.Submitted = true }, "11 of 80 segments done · 40 of 100 ratings today"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := v
			tt.edit(&v)
			doc, _ := pagetest.Written(t, Annotate(v))
			if got := doc.Find(".strip-progress").Text(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnnotateControls checks what keyboard and screen reader rely on.
func TestAnnotateControls(t *testing.T) {
	doc, _ := pagetest.Written(t, Annotate(segment(t)))
	groups := doc.Find("[role=radiogroup]")
	if got, want := groups.First().AttrOr("aria-label", ""), "Score of translation A"; got != want {
		t.Errorf("group is called %q, want %q", got, want)
	}
	names := map[string]bool{}
	groups.Each(func(_ int, s *goquery.Selection) {
		name := s.Find("input").First().AttrOr("name", "")
		if names[name] {
			t.Errorf("two groups share the name %q", name)
		}
		names[name] = true
	})
	if got := groups.First().Find("label").Eq(3).Text(); !strings.Contains(got, "3") || !strings.Contains(got, "Right, but not smooth") {
		t.Errorf("label of 3 = %q", got)
	}
	if doc.Find("#guide .levels dt").Length() != 5 {
		t.Error("the guide does not explain every level")
	}
	if _, disabled := doc.Find("#submit").Attr("disabled"); disabled {
		t.Error("submit is dead without words")
	}
	seen := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		id := s.AttrOr("id", "")
		if seen[id] {
			t.Errorf("id %q twice", id)
		}
		seen[id] = true
	})
}

// The script knows which cards have the same text, so that it can ask about different
// judgements of it.
func TestStateNamesSameTexts(t *testing.T) {
	v := segment(t)
	v.Cards = []Card{{Index: 0, Text: "x"}, {Index: 1, Text: "y"}, {Index: 2, Text: "x"}}
	MarkSame(v.Cards)
	s := v.State()
	if !slices.Equal(s.Cards[0].Same, []int{2}) || s.Cards[1].Same != nil || !slices.Equal(s.Cards[2].Same, []int{0}) {
		t.Errorf("the state has %v, %v, %v", s.Cards[0].Same, s.Cards[1].Same, s.Cards[2].Same)
	}
}

func TestMarkSame(t *testing.T) {
	cards := []Card{{Index: 0, Text: "x"}, {Index: 1, Text: "y"}, {Index: 2, Text: "x"}, {Index: 3}, {Index: 4}, {Index: 5, Text: "x "}}
	MarkSame(cards)
	for i, want := range []string{"C", "", "A", "E", "D", ""} {
		if got := strings.Join(cards[i].SameAs, ","); got != want {
			t.Errorf("card %d is the same as %q, want %q", i, got, want)
		}
	}
}
