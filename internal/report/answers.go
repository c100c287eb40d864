package report

import (
	"context"

	"annotate/internal/agreement"
	"annotate/internal/stat"
)

// answerUnits holds what two or more annotators answered to a question in round 1. Answers are numbers, which are equal if the answers
// are equal.
type answerUnits struct {
	units  [][]float64
	equal  int // units with equal answers
	metric agreement.Metric
	totals *agreement.AlphaTotals // of units; nil if the question has no alpha
	alpha  stat.Interval
}

// equalAnswers is the name of the estimate of the share of units with equal answers.
const equalAnswers = "equal"

func newAnswerUnits(metric agreement.Metric) *answerUnits {
	return &answerUnits{metric: metric, totals: agreement.NewAlphaTotals(metric)}
}

// add adds the answers about one segment or term.
func (u *answerUnits) add(e *estimates, document int, unit []float64) {
	u.units = append(u.units, unit)
	if u.totals != nil {
		u.totals.Add(document, unit)
	}
	equal := 0.0
	if stat.Constant(unit) {
		u.equal++
		equal = 1
	}
	e.group("questions", u).add(document, equalAnswers, ratioOf, equal, 1)
}

// draw computes the interval of alpha.
func (u *answerUnits) draw(ctx context.Context, b stat.Bootstrap) (err error) {
	if u.totals != nil {
		u.alpha, err = u.totals.Interval(ctx, b)
	}
	return err
}

// cells are the number of units, the share of those with equal answers, and alpha.
func (u *answerUnits) cells(e *estimates) []Cell {
	alpha := undefined
	if u.totals != nil {
		alpha = agreement.Alpha(u.units, u.metric).Alpha
	}
	equal := estimated(stat.Ratio(u.equal, len(u.units)), e.interval("questions", u, equalAnswers))
	return []Cell{count(len(u.units)), equal, estimated(alpha, u.alpha)}
}
