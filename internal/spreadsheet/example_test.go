package spreadsheet_test

import (
	"fmt"

	"annotate/internal/spreadsheet"
)

// A program that reads an exported CSV file restores the texts.
func ExampleText() {
	for _, cell := range []string{"'=1+1", "'tis", "''-5"} {
		fmt.Println(spreadsheet.Text(cell))
	}
	// Output:
	// =1+1
	// 'tis
	// '-5
}
