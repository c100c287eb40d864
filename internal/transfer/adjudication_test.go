package transfer

import (
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// An adjudication that is not whole, that contradicts another one or what is decided, or
// that is by somebody who is no adjudicator, is refused, and nothing is stored.
func TestAdjudicationsRefused(t *testing.T) {
	const a, b = `{"segment_id":"1","system":"A","annotator":"judge","adjudicated":true,"scores":{"sqm":1}}`, `{"segment_id":"1","system":"B","annotator":"judge","adjudicated":true,"scores":{"sqm":2}}`
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	bring := func(format, text string) error {
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: format, Files: []File{file("f", text)}})
		s.Reload(t)
		return err
	}
	storetest.Check(t, bring("jsonl", twoSegments))
	by := func(line, login string) string { return strings.Replace(line, "judge", login, 1) }
	refused := func(text, want string) {
		t.Helper()
		before := exported(t, db, s.Campaign, "ratings")
		if err := bring("ratings", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("refused with %v, want %q", err, want)
		}
		if after := exported(t, db, s.Campaign, "ratings"); after != before {
			t.Errorf("a refused import stored %s", after)
		}
	}
	refused(a, "f:1: adjudicated: the adjudication of the segment lacks a line for the translation by B; add it")
	refused(a+"\n"+strings.Replace(b, `"1"`, `"2"`, 1), "f:2: adjudicated: the adjudication of the segment lacks a line for the translation by A; add it") // all are told, not the first alone
	refused(a+"\n"+by(b, "zora"), "f:2: adjudicated: the segment is adjudicated twice, by judge at f:1 and by zora here; keep the lines of one of them")
	refused(a+"\n"+b+"\n"+a, "f:3: adjudicated: the translation is adjudicated twice, at f:1 and here; keep one of the lines")
	refused(strings.Replace(a, `"1"`, `"9"`, 1), `f:1: segment_id: the campaign has no segment "9"; correct the line, leave it out, or import the segment first`)
	refused(by(a, s.Annotators[0].Login)+"\n"+by(b, s.Annotators[0].Login), "f:1: annotator: "+s.Annotators[0].Login+" has the role annotator in this campaign and is no adjudicator")
	storetest.Check(t, bring("ratings", a+"\n"+b))
	refused(a+"\n"+b, "f:2: adjudicated: the segment is decided here already: adjudicate")
	// An adjudicator may have annotated other segments: the order of lines does not matter.
	other := strings.NewReplacer(`"1"`, `"2"`, "judge", "both")
	rated := strings.NewReplacer(`"1"`, `"1"`, "judge", "both", `,"adjudicated":true`, "")
	storetest.Check(t, bring("ratings", strings.Join([]string{other.Replace(a), other.Replace(b), rated.Replace(a), rated.Replace(b)}, "\n")))
}
