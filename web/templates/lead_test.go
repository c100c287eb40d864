package templates

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// leadPage is the frame of a page for a lead or another role.
func leadPage(role string) Page {
	return Page{Title: "T", Static: "/static/x", User: &User{Login: "lin", Admin: true},
		Campaign: &Campaign{Slug: "ment", Title: "MENT", Protocol: "SQM", SourceLang: "zh", TargetLang: "en", State: "open", Role: role}}
}

func sqm(t *testing.T) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	return p
}

// leadPages renders each page of leads and admins with text as every text on it.
func leadPages(t *testing.T, text string) map[string]templ.Component {
	t.Helper()
	p, q := leadPage("lead"), sqm(t)
	p.Campaign.Title = text
	clock := Clock{Now: noon}
	errors := map[string]string{"": text}
	for _, name := range []string{"title", "slug", "protocol", "source_lang", "target_lang", "redundancy", "quota", "gate", "threshold", "login", "name", "role", "people", "people_role", "file", "format", "language_pair", "reason", "answer", "licence"} {
		errors[name] = text
	}
	links := []SignInLink{{text, text, "https://x/sign-in/link/" + text, false}, {Login: text}}
	rows := []AnnotatorRow{{Login: text, Name: text, Ratings: 200, Today: 200, Seconds: 60, Second: 1, LastSeen: noon.AddDate(0, 0, -9)}, {Login: "b", Removed: true}}
	threads := []readmodel.Thread{{ID: "1", SegmentRowID: "s", DocID: text, SegmentID: text, Source: text, Login: text, Waits: true, OpenProblem: "1", At: noon,
		Messages: []readmodel.Message{{Kind: readmodel.Reported, Problem: "1", Login: text, Text: text, At: noon}, {Kind: readmodel.Said, ByLead: true, Login: text, Text: text, At: noon}}},
		{SegmentRowID: "s", DocID: text, SegmentID: text, Source: text, Login: text, Round: 1, Comments: []readmodel.Comment{{System: text, Words: text, Error: text, Text: text}}}}
	r := 0.5
	seg := campaign.Segment{DocID: text, SegmentID: text, Domain: text, DataSource: text, Source: text, Context: text, Note: text, Status: campaign.Reannotate, Round: 2,
		References: []campaign.Reference{{Name: text, Text: text}},
		Translations: []campaign.Translation{{System: text, Text: text, HumanScores: []campaign.HumanScore{{Name: text, Score: 1}}, Gold: &campaign.Gold{Score: 2, Adjudicated: true},
			Ratings: []campaign.Rating{{Annotator: text, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 3, text: 1}, Comment: text}}}}}}
	counts := readmodel.Counts{campaign.Agreed: 3, campaign.Pending: 2, campaign.Reannotate: 1}
	settings := campaign.DefaultSettings(q)
	settings.Licence = text
	gate := GateSummary{Settings: settings, Standing: readmodel.Standing{Segments: counts, FirstDecided: 4, FirstAgreed: 3, FirstFailed: 1, SentBack: readmodel.Counts{campaign.Reannotate: 1}, Alpha: 0.5,
		Reasons: []readmodel.ReasonCount{{Reason: agreement.BelowThreshold, Pairs: 2, Segments: 1}, {Reason: agreement.NoVarianceFar, Pairs: 1, Segments: 1}, {Reason: agreement.TooFewFar, Pairs: 1, Segments: 1}, {Reason: agreement.Reason(text), Pairs: 1, Segments: 1}}}}
	heat := func(id string) Heatmap {
		h := smallHeatmap()
		h.ID, h.Title, h.Names[0].Name = id, id+text, text
		return h
	}
	scores := chart.Histograms{ID: "scores", Label: "scores" + text, Whose: "Annotator", Bins: []string{text, "1"}, Beside: []int{1, 2}, Said: text, Panels: []chart.Histogram{{Name: text, Href: "/a", Note: text, Counts: []int{1, 2}}}}
	return map[string]templ.Component{
		"campaigns":    Campaigns(CampaignsView{Page: p, Clock: clock, MayCreate: true, Campaigns: []CampaignItem{{Campaign: *p.Campaign, Segments: counts, OpenProblems: 1, Submitted: noon}}}),
		"new campaign": NewCampaign(NewCampaignView{Page: p, Protocols: []*protocol.Protocol{q}, Form: CampaignForm{Title: text, Slug: text, SourceLang: text, Quota: text}, Errors: errors}),
		"overview": Overview(OverviewView{Page: p, Clock: clock, Settings: settings, Standing: readmodel.Standing{Segments: counts, Domains: []readmodel.Domain{{Name: text, Segments: counts}, {Segments: counts}}, Systems: []string{text}, Ratings: 5, OpenProblems: 1},
			Annotators: rows, IdleDays: 3, Gate: gate, Matrices: MatricesView{heat("segment"), heat("system")}, Scores: scores}),
		"new overview": Overview(OverviewView{Page: p, Clock: clock, Settings: settings, Annotators: rows}),
		"segments": Segments(SegmentsView{Page: p, Paging: Paging{1, 1, 9}, All: 9, Text: text, Domain: text, Domains: []string{text}, Source: Lang{"zh", "ltr"},
			Segments: []readmodel.Segment{{ID: "s", DocID: "d", SegmentID: text, Domain: text, Source: text, Status: campaign.Agreed, Held: true}}}),
		"segment": Segment(SegmentView{Page: p, Clock: clock, ID: "s", Segment: seg, Held: true, Protocol: q, Settings: settings, Act: ActAdjudicate, Typed: map[string]string{"reason": text, "score-1": text}, Errors: errors, Active: []Candidate{{text, text, text}, {text, text, text}}, Acts: []readmodel.LeadAct{{Act: campaign.Act{Kind: campaign.AnotherLook, Round: 2, Annotators: []string{text}}, ByLogin: text, Reason: text}}, Candidates: []Candidate{{text, text, text}}, Threads: threads, Before: "/a", After: "/b",
			Decisions: []campaign.Decision{{Round: 1, Status: campaign.Reannotate, Pairs: []campaign.Pair{{A: text, B: text, R: &r, Shared: 5, Reason: agreement.BelowThreshold}}}},
			Turns:     []readmodel.Turn{{Login: text, Round: 1, State: campaign.Submitted}, {Login: text, Round: 2, State: campaign.InWork, Added: true}}}),
		"annotators":           Annotators(AnnotatorsView{Page: p, Clock: clock, Paging: Paging{2, 1, 3}, Annotators: rows, All: 3, Text: text, Sort: "ratings", Down: true, Quota: 100, IdleSeconds: 60, IdleDays: 3}),
		"no annotator matches": Annotators(AnnotatorsView{Page: p, Clock: clock, All: 3, Show: "aside", Sort: "login"}),
		"annotator": Annotator(AnnotatorView{Page: p, Clock: clock, Annotator: rows[0], Quota: 100, Border: 0.5, Scores: scores,
			Days: []readmodel.AnnotatorDay{{Ratings: 4}, {Day: "2026-11-19", Ratings: 3, Compared: 2, Difference: 1}},
			With: []AgreementWithRow{{Login: text, Name: text, Shared: 3, System: 1, Segment: math.NaN()}, {Login: "b"}},
			Last: []readmodel.AnnotatorTurn{{ID: "s", DocID: text, SegmentID: text, Status: campaign.Agreed, Round: 1, SubmittedAt: noon}}}),
		"new annotator": Annotator(AnnotatorView{Page: p, Clock: clock, Annotator: AnnotatorRow{Login: text}, Border: math.NaN()}),
		"set aside":     Aside(AsideView{Page: p, Annotator: rows[0], Redundancy: 2, Reason: text, Errors: errors}),
		"restore":       Aside(AsideView{Page: p, Annotator: rows[0], Redundancy: 2, Restore: true}),
		"agreement":     Agreement(AgreementView{Page: p, Gate: gate, Matrices: MatricesView{heat("segment"), heat("system")}}),
		"no agreement":  Agreement(AgreementView{Page: p, Gate: GateSummary{Standing: readmodel.Standing{Alpha: math.NaN()}}, Gold: true}),
		"pair": AgreementPair(PairView{Page: p, Paging: Paging{1, 1, 2}, A: HeatName{text, "/a"}, B: HeatName{"b", "/b"}, LoginA: text, LoginB: "b", System: 0.5, SegmentR: math.NaN(), Source: Lang{"zh", "ltr"},
			Segments: []readmodel.PairSegment{{Segment: readmodel.Segment{ID: "s", DocID: text, SegmentID: text, Source: text, Status: campaign.Agreed}, PairRound: 1, R: 0.5, Shared: 5}}}),
		"no pair":  AgreementPair(PairView{Page: p, A: HeatName{text, "/a"}, B: HeatName{"b", "/b"}, LoginA: text, LoginB: "b", System: math.NaN(), SegmentR: math.NaN()}),
		"messages": Messages(MessagesView{Page: p, Clock: clock, Threads: threads, Annotators: []string{text}, Refused: "s " + text, Answer: text, Error: text}),
		"members":  Members(MembersView{Page: p, Clock: clock, Members: []MemberRow{{Login: text, Name: text, Role: campaign.Annotator}, {Login: "b", Role: campaign.Lead, Removed: true}}, Links: links, Invite: InviteForm{text, text, "", text, ""}, Errors: errors}),
		"import":   Import(ImportView{Page: p, Form: ImportForm{LanguagePair: text}, Errors: errors, Problems: &campaign.Problems{List: []*campaign.Problem{{File: text, Line: 1, Field: text, Msg: text}}}}),
		"imported": Import(ImportView{Page: p, Report: &readmodel.ImportReport{Segments: 1, Systems: []string{text}, NewAnnotators: []string{text}, Decided: counts}}),
		"export":   Export(ExportView{Page: p, Segments: 6, InGold: 3, Ratings: 9, Licence: text}),
		"settings": Settings(SettingsView{Page: p, Name: text, SourceLang: text, Settings: SettingFields(q, settings, nil), Errors: errors}),
		"audit":    Audit(AuditView{Page: p, Clock: clock, Paging: Paging{1, 1, 2}, Entries: []readmodel.AuditEntry{{At: noon, Login: text, Act: text, Subject: text, Reason: text, Before: text, After: text}}}),
		"preview": Settings(SettingsView{Page: p, Name: text, Settings: SettingFields(q, settings, nil), Preview: &SettingsPreview{Confirm: text, Changes: []Pair{{text, text}}, SettingsPreview: readmodel.SettingsPreview{Segments: 9,
			Moves: []readmodel.StatusMove{{From: campaign.Agreed, To: campaign.Reannotate, N: 2}, {From: campaign.Discarded, To: campaign.Agreed, N: 1}, {From: campaign.Reannotate, To: campaign.Reannotate, N: 1}}, SentBack: 2, ToGold: 1}}}),
		"queue": Queue(QueueView{Page: p, Clock: clock, Paging: Paging{1, 50, 2}, Show: "failed", Sort: "lowest", Counts: map[string]int{"": 2}, Settings: settings, Source: Lang{"zh", "ltr"}, Several: Several{Chosen: []string{"s"}, Do: DoAccept, Reason: text, Errors: errors, Active: []Candidate{{text, text, text}}},
			Rows: []readmodel.QueueEntry{{ID: "s", DocID: "d", SegmentID: text, Domain: text, Source: text, Round: 2, Since: noon, Held: true, LowestR: 0.5, Turns: []readmodel.QueueTurn{{Login: text, State: campaign.InWork, Stranded: true}, {Login: "b", State: campaign.Submitted}},
				Pairs: []campaign.Pair{{A: text, B: text, R: &r}, {A: text, B: "b", Reason: agreement.TooFewFar}}}, {ID: "t", DocID: "t", SegmentID: "t", LowestR: math.NaN()}}}),
		"empty queue":    Queue(QueueView{Page: p, Clock: clock, Settings: settings}),
		"audit filtered": Audit(AuditView{Page: p, Clock: clock, Act: text, Person: text, Text: text, Acts: []string{text}, People: []string{text}}),
		"users":          Users(UsersView{Page: p, Clock: clock, Users: []UserRow{{Login: text, Name: text}, {Login: "lin", Admin: true}, {Login: "c", Disabled: true}, {Login: "d", Admin: true}}, Links: links, Form: UserForm{text, text, ""}, Errors: errors}),
		"empty segments": Segments(SegmentsView{Page: p}),
		"instructions":   Instructions(InstructionsView{Page: p, Clock: clock, HTML: "<p>x</p>", HasText: true, Version: 2, Accepted: []readmodel.Acceptance{{Login: text, Version: 1, At: noon}, {Login: text}}, Text: text, Error: text, Problems: []string{text}}),
		"announcements": Announcements(AnnouncementsView{Page: p, Clock: clock, Text: text, Until: text, Errors: map[string]string{"text": text, "until": text},
			Announcements: []readmodel.Announcement{{ID: "1", Text: text, Login: text, At: noon, EndsAt: noon, Read: []string{text}, Unread: []string{text}}, {ID: "2", Text: text, Login: text, At: noon, Ended: true}}}),
		"empty announcements": Announcements(AnnouncementsView{Page: p}),
		"empty messages":      Messages(MessagesView{Page: p}),
		"empty members":       Members(MembersView{Page: p}),
		"empty export":        Export(ExportView{Page: p}),
		"empty audit":         Audit(AuditView{Page: p}),
	}
}

// TestLeadPages holds the pages to what texts, the content security policy and
// people who listen to a page ask of them.
func TestLeadPages(t *testing.T) {
	for name, c := range leadPages(t, `"><b onclick=x>evil</b>`) {
		t.Run(name, func(t *testing.T) {
			doc, _ := written(t, c)
			if n := doc.Find("main b, main [onclick]").Length(); n != 0 {
				t.Errorf("%d texts were not escaped", n)
			}
			if doc.Find("[style], style").Length() != 0 {
				t.Error("an inline style, which the policy blocks")
			}
			if doc.Find("h1").Length() != 1 {
				t.Errorf("%d level-one headings, want 1", doc.Find("h1").Length())
			}
			ids := map[string]bool{}
			doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
				id := s.AttrOr("id", "")
				if ids[id] {
					t.Errorf("two elements have the id %q", id)
				}
				ids[id] = true
			})
			for _, attr := range []string{"aria-labelledby", "aria-describedby", "for", "popovertarget", "data-copy"} {
				doc.Find("[" + attr + "]").Each(func(_ int, s *goquery.Selection) {
					for id := range strings.FieldsSeq(s.AttrOr(attr, "")) {
						if !ids[id] {
							t.Errorf("%s names %q, which is not there", attr, id)
						}
					}
				})
			}
			doc.Find("input:not([type=hidden]), select, textarea").Each(func(_ int, s *goquery.Selection) {
				if s.AttrOr("aria-label", "") == "" && s.Closest("label").Length() == 0 && doc.Find(`label[for="`+s.AttrOr("id", "?")+`"]`).Length() == 0 {
					t.Errorf("no label for %s", s.AttrOr("name", s.AttrOr("id", "a control")))
				}
			})
			doc.Find("table").Each(func(_ int, s *goquery.Selection) {
				if s.Find("caption").Text() == "" {
					t.Error("a table without a caption")
				}
				s.Find("th").Each(func(_ int, th *goquery.Selection) {
					if strings.TrimSpace(th.Text()) != "" && th.AttrOr("scope", "") == "" {
						t.Errorf("the head %q has no scope", th.Text())
					}
				})
			})
			doc.Find("svg").Each(func(_ int, s *goquery.Selection) {
				if s.AttrOr("role", "") != "img" || s.AttrOr("aria-label", "") == "" {
					t.Error("a drawing without words")
				}
			})
			doc.Find("form").Each(func(_ int, s *goquery.Selection) {
				if m := s.AttrOr("method", ""); m != "get" && m != "post" {
					t.Errorf("a form with method %q", m)
				}
			})
		})
	}
}

// More annotators a segment reopen segments: the preview says how many, not only that they
// leave gold.
func TestPreviewCountsReopenedSegments(t *testing.T) {
	p := SettingsPreview{SettingsPreview: readmodel.SettingsPreview{OutOfGold: 3, Moves: []readmodel.StatusMove{{From: campaign.Agreed, To: campaign.Pending, N: 3}, {From: campaign.Reannotate, To: campaign.Pending, N: 1}, {From: campaign.Pending, To: campaign.Agreed, N: 5}}}}
	if got := strings.Join(p.effects(), " "); got != "4 segments would wait for further annotators. 3 segments would leave gold." {
		t.Errorf("got %q", got)
	}
}

// The ratings of the export page are those of the campaign, not of the segments in gold.
func TestExportCountsRatings(t *testing.T) {
	v := ExportView{Segments: 12, InGold: 8, Ratings: 64}
	if got := v.lead(); got != "8 of 12 segments (67%) are in gold. Annotators gave 64 ratings in all rounds." {
		t.Errorf("got %q", got)
	}
}

func TestMessagesForms(t *testing.T) {
	said := func(kind readmodel.MessageKind, byLead bool) readmodel.Message {
		return readmodel.Message{Kind: kind, ByLead: byLead, Problem: "p", Login: "x", Text: "words", At: noon}
	}
	v := MessagesView{Page: leadPage("lead"), Clock: Clock{Now: noon}, Kind: "open", Refused: "b ann", Answer: "typed", Error: "say what", Threads: []readmodel.Thread{
		{ID: "1", SegmentRowID: "a", SegmentID: "s1", Login: "ann", Waits: true, Messages: []readmodel.Message{said(readmodel.Said, false)}},
		{ID: "2", SegmentRowID: "b", SegmentID: "s2", Login: "ann", Waits: true, OpenProblem: "p", Messages: []readmodel.Message{said(readmodel.Reported, false)}},
		{ID: "3", SegmentRowID: "c", SegmentID: "s3", Login: "ann", Messages: []readmodel.Message{said(readmodel.Reported, false), said(readmodel.Resolved, true)}},
		{SegmentRowID: "d", SegmentID: "s4", Login: "ann", Round: 1, Comments: []readmodel.Comment{{System: "Aster", Words: "cat", Error: "minor", Text: "odd"}}},
	}}
	doc, _ := written(t, Messages(v))
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
	if doc, _ = written(t, Messages(v)); doc.Find(".thread-form").Length() != 0 {
		t.Error("a campaign that can only be read has forms")
	}
	doc, _ = written(t, Messages(MessagesView{Page: leadPage("lead"), Kind: "open"}))
	if got := doc.Find(".empty p").Text(); got != "No annotator waits for an answer." {
		t.Errorf("empty state = %q", got)
	}
}

func TestMembersForms(t *testing.T) {
	v := MembersView{Page: leadPage("lead"), Members: []MemberRow{{Login: "a+b@x.org", Role: campaign.Annotator}, {Login: "old", Role: campaign.Annotator, Removed: true}, {Login: "kim", Role: campaign.Annotator, Fixed: true}},
		Links:  []SignInLink{{"mara", "Mara", "https://x/l/1", false}, {"ben", "", "", false}},
		Invite: InviteForm{Login: "no good", People: "x, y"}, Errors: map[string]string{"login": "not so", "people": "line 1: no"}}
	doc, _ := written(t, Members(v))
	for _, sub := range []string{"link", "role", "remove"} {
		if doc.Find(`form[action="/campaigns/ment/members/a+b@x.org/`+sub+`"]`).Length() != 1 {
			t.Errorf("no form for %s", sub)
		}
		if doc.Find(`form[action="/campaigns/ment/members/old/`+sub+`"]`).Length() != 0 {
			t.Errorf("a form for %s of someone removed", sub)
		}
	}
	// Somebody who has annotated stays an annotator, and may be an adjudicator beside.
	if got := doc.Find(`form[action="/campaigns/ment/members/kim/role"] option`).Map(func(_ int, o *goquery.Selection) string { return o.AttrOr("value", "") }); !slices.Equal(got, []string{"annotator", "adjudicator"}) {
		t.Errorf("someone who has annotated can be made %v", got)
	}
	if got := doc.Find("#login-error").Text() + "; " + doc.Find("#people-error").Text(); got != "not so; line 1: no" {
		t.Errorf("errors: %s", got)
	}
	if got := doc.Find("#login").AttrOr("value", "") + "; " + doc.Find("#people").Text(); got != "no good; x, y" {
		t.Errorf("typed: %s", got)
	}
	if got := doc.Find(".links input[readonly]").AttrOr("value", ""); got != "https://x/l/1" {
		t.Errorf("link = %q", got)
	}
	if text := doc.Find(".links").Text(); !strings.Contains(text, "Shown only now") || !strings.Contains(text, "14 days") || !strings.Contains(text, "Has an account already") {
		t.Errorf("the links say %q", text)
	}
}

func TestImportResults(t *testing.T) {
	ps := &campaign.Problems{More: 7, List: []*campaign.Problem{{File: "a.jsonl", Line: 3, Column: 9, Field: "source", Msg: "must not be empty"}}}
	doc, _ := written(t, Import(ImportView{Page: leadPage("lead"), Problems: ps, Form: ImportForm{Format: "ment", LanguagePair: "zh-en", Check: true}}))
	if got := doc.Find(".result .notice").Text(); !strings.Contains(got, "8 problems. Nothing was stored.") {
		t.Errorf("notice = %q", got)
	}
	cells := doc.Find(".result tbody td").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
	if got := strings.Join(cells, "|"); got != "a.jsonl|3|9|source|must not be empty" {
		t.Errorf("row = %s", got)
	}
	form := doc.Find("main form")
	if form.AttrOr("enctype", "") != "multipart/form-data" || form.Find("[name=format][checked]").AttrOr("value", "") != "ment" || form.Find("[name=check][checked]").Length() != 1 || form.Find("#language_pair").AttrOr("value", "") != "zh-en" {
		t.Error("the form has lost what was chosen")
	}
	// The format was wrong, so none is proposed: the next try has to choose one.
	ps = &campaign.Problems{List: []*campaign.Problem{{File: "a.jsonl", Line: 1, Field: "format", Msg: "this looks like jsonl"}}}
	doc, _ = written(t, Import(ImportView{Page: leadPage("lead"), Problems: ps, Form: ImportForm{Format: "ment"}}))
	if n := doc.Find("main form [name=format][checked]").Length(); n != 0 {
		t.Errorf("%d formats chosen after a file in another one", n)
	}
	doc, _ = written(t, Import(ImportView{Page: leadPage("lead"), Form: ImportForm{Check: true}, Report: &readmodel.ImportReport{Segments: 1200}}))
	if got := doc.Find(".result").Text(); !strings.Contains(got, "nothing was stored") || !strings.Contains(got, "1,200") {
		t.Errorf("result = %q", got)
	}
}

func TestExportLinks(t *testing.T) {
	sqm, _ := protocol.Lookup("sqm")
	doc, _ := written(t, Export(ExportView{Page: leadPage("researcher"), Segments: 3, Systems: 2}))
	var hrefs []string
	doc.Find(".exports a").Each(func(_ int, s *goquery.Selection) { hrefs = append(hrefs, s.AttrOr("href", "")) })
	if got := strings.Join(hrefs, " "); got != "/campaigns/ment/export/jsonl /campaigns/ment/export/mtme /campaigns/ment/export/mtme/left-out" {
		t.Errorf("before the first rating: %s", got)
	}
	doc, _ = written(t, Export(ExportView{Page: leadPage("researcher"), Segments: 3, InGold: 2, Ratings: 8, Protocol: sqm}))
	if doc.Find(`a[href="/campaigns/ment/export/ment.systems.json"]`).Length() != 1 {
		t.Error("no link to the names of the systems")
	}
	if got := doc.Find(".export:contains('Gold, MENT') .export-holds").Text(); strings.TrimSpace(got) != "2 of 3 segments in gold" {
		t.Errorf("holds %q", got)
	}
}

func TestSettingsFields(t *testing.T) {
	mqm, _ := protocol.Lookup("mqm")
	fields := SettingFields(mqm, campaign.DefaultSettings(mqm), map[string]string{"threshold": "7"})
	doc, _ := written(t, Settings(SettingsView{Page: leadPage("lead"), Name: "MENT", SourceLocked: true, TargetLocked: true, Settings: fields, Errors: map[string]string{"threshold": "too much"}}))
	for _, k := range campaign.SettingList {
		if n := doc.Find("form.settings [name=" + k.Key + "]").Length(); n != 1 {
			t.Errorf("%d controls for %s, want 1", n, k.Key)
		}
	}
	if got := doc.Find("#threshold").AttrOr("value", "") + "; " + doc.Find("#threshold-error").Text(); got != "7; too much" {
		t.Errorf("threshold: %s", got)
	}
	if doc.Find("[name=source_lang]").Length() != 0 {
		t.Error("the languages can be changed after the import")
	}
	if doc.Find(`a[href="/campaigns/ment/audit"]`).Length() == 0 {
		t.Error("no link to the audit log")
	}
	// What the protocol takes no notice of is not asked, and a group without settings
	// has no heading.
	doc, _ = written(t, Settings(SettingsView{Page: leadPage("lead"), Settings: SettingFields(sqm(t), campaign.DefaultSettings(sqm(t)), nil)}))
	if n := doc.Find("#max_errors, #critical, #source_error, #protocol-title").Length(); n != 0 {
		t.Errorf("SQM is asked for %d settings of MQM", n)
	}
	// A setting that no group knows is not lost.
	fields = append(fields, SettingField{Key: "new_thing", Value: "1"})
	doc, _ = written(t, Settings(SettingsView{Page: leadPage("lead"), Settings: fields}))
	if got := doc.Find("label[for=new_thing]").Text(); got != "New thing" {
		t.Errorf("label of a new setting = %q", got)
	}
}

func TestUsersActions(t *testing.T) {
	doc, _ := written(t, Users(UsersView{Page: leadPage(""), Users: []UserRow{{Login: "lin", Admin: true}, {Login: "mara"}, {Login: "ben", Disabled: true}}}))
	for _, tt := range []struct {
		action string
		want   int
	}{
		{"/users/lin/link", 1}, {"/users/lin/disable", 0}, {"/users/lin/role", 0},
		{"/users/mara/link", 1}, {"/users/mara/disable", 1}, {"/users/mara/role", 1}, {"/users/mara/enable", 0},
		{"/users/ben/enable", 1}, {"/users/ben/link", 0},
	} {
		if got := doc.Find(`form[action="` + tt.action + `"]`).Length(); got != tt.want {
			t.Errorf("%s: %d forms, want %d", tt.action, got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{wording.Percent(0, 0), "–"}, {wording.Percent(0, 9), "0%"}, {wording.Percent(1, 1000), "<1%"}, {wording.Percent(999, 1000), ">99%"}, {wording.PercentTenths(7, 8), "87.5%"}, {wording.PercentTenths(1, 8), "12.5%"}, {wording.PercentTenths(2, 3), "66.7%"}, {wording.PercentTenths(1, 2001), "<0.1%"}, {wording.PercentTenths(2000, 2001), ">99.9%"}, {wording.PercentTenths(1, 2), "50%"}, {wording.PercentTenths(0, 0), "–"}, {wording.PercentTenths(8, 8), "100%"}, {wording.Percent(9, 9), "100%"}, {wording.Percent(1, 3), "33%"},
		{hours(0), "–"}, {hours(60), "<0.1 h"}, {hours(5400), "1.5 h"}, {hours(3600 * 12345), "12,345 h"},
		{pace(380, 10), "38 s"}, {pace(0, 0), "–"},
		{short(3), "3"}, {short(1.0 / 3), "0.3333"}, {short(-2.5), "−2.5"},
		{Paging{2, 50, 340}.rangeText(), "51 to 100 of 340"}, {Paging{7, 50, 340}.rangeText(), "301 to 340 of 340"}, {Paging{1, 50, 12}.rangeText(), "12 in all"},
		{Clock{Now: noon}.text(noon.Add(-time.Hour)), "today 11:00"}, {Clock{Now: noon}.text(noon.Add(-13 * time.Hour)), "yesterday 23:00"}, {Clock{}.text(noon), "2026-11-20 12:00"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestSlices(t *testing.T) {
	got := slicesOf(readmodel.Counts{campaign.Agreed: 1, campaign.Pending: 3})
	want := []slice{{campaign.Agreed, "0.00%", "25.00%"}, {campaign.Pending, "25.00%", "75.00%"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, s := range slicesOf(readmodel.Counts{campaign.Discarded: 1, campaign.Pending: 100_000}) {
		if s.Width == "0.00%" {
			t.Error("one among many can't be seen")
		}
	}
	if slicesOf(readmodel.Counts{}) != nil {
		t.Error("a bar of nothing has parts")
	}
}
