package campaign

import "testing"

func TestPseudonymsMaskTexts(t *testing.T) {
	p := NewPseudonyms([]Named{{"mara", "Mara Núñez", "A01"}, {"mara.b@mail.org", "李雷", "A02"}, {"lead", "The lead", "L01"}, {"x", "X", "A03"}})
	for in, want := range map[string]string{
		"":                               "",
		"as mara said":                   "as A01 said",
		"MARA, mara; (mara)":             "A01, A01; (A01)",
		"marabou, tamara, mara2, mara_b": "marabou, tamara, mara2, mara_b",
		"mara.b@mail.org and mara.":      "A02 and A01.",
		"Mara Núñez's view":              "A01's view",
		"李雷说这个好":                         "A02说这个好",
		"the leader asked the lead":      "the leader asked L01",
		"x marks":                        "x marks", // one letter says nothing
		"Größe \xff mara":                "Größe \xff A01",
	} {
		if got := p.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := p.Login("mara"); got != "A01" {
		t.Errorf("mara is %q", got)
	}
	if got := p.Login("nobody"); got != "X" {
		t.Errorf("nobody is %q", got)
	}
	if got := (*Pseudonyms)(nil).Login("mara") + (*Pseudonyms)(nil).Text("mara"); got != "maramara" {
		t.Errorf("without pseudonyms: %q", got)
	}
}

// A note of a segment and what agreement is computed from may name somebody, too.
func TestPseudonymsMaskNotes(t *testing.T) {
	p := NewPseudonyms([]Named{{"anna", "Anna B.", "A01"}})
	for s, err := range p.Segments(func(yield func(Segment, error) bool) {
		yield(Segment{Note: "ask anna", Agreement: &Rated{Given: []Given{{Annotator: "anna"}}}}, nil)
	}) {
		if err != nil || s.Note != "ask A01" || s.Agreement.Given[0].Annotator != "A01" {
			t.Errorf("got note %q and ratings %+v, %v", s.Note, s.Agreement.Given, err)
		}
	}
}

// A pair is named in byte order, whichever order the logins had.
func TestPseudonymsOrderPairs(t *testing.T) {
	p := NewPseudonyms([]Named{{Login: "zoe", Pseudonym: "A01"}, {Login: "ann", Pseudonym: "A02"}})
	given := []Rated{{Decisions: []Decision{{Pairs: []Pair{{A: "ann", B: "zoe", Shared: 3}}}}}}
	for s, err := range p.Rated(func(yield func(Rated, error) bool) { yield(given[0], nil) }) {
		if pair := s.Decisions[0].Pairs[0]; err != nil || pair.A != "A01" || pair.B != "A02" || pair.Shared != 3 {
			t.Errorf("%+v, %v", pair, err)
		}
	}
	if given[0].Decisions[0].Pairs[0].A != "ann" {
		t.Error("the decision that was read has changed")
	}
}
