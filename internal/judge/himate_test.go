package judge

import (
	"math"
	"slices"
	"strings"
	"testing"
)

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
		if got := ConfidenceThreshold(tt.confidences); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.confidences, got, tt.want)
		}
	}
	if got := ConfidenceThreshold(nil); !math.IsNaN(got) {
		t.Errorf("without confidences: %v", got)
	}
}

// reflect19 answers every subtype with "no error" but one.
func reflect19(subtype string, turns ...[2]string) [][2]string {
	var all [][2]string
	for _, s := range subtypes {
		step := s.core + "/" + s.name + "/"
		if s.name != subtype {
			all = append(all, [2]string{step + "evaluate", `{"error": false}`})
			continue
		}
		for _, turn := range turns {
			all = append(all, [2]string{step + turn[0], turn[1]})
		}
	}
	return all
}

// TestReflectionAndDiscussion checks who is asked what when a finding is discussed over two turns. No
// reply has a log-probability, so the finding is discussed in spite of the threshold.
func TestReflectionAndDiscussion(t *testing.T) {
	threshold := -1.0
	task := kang
	task.Threshold = &threshold
	x := transcript(t, "himate", task)
	calls := converse(t, x, reflect19("Omission",
		[2]string{"evaluate", `{"error": true, "severity": "Major", "span": "炕", "explanation": "The heated bed is missing."}`},
		[2]string{"correct", "Grandma sat on the kang, sewing soles."},
		[2]string{"compare", `{"corrected": true}`},
		[2]string{"discuss/turn 1/core", `{"error": false, "severity": "Neutral", "opinion": "A sofa will do."}`},
		[2]string{"discuss/turn 1/subtype", `{"agree": false, "opinion": "It will not."}`},
		[2]string{"discuss/turn 2/core", `{"error": true, "severity": "Minor", "opinion": "Then a small one."}`},
		[2]string{"discuss/turn 2/subtype", `{"agree": true}`}))
	at := func(step string) Call { return calls["Accuracy/Omission/"+step] }
	mustHold(t, at("correct"), kang.Source, kang.Translations[0], "is missing in the translation", "The heated bed is missing.", "major", "炕")
	mustHold(t, at("compare"), kang.Translations[0], "Grandma sat on the kang, sewing soles.")
	if !at("compare").LogProbs || at("correct").LogProbs {
		t.Error("only the comparison asks for its log-probability")
	}
	mustHold(t, at("discuss/turn 1/core"), "all Accuracy errors", kang.Source, kang.Translations[0], "The heated bed is missing.")
	mustLack(t, at("discuss/turn 1/core"), "What was said so far")
	mustHold(t, at("discuss/turn 1/subtype"), "A sofa will do.", "The heated bed is missing.")
	mustHold(t, at("discuss/turn 2/core"), "A sofa will do.", "It will not.")
	mustHold(t, at("discuss/turn 2/subtype"), "Then a small one.")
	j := x.Judgements()[0]
	if len(j.Errors) != 1 || *j.Score != -1 {
		t.Fatalf("%+v, want one minor error", j)
	}
	e := j.Errors[0]
	if want := (Place{SideSource, 4, 5, true}); e.Severity != "minor" || e.Category != "Accuracy/Omission" || e.Place != want || e.Comment == "" {
		t.Errorf("%+v, want a minor omission at %+v", e, want)
	}
	if j.Confidences != nil {
		t.Errorf("confidences %v without log-probabilities", j.Confidences)
	}
}

func TestHimateOutcomes(t *testing.T) {
	major := [2]string{"evaluate", `{"error": true, "severity": "Major", "span": "sofa"}`}
	for _, tt := range []struct {
		name  string
		turns [][2]string
		score float64 // positive: unparsable
	}{
		{"not improved", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": "no"}`}}, 0},
		{"rejected", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": true}`}, {"discuss/turn 1/core", `{"error": false}`}, {"discuss/turn 1/subtype", `{"agree": true}`}}, 0},
		{"neutral", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": true}`}, {"discuss/turn 1/core", `{"error": true, "severity": "neutral"}`}, {"discuss/turn 1/subtype", `{"agree": true}`}}, 0},
		{"no agreement", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": true}`},
			{"discuss/turn 1/core", `{"error": false}`}, {"discuss/turn 1/subtype", `{"agree": false}`},
			{"discuss/turn 2/core", `{"error": true, "severity": "Minor"}`}, {"discuss/turn 2/subtype", `{"agree": false}`}}, -1},
		{"critical", [][2]string{{"evaluate", `{"error": true, "severity": "Critical", "span": "sofa"}`}}, 1},
		{"no severity", [][2]string{{"evaluate", `{"error": true}`}}, 1},
		{"no verdict", [][2]string{{"evaluate", `{"severity": "Major"}`}}, 1},
		{"empty correction", [][2]string{major, {"correct", " "}}, 1},
		{"no comparison", [][2]string{major, {"correct", "x"}, {"compare", "It is better."}}, 1},
		{"no opinion", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": true}`}, {"discuss/turn 1/core", "hm"}, {"discuss/turn 1/subtype", `{"agree": true}`}}, 1},
		{"no answer", [][2]string{major, {"correct", "x"}, {"compare", `{"corrected": true}`}, {"discuss/turn 1/core", `{"error": false}`}, {"discuss/turn 1/subtype", "hm"}}, 1},
	} {
		x := transcript(t, "himate", kang)
		converse(t, x, reflect19("Mistranslation", tt.turns...))
		j := x.Judgements()[0]
		if (j.Score == nil) != (tt.score > 0) || j.Score != nil && *j.Score != tt.score {
			t.Errorf("%s: %+v, want %g", tt.name, j, tt.score)
		}
		if tt.score == 0 && len(j.Errors) > 0 {
			t.Errorf("%s: the judgement keeps %+v", tt.name, j.Errors)
		}
	}
}
