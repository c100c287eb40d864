package segments

import (
	"fmt"
	"testing"

	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

// TestThreadStates: a form is unfolded where an annotator waits, and the badge says for what.
func TestThreadStates(t *testing.T) {
	answer := []readmodel.Message{{Kind: readmodel.Said, ByLead: true, At: pagetest.Noon}}
	for want, thread := range map[string]readmodel.Thread{
		"to answer true":         {ID: "1", Waits: true},
		"problem to answer true": {ID: "1", Waits: true, OpenProblem: "p"},
		"answered false":         {ID: "1", Messages: answer},
		"no answer needed false": {ID: "1"},
		"1 comment false":        {Comments: make([]readmodel.Comment, 1)},
	} {
		e := threadEntry{Thread: thread}
		if _, text := e.state(); fmt.Sprint(text, " ", e.pressing()) != want {
			t.Errorf("%+v is %s, %t, want %s", thread, text, e.pressing(), want)
		}
	}
}
