package protocol_test

import (
	"fmt"

	"annotate/internal/protocol"
)

// An annotator marks a major and a minor error in a translation.
func ExampleProtocol_GateScore() {
	mqm, _ := protocol.Lookup("mqm")
	rating := protocol.Rating{Spans: []protocol.ErrorSpan{
		{ID: "s1", Side: protocol.Target, Start: 4, End: 9, Text: "fairy", Severity: "major", Category: "Accuracy", Subcategory: "Mistranslation"},
		{ID: "s2", Side: protocol.Target, Start: 17, End: 18, Text: ",", Severity: "minor", Category: "Fluency", Subcategory: "Punctuation"},
	}}
	fmt.Println(len(mqm.Check(rating, protocol.Texts{Source: "Die Fähre schläft.", Translation: "The fairy sleeps , now"})), "violations")
	fmt.Println(mqm.GateScore(rating))
	// Output:
	// 0 violations
	// -5.1 true
}

// A score that the protocol does not allow is refused by its name.
func ExampleProtocol_CheckScores() {
	sqm, _ := protocol.Lookup("sqm")
	for _, v := range sqm.CheckScores(map[string]float64{"sqm": 4.5}) {
		fmt.Println(v.Field + ": " + v.Msg)
	}
	// Output:
	// sqm: Score must be a whole number from 0 to 4, not 4.5
}

// The scores of a rating, entered and derived.
func ExampleProtocol_Values() {
	rate, _ := protocol.Lookup("rate")
	rating := protocol.Rating{
		Scores: map[string]float64{"accuracy": 80, "fluency": 90},
		Spans:  []protocol.ErrorSpan{{ID: "s1", Side: protocol.Target, Start: 0, End: 3, Text: "The", Severity: "2", Category: "Mistranslation"}},
	}
	for _, v := range rate.Values(rating) {
		fmt.Println(v.Name, v.Score)
	}
	// Output:
	// accuracy 80
	// fluency 90
	// rate 2
	// rate_mqm 1
	// rate_esa 85
}

// The scores that metrics are compared with. Higher is better.
func ExampleProtocol_HumanScores() {
	mqm, _ := protocol.Lookup("mqm")
	rating := protocol.Rating{Spans: []protocol.ErrorSpan{{Severity: "major", Category: "Accuracy"}}}
	for _, h := range mqm.HumanScores() {
		v, ok := mqm.Human(h.Score, rating)
		fmt.Println(h.Name, v, ok)
	}
	// Output: mqm -5 true
}

// A translator chooses the second candidate and edits it. The campaign that follows gets the edited text as reference.
func ExampleProtocol_Curated() {
	p, _ := protocol.Lookup("reference")
	rating := protocol.Rating{Answers: map[string]protocol.Answer{"best": {Text: "b"}, "edited": {Text: "The old ferry sails."}}}
	source, reference := p.Curated(rating, protocol.Texts{Source: "Die alte Fähre fährt.", Candidates: map[string]string{"a": "Old ferry drives.", "b": "The old ferry goes."}})
	fmt.Println(source)
	fmt.Println(reference)
	// Output:
	// Die alte Fähre fährt.
	// The old ferry sails.
}

func ExampleSum() {
	fmt.Println(protocol.Sum([]float64{0.1, 0.1, 0.1}))
	// Output: 0.3
}
