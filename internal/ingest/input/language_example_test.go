package input_test

import (
	"fmt"

	"annotate/internal/ingest/input"
)

func ExampleParseLanguagePair() {
	source, target, err := input.ParseLanguagePair("pt-BR-en", "", "")
	fmt.Println(source, target, err)
	_, _, err = input.ParseLanguagePair("pt-br-de", "", "")
	fmt.Println(err)
	source, target, err = input.ParseLanguagePair("pt-br-de", "pt-BR", "de")
	fmt.Println(source, target, err)
	// Output:
	// pt-BR en <nil>
	// "pt-br-de" can be divided in more than one place; write regions in capitals, as in pt-BR-en, or set the languages of the campaign first
	// pt-br de <nil>
}
