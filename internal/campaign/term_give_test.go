package campaign

import (
	"testing"

	"annotate/internal/protocol"
)

// TestTermsToGive: annotators explain a term in different words. None is gold, and whoever takes the term reads all.
func TestTermsToGive(t *testing.T) {
	marked := func(explication, equivalent, category string) Rating {
		s := protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 3, Text: "腊八粥", Category: category, Answers: map[string]string{Explication: explication}}
		if equivalent != "" {
			s.Answers[Equivalent] = equivalent
		}
		return Rating{Round: 1, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{s}}}
	}
	s := Segment{Source: "腊八粥", Status: Ungated, Round: 1, Complete: 1, Translations: []Translation{{Ratings: []Rating{
		marked("A porridge.", "Laba congee", "Material"), marked("Eaten in winter.", "", "Material"), marked("A porridge.", "Laba congee", "Material"), marked("A feast.", "", "Social"),
	}}}}
	if gold := GoldTerms(s); len(gold) != 1 || gold[0].Answers[Explication] != "" || gold[0].Answers[Equivalent] != "Laba congee" {
		t.Fatalf("gold is %+v", gold)
	}
	if given := TermsToGive(s); len(given) != 1 || given[0].Answers[Explication] != "A porridge. / Eaten in winter." || given[0].Answers[Equivalent] != "Laba congee" {
		t.Errorf("given is %+v", given)
	}
	s.Terms = []protocol.ErrorSpan{{ID: "a", Side: protocol.Source, Start: 0, End: 3}}
	if given := TermsToGive(s); len(given) != 1 || given[0].ID != "a" || given[0].Answers != nil {
		t.Errorf("the given terms of a segment became %+v", given)
	}
}
