package judge

import (
	"slices"
	"strings"
	"testing"
)

func TestSpanMatch(t *testing.T) {
	var rows []struct {
		Gold, Detected, Unit string
		Threshold            float64
		Match                bool
	}
	readTestdata(t, "himate-span-matching.json", &rows)
	if len(rows) != 120 {
		t.Errorf("%d rows, want 120", len(rows))
	}
	for _, r := range rows {
		tokens := strings.Fields
		if r.Unit == "character" {
			tokens = func(s string) []string { return strings.Split(s, "") }
		}
		if got := SpanMatch(tokens(r.Gold), tokens(r.Detected), r.Threshold); got != r.Match {
			t.Errorf("%+v: %v", r, got)
		}
	}
	if SpanMatch(nil, nil, 0.5) {
		t.Error("nothing matches nothing")
	}
}

// TestHimateSubtypes checks the order of the subtypes, and that each has its own worked example.
func TestHimateSubtypes(t *testing.T) {
	want := []string{"Addition", "Omission", "Mistranslation", "Untranslated text", "Inappropriate for context", "Inconsistent use",
		"Punctuation", "Spelling", "Grammar", "Register", "Inconsistency", "Character encoding", "Awkward",
		"Address format", "Currency format", "Date format", "Name format", "Telephone format", "Time format"}
	var got []string
	for _, s := range subtypes {
		got = append(got, s.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("subtypes %q, want %q", got, want)
	}
	x := transcript(t, "himate", Task{SourceLang: "English", TargetLang: "German", Source: "One.", Translations: []string{"Eins."}})
	calls, _ := x.Next()
	if len(calls) != 19 {
		t.Fatalf("%d calls can be made at once, want 19", len(calls))
	}
	for i, c := range calls {
		if len(c.Messages) != 5 || c.Step != subtypes[i].core+"/"+want[i]+"/evaluate" {
			t.Errorf("%s: %d messages, want two worked examples and the request", c.Step, len(c.Messages))
			continue
		}
		if a := c.Messages[3]; !strings.Contains(a.Content, `"error":true`) {
			t.Errorf("%s: the second example has no error: %s", c.Step, a.Content)
		}
		mustHold(t, c, subtypes[i].definition, "Source: One.", "Translation: Eins.", "English", "German")
	}
}

func TestConfidenceThreshold(t *testing.T) {
	for _, tt := range []struct {
		confidences []float64
		want        float64
	}{
		{[]float64{-3}, -3},
		{[]float64{-1, -2}, -1.4},
		{[]float64{-5, -1, -4, -2, -3, -6}, -3},
	} {
		if got, ok := ConfidenceThreshold(tt.confidences); !ok || got != tt.want {
			t.Errorf("%v: %v, %v, want %v", tt.confidences, got, ok, tt.want)
		}
	}
	if _, ok := ConfidenceThreshold(nil); ok {
		t.Error("no confidences give a threshold")
	}
}
