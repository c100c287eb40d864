package campaign

import (
	"slices"
	"testing"

	"annotate/internal/protocol"
)

// answering is a segment in gold whose annotators gave these answers to q; nil: none.
func answering(answers ...*protocol.Answer) Segment {
	s := Segment{Status: Ungated, Round: 1, Translations: ItselfOnly()}
	for i, a := range answers {
		r := Rating{Annotator: string(rune('a' + i)), Round: 1}
		if a != nil {
			r.Answers = map[string]protocol.Answer{"q": *a}
		}
		s.Translations[0].Ratings = append(s.Translations[0].Ratings, r)
	}
	return s
}

// asking is a protocol with a question.
func asking(questions ...protocol.Question) *protocol.Protocol {
	return &protocol.Protocol{Unit: protocol.SegmentUnit, Questions: questions}
}

func TestGoldAnswer(t *testing.T) {
	one := func(text string) *protocol.Answer { return &protocol.Answer{Text: text} }
	many := func(values ...string) *protocol.Answer {
		return &protocol.Answer{Several: append([]string{}, values...)}
	}
	choice := protocol.Question{Name: "q", Kind: protocol.Choice, Options: []protocol.Option{{Value: "a"}, {Value: "b"}, {Value: "c"}}}
	several, text, candidate := choice, protocol.Question{Name: "q", Kind: protocol.Text}, protocol.Question{Name: "q", Kind: protocol.Candidate}
	several.Several = true
	for _, tt := range []struct {
		name string
		q    protocol.Question
		s    Segment
		want *protocol.Answer
	}{
		{"all equal", choice, answering(one("a"), one("a")), one("a")},
		{"a tie", choice, answering(one("a"), one("b")), nil},
		{"more than half", choice, answering(one("a"), one("b"), one("a")), one("a")},
		{"half of four", choice, answering(one("a"), one("a"), one("b"), one("c")), nil},
		{"who did not answer does not count", choice, answering(one("a"), nil, nil), one("a")},
		{"nobody answered", choice, answering(nil, nil), nil},
		{"none of the candidates", candidate, answering(one(""), one(""), one("x")), one("")},
		{"each that more than half gave, in the order of the options", several, answering(many("c", "a"), many("a", "c"), many("b")), many("a", "c")},
		{"none that more than half gave", several, answering(many("a"), many("b")), many()},
		{"one text", text, answering(one("x")), one("x")},
		{"equal texts", text, answering(one("x"), one("x")), one("x")},
		{"different texts", text, answering(one("x"), one("x"), one("y")), nil},
	} {
		got, ok := GoldAnswer(asking(tt.q), tt.q, tt.s, tt.s.Translations[0])
		if ok != (tt.want != nil) || ok && !got.Equal(*tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, ok, tt.want)
		}
	}
	s := answering(one("a"), one("b"))
	s.Translations[0].Adjudication = &Rating{Rating: protocol.Rating{Answers: map[string]protocol.Answer{"q": *one("c")}}}
	if got, ok := GoldAnswer(asking(choice), choice, s, s.Translations[0]); !ok || got.Text != "c" {
		t.Errorf("an adjudicator's answer: %v, %v", got, ok)
	}
	s.Status = Discarded
	if _, ok := GoldAnswer(asking(choice), choice, s, s.Translations[0]); ok {
		t.Error("a discarded segment has gold")
	}
}

// TestMajorityWhateverTheOrder: every order of the scores gives the same majority, which more than half gave.
func TestMajorityWhateverTheOrder(t *testing.T) {
	for n := range 243 {
		scores := make([]float64, 5)
		for i, rest := 0, n; i < 5; i, rest = i+1, rest/3 {
			scores[i] = float64(rest % 3)
		}
		counts := map[float64]int{}
		for _, x := range scores {
			counts[x]++
		}
		got, ok := majority(scores)
		slices.Reverse(scores)
		again, alsoOK := majority(scores)
		if got != again || ok != alsoOK || ok != (counts[0] > 2 || counts[1] > 2 || counts[2] > 2) || ok && counts[got] < 3 {
			t.Errorf("%v: %v, %v and %v, %v", scores, got, ok, again, alsoOK)
		}
	}
}

// TestUndecided: a question has no gold if answers to it tie or texts differ. One that no more than half were asked, that nobody
// answered, or that an adjudicator answered, waits for nobody.
func TestUndecided(t *testing.T) {
	p, _ := protocol.Lookup("inspect")
	given := func(pairs ...string) Rating {
		r := Rating{Round: 1, Rating: protocol.Rating{Answers: map[string]protocol.Answer{}}}
		for i := 0; i < len(pairs); i += 2 {
			r.Answers[pairs[i]] = protocol.Answer{Text: pairs[i+1]}
		}
		return r
	}
	yes, other, no := given("keep", "yes", "cleaned", "x"), given("keep", "yes", "cleaned", "y"), given("keep", "no", "reason", "noise")
	for _, tt := range []struct {
		name    string
		ratings []Rating
		want    []string
	}{
		{"alike", []Rating{yes, yes}, nil},
		{"texts differ", []Rating{yes, other}, []string{"cleaned"}},
		{"a tie, and what only one was asked", []Rating{yes, no}, []string{"keep"}},
		{"a majority, and what only one was asked", []Rating{yes, yes, no}, nil},
		{"a majority with different texts", []Rating{yes, other, no}, []string{"cleaned"}},
		{"reasons tie", []Rating{no, given("keep", "no", "reason", "offence")}, []string{"reason"}},
		{"one alone", []Rating{no}, nil},
		{"nobody", nil, nil},
	} {
		s := Segment{Status: Ungated, Round: 1, Translations: []Translation{{Ratings: tt.ratings}}}
		if got := Undecided(p, s, s.Translations[0]); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		s.Translations[0].Adjudication = &no
		if got := Undecided(p, s, s.Translations[0]); got != nil {
			t.Errorf("%s, adjudicated: %q", tt.name, got)
		}
		s.Translations[0].Adjudication, s.Status = nil, Discarded
		if got := Undecided(p, s, s.Translations[0]); got != nil {
			t.Errorf("%s, out of gold: %q", tt.name, got)
		}
	}
	s := Segment{Status: Ungated, Round: 1, Translations: []Translation{{Ratings: []Rating{yes, yes, no}}}}
	if _, ok := GoldAnswer(p, p.Asks()[1], s, s.Translations[0]); ok {
		t.Error("a question that one of three was asked has gold")
	}
}
