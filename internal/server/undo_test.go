package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/store/storetest"
)

// undo presses the button of a segment's page that undoes the latest act, on this segment or on all.
func (v *visitor) undo(t *testing.T, segment string, all bool) answer {
	t.Helper()
	form := v.get(segment).page(t).Find(`form[action$="/undo"]`)
	buttons := form.Find("button[name=segments]")
	button := buttons.First()
	if all {
		button = buttons.Last()
	}
	return v.post(segment+"/undo", url.Values{"act": {form.Find("[name=act]").AttrOr("value", "")}, "segments": {button.AttrOr("value", "")}})
}

// TestUndoOneOrAll: a segment's page says on how many segments an undo would undo the latest act, and
// which segments keep it from being undone there, before a lead chooses.
func TestUndoOneOrAll(t *testing.T) {
	s := newSite(t, storetest.Segments(8), storetest.PerDocument(8))
	a, lead := storetest.Leading{T: t, Sample: s.Sample}, s.signedIn(s.Lead)
	at := func(segment string) string { return path(s, "segments/"+a.Row(segment)) }
	offer := func(segment string) (text string, buttons []string) {
		form := lead.get(at(segment)).page(t).Find(`form[action$="/undo"]`)
		return strings.Join(strings.Fields(form.Find("p").Text()), " "), form.Find("button").Map(func(_ int, b *goquery.Selection) string { return strings.TrimSpace(b.Text()) })
	}
	a.Done(a.Discard("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"))
	if text, buttons := offer("s1"); !strings.Contains(text, "It stands on 7 other segments, too.") || strings.Join(buttons, ", ") != "Undo on this segment, Undo on all 8 segments" {
		t.Errorf("%q, %q", text, buttons)
	}
	stale := lead.get(at("s1")).page(t).Find(`form[action$="/undo"]`)
	a.Done(a.RestoreSegments("s2", "s3", "s4", "s5", "s6", "s7"))
	text, buttons := offer("s1")
	if !strings.HasSuffix(text, "6 of these have a later act, which has to be undone first: s2, s3, s4, s5, s6 and 1 more") || strings.Join(buttons, ", ") != "Undo on this segment, Undo on the 2 segments without a later act" {
		t.Errorf("%q, %q", text, buttons)
	}
	if link := lead.get(at("s1")).page(t).Find(`form[action$="/undo"] a`).First().AttrOr("href", ""); link != at("s2") {
		t.Errorf("the first segment with a later act is at %q, want %q", link, at("s2"))
	}
	got := lead.post(at("s1")+"/undo", url.Values{"act": {stale.Find("[name=act]").AttrOr("value", "")}, "segments": {"8"}})
	if got.status != http.StatusConflict || !strings.Contains(got.page(t).Find(".undo").Text(), "can be undone on 2 segments now, not on 8") {
		t.Errorf("from a page of before: %d %s", got.status, got.page(t).Find(".undo").Text())
	}
	if got := lead.undo(t, at("s1"), false); got.status != http.StatusSeeOther || !strings.Contains(lead.get(at("s1")).body, "The act is undone on 1 segment.") {
		t.Errorf("undone here: %d", got.status)
	}
	if n := storetest.Count(t, s.db, "segments WHERE status = 'discarded'"); n != 1 {
		t.Errorf("%d segments are discarded, want s8", n)
	}
	if got := lead.undo(t, at("s2"), true); got.status != http.StatusSeeOther || !strings.Contains(lead.get(at("s2")).body, "The act is undone on 6 segments.") {
		t.Errorf("undone on all: %d", got.status)
	}
	if n := storetest.Count(t, s.db, "segments WHERE status = 'discarded'"); n != 7 {
		t.Errorf("%d segments are discarded, want all but s1", n)
	}
}
