package spreadsheet_test

import (
	"fmt"

	"annotate/internal/spreadsheet"
)

// A program that reads an exported CSV file restores the texts.
func ExampleUnescape() {
	for _, cell := range []string{"'=1+1", "'tis", "''-5"} {
		fmt.Println(spreadsheet.Unescape(cell))
	}
	// Output:
	// =1+1
	// 'tis
	// '-5
}
