package annotating

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

// TestSameCandidates: a candidate with the text of others says which.
func TestSameCandidates(t *testing.T) {
	c := Card{Candidates: []Candidate{{Text: "One."}, {Text: "Two."}, {Text: "One."}, {Text: "One."}}}
	for i, want := range []string{"same text as number 3, 4", "", "same text as number 1, 4", "same text as number 1, 3"} {
		if got := c.sameCandidates(i); got != want {
			t.Errorf("candidate %d says %q, want %q", i+1, got, want)
		}
	}
}

// TestCandidateWithoutText: a candidate without a text keeps its number and cannot be chosen.
func TestCandidateWithoutText(t *testing.T) {
	v := AnnotateView{Protocol: pagetest.Lookup(t, "reference"), Cards: []Card{{Candidates: []Candidate{{ID: "a", Text: "One."}, {ID: "b"}}}}}
	doc, _ := pagetest.Written(t, Annotate(v))
	var got []string
	doc.Find(".answers-long .answer").Each(func(_ int, s *goquery.Selection) {
		_, off := s.Find("input").Attr("disabled")
		got = append(got, fmt.Sprint(pagetest.Words(s), " ", off))
	})
	if want := []string{"1 One. false", "2 (no translation) true", "0 None of them false"}; !slices.Equal(got, want) {
		t.Errorf("the candidates are %q, want %q", got, want)
	}
}

// TestGivenTexts: where nothing can be changed, a text and a chosen candidate stand in their language, as texts to read.
func TestGivenTexts(t *testing.T) {
	v := AnnotateView{
		Protocol: pagetest.Lookup(t, "reference"), ReadOnly: "Closed.", Source: templates.Lang{Lang: "de", Dir: "ltr"}, Target: templates.Lang{Lang: "ar", Dir: "rtl"},
		Cards: []Card{{Candidates: []Candidate{{ID: "a", Text: "نعم"}}, Answers: map[string]protocol.Answer{"best": {Text: "a"}, "edited": {Text: "نعم OK"}}}},
	}
	doc, _ := pagetest.Written(t, Annotate(v))
	if got := pagetest.Words(doc.Find(`.given-text dd.text[lang=ar][dir=rtl]`)); got != "نعم نعم OK" {
		t.Errorf("the texts are %q", got)
	}
	v.Cards[0].Answers = map[string]protocol.Answer{"best": {}}
	doc, _ = pagetest.Written(t, Annotate(v))
	if got := pagetest.Words(doc.Find(".given")); doc.Find(".given-text").Length() != 0 || got != "The best translation None of them" {
		t.Errorf("no candidate is shown as %q", got)
	}
}

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
	if doc.Find(".aside:not([hidden])").Length() != 0 {
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

func TestFinishedChanged(t *testing.T) {
	doc, _ := pagetest.Written(t, Own(OwnView{Page: pagetest.LeadPage("annotator"), Open: true, Items: []readmodel.OwnSegment{{State: readmodel.OwnDone}, {State: readmodel.OwnDone, Changed: true}, {State: readmodel.OwnDone, Decided: true, Changed: true}, {State: readmodel.OwnBegun}}}))
	doc.Find("tbody tr").Each(func(i int, row *goquery.Selection) {
		if got := strings.Contains(row.Text(), "changed, not submitted again"); got != (i == 1) {
			t.Errorf("row %d says that it was changed: %t", i, got)
		}
	})
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

// TestAnnotateProgress: the words are those of all that the annotator has, whatever segment is shown.
func TestAnnotateProgress(t *testing.T) {
	v := AnnotateView{SegmentNumber: 3, Done: 11, Available: 69, RatingsToday: 40, Quota: 100, Submitted: true}
	if got := v.progress() + " · " + v.today(); got != "11 of 80 segments done · 40 of 100 ratings today" {
		t.Errorf("got %q", got)
	}
	if got := v.heading(); got != "Segment 3" {
		t.Errorf("the heading of a segment on its own is %q", got)
	}
	if got := segment(t).heading(); got != "Segment 2 of 3, document red-note-17" {
		t.Errorf("the heading of a segment in a document is %q", got)
	}
	v.Available, v.Quota = -1, 0
	if got := v.progress() + " · " + v.today(); got != "11 segments done · 40 ratings today" {
		t.Errorf("with an unknown rest and no quota %q", got)
	}
	v.RatingsToday = 1
	if got := v.today(); got != "1 rating today" {
		t.Errorf("after one rating %q", got)
	}
}

// TestAdjudicateASegment: who adjudicates answers reads nothing of translations, and a number that nobody was asked for is left
// out. Candidates are compared by their digits.
func TestAdjudicateASegment(t *testing.T) {
	v := segment(t)
	v.Protocol, _ = protocol.Lookup("inspect")
	v.Adjudicates = true
	v.Cards = []Card{{Candidates: []Candidate{{"x", "one"}, {"w", ""}, {"y", "two"}}, Peers: []readmodel.PeerRating{
		{Letter: "A", Rating: protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "no"}}}},
		{Letter: "B", Rating: protocol.Rating{Scores: map[string]float64{"difficulty": 2}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}}}},
	}}}
	doc, _ := pagetest.Written(t, Annotate(v))
	if band := doc.Find(".band").Text(); !strings.Contains(band, "Answer the questions yourself") || strings.Contains(band, "translation") {
		t.Errorf("the page says %q", band)
	}
	if got := doc.Find(".peer [data-of]").Map(func(_ int, s *goquery.Selection) string { return s.Find("strong").Text() }); len(got) != 1 || got[0] != "2" {
		t.Errorf("the annotators' difficulty is %q", got)
	}
	if got := doc.Find("#compare-with option").Text(); got != "the one before13" {
		t.Errorf("compared are %q", got)
	}
}

// TestPlaceOfReference: the reference stands above the rest of the document where questions are asked about the segment, which may be
// about the reference; else it stands below.
func TestPlaceOfReference(t *testing.T) {
	for id, above := range map[string]bool{"review": true, "sqm": false} {
		text := "The reference"
		_, page := pagetest.Written(t, source(AnnotateView{Protocol: pagetest.Lookup(t, id), SourceText: "Now", After: []string{"Afterwards"}, Reference: &text}))
		now, reference, after := strings.Index(page, "Now"), strings.Index(page, "The reference"), strings.Index(page, "Afterwards")
		if now < 0 || reference < now || after < now || (reference < after) != above {
			t.Errorf("%s: the source is at %d, the reference at %d, the rest of the document at %d", id, now, reference, after)
		}
	}
}
