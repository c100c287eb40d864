package agreement_test

import (
	"fmt"
	"math"

	"annotate/internal/agreement"
)

// Two annotators scored the translations of one segment by four systems.
func ExampleRule_Judge() {
	rule := agreement.Rule{Threshold: 0.7, Tolerance: 0.5}
	v := rule.Judge([]float64{4, 3, 3, 1}, []float64{4, 4, 3, 2})
	fmt.Printf("r %.2f, %s\n", v.R, v.Reason)
	v = rule.Judge([]float64{3, 3, 3, 3}, []float64{4, 3, 3, 3})
	fmt.Printf("mean difference %.2f, %s\n", v.MeanAbsDiff, v.Reason)
	// Output:
	// r 0.90, agreed
	// mean difference 0.25, no_variance_close
}

// Three annotators rated four translations. One rating is missing.
func ExampleAlpha() {
	units := [][]float64{{4, 4, 3}, {2, 2, math.NaN()}, {1, 0, 1}, {3, 3, 3}}
	for _, metric := range []agreement.Metric{agreement.Ordinal, agreement.Interval} {
		r := agreement.Alpha(units, metric)
		fmt.Printf("%s: %.3f over %d units\n", metric, r.Alpha, r.Units)
	}
	// Output:
	// ordinal: 0.901 over 4 units
	// interval: 0.890 over 4 units
}

// Two annotators scored five translations from 0 to 4.
func ExampleKappa() {
	fmt.Printf("%.3f\n", agreement.Kappa([]float64{4, 3, 2, 0, 1}, []float64{4, 2, 2, 1, 1}, 0, 4))
	// Output: 0.875
}

// Two annotators kept or dropped five sentences. They differ in one.
func ExampleNominalKappa() {
	keep, drop := 1.0, 2.0
	fmt.Printf("%.3f\n", agreement.NominalKappa([]float64{keep, keep, drop, drop, keep}, []float64{keep, keep, drop, keep, keep}))
	// Output: 0.545
}

// Two annotators shared two segments with translations by three systems.
func ExampleMatrices() {
	var m agreement.Matrices
	systems := []string{"Aster", "Begonia", "Clover"}
	m.Add(agreement.Shared{A: "ann", B: "bob", Systems: systems, X: []float64{4, 3, 1}, Y: []float64{4, 2, 2}})
	m.Add(agreement.Shared{A: "ann", B: "bob", Systems: systems, X: []float64{3, 3, 2}, Y: []float64{3, 2, 0}})
	for _, c := range m.SystemLevel([]string{"ann", "bob"}) {
		fmt.Printf("system level, %s and %s: r %.3f over %d systems\n", c.A, c.B, c.R, c.N)
	}
	for _, c := range m.SegmentLevel([]string{"ann", "bob"}) {
		fmt.Printf("segment level, %s and %s: r %.3f over %d segments\n", c.A, c.B, c.R, c.N)
	}
	// Output:
	// system level, ann and bob: r 0.923 over 3 systems
	// segment level, ann and bob: r 0.850 over 2 segments
}

func ExampleLeaveOneOut() {
	own, others := []float64{4, 2, 3, 1}, []float64{3.5, 2.5, 2.5, 0}
	fmt.Printf("r %.3f, %+.3f points\n", agreement.LeaveOneOut(own, others), agreement.MeanDifference(own, others))
	// Output: r 0.908, +0.375 points
}

func ExampleMeanDifference() {
	fmt.Println(agreement.MeanDifference([]float64{4, 2, 3}, []float64{3, 2, 2.5}))
	// Output: 0.5
}

// One annotator marked two errors, the other one of them and a character more.
func ExampleSpans() {
	var s agreement.Spans
	s.Add(
		[]agreement.Span{{Side: "target", Start: 4, End: 9}, {Side: "target", Start: 20, End: 24}},
		[]agreement.Span{{Side: "target", Start: 4, End: 10}})
	precision, recall, f1 := s.Matches()
	fmt.Printf("characters: F1 %.3f\n", s.CharF1())
	fmt.Printf("spans: precision %.1f, recall %.1f, F1 %.3f\n", precision, recall, f1)
	fmt.Printf("overlap: %.1f of A, %.1f of B\n", s.OverlapOfA(), s.OverlapOfB())
	// Output:
	// characters: F1 0.667
	// spans: precision 0.5, recall 1.0, F1 0.667
	// overlap: 0.5 of A, 1.0 of B
}

// The second span of a matches the first of b.
func ExamplePairs() {
	a := []agreement.Span{{Side: "target", Start: 0, End: 2}, {Side: "target", Start: 5, End: 9}}
	b := []agreement.Span{{Side: "target", Start: 6, End: 9}}
	fmt.Println(agreement.Pairs(a, b, agreement.Theta))
	// Output: [[1 0]]
}

// A turn is a submission by an annotator in a round.
type turn struct {
	annotator string
	round     int
}

func (t turn) Who() (string, int) { return t.annotator, t.round }

// Ann and bob both submitted the rounds 1 and 2. The later one counts.
func ExampleLatestShared() {
	turns := []turn{{"ann", 1}, {"ann", 2}, {"bob", 1}, {"bob", 2}, {"cho", 1}}
	for i, j := range agreement.LatestShared(turns) {
		fmt.Println(turns[i], turns[j])
	}
	// Output:
	// {ann 1} {cho 1}
	// {ann 2} {bob 2}
	// {bob 1} {cho 1}
}

func ExampleLatestOfTwo() {
	fmt.Println(agreement.LatestOfTwo([]turn{{"ann", 1}, {"ann", 2}, {"bob", 1}, {"cho", 3}}))
	// Output: [{ann 1} {bob 1}]
}

func ExampleLatestOfEach() {
	fmt.Println(agreement.LatestOfEach([]turn{{"ann", 1}, {"ann", 2}, {"bob", 1}}))
	// Output: [{ann 2} {bob 1}]
}
