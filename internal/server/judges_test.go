package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judgeruns"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// A lead sees the judges and turns the errors of one into suggestions; a researcher is not offered that.
func TestJudgesPage(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("esa"))
	s.Systems = []string{"Aquila", "Boreas", "Corvus", "Draco", "Eridanus"}
	storetest.Must(s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.Lines(6, 2, s.Systems), intake.ImportOptions{}))(t)
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/judges"
	judged(t, s)
	if _, err := s.db.JudgeRuns.BeginJudge(t.Context(), s.Campaign, judgeruns.JudgeSpec{Name: "runs", Method: "gemba-da", Model: "m"}, ""); err != nil {
		t.Fatal(err)
	}
	text := lead.get(path).row(t)
	for _, want := range []string{"Portia gemba-mqm with whale-70b imported Make suggestions : Portia ", "runs gemba-da with m running since today"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page says %q, want %q", text, want)
		}
	}
	if a := s.signedIn(s.Researcher).get(path); a.status != http.StatusOK || strings.Contains(a.body, "Make suggestions") {
		t.Errorf("a researcher gets %d", a.status)
	}
	if n := s.signedIn(s.Researcher).get(path + "?suggest=Portia").page(t).Find("#suggest").Length(); n != 0 {
		t.Error("a researcher is asked about suggestions")
	}
	wantStatus(t, "suggestions of nobody", lead.post(path+"/suggest", url.Values{"judge": {"nobody"}}), http.StatusUnprocessableEntity)
	wantStatus(t, "suggestions", lead.post(path+"/suggest", url.Values{"judge": {"Portia"}}), http.StatusSeeOther)
	if a := lead.get(path); !strings.Contains(a.body, "0 suggestions for 30 translations") || !strings.Contains(a.body, "You can undo this under Import") || !strings.Contains(a.body, "30 errors") {
		t.Error("the page does not say that no error of the judge fits the protocol")
	}
	wantStatus(t, "stopping one that does not run", lead.post(path+"/stop", url.Values{"judge": {"Portia"}}), http.StatusUnprocessableEntity)
}

// A researcher gets from the count of unparsable answers to the list of the judgements that could not be
// read, and from there to each trace.
func TestUnreadAnswersOfAJudge(t *testing.T) {
	s := newSite(t, storetest.Segments(3), storetest.Systems(2), storetest.Protocol("esa"))
	score := 1.5
	line := func(n int, segment, system string, j campaign.Judgement) campaign.NumberedJudgement {
		j.Judge, j.Spans = "Portia", []protocol.ErrorSpan{}
		return campaign.NumberedJudgement{Line: n, Judgement: campaign.JudgementLine{DocID: "d1", SegmentID: segment, System: system, Judgement: j,
			Trace: []campaign.TraceCall{{Step: "score", Role: "judge", Prompt: "p", Reply: "no idea " + segment}}}}
	}
	storetest.Must(s.db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, func(yield func(campaign.NumberedJudgement, error) bool) {
		_ = yield(line(1, "s1", s.Systems[0], campaign.Judgement{Status: campaign.JudgementUnparsable, Why: "no number"}), nil) &&
			yield(line(2, "s2", s.Systems[1], campaign.Judgement{Status: campaign.JudgementOK, Score: &score, Unplaced: []protocol.ErrorSpan{{Text: "lost words", Severity: "minor"}}}), nil) &&
			yield(line(3, "s2", s.Systems[0], campaign.Judgement{Status: campaign.JudgementOK, Score: &score}), nil)
	}, intake.ImportOptions{}))(t)
	researcher, path := s.signedIn(s.Researcher), "/campaigns/"+s.Campaign.Slug+"/judges"
	link, _ := researcher.get(path).page(t).Find(".judge-list td:last-child a").Attr("href")
	list := researcher.get(link).page(t)
	text := wordsOf(list.Find("main"))
	for _, want := range []string{"s1", "unparsable no number", "s2", "“lost words” minor, in neither text"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list at %s says %q, want %q", link, text, want)
		}
	}
	traces := list.Find("td a[href*=trace]")
	if traces.Length() != 2 {
		t.Fatalf("the list says %q", text)
	}
	for i, want := range []string{"no idea s1", "no idea s2"} {
		if a := researcher.get(traces.Eq(i).AttrOr("href", "")); !strings.Contains(a.body, want) {
			t.Errorf("trace %d answers %d without %q", i, a.status, want)
		}
	}
	says(t, "of nobody, the list says", wordsOf(researcher.get(path+"/unread?judge=nobody").page(t).Find("main")), "No unread answers")
	if a := s.signedIn(s.Annotators[0]).get(link); a.status != http.StatusForbidden && a.status != http.StatusNotFound {
		t.Errorf("an annotator gets %d", a.status)
	}
}
