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
