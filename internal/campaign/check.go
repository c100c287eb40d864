package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/protocol"
)

// KindsOfChecks are the kinds of checks that the setting chooses. No text is degraded if the gate compares answers that
// are not numbers. Without a gate, nothing can be compared with a check.
func (s Settings) KindsOfChecks() []CheckKind {
	var out []CheckKind
	for _, kind := range CheckKinds {
		if slices.Contains(strings.Split(s.CheckKinds, ","), string(kind)) && !s.NoGate && !(s.Nominal && kind == DegradedCheck) {
			out = append(out, kind)
		}
	}
	return out
}

// cleanKinds reads a list of kinds of checks, and writes it in the order of [CheckKinds].
func cleanKinds(text string) (string, error) {
	wanted := map[CheckKind]bool{}
	for part := range strings.SplitSeq(text, ",") {
		kind := CheckKind(strings.ToLower(strings.TrimSpace(part)))
		if !slices.Contains(CheckKinds, kind) {
			return "", fmt.Errorf("there is no kind of checks %q; list degraded, repeat or known, separated by commas", kind)
		}
		wanted[kind] = true
	}
	var out []string
	for _, kind := range CheckKinds {
		if wanted[kind] {
			out = append(out, string(kind))
		}
	}
	return strings.Join(out, ","), nil
}

// CheckRule says when a check under the protocol p counts and when it is passed. The margin is a share of the length of
// the [GateScale]; the tolerance is that of the agreement gate. Answers that are not numbers must be equal.
func (s Settings) CheckRule(p *protocol.Protocol) CheckRule {
	scale, tolerance := GateScale(p), s.Tolerance
	if _, nominal := p.NominalGate(); nominal {
		tolerance = 0
	}
	return CheckRule{Margin: s.CheckMargin * scale.Length, Tolerance: tolerance, Low: scale.Low, High: scale.High,
		Step: scale.Step, Errors: scale.Errors}
}

// A Scale is that of the gate score, in points; higher is better.
type Scale struct {
	Low, High float64 // its ends; Low is -Inf for a sum over errors without a limit
	// Length is what settings take shares of. For a sum over errors it is four times the weight of a major
	// error, so that a quarter of the scale is one major error.
	Length float64
	Step   float64 // between neighbouring scores; 0 if they have no fixed distance
	Errors bool    // it is a sum over errors
}

// GateScale is the scale of the gate score of p, which has the limit on errors of its campaign; of answers that are no
// numbers, that of the numbers that stand for them.
func GateScale(p *protocol.Protocol) Scale {
	if s, ok := p.Score(p.Gate); ok {
		return Scale{Low: float64(s.Min), High: float64(s.Max), Length: s.Length(), Step: 1}
	}
	if _, nominal := p.NominalGate(); nominal {
		r := p.GateRange()
		return Scale{Low: r.Min, High: r.Max, Length: r.Max - r.Min, Step: 1}
	}
	i := slices.IndexFunc(p.Derived, func(d protocol.Derived) bool { return d.Name == p.Gate })
	if i < 0 {
		return Scale{}
	}
	d := p.Derived[i]
	if len(d.Mean) == 0 {
		return errorScale(p, d)
	}
	var out Scale
	n := float64(len(d.Mean))
	for _, name := range d.Mean {
		s, _ := p.Score(name)
		out.Low, out.High = out.Low+float64(s.Min)/n, out.High+float64(s.Max)/n
	}
	out.Length, out.Step = out.High-out.Low, 1/n
	return out
}

// errorScale is the scale of a sum over errors. It ends where a translation has as many errors as the campaign
// allows, each of the greatest weight.
func errorScale(p *protocol.Protocol, d protocol.Derived) Scale {
	out := Scale{Low: math.Inf(-1), Length: 4 * majorWeight(d), Errors: true}
	if p.Spans != nil && p.Spans.MaxErrors > 0 {
		gravest := 0.0
		for _, w := range d.Weights {
			gravest = max(gravest, w.Weight)
		}
		out.Low = -float64(p.Spans.MaxErrors) * gravest
	}
	return out
}

// majorWeight is the weight of a major error in a sum: that of the severity "major", or else the middle one of
// the weights of severities, the graver of two. Weights that are not above 0 are left out. A protocol that
// weighs no severity has the middle one of all its weights.
func majorWeight(d protocol.Derived) float64 {
	var severities, all []float64
	for _, w := range d.Weights {
		if w.Weight <= 0 {
			continue
		}
		all = append(all, w.Weight)
		if w.Severity != "" && w.Category == "" && w.Subcategory == "" {
			if strings.EqualFold(w.Severity, "major") {
				return w.Weight
			}
			severities = append(severities, w.Weight)
		}
	}
	if len(severities) > 0 {
		all = severities
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}
