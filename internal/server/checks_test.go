package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// TestDegradedTexts: the text of a check is in no file but that of the checks. What a removed text shows does not count
// until it is restored.
func TestDegradedTexts(t *testing.T) {
	s := newSite(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Annotators(2), storetest.Set("check_rate=0.5", "repeat_after=3", "gate=off"))
	s.RateAll(t, func(_ int, source, text string) float64 { return storetest.Reading(source, text) })
	lead := s.signedIn(s.Lead)
	var of readmodel.Check
	for _, k := range storetest.Must(s.db.Desk.Checks(t.Context(), s.Campaign))(t) {
		if k.Kind == campaign.DegradedCheck && k.Submitted && sampleText.FindString(k.Text) != k.Text { // A text that lost a digit can be that of another segment.
			of = k
		}
	}
	for _, format := range transfer.Formats(s.Campaign) {
		var b strings.Builder
		_, err := transfer.Export(t.Context(), s.db.Store, s.Campaign, format, &b)
		storetest.Check(t, err)
		if strings.Contains(b.String(), fmt.Sprintf("%q", of.Text)) != (format == "checks") {
			t.Errorf("a text of a check in the file %s, which has %d bytes", format, b.Len())
		}
	}
	send := func(do string) {
		t.Helper()
		wantStatus(t, do, lead.post("/campaigns/"+s.Campaign.Slug+"/checks", url.Values{"do": {do}, "translation": {of.OfID}}), http.StatusSeeOther)
	}
	for range 2 {
		taken := 0
		for _, a := range storetest.Must(s.db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
			taken += a.Results[0].Taken
		}
		send("remove")
		for _, a := range storetest.Must(s.db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
			taken -= a.Results[0].Taken
		}
		if send("restore"); taken <= 0 {
			t.Error("a check of a removed text counts")
		}
	}
	says(t, "the audit log", strings.Join(storetest.AuditLines(t, s.db, s.Sample), "\n"), "remove degraded text", "restore degraded text")
}

// Before the first check, the page says when it can be expected. No annotator is handed more documents than
// that without a check.
func TestChecksAhead(t *testing.T) {
	s := newSite(t, storetest.Segments(24), storetest.PerDocument(2), storetest.Annotators(2), storetest.Set("check_rate=0.2", "repeat_after=3", "gate=off"))
	lead, at := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/checks"
	saying := func() string { return squeezed(lead.get(at).page(t).Find("main .empty").Text()) }
	if got := saying(); !strings.Contains(got, "after 1 to 4 documents") || !strings.Contains(got, "each annotator was handed 0 documents") || !strings.Contains(got, "at least 3 segments before") {
		t.Errorf("before any work the page says %q", got)
	}
	s.Next(t, 0)
	if got := saying(); !strings.Contains(got, "annotators were handed 0 to 1 documents.") {
		t.Errorf("after the first page it says %q", got)
	}
	for n := range 2 * 5 { // 5 documents of 2 segments
		for i := range 2 {
			s.RatePage(t, i, storetest.Reading)
		}
		if met := storetest.Query[int](t, s.db, "SELECT count(DISTINCT user_id) FROM check_pages")[0]; n == 9 && met < 2 {
			t.Errorf("%d of 2 annotators have met a check in 5 documents", met)
		}
	}
	if got := saying(); got != "" {
		t.Errorf("with checks it says %q", got)
	}
}

// TestChecksOfSentences: where sentences are rated themselves, the page names no system and no score, and shows each
// sentence in its language.
func TestChecksOfSentences(t *testing.T) {
	s := newSite(t, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("gate=off", "check_rate=0.5", "repeat_after=2", "redundancy=1"))
	var segments []campaign.Segment
	for i := range 12 {
		segments = append(segments, campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: fmt.Sprint("Sentence ", i), Translations: campaign.ItselfOnly()})
	}
	storetest.ImportSegments(t, s.Sample, segments...)
	storetest.Check(t, s.db.Work.GiveKnown(t.Context(), s.Campaign.ID, readmodel.KnownAnswer{DocID: "d3", SegmentID: "s3", Answer: "no"}, s.Lead.ID))
	for {
		if _, _, ok := s.RatePageBy(t, 0, func(string, string) protocol.Rating {
			return protocol.Rating{Scores: map[string]float64{"difficulty": 2}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}}}
		}); !ok {
			break
		}
	}
	page := s.signedIn(s.Lead).get("/campaigns/" + s.Campaign.Slug + "/checks").page(t)
	if got := squeezed(page.Find("main .thread-head").First().Text()); strings.Contains(got, "· ·") || !strings.Contains(got, "answer Keep, compared with") {
		t.Errorf("a check says %q", got)
	}
	if got := page.Find("main .said-text").First().AttrOr("lang", ""); got != "zh" {
		t.Errorf("the sentence is in the language %q", got)
	}
	if got := squeezed(page.Find("caption:contains('Known answers by segment')").Parent().Find("thead").Text()); got != "SegmentSourceAnswerActs" {
		t.Errorf("the known answers have the heads %q", got)
	}
	if got := squeezed(s.signedIn(s.Annotators[0]).get("/campaigns/" + s.Campaign.Slug + "/finished").page(t).Find("thead").Text()); !strings.Contains(got, "Answers") || strings.Contains(got, "Scores") {
		t.Errorf("the list of own segments has the heads %q", got)
	}
}

// The message of an annotator about a check reaches the lead, and the answer the annotator.
func TestMessageAboutACheck(t *testing.T) {
	s := newSite(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Set("check_rate=0.4", "repeat_after=3", "gate=off"))
	asked, of := "", s.Campaign
	for of.ID == s.Campaign.ID {
		asked, of, _ = s.RatePage(t, 0, storetest.Reading)
	}
	wantStatus(t, "asking", s.signedIn(s.Annotators[0]).json(http.MethodPost, "/campaigns/"+s.Campaign.Slug+"/assignments/"+asked+"/thread", map[string]any{"token": "1", "text": "what is that?"}), http.StatusOK)
	lead, base := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	link, _ := lead.get(base + "/checks").page(t).Find(".page-head a.btn").First().Attr("href")
	list := lead.get(link).page(t)
	if !strings.Contains(list.Find(".thread").Text(), "what is that?") {
		t.Errorf("the messages at %q do not have the question", link)
	}
	segment, _ := list.Find("input[name=segment]").Attr("value")
	if a := lead.post("/campaigns/"+s.Campaign.Slug+"~checks/messages", url.Values{"do": {"reply"}, "segment": {segment}, "annotator": {s.Annotators[0].Login}, "answer": {"a name"}}); a.status != http.StatusSeeOther {
		t.Errorf("answering: %d", a.status)
	}
	if got := s.signedIn(s.Annotators[0]).get("/work").body; !strings.Contains(got, asked) {
		t.Error("My work does not lead to the answer")
	}
}
