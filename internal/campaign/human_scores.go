package campaign

import (
	"maps"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A ScoreMatrix holds one score of translations, by system and segment. Segments are
// numbered from 0. The zero ScoreMatrix is empty.
type ScoreMatrix struct{ rows map[string][]float64 }

// Set sets the score of a translation. Setting NaN does nothing: a score that is not
// set is NaN. Each system's scores must be set in ascending order of segments.
func (m *ScoreMatrix) Set(system string, segment int, score float64) {
	if math.IsNaN(score) {
		return
	}
	if m.rows == nil {
		m.rows = map[string][]float64{}
	}
	m.rows[system] = append(padded(m.rows[system], segment), score)
}

// Systems lists the systems that have a score, in byte order.
func (m *ScoreMatrix) Systems() []string { return slices.Sorted(maps.Keys(m.rows)) }

// Row returns the scores of a system in the first segments segments, NaN where there
// is no score. It is nil for a system without any score.
func (m *ScoreMatrix) Row(system string, segments int) []float64 {
	row, ok := m.rows[system]
	if !ok {
		return nil
	}
	row = padded(row, segments)
	m.rows[system] = row
	return row
}

// Rows maps each system that has a score to its [ScoreMatrix.Row].
func (m *ScoreMatrix) Rows(segments int) map[string][]float64 {
	out := make(map[string][]float64, len(m.rows))
	for system := range m.rows {
		out[system] = m.Row(system, segments)
	}
	return out
}

func padded(row []float64, length int) []float64 {
	for len(row) < length {
		row = append(row, math.NaN())
	}
	return row
}

// RatingScores are the scores of the ratings that gold is formed from. Ratings are numbered from 0 in the
// order in which they are added. Memory grows by 4 bytes for each rating and 8 for each
// score of it.
type RatingScores struct {
	numbers map[string]int32 // by name of the annotator: their number
	raters  []int32          // by rating: the number of its annotator
	scores  [][]float64      // by kind of score and rating: the score; NaN if the rating has none
}

// Number returns the number of an annotator. Annotators are numbered from 0 in the
// order of their first call.
func (r *RatingScores) Number(annotator string) int32 {
	n, ok := r.numbers[annotator]
	if !ok {
		if r.numbers == nil {
			r.numbers = map[string]int32{}
		}
		n = int32(len(r.numbers))
		r.numbers[annotator] = n
	}
	return n
}

// Annotators lists the annotators that have a number, in byte order.
func (r *RatingScores) Annotators() []string { return slices.Sorted(maps.Keys(r.numbers)) }

// Add adds a rating with its scores, NaN for a score that was not given. All ratings
// must have the same kinds of scores in the same order.
func (r *RatingScores) Add(annotator string, scores ...float64) {
	r.raters = append(r.raters, r.Number(annotator))
	for len(r.scores) < len(scores) {
		r.scores = append(r.scores, nil)
	}
	for i, x := range scores {
		r.scores[i] = append(r.scores[i], x)
	}
}

// Len is the number of ratings.
func (r *RatingScores) Len() int { return len(r.raters) }

// Rater returns the number of the annotator of a rating.
func (r *RatingScores) Rater(rating int) int32 { return r.raters[rating] }

// Score returns a score of a rating, by the number of its kind; NaN if the rating has none.
func (r *RatingScores) Score(kind, rating int) float64 { return r.scores[kind][rating] }

// Z prepares the z-scores of one kind of score. The returned function gives the z-score
// of the translation whose ratings have the numbers in [first, end): the mean of the
// z-scores of these ratings. The z-score of a rating is
//
//	z = (x − x̄) / s
//
// where x̄ is the mean and s the population standard deviation of all ratings of the
// same annotator. It is undefined for an annotator with fewer than two ratings or with
// the same score throughout, and the mean leaves it out. If no rating of a translation
// has a defined z-score, the z-score of the translation is NaN.
func (r *RatingScores) Z(score int) func(first, end int) float64 {
	if len(r.raters) == 0 {
		return func(int, int) float64 { return math.NaN() }
	}
	scores := r.scores[score]
	given := make([][]float64, len(r.numbers))
	for k, rater := range r.raters {
		if !math.IsNaN(scores[k]) {
			given[rater] = append(given[rater], scores[k])
		}
	}
	means, deviations := make([]float64, len(given)), make([]float64, len(given))
	for rater, x := range given {
		means[rater], deviations[rater] = stat.Mean(x), stat.Deviation(x)
	}
	var zs []float64
	return func(first, end int) float64 {
		zs = zs[:0]
		for k := first; k < end; k++ {
			if rater := r.raters[k]; deviations[rater] > 0 {
				zs = append(zs, (scores[k]-means[rater])/deviations[rater])
			}
		}
		return stat.Mean(zs)
	}
}
