package protocol

import (
	"fmt"
	"math"
)

// The limits of a protocol that [ReadOwn] takes. Reports and pages have a line, a column or a control
// for each of the things that are counted.
const (
	// MaxValue is the greatest end of a scale, weight and tolerance. The least is -MaxValue.
	MaxValue = 1000

	maxScores        = 20 // entered scores, and as many derived ones
	maxQuestions     = 30
	maxOptions       = 50 // of a question
	maxLevels        = 101
	maxSeverities    = 50
	maxCategories    = 200
	maxSubcategories = 100 // of a category, and as many aliases
	maxWeights       = 1000
	maxExamples      = 50
	maxMarks         = 100 // of an example

	maxRedundancy = 100 // annotators per segment
)

// The limits of the text of a protocol. A protocol is nested eight levels deep.
const (
	maxDepth    = 20
	maxProblems = 50 // that an error lists
	maxShown    = 80 // characters of a name or number that an error repeats
)

// checkLimits reports what p has more of, or greater values of, than a protocol may have.
func (l *problemList) checkLimits(p *Protocol) {
	count := func(field string, n, most int) {
		if n > most {
			l.add(field, "has %d entries, and a protocol can have at most %d there; remove some", n, most)
		}
	}
	within := func(field string, x float64) {
		if !(math.Abs(x) <= MaxValue) {
			l.add(field, "must be from %d to %d, not %v", -MaxValue, MaxValue, x)
		}
	}
	count("scores", len(p.ownScores()), maxScores)
	count("questions", len(p.Questions), maxQuestions)
	for i, q := range p.Questions {
		field := fmt.Sprintf("questions[%d]", i)
		count(field+".options", len(q.Options), maxOptions)
		count(field+".levels", len(q.Levels), maxLevels)
		within(field+".min", float64(q.Min))
		within(field+".max", float64(q.Max))
	}
	count("derived", len(p.Derived), maxScores)
	for i, s := range p.ownScores() {
		field := fmt.Sprintf("scores[%d]", i)
		within(field+".min", float64(s.Min))
		within(field+".max", float64(s.Max))

		count(field+".levels", len(s.Levels), maxLevels)
	}
	for i, d := range p.Derived {
		field := fmt.Sprintf("derived[%d]", i)
		count(field+".mean", len(d.Mean), maxScores)
		count(field+".weights", len(d.Weights), maxWeights)
		for k, w := range d.Weights {
			within(fmt.Sprintf("%s.weights[%d].weight", field, k), w.Weight)
		}
	}
	within("tolerance", p.Tolerance)
	if m := p.Spans; m != nil {
		count("spans.severities", len(m.Severities), maxSeverities)
		count("spans.categories", len(m.Categories), maxCategories)
		for i, c := range m.Categories {
			field := fmt.Sprintf("spans.categories[%d]", i)
			count(field+".sub", len(c.Sub), maxSubcategories)
			count(field+".aliases", len(c.Aliases), maxSubcategories)
			for k, s := range c.Sub {
				count(fmt.Sprintf("%s.sub[%d].aliases", field, k), len(s.Aliases), maxSubcategories)
			}
		}
	}
	count("guide.examples", len(p.Guide.Examples), maxExamples)
	for i, e := range p.Guide.Examples {
		count(fmt.Sprintf("guide.examples[%d].marks", i), len(e.Marks), maxMarks)
	}
}

// shown is a name or a number of a file as an error repeats it: shortened if it is long.
func shown(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%.*s… (%d bytes)", maxShown, text, len(text))
}
