package mqm_test

import (
	"fmt"
	"strings"

	"annotate/internal/ingest/input"
	"annotate/internal/ingest/mqm"
	"annotate/internal/protocol"
)

func ExampleSegments() {
	table := "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
		"Aster\ttalk\t1\t7\tlin\tDer Brotteig 🙂\tThe <v>bread</v> 🙂\tAccuracy/Mistranslation\tMajor\n" +
		"Aster\ttalk\t1\t7\tmei\tDer Brotteig 🙂\tThe bread 🙂\tNo-error\tNo-error\n" +
		"Aster\ttalk\t1\t7\tlin\tDer Brotteig 🙂\tThe bread <v>🙂</v>\tFluency/Punctuation\tminor\n"
	p, _ := protocol.Lookup("mqm")
	for line, err := range mqm.Segments(strings.NewReader(table), p, input.Options{}, nil) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, r := range line.Segment.Translations[0].Ratings {
			fmt.Println(line.Segment.SegmentID, r.Annotator, p.Values(r.Rating))
			for _, s := range r.Spans {
				fmt.Printf("  [%d, %d) %s: %s %s/%s\n", s.Start, s.End, s.Text, s.Severity, s.Category, s.Subcategory)
			}
		}
	}
	// Output:
	// 7 lin [{mqm MQM 5.1}]
	//   [4, 9) bread: major Accuracy/Mistranslation
	//   [10, 11) 🙂: minor Fluency/Punctuation
	// 7 mei [{mqm MQM 0}]
}
