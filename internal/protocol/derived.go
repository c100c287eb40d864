package protocol

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A Derived is a score that is computed from what an annotator enters: the sum of the weights of the
// error spans, the mean of entered scores, or the share of terms with certain answers.
type Derived struct {
	Name          string   `json:"name"`  // in files, e.g. "rate_mqm"
	Label         string   `json:"label"` // on pages
	Human         string   `json:"human"` // its name as a human score, e.g. "rate-mqm"
	LowerIsBetter bool     `json:"lower_is_better,omitempty"`
	Weights       []Weight `json:"weights,omitempty"` // for a sum over the error spans
	Mean          []string `json:"mean,omitempty"`    // for a mean: names of the entered scores
	Share         *Share   `json:"share,omitempty"`   // for a share of the terms
}

// A Share is the number of terms whose answer to a question is one of Is, divided by the number of terms that have an
// answer to the question. It lies between 0 and 1, and is undefined if no term has an answer.
type Share struct {
	Question string   `json:"question"` // a choice, asked of each term
	Is       []string `json:"is"`
}

// of is the share among spans. ok is false if the share is undefined.
func (s Share) of(spans []ErrorSpan) (float64, bool) {
	is, answered := 0, 0
	for _, t := range spans {
		if a, ok := t.Answers[s.Question]; ok {
			answered++
			if slices.Contains(s.Is, a) {
				is++
			}
		}
	}
	return float64(is) / float64(answered), answered > 0
}

// A Weight applies to the errors with its severity, category and subcategory. An empty field matches
// all. If several weights match an error, the most specific one applies: a subcategory is more
// specific than a category, and a category is more specific than a severity. An error that no weight
// matches weighs 0.
type Weight struct {
	Severity    string  `json:"severity,omitempty"`
	Category    string  `json:"category,omitempty"`
	Subcategory string  `json:"subcategory,omitempty"`
	Weight      float64 `json:"weight"`
	// Unless is "key=value" of a campaign setting. The weight does not apply in campaigns with
	// this setting.
	Unless string `json:"unless,omitempty"`
}

// specific is larger the more specific the weight is.
func (w Weight) specific() int {
	n := 0
	for i, named := range []bool{w.Severity != "", w.Category != "", w.Subcategory != ""} {
		if named {
			n += 1 << i
		}
	}
	return n
}

// fits reports whether the weight matches an error. Names are compared without regard to case.
func (w Weight) fits(s ErrorSpan) bool {
	fit := func(want, is string) bool { return want == "" || strings.EqualFold(want, is) }
	return fit(w.Severity, s.Severity) && fit(w.Category, s.Category) && fit(w.Subcategory, s.Subcategory)
}

// weigh is the weight of an error.
func (d Derived) weigh(s ErrorSpan) float64 {
	best, cost := -1, 0.0
	for _, w := range d.Weights {
		if n := w.specific(); n > best && w.fits(s) {
			best, cost = n, w.Weight
		}
	}
	return cost
}

// Value computes the derived score of a rating. It is false if an entered score that the mean needs is
// missing, and if no term has the answer that the share needs. The sums are exact ([Sum]).
func (d Derived) Value(r Rating) (float64, bool) {
	if d.Share != nil {
		return d.Share.of(r.Spans)
	}
	if len(d.Mean) == 0 {
		costs := make([]float64, len(r.Spans))
		for i, s := range r.Spans {
			costs[i] = d.weigh(s)
		}
		return Sum(costs), true
	}
	given := make([]float64, len(d.Mean))
	for i, name := range d.Mean {
		x, ok := r.Scores[name]
		if !ok {
			return 0, false
		}
		given[i] = x
	}
	return Mean(given), true
}

// A Value is one score of a rating, entered or derived.
type Value struct {
	Name  string // in files
	Label string
	Score float64
}

// Values lists the scores that a rating has: the entered ones, then the derived ones, each in the
// order of p.
func (p *Protocol) Values(r Rating) []Value {
	var out []Value
	for _, s := range p.Scores {
		if x, ok := r.Scores[s.Name]; ok {
			out = append(out, Value{s.Name, s.Label, x})
		}
	}
	for _, d := range p.Derived {
		if x, ok := d.Value(r); ok {
			out = append(out, Value{d.Name, d.Label, x})
		}
	}
	return out
}

// A HumanScore is an entered or derived score in the form in which metrics are compared with it:
// higher is better.
type HumanScore struct {
	Name  string // e.g. "rate-mqm"
	Score string // name of the entered or derived score
}

// HumanScores lists the human scores of ratings under p: that of the gate score first, then the others
// in the order of p.
func (p *Protocol) HumanScores() []HumanScore {
	var out []HumanScore
	for _, s := range p.Scores {
		out = append(out, HumanScore{s.Human, s.Name})
	}
	for _, d := range p.Derived {
		out = append(out, HumanScore{d.Human, d.Name})
	}
	slices.SortStableFunc(out, func(a, b HumanScore) int {
		switch p.Gate {
		case a.Score:
			return -1
		case b.Score:
			return 1
		}
		return 0
	})
	return out
}

// Human is the value of an entered or derived score, with its sign turned if lower is better. It is
// false if the rating or p does not have the score.
func (p *Protocol) Human(score string, r Rating) (float64, bool) {
	if x, ok := r.Scores[score]; ok {
		return x, true
	}
	i := slices.IndexFunc(p.Derived, func(d Derived) bool { return d.Name == score })
	if i < 0 {
		return 0, false
	}
	x, ok := p.Derived[i].Value(r)
	if p.Derived[i].LowerIsBetter {
		x = 0 - x // never a negative zero
	}
	return x, ok
}

// GateScore returns the score that the agreement gate compares; higher is better. It is false if the
// rating does not have it.
//
// If the gate is no number ([Protocol.NominalGate]), the score stands for the answer: it tells only whether two
// answers are equal. It is false for a candidate, which [Protocol.GateScoreOf] needs to know.
func (p *Protocol) GateScore(r Rating) (float64, bool) { return p.GateScoreOf(r, nil) }

// GateScoreOf is [Protocol.GateScore] for a rating of a segment with candidates, whose texts are given by name.
func (p *Protocol) GateScoreOf(r Rating, candidates map[string]string) (float64, bool) {
	q, nominal := p.NominalGate()
	if !nominal {
		return p.Human(p.Gate, r)
	}
	a, given := r.Answers[q.Name]
	if !given {
		return 0, false
	}
	code := slices.IndexFunc(q.codes(candidates), a.Equal)
	return float64(code), code >= 0
}

// Sum adds xs exactly, and rounds the result once: three times 0.1 is 0.3, and 1/3 and 2/3 are 1. A fraction stands for its
// shortest decimal representation or, if that has many digits, for a ratio of small whole numbers, such as a share of terms. The
// sum is NaN if one of xs is not finite.
func Sum(xs []float64) float64 { return total(xs, 1) }

// Mean is the sum of xs, exact as in [Sum], divided by their number, and rounded once. It is NaN without xs.
func Mean(xs []float64) float64 { return total(xs, len(xs)) }

// total is the exact sum of xs, divided by n.
func total(xs []float64, n int) float64 {
	sum := 0.0
	for i, x := range xs {
		if x != math.Trunc(x) || math.Abs(x) > 1<<40 || math.Abs(sum) > 1<<52 {
			return totalOfFractions(sum, xs[i:], n) // sum is exact up to here
		}
		sum += x
	}
	return sum / float64(n)
}

// totalOfFractions is [total] with fractions, starting from a first term that is a whole number.
func totalOfFractions(first float64, xs []float64, n int) float64 {
	sum := new(big.Rat).SetFloat64(first)
	for _, x := range xs {
		term, ok := exact(x)
		if !ok {
			return math.NaN() // not finite
		}
		sum.Add(sum, term)
	}
	f, _ := sum.Quo(sum, big.NewRat(int64(n), 1)).Float64()
	return f
}

// The largest number of digits of a decimal fraction, and the largest denominator of another one. Few numbers are near two.
const (
	maxDigits      = 15
	maxDenominator = 1000
)

// exact is the number that x stands for. ok is false if x is not finite.
func exact(x float64) (r *big.Rat, ok bool) {
	text := strconv.FormatFloat(x, 'e', -1, 64)
	if mantissa, _, _ := strings.Cut(text, "e"); len(strings.Trim(mantissa, "-")) > maxDigits+len(".") {
		for q := int64(2); q <= maxDenominator; q++ {
			if p := math.Round(x * float64(q)); p/float64(q) == x && math.Abs(p) <= 1<<40 {
				return big.NewRat(int64(p), q), true
			}
		}
	}
	return new(big.Rat).SetString(text)
}
