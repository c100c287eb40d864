package server

import (
	"net/http"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// A researcher gets from the count of unparsable answers to the list of the judgements that could not be
// read, and from there to each trace.
func TestUnreadAnswersOfAJudge(t *testing.T) {
	s := newSite(t, storetest.Segments(3), storetest.Systems(2), storetest.Protocol("esa"))
	score := 1.5
	line := func(n int, segment, system string, j campaign.Judgement) campaign.JudgementLine {
		j.Judge, j.Spans = "Portia", []protocol.ErrorSpan{}
		return campaign.JudgementLine{DocID: "d1", SegmentID: segment, System: system, Judgement: j,
			Trace: []campaign.TraceCall{{Step: "score", Role: "judge", Prompt: "p", Reply: "no idea " + segment}}}
	}
	storetest.Must(s.db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, func(yield func(campaign.JudgementLine, error) bool) {
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
