package campaign

import (
	"testing"

	"annotate/internal/protocol"
)

func TestFilter(t *testing.T) {
	for text, want := range map[string]string{
		"difficulty>=7": "difficulty>=7", " llm-1 <= -0.50 ": "llm-1<=-0.5", "a<b>=1e3": "a<b>=1000",
		"difficulty": "", ">=7": "", "difficulty>7": "", "difficulty>=": "", "difficulty>=NaN": "", "difficulty>=Inf": "", "difficulty>=7x": "",
	} {
		f, err := NewFilter(text)
		if got := f.String(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	inspect, _ := protocol.Lookup("inspect")
	sqm, _ := protocol.Lookup("sqm")
	for _, p := range []*protocol.Protocol{inspect, sqm} {
		c := Campaign{Rules: p, Settings: Settings{Filter: "difficulty>=7"}}
		if _, ok := c.SourceFilter(); ok != (p == inspect) {
			t.Errorf("%s: filtered %v", p.ID, ok)
		}
		if _, ok := c.SideOf(Training, "x").SourceFilter(); ok {
			t.Errorf("%s: training is filtered", p.ID)
		}
	}
}
