package metaeval

import "annotate/internal/stat"

// A Grouping says which scores of a matrix, whose rows are systems and whose
// columns are segments, are compared with each other.
type Grouping int

const (
	Pooled   Grouping = iota // all (average_by 'none' in mt-metrics-eval)
	ByItem                   // those of the same segment
	BySystem                 // those of the same system
)

// String is how a grouping is chosen: "pooled", "item" or "system".
func (g Grouping) String() string { return [...]string{"pooled", "item", "system"}[g] }

// Average is a coefficient by groups: the mean over the groups where it is
// defined, and how many those are (AverageCorrelation in mt-metrics-eval,
// which gives 0 where no group is left; here that is NaN). [Pooled] is one
// group.
func Average(coefficient func(human, metric []float64) float64, human, metric [][]float64, by Grouping) (value float64, groups int) {
	var s stat.Sum
	eachGroup(human, metric, by, func(h, m []float64) {
		if v := coefficient(h, m); stat.Defined(v) {
			s.Add(v)
			groups++
		}
	})
	if groups == 0 {
		return missing, 0
	}
	return s.Value() / float64(groups), groups
}

// eachGroup calls do with the scores of each group, without those of which one
// is missing. The slices are valid until it returns.
func eachGroup(human, metric [][]float64, by Grouping, do func(h, m []float64)) {
	checkShape(human, metric)
	switch by {
	case Pooled:
		do(pool(human, metric))
	case BySystem:
		for s := range human {
			do(stat.Complete(human[s], metric[s]))
		}
	case ByItem:
		var h, m []float64
		for seg := range width(human) {
			h, m = h[:0], m[:0]
			for s := range human {
				if stat.Defined(human[s][seg], metric[s][seg]) {
					h, m = append(h, human[s][seg]), append(m, metric[s][seg])
				}
			}
			do(h, m)
		}
	default:
		panic("metaeval: unknown grouping")
	}
}

// pool joins the rows of two matrices, leaving out what is missing in one.
func pool(human, metric [][]float64) (h, m []float64) {
	n := len(human) * width(human)
	h, m = make([]float64, 0, n), make([]float64, 0, n)
	for s := range human {
		for seg, v := range human[s] {
			if stat.Defined(v, metric[s][seg]) {
				h, m = append(h, v), append(m, metric[s][seg])
			}
		}
	}
	return h, m
}

func width(matrix [][]float64) int {
	if len(matrix) == 0 {
		return 0
	}
	return len(matrix[0])
}

func checkShape(human, metric [][]float64) {
	if len(human) != len(metric) {
		panic("metaeval: matrices of different height")
	}
	for s := range human {
		if len(human[s]) != width(human) || len(metric[s]) != width(human) {
			panic("metaeval: matrices of different width")
		}
	}
}
