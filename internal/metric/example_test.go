package metric_test

import (
	"context"
	"fmt"

	"annotate/internal/metric"
)

func ExampleScore() {
	translations := []string{"Hello, world!", "The cat sat on the mat."}
	references := []string{"Hello world.", "The cat sat on a mat."}
	m := metric.BLEU{Tokenizer: metric.TokenizerFor("en")}
	r, err := metric.Score(context.Background(), m, metric.SystemLevel, translations, references)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s|%s = %.2f\n", m.Name(), r.Signature, r.Score)
	// Output:
	// BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:annotate-1 = 36.87
}

// The references of a segment are prepared once for all systems, and the scores
// of a system, or of any part of it, come from the sum of its counts.
func ExampleMetric() {
	m, _ := metric.Lookup("chrF-ref", "de")
	references := []string{"Hallo Welt.", "Guten Morgen!"}
	systems := map[string][]string{"Aster": {"Hallo, Welt!", "Guten Tag!"}}
	totals := map[string]*metric.Counts{"Aster": {}}
	for i, reference := range references {
		compare, err := m.Against(reference)
		if err != nil {
			fmt.Println(err)
			return
		}
		for system, translations := range systems {
			counts := compare(translations[i])
			fmt.Printf("%s, segment %d: %.2f\n", system, i+1, m.Segment(counts))
			totals[system].Add(counts)
		}
	}
	fmt.Printf("Aster: %.2f\n", m.System(*totals["Aster"]))
	// Output:
	// Aster, segment 1: 47.18
	// Aster, segment 2: 28.20
	// Aster: 37.07
}

// The sentence BLEU of one translation.
func ExampleBLEU() {
	compare, err := metric.BLEU{Tokenizer: metric.Tok13a}.Against("The cat sat on a mat.")
	fmt.Printf("%.2f %v\n", metric.BLEU{}.Segment(compare("The cat sat on the mat.")), err)
	// Output: 48.89 <nil>
}

// chrF compares characters, chrF++ words too.
func ExampleCHRF() {
	for _, m := range []metric.CHRF{{}, {WordOrder: 2}} {
		compare, err := m.Against("Guten Morgen!")
		fmt.Printf("%s %.2f %v\n", m.Name(), m.Segment(compare("Guten Tag!")), err)
	}
	// Output:
	// chrF2 28.20 <nil>
	// chrF2++ 29.57 <nil>
}

func ExampleTokenizer_Split() {
	fmt.Printf("%q\n", metric.TokenizerFor("en").Split("It costs 1,000 dollars, doesn't it?"))
	fmt.Printf("%q\n", metric.TokenizerFor("zh").Split("他买了3本书。"))
	// Output:
	// ["It" "costs" "1,000" "dollars" "," "doesn't" "it" "?"]
	// ["他" "买" "了" "3" "本" "书" "。"]
}
