package campaign

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/check"
	"annotate/internal/protocol"
)

// KindsOfChecks are the kinds of checks that are made.
func (s Settings) KindsOfChecks() []check.Kind {
	var out []check.Kind
	for _, kind := range check.Kinds {
		if slices.Contains(strings.Split(s.CheckKinds, ","), string(kind)) {
			out = append(out, kind)
		}
	}
	return out
}

// cleanKinds reads a list of kinds of checks, and writes it in the order of [check.Kinds].
func cleanKinds(text string) (string, error) {
	wanted := map[check.Kind]bool{}
	for part := range strings.SplitSeq(text, ",") {
		kind := check.Kind(strings.ToLower(strings.TrimSpace(part)))
		if !slices.Contains(check.Kinds, kind) {
			return "", fmt.Errorf("there is no kind of checks %q; list degraded, repeat or known, separated by commas", kind)
		}
		wanted[kind] = true
	}
	var out []string
	for _, kind := range check.Kinds {
		if wanted[kind] {
			out = append(out, string(kind))
		}
	}
	return strings.Join(out, ","), nil
}

// CheckRule says when a check under the protocol p is passed. The margin is a share of the
// [GateScale]; the tolerance is that of the agreement gate.
func (s Settings) CheckRule(p *protocol.Protocol) check.Rule {
	return check.Rule{Margin: s.CheckMargin * GateScale(p), Tolerance: s.Tolerance}
}

// GateScale is the length of the scale of the gate score, in points: the distance between the ends of
// an entered score, the mean of these distances for a mean of scores, and the largest weight of a
// single error for a sum over errors, which has no end of its own (25 in MQM).
func GateScale(p *protocol.Protocol) float64 {
	if s, ok := p.Score(p.Gate); ok {
		return float64(s.Max - s.Min)
	}
	i := slices.IndexFunc(p.Derived, func(d protocol.Derived) bool { return d.Name == p.Gate })
	if i < 0 {
		return 0
	}
	sum, scale := 0.0, 0.0
	for _, name := range p.Derived[i].Mean {
		if s, ok := p.Score(name); ok {
			sum += float64(s.Max - s.Min)
		}
	}
	if n := len(p.Derived[i].Mean); n > 0 {
		return sum / float64(n)
	}
	for _, w := range p.Derived[i].Weights {
		scale = max(scale, w.Weight)
	}
	return scale
}
