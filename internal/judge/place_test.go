package judge

import "testing"

func TestPlace(t *testing.T) {
	p := placer{source: "der alte Hund und der Hund 🙂!", translation: "🙂 the dog, the dog the dog"}
	for _, tt := range []struct {
		name  string
		error Error
		hint  hint
		want  Place
	}{
		{"first place", Error{Text: "the dog"}, hint{}, Place{SideTarget, 2, 9, true}},
		{"first free place", Error{Text: "the dog"}, hint{}, Place{SideTarget, 11, 18, true}},
		{"one that overlaps is not free", Error{Text: "dog"}, hint{}, Place{SideTarget, 23, 26, true}},
		{"none is free", Error{Text: "the dog"}, hint{}, Place{SideTarget, 2, 9, true}},
		{"in the source", Error{Text: "Hund 🙂"}, hint{}, Place{SideSource, 22, 28, true}},
		{"in the source, first free place", Error{Text: "Hund"}, hint{}, Place{SideSource, 9, 13, true}},
		{"in both", Error{Text: "🙂"}, hint{}, Place{SideTarget, 0, 1, true}},
		{"in both, hint", Error{Text: "🙂"}, hint{sourceFirst: true}, Place{SideSource, 27, 28, true}},
		{"hint, but only in the translation", Error{Text: ","}, hint{sourceFirst: true}, Place{SideTarget, 9, 10, true}},
		{"another case", Error{Text: "The dog"}, hint{}, Place{Side: SideTarget}},
		{"nowhere", Error{Text: "cat"}, hint{source: "Hund"}, Place{Side: SideTarget}},
		{"no words, hint", Error{}, hint{source: "alte"}, Place{SideSource, 4, 8, true}},
		{"no words", Error{}, hint{}, Place{Side: SideTarget}},
		{"non-translation", Error{Category: "Non-translation!", Text: "all"}, hint{}, Place{SideTarget, 0, 26, true}},
	} {
		if got := p.place(tt.error, tt.hint).Place; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	// Places may overlap one another in the text itself.
	p = placer{translation: "aaa"}
	for i, want := range []int{0, 0, 0} {
		if got := p.place(Error{Text: "aa"}, hint{}); got.Start != want {
			t.Errorf("place %d of aa in aaa: %+v, want %d", i, got.Place, want)
		}
	}
	if got := p.places(SideTarget, "aa"); len(got) != 2 {
		t.Errorf("aa stands in aaa at %+v, want two places", got)
	}
}
