package campaign

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Filter preselects segments by the score that a metric or a judge gave to their source. It applies under protocols whose unit
// is the segment.
type Filter struct {
	Metric string  // or a judge
	Below  bool    // a segment passes at or below Score, instead of at or above it
	Score  float64 // finite
}

// NewFilter reads a filter in the form of the setting: METRIC>=X or METRIC<=X.
func NewFilter(text string) (f Filter, err error) {
	at := strings.LastIndexAny(text, "<>")
	if at > 0 && strings.HasPrefix(text[at+1:], "=") {
		f.Metric, f.Below = strings.TrimSpace(text[:at]), text[at] == '<'
		f.Score, err = strconv.ParseFloat(strings.TrimSpace(text[at+2:]), 64)
	}
	if f.Metric == "" || err != nil || math.IsNaN(f.Score) || math.IsInf(f.Score, 0) {
		return f, fmt.Errorf("write METRIC>=X or METRIC<=X, such as difficulty>=7, or leave it empty; not %q", text)
	}
	return f, CheckName("metric", f.Metric)
}

// String is the filter in the form that [NewFilter] reads.
func (f Filter) String() string {
	sign := ">="
	if f.Below {
		sign = "<="
	}
	return f.Metric + sign + strconv.FormatFloat(f.Score, 'g', -1, 64)
}

// SourceFilter is the filter of the campaign's segments. ok is false if the campaign has none. Only protocols whose
// unit is the segment have filters.
func (c Campaign) SourceFilter() (f Filter, ok bool) {
	if c.Settings.Filter == "" || c.Rules == nil || !c.Rules.OfSegments() || c.Side != "" {
		return f, false
	}
	f, err := NewFilter(c.Settings.Filter)
	return f, err == nil
}
