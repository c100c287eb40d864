package judge

import (
	"errors"
	"strings"
	"testing"
)

// TestAcreTranscript checks who is asked what.
func TestAcreTranscript(t *testing.T) {
	x := transcript(t, "acre", kang)
	calls := converse(t, x, [][2]string{
		{"dispatch", "Protocol A"}, {"validate", "Decision: VALID"}, {"fidelity", "Score: 2"}, {"clarity", "Score: 5"},
	})
	if j := x.Judgements()[0]; *j.Score != 3.5 || j.Scores["fidelity"] != 2 || j.Scores["clarity"] != 5 {
		t.Errorf("%+v, want 3.5", j)
	}
	for step, c := range calls {
		if len(c.Messages) != 2 || c.Messages[0].Role != "system" || c.Messages[1].Role != "user" || c.Temperature != 0 {
			t.Errorf("%s: %+v, want a system and a user message without examples", step, c.Messages)
		}
	}
	mustHold(t, calls["dispatch"], "奶奶坐在[炕]上纳鞋底。", "Protocol A", "Protocol B")
	mustLack(t, calls["dispatch"], kang.Explication, kang.Translations[0])
	mustHold(t, calls["validate"], "Protocol: Protocol A", kang.Source, "Cultural term: 炕", kang.Explication, kang.Translations[0], "VALID or INVALID")
	mustLack(t, calls["validate"], kang.Reference)
	mustHold(t, calls["fidelity"], "Protocol: Protocol A", kang.Source, kang.Reference, kang.Translations[0], "Protocol A is in use")
	mustLack(t, calls["fidelity"], "Protocol B is in use")
	mustHold(t, calls["clarity"], kang.Source, kang.Translations[0], "whose language is English")
	mustLack(t, calls["clarity"], kang.Reference, kang.Explication)
}

func TestAcreNeeds(t *testing.T) {
	m, err := Lookup("acre")
	if err != nil {
		t.Fatal(err)
	}
	task := kang
	task.Reference = "" // it is used, but not required
	task.Term = "龙"     // it need not stand in the source
	x := transcript(t, "acre", task)
	calls := converse(t, x, [][2]string{{"dispatch", "Protocol B"}, {"validate", "Decision: VALID"}, {"fidelity", "Score: 1"}, {"clarity", "Score: 1"}})
	mustHold(t, calls["dispatch"], "[龙]")
	mustLack(t, calls["fidelity"], "Reference:")
	mustHold(t, calls["fidelity"], "Protocol B is in use")

	for field, change := range map[string]func(*Task){
		"term": func(t *Task) { t.Term = "" }, "explication": func(t *Task) { t.Explication = "" }, "source": func(t *Task) { t.Source = "" },
		"translation": func(t *Task) { t.Translations = nil },
	} {
		task := kang
		change(&task)
		_, err := m.Begin(task)
		if needs, ok := errors.AsType[*NeedsError](err); !ok || needs.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
	task = kang
	task.Translations = []string{"a", "b"}
	if _, err := m.Begin(task); err == nil || !strings.Contains(err.Error(), "one translation at a time") {
		t.Errorf("two translations: %v", err)
	}
}
