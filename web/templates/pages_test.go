package templates_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/account"
	"annotate/web/templates/annotating"
	"annotate/web/templates/monitoring"
	"annotate/web/templates/pagetest"
	"annotate/web/templates/segments"
	"annotate/web/templates/setup"
)

func TestNamesAreUnique(t *testing.T) {
	for name, page := range leadPages(t, "x") {
		t.Run(name, func(t *testing.T) { pagetest.UniqueNames(t, page) })
	}
}

// leadPages renders each page of leads and admins with text as every text on it.
func leadPages(t *testing.T, text string) map[string]templ.Component {
	t.Helper()
	p, q := pagetest.LeadPage("lead"), pagetest.Sqm(t)
	p.Campaign.Title = text
	clock := templates.Clock{Now: pagetest.Noon}
	errors := map[string]string{"": text}
	for _, name := range []string{"title", "slug", "protocol", "source_lang", "target_lang", "redundancy", "quota", "gate", "threshold", "login", "name", "role", "people", "people_role", "file", "format", "language_pair", "reason", "answer", "licence"} {
		errors[name] = text
	}
	links := []templates.SignInLink{{Login: text, Name: text, URL: "https://x/sign-in/link/" + text, Locked: false}, {Login: text}}
	rows := []monitoring.AnnotatorRow{{Login: text, Name: text, Ratings: 200, Today: 200, Seconds: 60, Second: 1, LastSeen: pagetest.Noon.AddDate(0, 0, -9)}, {Login: "b", Removed: true}}
	threads := []readmodel.Thread{{ID: "1", SegmentRowID: "s", DocID: text, SegmentID: text, Source: text, Login: text, Waits: true, OpenProblem: "1", At: pagetest.Noon,
		Messages: []readmodel.Message{{Kind: readmodel.Reported, Problem: "1", Login: text, Text: text, At: pagetest.Noon}, {Kind: readmodel.Said, ByLead: true, Login: text, Text: text, At: pagetest.Noon}}},
		{SegmentRowID: "s", DocID: text, SegmentID: text, Source: text, Login: text, Round: 1, Comments: []readmodel.Comment{{System: text, Words: text, Error: text, Text: text}}}}
	r := 0.5
	seg := campaign.Segment{DocID: text, SegmentID: text, Domain: text, DataSource: text, Source: text, Context: text, Note: text, Status: campaign.Reannotate, Round: 2,
		References: []campaign.Reference{{Name: text, Text: text}},
		Translations: []campaign.Translation{{System: text, Text: text, HumanScores: []campaign.HumanScore{{Name: text, Score: 1}}, Gold: &campaign.Gold{Score: 2, Adjudicated: true},
			Ratings: []campaign.Rating{{Annotator: text, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 3, text: 1}, Comment: text}}}}}}
	counts := readmodel.Counts{campaign.Agreed: 3, campaign.Pending: 2, campaign.Reannotate: 1}
	settings := campaign.DefaultSettings(q)
	settings.Licence = text
	gate := monitoring.GateSummary{Settings: settings, Standing: readmodel.Standing{Segments: counts, FirstDecided: 4, FirstAgreed: 3, FirstFailed: 1, SentBack: readmodel.Counts{campaign.Reannotate: 1}, Alpha: 0.5,
		Reasons: []readmodel.ReasonCount{{Reason: agreement.BelowThreshold, Pairs: 2, Segments: 1}, {Reason: agreement.NoVarianceFar, Pairs: 1, Segments: 1}, {Reason: agreement.TooFewFar, Pairs: 1, Segments: 1}, {Reason: agreement.Reason(text), Pairs: 1, Segments: 1}}}}
	heat := func(id string) templates.Heatmap {
		h := pagetest.SmallHeatmap()
		h.ID, h.Title, h.Names[0].Name = id, id+text, text
		return h
	}
	scores := chart.Histograms{ID: "scores", Label: "scores" + text, Whose: "Annotator", Bins: []string{text, "1"}, Beside: []int{1, 2}, Said: text, Panels: []chart.Histogram{{Name: text, Href: "/a", Note: text, Counts: []int{1, 2}}}}
	return map[string]templ.Component{
		"campaigns":    monitoring.Campaigns(monitoring.CampaignsView{Page: p, Clock: clock, MayCreate: true, Campaigns: []monitoring.OverviewView{{Page: p, Clock: clock, Standing: readmodel.Standing{Segments: counts, OpenProblems: 1, Submitted: pagetest.Noon}}}}),
		"new campaign": setup.NewCampaign(setup.NewCampaignView{Page: p, Protocols: []*protocol.Protocol{q}, Form: setup.CampaignForm{Title: text, Slug: text, SourceLang: text, Quota: text}, Errors: errors}),
		"overview": monitoring.Overview(monitoring.OverviewView{Page: p, Clock: clock, Settings: settings, Standing: readmodel.Standing{Segments: counts, Domains: []readmodel.Domain{{Name: text, Segments: counts}, {Segments: counts}}, Systems: []string{text}, Ratings: 5, OpenProblems: 1},
			Annotators: rows, IdleDays: 3, Gate: gate, Matrices: monitoring.MatricesView{System: heat("segment"), Segment: heat("system")}, Scores: scores}),
		"new overview": monitoring.Overview(monitoring.OverviewView{Page: p, Clock: clock, Settings: settings, Annotators: rows}),
		"segments": segments.Segments(segments.SegmentsView{Page: p, Paging: templates.Paging{Number: 1, Size: 1, Total: 9}, All: 9, Text: text, Domain: text, Domains: []string{text}, Source: templates.Lang{Lang: "zh", Dir: "ltr"},
			Segments: []readmodel.Segment{{ID: "s", DocID: "d", SegmentID: text, Domain: text, Source: text, Status: campaign.Agreed, Held: true}}}),
		"segment": segments.Segment(segments.SegmentView{Page: p, Clock: clock, ID: "s", Segment: seg, Held: true, Protocol: q, Settings: settings, Act: segments.ActAdjudicate, Typed: map[string]string{"reason": text, "score-1": text}, Errors: errors, Active: []segments.Candidate{{Login: text, Name: text, Had: text}, {Login: text, Name: text, Had: text}}, Acts: []readmodel.LeadAct{{Act: campaign.Act{Kind: campaign.AnotherLook, Round: 2, Annotators: []string{text}}, ByLogin: text, Reason: text}}, Candidates: []segments.Candidate{{Login: text, Name: text, Had: text}}, Threads: threads, Before: "/a", After: "/b",
			Decisions: []campaign.Decision{{Round: 1, Status: campaign.Reannotate, Pairs: []campaign.Pair{{A: text, B: text, R: &r, Shared: 5, Reason: agreement.BelowThreshold}}}},
			Turns:     []readmodel.Turn{{Login: text, Round: 1, State: campaign.Submitted}, {Login: text, Round: 2, State: campaign.InWork, Added: true}}}),
		"annotators":           monitoring.Annotators(monitoring.AnnotatorsView{Page: p, Clock: clock, Paging: templates.Paging{Number: 2, Size: 1, Total: 3}, Annotators: rows, All: 3, Text: text, Sort: "ratings", Down: true, Quota: 100, IdleSeconds: 60, IdleDays: 3}),
		"no annotator matches": monitoring.Annotators(monitoring.AnnotatorsView{Page: p, Clock: clock, All: 3, Show: "aside", Sort: "login"}),
		"annotator": monitoring.Annotator(monitoring.AnnotatorView{Page: p, Clock: clock, Annotator: rows[0], Quota: 100, Border: 0.5, Scores: scores,
			Days: []readmodel.AnnotatorDay{{Ratings: 4}, {Day: "2026-11-19", Ratings: 3, Compared: 2, Difference: 1}},
			With: []monitoring.AgreementWithRow{{Login: text, Name: text, Shared: 3, System: 1, Segment: math.NaN()}, {Login: "b"}},
			Last: []readmodel.AnnotatorTurn{{ID: "s", DocID: text, SegmentID: text, Status: campaign.Agreed, Round: 1, SubmittedAt: pagetest.Noon}}}),
		"new annotator": monitoring.Annotator(monitoring.AnnotatorView{Page: p, Clock: clock, Annotator: monitoring.AnnotatorRow{Login: text}, Border: math.NaN()}),
		"set aside":     monitoring.Aside(monitoring.AsideView{Page: p, Annotator: rows[0], Redundancy: 2, Reason: text, Errors: errors}),
		"restore":       monitoring.Aside(monitoring.AsideView{Page: p, Annotator: rows[0], Redundancy: 2, Restore: true}),
		"agreement":     monitoring.Agreement(monitoring.AgreementView{Page: p, Gate: gate, Matrices: monitoring.MatricesView{System: heat("segment"), Segment: heat("system")}}),
		"no agreement":  monitoring.Agreement(monitoring.AgreementView{Page: p, Gate: monitoring.GateSummary{Standing: readmodel.Standing{Alpha: math.NaN()}}, Gold: true}),
		"pair": monitoring.AgreementPair(monitoring.PairView{Page: p, Paging: templates.Paging{Number: 1, Size: 1, Total: 2}, A: templates.HeatName{Name: text, Href: "/a"}, B: templates.HeatName{Name: "b", Href: "/b"}, LoginA: text, LoginB: "b", System: 0.5, SegmentR: math.NaN(), Source: templates.Lang{Lang: "zh", Dir: "ltr"},
			Segments: []readmodel.PairSegment{{Segment: readmodel.Segment{ID: "s", DocID: text, SegmentID: text, Source: text, Status: campaign.Agreed}, PairRound: 1, R: 0.5, Shared: 5}}}),
		"no pair":  monitoring.AgreementPair(monitoring.PairView{Page: p, A: templates.HeatName{Name: text, Href: "/a"}, B: templates.HeatName{Name: "b", Href: "/b"}, LoginA: text, LoginB: "b", System: math.NaN(), SegmentR: math.NaN()}),
		"messages": segments.Messages(segments.MessagesView{Page: p, Clock: clock, Threads: threads, Annotators: []string{text}, Refused: "s " + text, Answer: text, Error: text}),
		"members":  setup.Members(setup.MembersView{Page: p, Clock: clock, Members: []setup.MemberRow{{Login: text, Name: text, Role: campaign.Annotator}, {Login: "b", Role: campaign.Lead, Removed: true}}, Links: links, Invite: setup.InviteForm{Login: text, Name: text, Role: "", People: text, PeopleRole: ""}, Errors: errors}),
		"import":   setup.Import(setup.ImportView{Page: p, Form: setup.ImportForm{LanguagePair: text}, Errors: errors, Problems: &campaign.Problems{List: []*campaign.Problem{{File: text, Line: 1, Field: text, Msg: text}}}}),
		"imported": setup.Import(setup.ImportView{Page: p, Report: &readmodel.ImportReport{Segments: 1, Systems: []string{text}, NewAnnotators: []string{text}, Decided: counts}}),
		"export":   setup.Export(setup.ExportView{Page: p, Segments: 6, InGold: 3, Ratings: 9, Licence: text}),
		"settings": setup.Settings(setup.SettingsView{Page: p, Name: text, SourceLang: text, Settings: setup.SettingFields(q, settings, nil), Errors: errors}),
		"audit":    setup.Audit(setup.AuditView{Page: p, Clock: clock, Paging: templates.Paging{Number: 1, Size: 1, Total: 2}, Entries: []readmodel.AuditEntry{{At: pagetest.Noon, Login: text, Act: text, Subject: text, Reason: text, Before: text, After: text}}}),
		"preview": setup.Settings(setup.SettingsView{Page: p, Name: text, Settings: setup.SettingFields(q, settings, nil), Preview: &setup.SettingsPreview{Confirm: text, Changes: []templates.Pair{{Term: text, Text: text}}, SettingsPreview: readmodel.SettingsPreview{Segments: 9,
			Moves: []readmodel.StatusMove{{From: campaign.Agreed, To: campaign.Reannotate, N: 2}, {From: campaign.Discarded, To: campaign.Agreed, N: 1}, {From: campaign.Reannotate, To: campaign.Reannotate, N: 1}}, SentBack: 2, ToGold: 1}}}),
		"queue": segments.Queue(segments.QueueView{Page: p, Clock: clock, Paging: templates.Paging{Number: 1, Size: 50, Total: 2}, Show: "failed", Sort: "lowest", Counts: map[string]int{"": 2}, Settings: settings, Source: templates.Lang{Lang: "zh", Dir: "ltr"}, Several: segments.Several{Chosen: []string{"s"}, Do: segments.DoAccept, Reason: text, Errors: errors, Active: []segments.Candidate{{Login: text, Name: text, Had: text}}},
			Rows: []readmodel.QueueEntry{{ID: "s", DocID: "d", SegmentID: text, Domain: text, Source: text, Round: 2, Since: pagetest.Noon, Held: true, LowestR: 0.5, Turns: []readmodel.QueueTurn{{Login: text, State: campaign.InWork, Stranded: true}, {Login: "b", State: campaign.Submitted}},
				Pairs: []campaign.Pair{{A: text, B: text, R: &r}, {A: text, B: "b", Reason: agreement.TooFewFar}}}, {ID: "t", DocID: "t", SegmentID: "t", LowestR: math.NaN()}}}),
		"empty queue":    segments.Queue(segments.QueueView{Page: p, Clock: clock, Settings: settings}),
		"audit filtered": setup.Audit(setup.AuditView{Page: p, Clock: clock, Act: text, Person: text, Text: text, Acts: []string{text}, People: []string{text}}),
		"users":          account.Users(account.UsersView{Page: p, Clock: clock, Users: []account.UserRow{{Login: text, Name: text}, {Login: "lin", Admin: true}, {Login: "c", Disabled: true}, {Login: "d", Admin: true}}, Links: links, Form: account.UserForm{Login: text, Name: text, Role: ""}, Errors: errors}),
		"empty segments": segments.Segments(segments.SegmentsView{Page: p}),
		"instructions":   annotating.Instructions(annotating.InstructionsView{Page: p, Clock: clock, HTML: "<p>x</p>", HasText: true, Version: 2, Accepted: []readmodel.Acceptance{{Login: text, Version: 1, At: pagetest.Noon}, {Login: text}}, Text: text, Error: text, Problems: []string{text}}),
		"announcements": annotating.Announcements(annotating.AnnouncementsView{Page: p, Clock: clock, Text: text, Until: text, Errors: map[string]string{"text": text, "until": text},
			Announcements: []readmodel.Announcement{{ID: "1", Text: text, Login: text, At: pagetest.Noon, EndsAt: pagetest.Noon, Read: []string{text}, Unread: []string{text}}, {ID: "2", Text: text, Login: text, At: pagetest.Noon, Ended: true}}}),
		"empty announcements": annotating.Announcements(annotating.AnnouncementsView{Page: p}),
		"empty messages":      segments.Messages(segments.MessagesView{Page: p}),
		"empty members":       setup.Members(setup.MembersView{Page: p}),
		"empty export":        setup.Export(setup.ExportView{Page: p}),
		"empty audit":         setup.Audit(setup.AuditView{Page: p}),
	}
}

// TestLeadPages holds the pages to what texts, the content security policy and
// people who listen to a page ask of them.
func TestLeadPages(t *testing.T) {
	for name, c := range leadPages(t, `"><b onclick=x>evil</b>`) {
		t.Run(name, func(t *testing.T) {
			doc, _ := pagetest.Written(t, c)
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

// everyPage renders each page once, with texts that would break it if they
// were not escaped.
func everyPage(t *testing.T) map[string]templ.Component {
	t.Helper()
	const evil = `"><b onclick=x>evil</b>`
	p := templates.Page{Title: evil, Static: "/static/x", User: &templates.User{Login: "lin", Name: evil, Admin: true}, Flash: evil, Error: evil, Here: "overview",
		Campaign: &templates.Campaign{Slug: "ment", Title: evil, Protocol: "SQM", SourceLang: "zh", TargetLang: "en", State: "paused", Role: "lead"}}
	v := annotating.AnnotateView{Page: p, Protocol: pagetest.Sqm(t), AssignmentID: "a1", Round: 1, DocID: evil, Source: templates.Lang{Lang: "zh", Dir: "ltr"}, Target: templates.Lang{Lang: "ar", Dir: "rtl"}, SourceText: evil, Before: []string{evil}, After: []string{evil},
		Cards: []annotating.Card{{Index: 0, Text: evil, Scores: map[string]float64{"sqm": 3}, Comment: evil}, {Index: 1}}}
	annotating.MarkSame(v.Cards)
	now := time.Date(2026, 11, 21, 12, 3, 0, 0, time.UTC)
	return map[string]templ.Component{
		"annotate": annotating.Annotate(v),
		"sign-in":  account.SignIn(account.SignInView{Page: p, Login: evil, Next: evil, Wait: evil}),
		"link":     account.Link(account.LinkView{Page: p, Name: evil, Action: "/link/x"}),
		"work":     annotating.MyWork(annotating.MyWorkView{Page: p, Campaigns: []annotating.WorkItem{{Campaign: templates.Campaign{Slug: "m", Title: evil, Role: "annotator", State: "open"}, Done: 1, Available: 2, SecondLooks: 1}}}),
		"numbers":  annotating.MyNumbers(annotating.MyNumbersView{Page: p, Clock: templates.Clock{Now: now}, Days: []readmodel.AnnotatorDay{{Ratings: 3}, {Day: "2026-11-19", Ratings: 3, Segments: 1, Seconds: 90}}, Done: 2, Words: 40, Left: 3}),
		"finished": annotating.Own(annotating.OwnView{Page: p, Paging: templates.Paging{Number: 1, Size: 50, Total: 1}, Items: []readmodel.OwnSegment{{State: readmodel.OwnDone, AssignmentID: "x", DocID: evil, Source: evil, Scores: []string{"3"}, SubmittedAt: now}}}),
		"account":  account.Account(account.AccountView{Page: p, Name: evil, NameError: evil, HasPassword: true, Sessions: []readmodel.Session{{ID: "1", Agent: evil, CreatedAt: now, LastSeenAt: now}, {ID: "2", Current: true}}}),
		"error":    templates.Error(templates.ErrorView{Page: p, Code: 500, Text: evil, RequestID: evil}),
	}
}

// TestEveryPage holds all pages to the content security policy and to names
// for what can be operated.
func TestEveryPage(t *testing.T) {
	for name, c := range everyPage(t) {
		t.Run(name, func(t *testing.T) {
			doc, html := pagetest.Written(t, c)
			if doc.Find("b").Length() != 0 {
				t.Error("a text was not escaped")
			}
			doc.Find("*").Each(func(_ int, s *goquery.Selection) {
				for _, a := range s.Nodes[0].Attr {
					if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
						t.Errorf("<%s> has %s, which the policy blocks", s.Nodes[0].Data, a.Key)
					}
				}
			})
			doc.Find("script").Each(func(_ int, s *goquery.Selection) {
				if s.AttrOr("type", "") != "application/json" && s.AttrOr("src", "") == "" {
					t.Error("an inline script, which the policy blocks")
				}
			})
			if doc.Find("style").Length() != 0 {
				t.Error("an inline style sheet, which the policy blocks")
			}
			doc.Find("form").Each(func(_ int, s *goquery.Selection) {
				switch s.AttrOr("method", "get") {
				case "get", "post", "dialog":
				default:
					t.Errorf("form method %q", s.AttrOr("method", ""))
				}
			})
			doc.Find("input:not([type=hidden]):not([aria-hidden]), select, textarea").Each(func(_ int, s *goquery.Selection) {
				id := s.AttrOr("id", "")
				if s.AttrOr("aria-label", "") == "" && s.Closest("label").Length() == 0 && (id == "" || doc.Find(`label[for="`+id+`"]`).Length() == 0) {
					html, _ := goquery.OuterHtml(s)
					t.Errorf("no label for %s", html)
				}
			})
			if doc.Find("h1").Length() != 1 {
				t.Errorf("%d level-one headings, want 1", doc.Find("h1").Length())
			}
			if !strings.HasPrefix(html, "<!doctype html>") {
				t.Errorf("begins with %.20q", html)
			}
		})
	}
}
