package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
	"annotate/internal/work"
)

// rateAll has annotators of a site take turns until nothing is left for them. Each gives the scores that
// score says, by annotator and text of the card. It returns the pages of each, and which are checks.
func (s *sampleSite) rateAll(t *testing.T, annotators int, score func(i int, source, text string) float64) {
	t.Helper()
	for done := false; !done; {
		done = true
		for i := range annotators {
			id, err := s.db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
			if err != nil {
				continue
			}
			done = false
			s.ratePage(t, i, id, score)
		}
	}
}

// ratePage rates and submits a page, which may be a check.
func (s *sampleSite) ratePage(t *testing.T, i int, id string, score func(i int, source, text string) float64) {
	t.Helper()
	c := storetest.CampaignOf(t, s.Store, s.Campaign.Slug, id)
	w := storetest.Must(s.db.Work.LoadWork(t.Context(), c, id, s.Annotators[i].ID))(t)
	revisions := storetest.Revisions(w)
	for _, card := range w.Cards {
		saved := storetest.Must(s.db.Work.SaveCard(t.Context(), c, s.Annotators[i].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: storetest.Rating(score(i, w.Source, card.Text))}))(t)
		revisions[card.ID] = saved.Revision
	}
	storetest.Check(t, s.db.Work.Submit(t.Context(), c, s.Annotators[i].ID, id, revisions))
}

// readingScore is that of an annotator who reads: high for a whole text of a sample, 0 for a damaged one.
// The second annotator gives one score to everything.
func readingScore(i int, source, text string) float64 {
	var system, segment, of int
	_, _ = fmt.Sscanf(source, "源文本 %d。", &of)
	if i == 1 {
		return 3
	}
	if n, _ := fmt.Sscanf(text, "Translation %d of segment %d.", &system, &segment); n != 2 || segment != of || text != fmt.Sprintf("Translation %d of segment %d.", system, segment) {
		return 0
	}
	return 3 + float64((system+segment)%2)
}

func TestChecksPage(t *testing.T) {
	s := newSite(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Annotators(2), storetest.Set("check_rate=0.5", "repeat_after=3", "gate=off"))
	s.rateAll(t, 2, readingScore)
	lead, annotator, base := s.signedIn(s.Lead), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	for _, path := range []string{"/checks", "~checks/segments", "~checks/messages", "/export/checks"} {
		if got := annotator.get(base + path).status; got != http.StatusForbidden && got != http.StatusNotFound {
			t.Errorf("an annotator gets %d for %s", got, path)
		}
	}
	if got := s.signedIn(s.Researcher).get(base + "/checks").status; got != http.StatusOK {
		t.Errorf("a researcher gets %d", got)
	}
	page := lead.get(base + "/checks").page(t)
	rows := page.Find("table tbody tr")
	if got := squeezed(rows.Eq(0).Text()); rows.Length() != 2 || !strings.Contains(got, "reads") || strings.Contains(got, "Set aside") {
		t.Errorf("%d rows, the first is %q", rows.Length(), got)
	}
	if got := squeezed(rows.Eq(1).Text()); !strings.Contains(got, "fails checks") || !strings.Contains(got, "Set aside") {
		t.Errorf("the second row is %q", got)
	}
	if got := squeezed(lead.get(base + "/annotators").page(t).Find(".badge:contains('fails checks')").Text()); got != "fails checks" {
		t.Errorf("the page of annotators has the badges %q, want one", got)
	}

	if got := squeezed(lead.get(base + "/annotators/" + s.Annotators[1].Login).page(t).Find(".flags").Text()); !strings.Contains(got, "somebody who does not read passes as many documents with p = 1.000, and somebody who reads with care as few with p") {
		t.Errorf("the flag says %q", got)
	}

	var of readmodel.Check
	for _, k := range storetest.Must(s.db.Desk.Checks(t.Context(), s.Campaign))(t) {
		if k.Kind == campaign.DegradedCheck && k.Submitted {
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
	send := func(fields ...string) answer {
		form := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return lead.post(base+"/checks", form)
	}
	if a := send("do", "replace", "translation", of.OfID, "check", of.ID, "text", of.Original); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "equals the original") {
		t.Errorf("a text that equals the original: %d", a.status)
	}
	if a := send("do", "replace", "translation", of.OfID, "check", of.ID, "text", "  "); a.status != http.StatusUnprocessableEntity {
		t.Errorf("an empty text: %d", a.status)
	}
	if a := send("do", "replace", "translation", of.OfID, "check", of.ID, "text", "Quite another thing."); a.status != http.StatusSeeOther {
		t.Errorf("another text: %d", a.status)
	}
	if got := storetest.Query[string](t, s.db, "SELECT text FROM degraded_texts WHERE of_translation = ?", of.OfID); got[0] != "Quite another thing." {
		t.Errorf("the text is %q", got)
	}
	if got := storetest.Query[string](t, s.db, "SELECT text FROM translations WHERE id = ?", of.ID); got[0] != of.Text {
		t.Errorf("a text that was rated became %q", got)
	}
	for range 2 { // what a removed text shows does not count until it is restored
		taken := 0
		for _, a := range storetest.Must(s.db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
			taken += a.Results[0].Taken
		}
		send("do", "remove", "translation", of.OfID)
		for _, a := range storetest.Must(s.db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
			taken -= a.Results[0].Taken
		}
		if send("do", "restore", "translation", of.OfID); taken <= 0 {
			t.Error("a check of a removed text counts")
		}
	}
	log := strings.Join(storetest.AuditLines(t, s.db, s.Sample), "\n")
	for _, act := range []string{"replace degraded text", "remove degraded text", "restore degraded text"} {
		if !strings.Contains(log, act) {
			t.Errorf("%q is not in the audit log", act)
		}
	}
	if got := send("do", "remove", "translation", "nothing").status; got != http.StatusNotFound {
		t.Errorf("an unknown text: %d", got)
	}
	for field, a := range map[string]answer{
		"segment": send("do", "know", "document", "d1", "segment", "s9", "system", s.Systems[0], "score", "3"),
		"score":   send("do", "know", "document", "d1", "segment", "s1", "system", s.Systems[0], "score", "7"),
	} {
		if a.status != http.StatusUnprocessableEntity || a.page(t).Find("#"+field+"-error").Length() != 1 {
			t.Errorf("a wrong %s: %d", field, a.status)
		}
	}
}

// Before the first check, the page says when it can be expected. No annotator is handed more documents than
// that without a check.
func TestChecksAhead(t *testing.T) {
	s := newSite(t, storetest.Segments(24), storetest.PerDocument(2), storetest.Annotators(2), storetest.Set("check_rate=0.2", "repeat_after=3", "gate=off"))
	lead, at := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/checks"
	says := func() string { return squeezed(lead.get(at).page(t).Find("main .empty").Text()) }
	if got := says(); !strings.Contains(got, "after 1 to 4 documents") || !strings.Contains(got, "each annotator was handed 0 documents") || !strings.Contains(got, "at least 3 segments before") {
		t.Errorf("before any work the page says %q", got)
	}
	s.Next(t, 0)
	if got := says(); !strings.Contains(got, "annotators were handed 0 to 1 documents.") {
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
	if got := says(); got != "" {
		t.Errorf("with checks it says %q", got)
	}
}

// A known answer is checked, and the message of an annotator about a check reaches the lead.
func TestKnownAnswers(t *testing.T) {
	s := newSite(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Annotators(3), storetest.Set("check_rate=0.4", "check_kinds=known", "gate=off"))
	for n := range 20 {
		seg := storetest.Segment(n+1, n+1, s.Systems)
		storetest.Check(t, s.db.Work.GiveKnown(t.Context(), s.Campaign.ID, readmodel.KnownAnswer{DocID: seg.DocID, SegmentID: seg.SegmentID, System: s.Systems[0], Score: 3}, s.Lead.ID))
	}
	var asked string
	for asked == "" {
		id := s.Next(t, 0)
		c := storetest.CampaignOf(t, s.Store, s.Campaign.Slug, id)
		if c.ID != s.Campaign.ID {
			asked = id
			me := s.signedIn(s.Annotators[0])
			if a := me.json(http.MethodPost, "/campaigns/"+s.Campaign.Slug+"/assignments/"+id+"/thread", map[string]any{"token": "1", "text": "what is that?"}); a.status != http.StatusOK {
				t.Fatalf("asking answers %d", a.status)
			}
		}
		s.ratePage(t, 0, id, func(int, string, string) float64 { return 3 })
	}
	s.rateAll(t, 3, func(int, string, string) float64 { return 3 })
	for _, a := range storetest.Must(s.db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
		if r := a.Results[len(a.Results)-1]; r.Kind != campaign.KnownCheck || r.Taken == 0 || r.Passed != r.Taken {
			t.Errorf("%s: %+v", a.Login, a.Results)
		}
	}
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
