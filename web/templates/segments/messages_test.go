package segments

import (
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestMessagesForms(t *testing.T) {
	said := func(kind readmodel.MessageKind, byLead bool) readmodel.Message {
		return readmodel.Message{Kind: kind, ByLead: byLead, Problem: "p", Login: "x", Text: "words", At: pagetest.Noon}
	}
	v := MessagesView{Page: pagetest.LeadPage("lead"), Clock: templates.Clock{Now: pagetest.Noon}, Kind: "open", Refused: "b ann", Answer: "typed", Error: "say what", Threads: []readmodel.Thread{
		{ID: "1", SegmentRowID: "a", SegmentID: "s1", Login: "ann", Waits: true, Messages: []readmodel.Message{said(readmodel.Said, false)}},
		{ID: "2", SegmentRowID: "b", SegmentID: "s2", Login: "ann", Waits: true, OpenProblem: "p", Messages: []readmodel.Message{said(readmodel.Reported, false)}},
		{ID: "3", SegmentRowID: "c", SegmentID: "s3", Login: "ann", Messages: []readmodel.Message{said(readmodel.Reported, false), said(readmodel.Resolved, true)}},
		{SegmentRowID: "d", SegmentID: "s4", Login: "ann", Round: 1, Comments: []readmodel.Comment{{System: "Aster", Words: "cat", Error: "minor", Text: "odd"}}},
	}}
	doc, _ := pagetest.Written(t, Messages(v))
	var got []string
	doc.Find(".thread").Each(func(_ int, item *goquery.Selection) {
		text := item.Find(".badge").Text() + ":"
		item.Find("button[name=do]").Each(func(_ int, b *goquery.Selection) { text += " " + b.AttrOr("value", "") })
		got = append(got, text)
	})
	want := []string{"to answer: reply settle", "problem to answer: return reply withdraw", "answered: reply", "1 comment: reply"}
	if !slices.Equal(got, want) {
		t.Errorf("the entries are %q, want %q", got, want)
	}
	if doc.Find(".field-error").Length() != 1 || doc.Find(".thread").Eq(1).Find(".field-error").Text() != "say what" || doc.Find(".thread").Eq(1).Find("textarea").Text() != "typed" {
		t.Error("the refused answer is not shown again beside its thread alone")
	}
	if action := doc.Find(".thread-form").First().AttrOr("action", ""); action != "/campaigns/ment/messages?show=open" {
		t.Errorf("the forms post to %s", action)
	}
	v.Campaign.Role = "researcher" // as an archived campaign has it
	if doc, _ = pagetest.Written(t, Messages(v)); doc.Find(".thread-form").Length() != 0 {
		t.Error("a campaign that can only be read has forms")
	}
	doc, _ = pagetest.Written(t, Messages(MessagesView{Page: pagetest.LeadPage("lead"), Kind: "open"}))
	if got := doc.Find(".empty p").Text(); got != "No annotator waits for an answer." {
		t.Errorf("empty state = %q", got)
	}
}
