package protocol

import (
	"math"
	"strconv"
	"strings"
)

// A Range is what a score can be. An end may be infinite.
type Range struct{ Min, Max float64 }

// GateRange is the range of the gate scores: that of the scale; for a mean of scores that of them all; for a share from 0 to 1; for what
// errors cost from minus infinity to 0. The numbers of answers ([Protocol.NominalGate]) are those of the options,
// or of the candidates.
func (p *Protocol) GateRange() Range {
	if q, ok := p.NominalGate(); ok {
		if q.Kind == Choice {
			return Range{0, float64(len(q.Options) - 1)}
		}
		return Range{0, MaxCandidates}
	}
	names := []string{p.Gate}
	for _, d := range p.Derived {
		switch {
		case d.Name != p.Gate:
		case d.Share != nil:
			return Range{0, 1}
		case len(d.Mean) > 0:
			names = d.Mean
		case d.LowerIsBetter:
			return Range{math.Inf(-1), 0}
		default:
			return Range{0, math.Inf(1)}
		}
	}
	r := Range{math.Inf(1), math.Inf(-1)}
	for _, name := range names {
		if s, ok := p.Score(name); ok {
			r = Range{min(r.Min, float64(s.Min)), max(r.Max, float64(s.Max))}
		}
	}
	if r.Min > r.Max {
		return Range{math.Inf(-1), math.Inf(1)}
	}
	return r
}

// Parse reads a score as people type it: with a point or a comma, with a hyphen or a minus. A number out of the
// range is not read.
func (r Range) Parse(text string) (float64, bool) {
	text = strings.NewReplacer("−", "-", ",", ".").Replace(strings.TrimSpace(text))
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < r.Min || x > r.Max || strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	return x, true
}
