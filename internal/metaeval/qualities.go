package metaeval

import "annotate/internal/stat"

// Qualities counts translations by a score that counts errors, in the three groups of
// Feng et al. 2025, Figure 2.
type Qualities struct {
	Low    int // a score of at most −5
	Medium int // between −5 and 0
	High   int // 0
}

// All returns the number of translations.
func (q Qualities) All() int { return q.Low + q.Medium + q.High }

// QualitiesOf counts the scores; none may be NaN. ok is false if they do not count errors: a score
// is above 0, or none is 0, or all are.
func QualitiesOf(scores []float64) (q Qualities, ok bool) {
	for _, v := range scores {
		if v > 0 {
			return Qualities{}, false
		}
		q.add(v)
	}
	return q, q.countErrors()
}

func (q *Qualities) add(v float64) {
	switch {
	case v == 0:
		q.High++
	case v > -5:
		q.Medium++
	default:
		q.Low++
	}
}

// countErrors reports whether scores of at most 0 count errors.
func (q Qualities) countErrors() bool { return q.High > 0 && q.High < q.All() }

// qualities fills in the qualities of the translations that have both scores.
func (sub subset) qualities(r *Report) {
	q, ok := qualitiesOfBoth(sub.human.segment, sub.human.segment)
	if !ok {
		return
	}
	r.Qualities = q
	for i := range r.Metrics {
		for _, m := range sub.metrics {
			if m.name == r.Metrics[i].Name && sub.bySegment(m) {
				r.Metrics[i].Qualities, _ = qualitiesOfBoth(sub.human.segment, m.segment)
			}
		}
	}
}

// qualitiesOfBoth is [QualitiesOf] of the scores of a metric where there is a human score.
func qualitiesOfBoth(human, metric [][]float64) (q Qualities, ok bool) {
	for s, row := range metric {
		for seg, v := range row {
			if !stat.Defined(human[s][seg], v) {
				continue
			}
			if v > 0 {
				return Qualities{}, false
			}
			q.add(v)
		}
	}
	return q, q.countErrors()
}
