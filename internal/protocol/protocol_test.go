package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lookup is a protocol that comes with the program.
func lookup(t *testing.T, id string) *Protocol {
	t.Helper()
	p, ok := Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p
}

func TestLookup(t *testing.T) {
	for _, id := range IDs() {
		p, ok := Lookup(id)
		if !ok || p.ID != id {
			t.Errorf("Lookup(%q) = %v, %v", id, p, ok)
		}
		if _, nominal := p.NominalGate(); nominal || p.Gate == "" {
			continue
		}
		if h := p.HumanScores(); len(h) == 0 || h[0].Score != p.Gate {
			t.Errorf("%s: the gate runs on %q, and the first human score is %v", id, p.Gate, h)
		}
	}
	if _, ok := Lookup("nosuch"); ok {
		t.Error("found a protocol that is not there")
	}
}

// TestSQMCriteria: every value of the scale is named and explained, in order.
func TestSQMCriteria(t *testing.T) {
	s, ok := lookup(t, "sqm").Score("sqm")
	if !ok || s.Min != 0 || s.Max != 4 || len(s.Levels) != 5 {
		t.Fatalf("the scale is %+v", s)
	}
	for i, l := range s.Levels {
		if l.Value != i || l.Name == "" || l.Text == "" {
			t.Errorf("level %d is %+v", i, l)
		}
	}
}

// TestDesign holds the protocols to the table and the lists of the design.
func TestDesign(t *testing.T) {
	tests := []struct {
		id, scores, severities, derived, gate, gateByDefault string
		tolerance                                            float64
	}{
		{"sqm", "sqm 0-4", "", "", "sqm", "on", 0.5},
		{"esa", "score 0-100", "minor major", "mqm", "score", "report", 10},
		{"mqm", "", "neutral minor major critical", "mqm", "mqm", "report", 1},
		{"rate", "accuracy 0-100 fluency 0-100", "1 2 3 4 5", "rate rate_mqm rate_esa", "rate_esa", "report", 10},
		{"inspect", "difficulty 1-5", "", "", "keep", "on", 0},
		{"reference", "", "", "", "best", "off", 0},
		{"review", "", "", "", "verdict", "off", 0},
		{"terms", "", "", "", "", "report", 0},
		{"culture", "", "", "share", "share", "report", 0.1},
	}
	for _, tt := range tests {
		p := lookup(t, tt.id)
		var scores, severities, derived []string
		for _, s := range p.Scores {
			scores = append(scores, fmt.Sprintf("%s %d-%d", s.Name, s.Min, s.Max))
		}
		if p.Spans != nil {
			for _, s := range p.Spans.Severities {
				severities = append(severities, s.ID)
			}
		}
		for _, d := range p.Derived {
			derived = append(derived, d.Name)
		}
		for _, c := range []struct{ what, got, want string }{
			{"scores", strings.Join(scores, " "), tt.scores}, {"severities", strings.Join(severities, " "), tt.severities},
			{"derived", strings.Join(derived, " "), tt.derived}, {"gate", p.Gate, tt.gate}, {"gate setting", p.GateByDefault, tt.gateByDefault},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s %q, want %q", tt.id, c.what, c.got, c.want)
			}
		}
		if p.Tolerance != tt.tolerance {
			t.Errorf("%s: tolerance %v, want %v", tt.id, p.Tolerance, tt.tolerance)
		}
	}
}

// TestCategories: those of MQM (Feng et al. 2025, Table 13) and RATE (Popov et al. 2025, appendix B), in their order.
func TestCategories(t *testing.T) {
	want := map[string][]string{
		"esa": nil,
		"mqm": {
			"Accuracy/Addition", "Accuracy/Omission", "Accuracy/Mistranslation", "Accuracy/Untranslated text",
			"Fluency/Punctuation", "Fluency/Spelling", "Fluency/Grammar", "Fluency/Register", "Fluency/Inconsistency", "Fluency/Character encoding",
			"Terminology/Inappropriate for context", "Terminology/Inconsistent use", "Style/Awkward",
			"Locale convention/Address format", "Locale convention/Currency format", "Locale convention/Date format",
			"Locale convention/Name format", "Locale convention/Telephone format", "Locale convention/Time format",
			"Other", "Source error", "Non-translation",
		},
		"rate": {
			"Mistranslation", "Undertranslation", "Overtranslation", "Omission",
			"Grammar", "Fluency", "Style", "Inconsistency", "Named entity", "Do not translate", "Other",
		},
	}
	for id, list := range want {
		var got []string
		for _, c := range lookup(t, id).Spans.Categories {
			if len(c.Sub) == 0 {
				got = append(got, c.Name)
			}
			for _, s := range c.Sub {
				got = append(got, c.Name+"/"+s.Name)
			}
		}
		if !slices.Equal(got, list) {
			t.Errorf("%s: got %q, want %q", id, got, list)
		}
	}
}

// TestWords: whatever an annotator chooses from is explained.
func TestWords(t *testing.T) {
	for _, id := range IDs() {
		p := lookup(t, id)
		if len(p.Guide.Intro) == 0 || len(p.Guide.Hints) == 0 {
			t.Errorf("%s has no guide", id)
		}
		explained := func(what, text string) {
			if text == "" {
				t.Errorf("%s: %s is not explained", id, what)
			}
		}
		for _, s := range p.Scores {
			for _, l := range s.Levels {
				explained(s.Name+" "+l.Name, l.Text)
			}
		}
		if p.Spans == nil {
			continue
		}
		for _, s := range p.Spans.Severities {
			explained(s.ID, s.Text)
		}
		for _, c := range p.Spans.Categories {
			explained(c.Name, c.Text)
			for _, sub := range c.Sub {
				explained(sub.Name, sub.Text)
			}
		}
	}
}

// TestScales: ESA has its four anchors (Popov et al. 2025, section 2.1), RATE the five bands of
// Popov et al. 2025, Figure 6, without a gap.
func TestScales(t *testing.T) {
	var anchors []int
	esa, _ := lookup(t, "esa").Score("score")
	for _, l := range esa.Levels {
		anchors = append(anchors, l.Value)
	}
	if !slices.Equal(anchors, []int{0, 33, 66, 100}) {
		t.Errorf("the anchors of ESA are %v", anchors)
	}
	for _, s := range lookup(t, "rate").Scores {
		var bands []string
		for _, l := range s.Levels {
			bands = append(bands, fmt.Sprintf("%d-%d", l.Value, l.To))
		}
		if got := strings.Join(bands, " "); got != "0-29 30-49 50-69 70-89 90-100" {
			t.Errorf("the bands of %s are %s", s.Name, got)
		}
	}
}
