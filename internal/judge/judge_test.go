package judge

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A reference is a case of testdata with the judgement it must give.
type reference struct {
	Case
	Expected struct {
		expectation
		Candidates []expectation `json:"candidates"`
	} `json:"expected"`
}

type expectation struct {
	Status   Status          `json:"status"`
	Score    *float64        `json:"score"`
	Errors   []expectedError `json:"errors"` // nil if the case does not say
	ScoreEq1 *float64        `json:"score_eq1"`
}

type expectedError struct {
	Severity   *string `json:"severity"`
	Category   string  `json:"category"`
	Text       string  `json:"text"`
	SourceText string  `json:"source_text"`
	Starts     []int   `json:"starts"` // all places in the translation; nil if the case does not say
}

func readTestdata(t testing.TB, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestReferenceCases replays every reference case of every method.
func TestReferenceCases(t *testing.T) {
	for _, m := range Methods() {
		var cases []reference
		readTestdata(t, m.Name+".json", &cases)
		if len(cases) == 0 {
			t.Errorf("%s has no reference cases", m.Name)
		}
		for _, c := range cases {
			t.Run(m.Name+"/"+c.Name, func(t *testing.T) {
				got, _, err := m.Replay(c.Case)
				if err != nil {
					t.Fatal(err)
				}
				want := c.Expected.Candidates
				if want == nil {
					want = []expectation{c.Expected.expectation}
				}
				if len(got) != len(want) {
					t.Fatalf("%d judgements, want %d", len(got), len(want))
				}
				texts := c.Translations
				if texts == nil {
					texts = []string{c.Translation}
				}
				for i := range want {
					checkJudgement(t, got[i], want[i], texts[i])
				}
			})
		}
	}
}

func checkJudgement(t *testing.T, got Judgement, want expectation, translation string) {
	t.Helper()
	if got.Status != want.Status {
		t.Errorf("status %s (%s), want %s", got.Status, got.Why, want.Status)
	}
	if (got.Score == nil) != (want.Score == nil) || got.Score != nil && math.Abs(*got.Score-*want.Score) > 1e-9 {
		t.Errorf("score %v, want %v", show(got.Score), show(want.Score))
	}
	if eq1, ok := got.Scores["score_eq1"]; want.ScoreEq1 != nil && (!ok || math.Abs(eq1-*want.ScoreEq1) > 1e-9) {
		t.Errorf("score_eq1 %v, want %v", eq1, *want.ScoreEq1)
	}
	if want.Errors == nil && got.Status == OK {
		return
	}
	if len(got.Errors) != len(want.Errors) {
		t.Fatalf("errors %+v, want %+v", got.Errors, want.Errors)
	}
	for i, w := range want.Errors {
		g := got.Errors[i]
		severity := ""
		if w.Severity != nil {
			severity = *w.Severity
		}
		if g.Severity != severity || g.Category != w.Category || g.Text != w.Text {
			t.Errorf("error %d: %q %q %q, want %q %q %q", i, g.Severity, g.Category, g.Text, severity, w.Category, w.Text)
		}
		onTarget := g.Placed && g.Side == SideTarget
		if w.Starts != nil && !isNonTranslation(g.Category) && (onTarget != (len(w.Starts) > 0) || onTarget && !slices.Contains(w.Starts, g.Start)) {
			t.Errorf("error %d of %q: place %+v, want one of %v", i, translation, g.Place, w.Starts)
		}
	}
}

func show(score *float64) any {
	if score == nil {
		return nil
	}
	return *score
}

// TestEveryMethodIsWhole checks what all methods have in common.
func TestEveryMethodIsWhole(t *testing.T) {
	for _, m := range Methods() {
		if m.Title == "" || m.Version < 1 || m.Scale.Lowest >= m.Scale.Highest || len(m.Prompts) == 0 || m.judge == nil {
			t.Errorf("%s lacks a part: %+v", m.Name, m)
		}
		if c := m.Calls; c.Least < 1 || c.Usual < c.Least || c.Most < c.Usual {
			t.Errorf("%s: forecast %+v is not in order", m.Name, c)
		}
		if n := len(m.Wordings); n == 0 || m.Wordings[n-1] != m.PromptHash() {
			t.Errorf("%s: a prompt has changed; add the hash %s to its wordings", m.Name, m.PromptHash())
		}
		seen := map[string]bool{}
		for _, p := range m.Prompts {
			if err := p.check(); err != nil || seen[p.Name] {
				t.Errorf("%s: prompt %q: twice or wrong: %v", m.Name, p.Name, err)
			}
			seen[p.Name] = true
		}
	}
	if _, err := Lookup("gemba"); err == nil {
		t.Error("Lookup finds a method that does not exist")
	}
}

func TestAskingAgain(t *testing.T) {
	m, err := Lookup("gemba-da")
	if err != nil {
		t.Fatal(err)
	}
	task := Task{SourceLang: "English", TargetLang: "German", Source: "One.", Translations: []string{"Eins."}, Retries: 2}
	begin := func() *Machine {
		t.Helper()
		x, err := m.Begin(task)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	next := func(x *Machine) Call {
		t.Helper()
		calls, done := x.Next()
		if done || len(calls) != 1 {
			t.Fatalf("calls %+v, done %v; want one call", calls, done)
		}
		return calls[0]
	}

	x := begin()
	for attempt, temperature := range []float64{0, 0.1, 0.2} {
		c := next(x)
		if c.Step != "score" || c.Attempt != attempt || c.Temperature != temperature || c.MaxTokens != 500 {
			t.Errorf("attempt %d: %+v, want temperature %g and 500 tokens", attempt, c, temperature)
		}
		if again := next(x); again.Attempt != c.Attempt {
			t.Errorf("Next without an answer went on to %+v", again)
		}
		x.Answer(c, Reply{Text: "good"})
	}
	if _, done := x.Next(); !done || x.Judgements()[0].Status != Unparsable || x.Judgements()[0].Score != nil || x.Judgements()[0].Why == "" {
		t.Errorf("after three unreadable replies: done %v, %+v", done, x.Judgements())
	}

	x = begin()
	x.Answer(next(x), Reply{Text: "8", FinishReason: "length"})
	if c := next(x); c.MaxTokens != 0 {
		t.Errorf("after a reply that was cut for length the limit is %d tokens, want none", c.MaxTokens)
	}

	for _, r := range []Reply{{Text: "85", FinishReason: "content_filter"}, {Text: "85", Err: errors.New("no connection")}} {
		x = begin()
		x.Answer(next(x), r)
		if _, done := x.Next(); !done || x.Judgements()[0].Status != Unparsable {
			t.Errorf("after %+v: done %v, %+v; want unparsable without another call", r, done, x.Judgements())
		}
	}
}
