package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/rounds"
	"annotate/internal/store/storetest"
)

// inspected makes a campaign of the protocol inspect that has settled one segment, whose source an annotator has cleaned.
func (s *sampleSite) inspected() *storetest.Sample {
	s.t.Helper()
	raw := storetest.Campaign(s.t, s.db.Store, storetest.Slug("raw"), storetest.Protocol("inspect"), storetest.Segments(0), storetest.Set("redundancy=1"))
	storetest.ImportSegments(s.t, raw, campaign.Segment{DocID: "d", SegmentID: "one", Source: "What a day! #mood", Translations: campaign.ItselfOnly()})
	answers := map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: "What a day!"}}
	storetest.ImportRatings(s.t, raw, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: "ines", Round: 1,
		Rating: protocol.Rating{Scores: map[string]float64{"difficulty": 3}, Answers: answers, Comment: "The tag is no part of it."}}})
	return raw
}

// TestTakeOverPages: a lead chooses the campaign to follow, sees how many segments are ready, takes them over, and sees on the page of
// each where it comes from. Who does not lead the earlier campaign sees its title, and annotators see no more.
func TestTakeOverPages(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Set("redundancy=1"))
	raw := s.inspected()
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	section := func(doc answer) string {
		return strings.Join(strings.Fields(doc.page(t).Find("section[aria-labelledby=chain-title]").Text()), " ")
	}
	if got := section(lead.get(page)); !strings.Contains(got, "Follow a campaign") || strings.Contains(got, "Take over") {
		t.Errorf("at first the page says %q", got)
	}
	form := url.Values{"from": {"raw"}, "where": {"keep=yes\ndifficulty>=9x"}, "carry": {"source"}}
	wantStatus(t, "a bad condition", lead.post(page+"/follow", form), http.StatusUnprocessableEntity, "difficulty&gt;=9x", "compare it with one")
	form.Set("where", "keep=yes\ndifficulty>=3")
	for who, v := range map[string]*visitor{"a researcher": s.signedIn(s.Researcher), "an annotator": s.signedIn(s.Annotators[0])} {
		for _, act := range []string{"/follow", "/unfollow", "/take-over", "/new-texts"} {
			if got := v.post(page+act, form); got.status != http.StatusForbidden && got.status != http.StatusNotFound {
				t.Errorf("%s: %s: %d", who, act, got.status)
			}
		}
	}
	wantRedirect(t, "following", lead.post(page+"/follow", form), page+"#chain-title")
	if got := section(lead.get(page)); !strings.Contains(got, "keep=yes and difficulty>=3") || !strings.Contains(got, "Take over 1 segment that is ready") {
		t.Errorf("the page says %q", got)
	}
	if got := section(lead.post(page+"/take-over", nil)); !strings.Contains(got, "No further segment is ready") {
		t.Errorf("after taking over the page says %q", got)
	}
	wantStatus(t, "taking over again", lead.post(page+"/take-over", nil), http.StatusConflict, "no segment of raw is ready")

	segment := "/campaigns/" + s.Campaign.Slug + "/segments/" + s.RowID(t, "d", "one")
	way := lead.get(segment).page(t).Find("section[aria-labelledby=lineage-title]")
	if del := way.Find("del").Text(); !strings.Contains(del, "mood") || way.Find("ins").Length() != 0 || !strings.Contains(way.Text(), "By ines") || !strings.Contains(way.Text(), "The tag is no part of it.") {
		t.Errorf("the page of the segment says %q, and %q is removed", way.Text(), del)
	}
	if way.Find("q[dir=auto]").Length() != 1 {
		t.Error("the comment has no direction of its own")
	}
	if dir := way.Find(".edit").AttrOr("dir", ""); dir != "ltr" && dir != "rtl" {
		t.Errorf("the edited text has the direction %q, want that of its language", dir)
	}
	back := lead.get("/campaigns/raw/segments/" + raw.RowID(t, "d", "one")).page(t).Find("section[aria-labelledby=lineage-title]").Text()
	if !strings.Contains(back, "Went on to") || !strings.Contains(back, s.Campaign.Title) {
		t.Errorf("the page of the forebear says %q", back)
	}
	storetest.Exec(t, s.db, "UPDATE memberships SET role = 'researcher' WHERE campaign_id = ? AND user_id = ?", raw.Campaign.ID, s.Lead.ID)
	if got := lead.get(segment).page(t).Find("section[aria-labelledby=lineage-title]").Text(); strings.Contains(got, "ines") || strings.Contains(got, "#mood") || !strings.Contains(got, "You do not lead this campaign") {
		t.Errorf("who does not lead the earlier campaign sees %q", got)
	}
}

// TestRejectedLater: what a review rejects stands on the queue of the earlier campaign with its reason, until a lead acts on it there.
func TestRejectedLater(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("review"), storetest.Set("redundancy=1"))
	raw := s.inspected()
	rule := storetest.Must(campaign.NewFollow(raw.Campaign.Rules, nil, []string{"source"}))(t)
	storetest.Check(t, s.db.Intake.Follow(t.Context(), s.Campaign.ID, raw.Campaign.ID, rule, ""))
	storetest.Must(s.db.Intake.TakeOver(t.Context(), s.Campaign.ID, ""))(t)
	lead := s.signedIn(s.Lead)
	said := func() string {
		return strings.Join(strings.Fields(lead.get("/campaigns/raw/queue").page(t).Find("section[aria-labelledby=rejected-title]").Text()), " ")
	}
	if got := lead.get("/campaigns/" + s.Campaign.Slug).page(t).Find(".decisions").Text(); !strings.Contains(got, "no reference, and annotators are asked about it") {
		t.Errorf("the overview of the review without references says %q", got)
	}
	if got := said(); got != "" {
		t.Errorf("before the review the queue says %q", got)
	}
	storetest.ImportRatings(t, s.Sample, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: "rita", Round: 1,
		Rating: protocol.Rating{Answers: map[string]protocol.Answer{"verdict": {Text: "reject"}}, Comment: "“day” is too plain."}}})
	if got := said(); !strings.Contains(got, "one of d rejected in "+s.Campaign.Title) || !strings.Contains(got, "too plain") || strings.Contains(got, "rita") {
		t.Errorf("the queue says %q", got)
	}
	desk := func() string { return lead.get("/campaigns/raw").page(t).Find(".decisions").Text() }
	if got := desk(); !strings.Contains(got, "rejected in a later campaign") {
		t.Errorf("the overview says %q", got)
	}
	storetest.Check(t, s.db.Rounds.Archive(t.Context(), raw.Campaign.ID, s.Lead.ID))
	if got := said() + desk(); strings.Contains(got, "another look") || strings.Contains(got, "Queue") || !strings.Contains(got, "rejected in a later campaign") {
		t.Errorf("once the earlier campaign is archived, the pages say %q", got)
	}
	storetest.Check(t, s.db.Rounds.BringBack(t.Context(), raw.Campaign.ID, s.Lead.ID))
	page := lead.get("/campaigns/raw/segments/" + raw.RowID(t, "d", "one")).page(t)
	if got := page.Find("#act-look[open] #look-reason").AttrOr("value", ""); got != "“day” is too plain." {
		t.Errorf("the act of another look begins with the reason %q", got)
	}
	storetest.Check(t, s.db.Rounds.Discard(t.Context(), raw.Campaign.ID, []string{raw.RowID(t, "d", "one")}, "right", s.Lead.ID))
	if got := desk(); strings.Contains(got, "rejected") {
		t.Errorf("after an act the overview says %q", got)
	}
	storetest.Check(t, s.db.Rounds.RestoreSegments(t.Context(), raw.Campaign.ID, []string{raw.RowID(t, "d", "one")}, "it stays", s.Lead.ID))
	if got := said(); got != "" {
		t.Errorf("after two acts the queue says %q", got)
	}
}

// TestNewTextPages: a text that has changed in the earlier campaign is named on the page of the segment, and a lead takes it over there, or
// all such texts on the page of imports.
func TestNewTextPages(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("review"), storetest.Set("redundancy=1"))
	raw := storetest.Campaign(t, s.db.Store, storetest.Slug("raw"), storetest.Protocol("reference"), storetest.Segments(0), storetest.Set("redundancy=1"))
	storetest.ImportSegments(t, raw, campaign.Segment{DocID: "d", SegmentID: "one", Source: "What a day!", Translations: campaign.ItselfOnly()})
	storetest.ImportRatings(t, raw, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: "ines", Round: 1,
		Rating: protocol.Rating{Answers: map[string]protocol.Answer{"best": {}, "edited": {Text: "Was für ein Tag!"}}}}})
	rule := storetest.Must(campaign.NewFollow(raw.Campaign.Rules, nil, []string{"reference"}))(t)
	storetest.Check(t, s.db.Intake.Follow(t.Context(), s.Campaign.ID, raw.Campaign.ID, rule, ""))
	storetest.Must(s.db.Intake.TakeOver(t.Context(), s.Campaign.ID, ""))(t)
	lead, imports := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	segment := "/campaigns/" + s.Campaign.Slug + "/segments/" + s.RowID(t, "d", "one")
	if page := lead.get(segment).page(t); page.Find("#act-new-text").Length() != 0 {
		t.Error("an unchanged text is offered")
	}
	if section := lead.get(imports).page(t).Find("section[aria-labelledby=chain-title]"); section.Find("#new-texts, #reason").Length() != 0 {
		t.Errorf("with unchanged texts the page of imports says %q", section.Text())
	}
	because := url.Values{"reason": {"Ines wrote it anew."}}
	wantStatus(t, "an unchanged text", lead.post(imports+"/new-texts", because), http.StatusConflict, "raw has no new text")
	for i, text := range []string{"So ein Tag!", "Ein Tag!"} {
		storetest.Exec(t, s.db, `UPDATE ratings SET answers = ? WHERE answers LIKE '%edited%'`, `{"best":"","edited":"`+text+`"}`)
		page := lead.get(segment).page(t)
		if said := page.Find("section[aria-labelledby=lineage-title]").Text(); !strings.Contains(said, "its accepted text has changed") || page.Find(`a[href="#act-new-text"]`).Length() != 1 {
			t.Errorf("the page of the segment says %q", said)
		}
		if i == 0 {
			wantRedirect(t, "taking one over", lead.post(segment+"/new-text", url.Values{"reason": {page.Find("#new-text-reason").AttrOr("value", "")}}), segment)
		} else {
			section := lead.get(imports).page(t).Find("section[aria-labelledby=chain-title]")
			if said := squeezed(section.Text()); !strings.Contains(said, "1 text has changed there since") || !strings.Contains(said, "Take over 1 changed text") ||
				section.Find("#new-texts a").AttrOr("href", "") != segment || section.Find("#new-texts .edit").Text() != "removed: So einadded: Ein Tag!" || section.Find("#reason").AttrOr("value", "") == "" {
				t.Errorf("the page of imports says %q", said)
			}
			wantStatus(t, "taking all over without a reason", lead.post(imports+"/new-texts", url.Values{"reason": {" "}}), http.StatusUnprocessableEntity, "reason")
			wantRedirect(t, "taking all over", lead.post(imports+"/new-texts", because), imports)
		}
		page = lead.get(segment).page(t)
		if got := page.Find("main").Text(); !strings.Contains(got, text) || page.Find("#act-new-text").Length() != 0 || !strings.Contains(page.Find(".act-list").Text(), "took over the new text") || i > 0 && !strings.Contains(page.Find(".act-list").Text(), "Ines wrote it anew.") {
			t.Errorf("after taking %q over, the page says %q", text, got)
		}
	}
}

// TestReplacedTextPage: a reviewer who gets a rejected segment again, with a new text, sees the reason that they gave, the text that they
// rejected, and what has changed in it. Another reviewer sees nothing of it, nor does the first one if a second look begins blank.
func TestReplacedTextPage(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("review"), storetest.Set("redundancy=1"))
	storetest.ImportSegments(t, s.Sample, campaign.Segment{DocID: "d", SegmentID: "one", Source: "What a day!", References: []campaign.Reference{{Name: campaign.MainReference, Text: "Was Tag!"}}, Translations: campaign.ItselfOnly()})
	storetest.ImportRatings(t, s.Sample, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: s.Annotators[0].Login, Round: 1,
		Rating: protocol.Rating{Answers: map[string]protocol.Answer{"verdict": {Text: "reject"}}, Comment: "No article."}}})
	id := s.RowID(t, "d", "one")
	storetest.Exec(t, s.db, `INSERT INTO lineage (segment_id, campaign_id, depth, from_segment, from_campaign, stage, brought) VALUES (?, ?, 1, 'x', 'x', 'References', '{}')`, id, s.Campaign.ID)
	storetest.Check(t, s.db.Rounds.TakeNewTexts(t.Context(), s.Campaign.ID, map[string]rounds.NewText{id: {Reference: "Was für ein Tag!", Was: "{}", Brought: "{}"}}, "rewritten", s.Lead.ID))
	said := func(i int) string {
		return strings.Join(strings.Fields(s.signedIn(s.Annotators[i]).get("/campaigns/"+s.Campaign.Slug+"/assignments/"+s.Next(t, i)).page(t).Find("#source").Text()), " ")
	}
	if got := said(0); !strings.Contains(got, "You rejected this textWas Tag!Your commentNo article.What has changed in it sinceWas added: für ein Tag!") {
		t.Errorf("the reviewer sees %q", got)
	}
	s.Change(t, "reannotate=blank")
	if got := said(0); strings.Contains(got, "No article.") || strings.Contains(got, "What has changed") {
		t.Errorf("who begins blank sees %q", got)
	}
	s.Change(t, "reannotate=own", "redundancy=2")
	storetest.Check(t, s.db.Rounds.ReplaceAnnotator(t.Context(), s.Campaign.ID, id, s.Annotators[0].Login, s.Annotators[1].Login, "away", s.Lead.ID))
	if got := said(1); strings.Contains(got, "No article.") || strings.Contains(got, "What has changed") || !strings.Contains(got, "Was für ein Tag!") {
		t.Errorf("another reviewer sees %q", got)
	}
}

// TestNewSourcePages: a source that was cleaned again is named on the page of the segment and on that of imports, and a translator who looks
// at the segment again sees what has changed in it.
func TestNewSourcePages(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("reference"), storetest.Set("redundancy=1"))
	raw := storetest.Campaign(t, s.db.Store, storetest.Slug("raw"), storetest.Protocol("inspect"), storetest.Segments(0), storetest.Set("redundancy=1"))
	storetest.ImportSegments(t, raw, campaign.Segment{DocID: "d", SegmentID: "one", Source: "What day!", Translations: campaign.ItselfOnly()})
	storetest.ImportRatings(t, raw, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: "ines", Round: 1,
		Rating: protocol.Rating{Scores: map[string]float64{"difficulty": 2}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: "What day!"}}}}})
	rule := storetest.Must(campaign.NewFollow(raw.Campaign.Rules, nil, []string{"source"}))(t)
	storetest.Check(t, s.db.Intake.Follow(t.Context(), s.Campaign.ID, raw.Campaign.ID, rule, ""))
	storetest.Must(s.db.Intake.TakeOver(t.Context(), s.Campaign.ID, ""))(t)
	storetest.ImportSegments(t, s.Sample, campaign.Segment{DocID: "d", SegmentID: "one", Source: "What day!", Translations: campaign.ItselfOnly(), Candidates: []campaign.CandidateText{{Name: "a", Text: "Was Tag!"}}})
	storetest.ImportRatings(t, s.Sample, campaign.RatingLine{DocID: "d", SegmentID: "one", Rating: campaign.Rating{Annotator: s.Annotators[0].Login, Round: 1,
		Rating: protocol.Rating{Answers: map[string]protocol.Answer{"best": {}, "edited": {Text: "Was für ein Tag!"}}}}})
	storetest.Exec(t, s.db, `UPDATE ratings SET answers = ? WHERE answers LIKE '%cleaned%'`, `{"keep":"yes","cleaned":"What a day!"}`)
	lead, imports := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	segment := "/campaigns/" + s.Campaign.Slug + "/segments/" + s.RowID(t, "d", "one")
	page := lead.get(segment).page(t)
	if said := page.Find("section[aria-labelledby=lineage-title]").Text(); !strings.Contains(said, "its source has changed") || page.Find(`a[href="#act-new-text"]`).Length() != 1 {
		t.Errorf("the page of the segment says %q", said)
	}
	if got := squeezed(lead.get(imports).page(t).Find("#new-texts .edit").Text()); got != "What added: a day!" {
		t.Errorf("the page of imports says that the source has changed so: %q", got)
	}
	wantRedirect(t, "taking all over", lead.post(imports+"/new-texts", url.Values{"reason": {"A word was missing."}}), imports)
	if got := lead.get(segment).page(t).Find(".act-list").Text(); !strings.Contains(got, "new source of the campaign before; it replaced “What day!”") {
		t.Errorf("the acts are %q", got)
	}
	page = s.signedIn(s.Annotators[0]).get("/campaigns/" + s.Campaign.Slug + "/assignments/" + s.Next(t, 0)).page(t)
	if got := squeezed(page.Find("#source").Text()); !strings.Contains(got, "What has changed in the source since you saw itWhat added: a day!") {
		t.Errorf("the translator sees %q", got)
	}
}

// TestScoresOfSegments: the list of segments shows the score of a metric, and keeps a limit below 0 when it is sorted.
func TestScoresOfSegments(t *testing.T) {
	s := newSite(t, storetest.Segments(3))
	storetest.Must(s.db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{
		{Metric: "easy", DocID: "d1", SegmentID: "s1", System: "sys-001", Score: -1}, {Metric: "easy", DocID: "d1", SegmentID: "s2", System: "sys-001", Score: -7.23456},
	}), intake.ImportOptions{}))(t)
	page := s.signedIn(s.Lead).get("/campaigns/" + s.Campaign.Slug + "/segments?metric=easy&least=-8&most=-2").page(t)
	if rows := page.Find("tbody tr"); rows.Length() != 1 || rows.Find("td.score-cell").Text() != "−7.235" {
		t.Errorf("listed is %q", rows.Text())
	}
	if n := page.Find("#metric option").Length(); n != 2 {
		t.Errorf("%d scores are offered: %s", n, page.Find("#metric").Text())
	}
	if least, _ := page.Find("#least").Attr("value"); least != "-8" {
		t.Errorf("the field says %q", least)
	}
	if href, _ := page.Find("thead a[href*='sort=score']").Attr("href"); !strings.Contains(href, "least=-8") || !strings.Contains(href, "sort=score") {
		t.Errorf("sorting leads to %s", href)
	}
}

// TestDifficultyOfSegments: the list of segments shows, sorts and limits by the difficulty that annotators gave, also that of forebears in earlier
// campaigns that the reader leads.
func TestDifficultyOfSegments(t *testing.T) {
	s := newSite(t, storetest.Slug("later"), storetest.Protocol("reference"), storetest.Segments(0))
	raw := storetest.Campaign(t, s.db.Store, storetest.Slug("raw"), storetest.Protocol("inspect"), storetest.Segments(0), storetest.Set("redundancy=1", "gate=off"))
	for i, difficulty := range []float64{2, 5, 3} {
		id := fmt.Sprint("s", i)
		storetest.ImportSegments(t, raw, campaign.Segment{DocID: "d", SegmentID: id, Source: "Sentence " + id, Translations: campaign.ItselfOnly()})
		storetest.ImportRatings(t, raw, campaign.RatingLine{DocID: "d", SegmentID: id, Rating: campaign.Rating{Annotator: "ines", Round: 1, Rating: protocol.Rating{
			Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: "Sentence " + id}}, Scores: map[string]float64{"difficulty": difficulty}}}})
	}
	storetest.Check(t, s.db.Intake.Follow(t.Context(), s.Campaign.ID, raw.Campaign.ID, campaign.Follow{}, ""))
	storetest.Must(s.db.Intake.TakeOver(t.Context(), s.Campaign.ID, ""))(t)
	listed := func(who accounts.User, slug string) (ids string, head string) {
		page := s.signedIn(who).get("/campaigns/" + slug + "/segments?metric=question/raw/difficulty&sort=score&order=back&least=3").page(t)
		page.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			ids += strings.TrimSpace(row.Find("td.source-cell").Text()) + "=" + row.Find("td.score-cell").Text() + " "
		})
		return ids, page.Find("#metric option[selected]").Text()
	}
	if ids, head := listed(raw.Lead, "raw"); ids != "Sentence s1=5 Sentence s2=3 " || !strings.HasPrefix(strings.TrimSpace(head), "Difficulty by annotators") {
		t.Errorf("listed is %q under %q", ids, head)
	}
	if ids, head := listed(s.Lead, "later"); ids != "Sentence s1=5 Sentence s2=3 " || !strings.Contains(head, "of "+raw.Campaign.Title) {
		t.Errorf("in the later campaign listed is %q under %q", ids, head)
	}
	if ids, _ := listed(s.Researcher, "later"); ids != "" {
		t.Errorf("who does not lead the earlier campaign sees %q", ids)
	}
}
