package annotating

import (
	"encoding/json"
	"strings"
	"testing"

	"annotate/internal/protocol"
	"annotate/internal/wire"
	"annotate/web/templates/pagetest"
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
	for _, id := range []string{"esa", "mqm", "rate"} {
		doc, html := pagetest.Written(t, Annotate(marked(t, id)))
		var state wire.State
		if err := json.Unmarshal([]byte(doc.Find("#assignment-state").Text()), &state); err != nil {
			t.Fatal(err)
		}
		if *state.Source != "one\r\ntwo" || *state.Cards[0].Text != "<b>x</b>\r\n" || *state.Cards[1].Text != "" {
			t.Errorf("%s: texts %q %q %q", id, *state.Source, *state.Cards[0].Text, *state.Cards[1].Text)
		}
		if state.Scores == nil || state.Marking == nil || len(state.Marking.Severities) == 0 || (state.Marking.Derived != nil) != (id == "mqm") {
			t.Errorf("%s: %+v", id, state)
		}
		var ids []string
		for _, s := range *state.Cards[2].Spans {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != "s2 s1 s3" {
			t.Errorf("%s: ids %q", id, got)
		}
		if *state.Cards[0].Spans == nil || *state.Cards[0].NoErrors {
			t.Errorf("%s: an untouched card has %+v", id, state.Cards[0].Marks)
		}
		if n := doc.Find("[data-side=target]").Length(); n != 2 || doc.Find("[data-side=source]").Text() == "" {
			t.Errorf("%s: %d translations to mark in", id, n)
		}
		if strings.Contains(html, "<b>x") {
			t.Errorf("%s: a text became HTML", id)
		}
	}
	// Under a protocol without marks nothing of this is sent.
	_, html := pagetest.Written(t, Annotate(segment(t)))
	for _, word := range []string{"marking.css", "no_errors", `"spans"`, "data-side", "whole-words"} {
		if strings.Contains(html, word) {
			t.Errorf("a page without marks has %q", word)
		}
	}
}
