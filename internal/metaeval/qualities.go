package metaeval

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
		switch {
		case v > 0:
			return Qualities{}, false
		case v == 0:
			q.High++
		case v > -5:
			q.Medium++
		default:
			q.Low++
		}
	}
	return q, q.High > 0 && q.High < len(scores)
}

// qualities fills in the qualities of the translations that have both scores.
func (sub subset) qualities(r *Report) {
	human, _ := pool(sub.human.segment, sub.human.segment)
	q, ok := QualitiesOf(human)
	if !ok {
		return
	}
	r.Qualities = q
	for i := range r.Metrics {
		for _, m := range sub.metrics {
			if m.name == r.Metrics[i].Name && sub.bySegment(m) {
				_, scores := pool(sub.human.segment, m.segment)
				r.Metrics[i].Qualities, _ = QualitiesOf(scores)
			}
		}
	}
}
