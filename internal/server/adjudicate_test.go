package server

import (
	"net/url"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestBlindingOfAdjudicators plays an adjudication in the browser and reads every
// response for what an adjudicator must not learn: systems, logins and gate values.
func TestBlindingOfAdjudicators(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Annotators(2), storetest.Set("gate=report"))
	s.Systems = []string{"Aquila", "Boreas", "Corvus"}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		yield(campaign.SegmentLine{Line: 1, Segment: storetest.Segment(1, 1, s.Systems)}, nil)
	}
	if _, err := s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "blind.jsonl"}); err != nil {
		t.Fatal(err)
	}
	for i, u := range s.Annotators {
		id := s.Next(t, i)
		for k, card := range s.Work(t, i, id).Cards {
			rating := protocol.Rating{Scores: map[string]float64{"sqm": float64((k + 2*i) % 5)}, Comment: "because of the verb"}
			if _, err := s.db.Work.SaveCard(t.Context(), s.Campaign, u.ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rating}); err != nil {
				t.Fatal(err)
			}
		}
		s.Submit(t, i, id)
	}
	row := s.RowID(t, "d1", "s1")
	if err := s.db.Rounds.AskForAdjudication(t.Context(), s.Campaign.ID, []string{row}, "please decide", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	judge, err := s.db.Accounts.AddUser(t.Context(), "judge", "", accounts.Member)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, judge.Login, campaign.Adjudicator, s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	v := s.signedIn(judge)
	secrets := append([]string{s.Annotators[0].Login, s.Annotators[1].Login, "no_variance", "below_threshold"}, s.Systems...)
	check := func(path string, a answer) answer {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s tells the adjudicator %q", path, secret)
			}
		}
		return a
	}
	check("/work", v.get("/work"))
	list := "/campaigns/" + s.Campaign.Slug + "/adjudicate"
	if a := check(list, v.get(list)); !strings.Contains(a.body, "please decide") {
		t.Errorf("the list lacks the lead's words: %s", a.body)
	}
	path := v.post(list, url.Values{"segment": {row}}).location()
	if !strings.Contains(path, "/assignments/") {
		t.Fatalf("opening the segment leads to %q", path)
	}
	a := check(path, v.get(path))
	doc := a.page(t)
	if n := doc.Find(".peer").Length(); n != 6 {
		t.Errorf("%d ratings of annotators stand beside the cards, want 6", n)
	}
	if !strings.Contains(doc.Find(".peers").Text(), "because of the verb") || doc.Find("#report").Length() != 0 {
		t.Error("the page lacks the annotators' comments, or lets a problem be reported")
	}
	revisions := map[string]int{}
	for _, card := range a.state(t).Cards {
		check("save", v.json("PUT", path+"/cards/"+card.ID, map[string]any{"scores": map[string]int{"sqm": 3}, "save_id": "x"}))
		revisions[card.ID] = 1
	}
	if done := check("submit", v.json("POST", path+"/submit", map[string]any{"cards": revisions})); !strings.Contains(done.body, list) {
		t.Errorf("submitting answers %s", done.body)
	}
	check(path+" submitted", v.get(path))
	if seg := s.All(t)[0]; seg.Status != campaign.Adjudicated || seg.Translations[0].Gold.Score != 3 {
		t.Errorf("the segment is %s with gold %+v", seg.Status, seg.Translations[0].Gold)
	}
	// The lead reads who decided it, and what they gave.
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/segments/"+row
	said := lead.get(page).page(t)
	says(t, "the segment page says", said.Find(".page-head .lead").Text(), "adjudicated by judge, in gold")
	if text := said.Find(".act-list").Text(); !strings.Contains(text, "judge adjudicated the segment by a rating of their own") || strings.Contains(text, "entered") {
		t.Errorf("the history says %q", text)
	}
	if value, _ := said.Find("#act-adjudicate input.control-score").First().Attr("value"); value != "" {
		t.Errorf("to decide again, the lead finds %q of the adjudicator filled in", value)
	}
	// Undone, it is in work again; what a lead enters is called that.
	lead.undo(t, page, false)
	lead.post(page+"/adjudicate", url.Values{"reason": {"enough"}, "score-1": {"2"}})
	said = lead.get(page).page(t)
	says(t, "the segment page says", said.Find(".page-head .lead").Text(), "decided by scores that lead entered, in gold")
	says(t, "gold is said to be", said.Find("table.ratings td.gold").Text(), "entered by a lead", "mean accepted")
	// An annotator of the segment has no such page.
	if a := s.signedIn(s.Annotators[0]).get(list); a.status != 403 {
		t.Errorf("an annotator gets %d, want 403", a.status)
	}
}

// With pseudonyms on, an adjudicator reads the lead's reason without the names of annotators.
func TestAdjudicatorsReadPseudonyms(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Set("gate=report"))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	storetest.WantErr(t, s.db.Rounds.AskForAdjudication(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s1")}, "decide please, ann1", s.Lead.ID), nil)
	judge := storetest.Must(s.db.Accounts.AddUser(t.Context(), "judge", "", accounts.Member))(t)
	storetest.WantErr(t, s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, judge.Login, campaign.Adjudicator, s.Lead.ID), nil)
	v, path := s.signedIn(judge), "/campaigns/"+s.Campaign.Slug+"/adjudicate"
	says(t, "without pseudonyms the list says", v.get(path).page(t).Find("tbody").Text(), "decide please, ann1")
	s.Change(t, "pseudonyms=yes")
	says(t, "with pseudonyms the list says", v.get(path).page(t).Find("tbody").Text(), "decide please, A01")
}
