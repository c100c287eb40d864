package judge

import (
	"strings"
	"testing"
	"time"
)

// The line about a judge names the method that it follows, the source of its prompts, the model, the
// server, the days and the parameters.
func TestAbout(t *testing.T) {
	m, err := Lookup("gemba-mqm")
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	own := About{Method: m.Name, Version: 1, PromptHash: m.PromptHash(), Model: "m", Server: "http://a/v1", First: day, Last: day, Retries: 2, Seed: 4}
	threshold := -0.52
	for want, change := range map[string]func(*About){
		"gemba-mqm, version 1, after GEMBA-MQM, our wording 2; model m at http://a/v1; 2026-03-01; temperature 0, 2 retries, seed 4": func(*About) {},
		"gemba-mqm, version 1, after GEMBA-MQM, our wording 1; model m (server not recorded); 2026-03-01 to 2026-03-02; temperature 0, 1 retry, seed 4": func(a *About) {
			a.PromptHash, a.Server, a.Last, a.Retries = m.Wordings[0], "", day.Add(time.Hour), 1
		},
		"gemba-mqm, version 1, after GEMBA-MQM, prompts from a file (SHA-256 abc); model m at http://a/v1; temperature 0, 0 retries, seed 4; with a search engine": func(a *About) {
			a.PromptHash, a.PromptFile, a.First, a.Last, a.Retries, a.Search = "other", "abc", time.Time{}, time.Time{}, 0, true
		},
		"gone x, version 3, prompts from a file (hash of the prompts other); model m at http://a/v1; 2026-03-01; temperature 0, 2 retries, seed 4; threshold -0.52 from 3 segments that the judge does not judge": func(a *About) {
			a.Method, a.Variant, a.Version, a.PromptHash, a.Threshold, a.Calibrated = "gone", "x", 3, "other", &threshold, 3
		},
		"imported; method gemba-mqm; model m; nothing else is known": func(a *About) { a.Version = 0 },
	} {
		a := own
		change(&a)
		if got := a.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	other, err := m.ReadPrompts([]byte("-- system --\nYou are strict.\n"))
	if err != nil || !strings.Contains(other.Asks(""), "prompts from a file (SHA-256 5103") {
		t.Errorf("%q, %v", other.Asks(""), err)
	}
}
