package annotating

import (
	"strings"
	"testing"

	"annotate/internal/protocol"
)

// marked is a segment under a protocol, with a carriage return in its source and an
// untouched, an empty and a marked translation.
func marked(t *testing.T, id string) AnnotateView {
	v := segment(t)
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatal(id)
	}
	v.Protocol, v.SourceText = p, "one\r\ntwo"
	v.Cards = []Card{{Index: 0, Text: "<b>x</b>\r\n"}, {Index: 1}, {Index: 2, Text: "abc", Spans: []protocol.ErrorSpan{
		{Side: protocol.Target, End: 1, Text: "a", Severity: "minor"}, {ID: "s1", Side: protocol.Target, End: 2, Text: "ab", Severity: "minor"}, {Side: protocol.Target, End: 3, Text: "abc", Severity: "minor"},
	}}}
	MarkSame(v.Cards)
	return v
}

// TestMarkingState: the scripts get the texts to the last character, what may be
// said of an error, and an id for every error.
func TestMarkingState(t *testing.T) {
	for _, id := range []string{"esa", "mqm"} {
		state := marked(t, id).State()
		if *state.Source != "one\r\ntwo" || *state.Cards[0].Text != "<b>x</b>\r\n" || len(state.Marking.Severities) == 0 || (state.Marking.Derived != nil) != (id == "mqm") {
			t.Errorf("%s: %+v", id, state)
		}
		var ids []string
		for _, s := range *state.Cards[2].Spans {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != "s2 s1 s3" {
			t.Errorf("%s: ids %q", id, got)
		}
	}
}

// TestMarkingStateReadOnly: where nothing can be marked, the scripts get what they need to say what was marked, and no suggestions.
func TestMarkingStateReadOnly(t *testing.T) {
	v := marked(t, "terms")
	v.ReadOnly, v.Cards[0].Suggestions = "It is submitted.", []protocol.ErrorSpan{{ID: "x"}}
	if m := v.State().Marking; m == nil || !m.Terms || len(m.Questions) != 2 || m.Suggestions {
		t.Errorf("the marking is %+v", m)
	}
}
