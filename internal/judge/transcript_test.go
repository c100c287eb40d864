package judge

import (
	"strings"
	"testing"
)

// transcript begins a machine of a method.
func transcript(t *testing.T, method string, task Task) *Machine {
	t.Helper()
	m, err := Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Begin(task)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// converse answers the calls of a machine one after the other. Each turn names the step that must be
// asked and its reply. It returns the calls by their steps.
func converse(t *testing.T, x *Machine, turns [][2]string) map[string]Call {
	t.Helper()
	calls := map[string]Call{}
	for _, turn := range turns {
		open, done := x.Next()
		if done {
			t.Fatalf("the machine is done before step %s", turn[0])
		}
		if open[0].Step != turn[0] {
			t.Fatalf("step %s, want %s", open[0].Step, turn[0])
		}
		calls[turn[0]] = open[0]
		x.Answer(open[0], Reply{Text: turn[1]})
	}
	if open, done := x.Next(); !done {
		t.Fatalf("the machine asks on: %s", open[0].Step)
	}
	return calls
}

// all is the text of all messages of a call.
func all(c Call) string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// mustHold checks that the messages of a call hold words.
func mustHold(t *testing.T, c Call, words ...string) {
	t.Helper()
	for _, w := range words {
		if w == "" || !strings.Contains(all(c), w) {
			t.Errorf("step %s does not hold %q:\n%s", c.Step, w, all(c))
		}
	}
}

// mustLack checks that the messages of a call do not hold words.
func mustLack(t *testing.T, c Call, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(all(c), w) {
			t.Errorf("step %s holds %q:\n%s", c.Step, w, all(c))
		}
	}
}
