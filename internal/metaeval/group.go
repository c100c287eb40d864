package metaeval

import (
	"iter"

	"annotate/internal/stat"
)

// A Grouping says which scores of a matrix are compared with each other. Rows of the
// matrix are systems, columns are segments.
type Grouping int

const (
	Pooled   Grouping = iota // all scores (average_by 'none' in mt-metrics-eval)
	ByItem                   // the scores of the same segment
	BySystem                 // the scores of the same system
)

// String returns the name that selects the grouping: "pooled", "item" or "system".
func (g Grouping) String() string { return [...]string{"pooled", "item", "system"}[g] }

// Average returns the mean of a coefficient over the groups where it is defined, and
// the number of these groups (AverageCorrelation in mt-metrics-eval). It is NaN where
// no group has a defined coefficient; there mt-metrics-eval gives 0. [Pooled] is a
// single group.
func Average(coefficient func(human, metric []float64) float64, human, metric [][]float64, by Grouping) (value float64, groups int) {
	var s stat.Sum
	for h, m := range groupsOf(human, metric, by) {
		if v := coefficient(h, m); stat.Defined(v) {
			s.Add(v)
			groups++
		}
	}
	if groups == 0 {
		return missing, 0
	}
	return s.Value() / float64(groups), groups
}

// groupsOf yields the scores of each group. Translations that lack one of the two scores
// are left out. The slices are valid only until the next group.
func groupsOf(human, metric [][]float64, by Grouping) iter.Seq2[[]float64, []float64] {
	checkShape(human, metric)
	return func(yield func(h, m []float64) bool) {
		switch by {
		case Pooled:
			yield(pool(human, metric))
		case BySystem:
			for s := range human {
				if !yield(stat.Complete(human[s], metric[s])) {
					return
				}
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
				if !yield(h, m) {
					return
				}
			}
		default:
			panic("metaeval: unknown grouping")
		}
	}
}

// pool joins the rows of two matrices into two slices. Translations that lack one of
// the two scores are left out.
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
