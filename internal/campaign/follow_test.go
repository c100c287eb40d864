package campaign

import (
	"os"
	"slices"
	"strings"
	"testing"

	"annotate/internal/protocol"
)

func TestNewFollowRefuses(t *testing.T) {
	text, err := os.ReadFile("../protocol/testdata/curate.json")
	if err != nil {
		t.Fatal(err)
	}
	curate, err := protocol.ReadOwn(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	sqm, _ := protocol.Lookup("sqm")
	terms, _ := protocol.Lookup("terms")
	for _, c := range []struct {
		p    *protocol.Protocol
		text string // a condition, or -what is carried
		want string // part of the error; empty: none
	}{
		{curate, "keep=yes", ""}, {curate, " difficulty >= 2.5", ""}, {curate, "difficulty<=3", ""}, {curate, "phenomena=pun", ""}, {curate, "best=x", ""},
		{curate, "keep", "QUESTION=VALUE"}, {curate, "keep>yes", "QUESTION=VALUE"}, {curate, "keep=yes,no", ""}, {curate, "keep=yes,maybe", `no answer "maybe"`}, {curate, "keep=maybe", "use one of yes, no"}, {curate, "kept=yes", `no question "kept"; use keep`},
		{curate, "difficulty>=much", "from 1 to 5"}, {curate, "keep>=yes", "compare it with ="}, {curate, "cleaned=x", "is a text"}, {sqm, "keep=yes", "asks no questions"},
		{curate, "-everything", "use source, reference"}, {curate, "-terms", "leave terms out"}, {terms, "-terms", ""}, {terms, "-reference", ""}, {terms, "-source", "leave source out"}, {curate, "-source", ""}, {curate, "-reference", ""}, {sqm, "-source", "leave source out"}, {sqm, "-reference", ""},
	} {
		where, carry := []string{c.text}, []string(nil)
		if what, ok := strings.CutPrefix(c.text, "-"); ok {
			where, carry = nil, []string{what}
		}
		_, err := NewFollow(c.p, where, carry)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %v, want %q", c.p.ID, c.text, err, c.want)
		}
	}
}

func TestFollowReadyAndChanged(t *testing.T) {
	text, _ := os.ReadFile("../protocol/testdata/curate.json")
	p, err := protocol.ReadOwn(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	rated := func(difficulty float64, keep, edited string) Rating {
		return Rating{Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"difficulty": difficulty},
			Answers: map[string]protocol.Answer{"keep": {Text: keep}, "cleaned": {Text: "clean"}, "edited": {Text: edited}, "phenomena": {Several: []string{"pun"}}}}}
	}
	seg := func(status Status, ratings ...Rating) Segment {
		return Segment{Source: "raw", Status: status, Round: 1, Complete: 1, Translations: []Translation{{Ratings: ratings}}}
	}
	first := seg(Agreed, rated(4, "yes", "text"), rated(3, "yes", "text"))
	given := BroughtBy(p, first)
	if given.Source != "clean" || given.Reference != "text" || given.Numbers["difficulty"] != 3.5 || given.Answers["keep"].Text != "yes" || len(given.Answers) != 2 {
		t.Errorf("it gives %+v", given)
	}
	for condition, want := range map[string]bool{"keep=yes": true, "keep=no,yes": true, "phenomena=slang,pun": true, "keep=no": false, "difficulty>=3.5": true, "difficulty>=4": false, "difficulty<=3.5": true, "difficulty=3": false, "phenomena=pun": true, "phenomena=slang": false, "best=x": false} {
		f, err := NewFollow(p, []string{"keep=yes", condition}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Ready(first, given); got != want {
			t.Errorf("%s: ready %v, want %v", condition, got, want)
		}
	}
	f, err := NewFollow(p, []string{"keep=yes"}, []string{CarrySource, CarryReference, CarryAnswers, CarryCandidates})
	if err != nil {
		t.Fatal(err)
	}
	if torn := seg(Agreed, rated(4, "yes", "text"), rated(3, "yes", "texts")); f.Ready(torn, BroughtBy(p, torn)) {
		t.Error("a segment comes over while its text waits for an adjudicator")
	}
	for _, c := range []struct {
		now  Segment
		want []string
	}{
		{first, nil},
		{seg(Discarded, rated(4, "yes", "text")), []string{"it is no longer settled: discarded"}},
		{seg(Agreed, rated(4, "yes", "text")), []string{"its answers have changed"}},
		{seg(Agreed, rated(4, "yes", "other"), rated(3, "yes", "other")), []string{"its accepted text has changed"}},
		{seg(Agreed, rated(4, "no", "text"), rated(3, "no", "text")), []string{"it no longer meets keep=yes", "its source has changed", "its accepted text has changed", "its answers have changed"}},
	} {
		if got := f.Changed(p, c.now, given); !slices.Equal(got, c.want) {
			t.Errorf("%+v has changed: %q, want %q", c.now, got, c.want)
		}
	}
	// New texts come over of a segment that is ready.
	edited := func(status Status, keep, cleaned, text string) Segment {
		out := seg(status, rated(4, keep, text), rated(3, keep, text))
		for _, r := range out.Translations[0].Ratings {
			r.Answers["cleaned"] = protocol.Answer{Text: cleaned}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		now   Segment
		given Brought
		carry []string
		want  [2]string // by a review, which takes both
		other string    // the source by a campaign that writes references
	}{
		{"another text", edited(Agreed, "yes", "clean", "new"), given, []string{CarrySource, CarryReference}, [2]string{"", "new"}, ""},
		{"the same text", first, given, []string{CarrySource, CarryReference}, [2]string{}, ""},
		{"out of gold", edited(Discarded, "yes", "other", "new"), given, []string{CarrySource, CarryReference}, [2]string{}, ""},
		{"a condition is not met", seg(Agreed, rated(3, "yes", "new"), rated(3, "yes", "new")), given, []string{CarryReference}, [2]string{}, ""},
		{"another source, too", edited(Agreed, "yes", "other", "new"), given, []string{CarrySource, CarryReference}, [2]string{"other", "new"}, "other"},
		{"another source, which does not come over", edited(Agreed, "yes", "other", "new"), given, []string{CarryReference}, [2]string{"", "new"}, ""},
		{"no reference comes over", edited(Agreed, "yes", "clean", "new"), given, []string{CarrySource}, [2]string{}, ""},
		{"none came", edited(Agreed, "yes", "clean", "new"), Brought{Source: "clean"}, []string{CarryReference}, [2]string{}, ""},
		{"none is there", edited(Agreed, "yes", "clean", ""), given, []string{CarryReference}, [2]string{}, ""},
	} {
		f, err := NewFollow(p, []string{"keep=yes", "difficulty>=3.5"}, c.carry)
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string][2]string{"review": c.want, "reference": {c.other, ""}, "esa": {}} {
			next, _ := protocol.Lookup(id)
			if source, reference := f.NewTexts(p, next, c.now, c.given); source != want[0] || reference != want[1] {
				t.Errorf("%s: %s takes over the source %q and the reference %q, want %q", c.name, id, source, reference, want)
			}
		}
	}
}

// TestTakesNewTexts: under a protocol that rates translations, begins with another text, or marks something in a text, other
// ratings than those of the new text would be about the text before.
func TestTakesNewTexts(t *testing.T) {
	for id, want := range map[string][2]bool{"review": {true, true}, "reference": {false, true}, "inspect": {false, true}, "terms": {}, "culture": {}, "sqm": {}} {
		p, _ := protocol.Lookup(id)
		if got := [2]bool{TakesNewTexts(p), TakesNewSources(p)}; got != want {
			t.Errorf("%s takes new references and sources: %v, want %v", id, got, want)
		}
	}
	review, _ := protocol.Lookup("review")
	terms, _ := protocol.Lookup("terms")
	marked := *review
	marked.Spans = terms.Spans
	if TakesNewTexts(&marked) || TakesNewSources(&marked) {
		t.Error("a review that marks terms takes new texts")
	}
}

// TestChangedTerms: what is said of the same terms is told apart from other terms, and from other categories.
func TestChangedTerms(t *testing.T) {
	cone := protocol.ErrorSpan{Side: protocol.Source, Start: 5, End: 14, Text: "Schultüte", Category: "Material"}
	with := func(change func(*protocol.ErrorSpan)) []protocol.ErrorSpan {
		out := cone
		change(&out)
		return []protocol.ErrorSpan{out}
	}
	const others = "other terms are marked in it, or in other categories"
	for _, c := range []struct {
		now  []protocol.ErrorSpan
		want string
	}{
		{with(func(s *protocol.ErrorSpan) { s.Answers = map[string]string{"explication": "A paper cone."} }), "its terms are explained or linked differently"},
		{with(func(s *protocol.ErrorSpan) { s.Category = "Social" }), others},
		{with(func(s *protocol.ErrorSpan) { s.Start, s.Text = 6, "chultüte" }), others},
		{nil, others},
	} {
		if got := changedTerms([]protocol.ErrorSpan{cone}, c.now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.now, got, c.want)
		}
	}
}
