package metaeval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/stat"
)

// A Preset selects the statistics that make up the meta score of a metric.
type Preset string

const (
	// MENT is the mean of system-level accuracy, Pearson and Spearman and of
	// segment-level pooled acc_t, Pearson and Spearman (Tian et al. 2026, appendix F.1
	// and Table 3). The paper's script asks for acc_t averaged by item, but passes every
	// translation as a system of its own, which pools all pairs.
	MENT Preset = "ment"
	// WMT23 is the mean of system-level accuracy and (r+1)/2 and of segment-level
	// acc_t and (r+1)/2, where r is Pearson's. All four are in [0, 1] (WMT23 and
	// AverageCorrs in tasks.py of mt-metrics-eval; Feng et al. 2025, section 3.1 and Table 2).
	WMT23 Preset = "wmt23"
	// WMT24 is the mean of system-level soft pairwise accuracy and of segment-level acc_t
	// (Freitag et al. 2024; WMT24 in tasks.py of mt-metrics-eval).
	WMT24 Preset = "wmt24"
)

// Presets lists all presets.
var Presets = []Preset{MENT, WMT23, WMT24}

// ParsePreset returns the preset with the given name. The error lists the names.
func ParsePreset(name string) (Preset, error) {
	if p := Preset(name); slices.Contains(Presets, p) {
		return p, nil
	}
	return "", fmt.Errorf("unknown preset %q; use %s, %s or %s", name, MENT, WMT23, WMT24)
}

// parts lists the statistics that the preset averages.
func (p Preset) parts() []part {
	switch p {
	case MENT:
		return []part{systemAcc, systemPearson, systemSpearman, segmentPooled, segmentPearson, segmentSpearman}
	case WMT23:
		return []part{systemAcc.joined(pooledPairs), systemPearson.rescaled(), segmentAccT, segmentPearson.rescaled()}
	case WMT24:
		return []part{systemSPA, segmentAccT}
	}
	panic("metaeval: unknown preset " + string(p))
}

// Pools reports whether acc_t_pooled is a part of the meta score. Only then is it computed.
func (p Preset) Pools() bool {
	return slices.ContainsFunc(p.parts(), func(q part) bool { return q.id == segmentPooled.id })
}

// meta returns the mean of the parts. It is NaN if a part is undefined.
func (p Preset) meta(r Result) float64 {
	var s stat.Sum
	parts := p.parts()
	for _, part := range parts {
		s.Add(part.scaled(part.value(r)))
	}
	return s.Value() / float64(len(parts))
}

// rounding is the difference up to which two values count as equal.
const rounding = 1e-12

// rank sorts results by meta score, best first, and sets their ranks. Equal results
// share a rank, and all results without a meta score share the last.
func rank(results []Result) {
	slices.SortStableFunc(results, func(a, b Result) int {
		return cmp.Or(compareMeta(a.Meta, b.Meta), strings.Compare(a.Name, b.Name))
	})
	for i := range results {
		results[i].Rank = i + 1
		if i > 0 && compareMeta(results[i-1].Meta, results[i].Meta) == 0 {
			results[i].Rank = results[i-1].Rank
		}
	}
	// Results that share a rank are sorted by name, even if their meta scores differ
	// by a rounding error.
	slices.SortStableFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(a.Name, b.Name))
	})
}

// compareMeta orders the higher value first and NaN last. Values that differ by at most
// rounding are equal.
func compareMeta(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	case math.Abs(a-b) <= rounding:
		return 0
	}
	return cmp.Compare(b, a)
}
