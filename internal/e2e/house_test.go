package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/outbox"
	"annotate/internal/post"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
	"annotate/internal/work"
)

// emptyHouse is the slug of a campaign in which nothing has happened, and openHouse
// begins those of campaigns with errors still to mark.
const (
	emptyHouse = "nothing-yet"
	openHouse  = "open-"
	// invitingHouse is a campaign of another lead ([house.invitation]).
	invitingHouse = "inviting"
	siteAdmin     = "admin"
)

// A house is the application with the sample campaigns, and a window for everybody.
type house struct {
	t       *testing.T
	st      *store.Store
	clock   *sample.Clock
	srv     *server.Server
	url     string
	browser context.Context
	windows map[string]context.Context
	clients map[string]*http.Client
}

func newHouse(t *testing.T, b context.Context) *house {
	t.Helper()
	ctx := t.Context()
	clock := sample.NewClock(time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC))
	st, err := store.Open(ctx, database.Config{Driver: database.SQLite, DSN: storetest.File(t), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if err := sample.Load(ctx, st, clock); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Accounts.AddUser(ctx, siteAdmin, "", accounts.Admin); err != nil {
		t.Fatal(err)
	}
	// Pages about mail are there if there is a mail server. Nothing is sent to it.
	mail := outbox.Senders{Mail: &post.MailServer{Host: "mail.example.org"}}
	srv, err := server.New(server.Config{Now: clock.Now, Send: mail}, st)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, st: st, clock: clock, srv: srv, url: served(t, srv.Handler()), browser: b, windows: map[string]context.Context{}, clients: map[string]*http.Client{}}
	h.campaign(emptyHouse, "sqm", "", "")
	for id, languages := range map[string][2]string{"esa": {"de", "en"}, "mqm": {"zh", "en"}, "rate": {"en", "ar"}} {
		c := h.campaign(openHouse+id, id, languages[0], languages[1])
		line := campaign.SegmentLine{Line: 1, Segment: two("s1", "Die alte Fähre fährt heute nicht, sagt der Kapitän.", "The old fairy don't go today says the captain.", "The ferry is off today.")}
		if id == "rate" {
			line.Segment.Translations[0].Text = "العبارة القديمة لا تبحر اليوم، يقول الربان."
		}
		lines := func(yield func(campaign.SegmentLine, error) bool) { yield(line, nil) }
		if _, err := st.Intake.ImportSegments(ctx, c.ID, lines, intake.ImportOptions{File: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// campaign makes one of the lead's, with the annotator of the sample in it.
func (h *house) campaign(slug, protocolID, source, target string) campaign.Campaign {
	h.t.Helper()
	ctx := h.t.Context()
	p, _ := protocol.Lookup(protocolID)
	c, err := h.st.Accounts.CreateCampaign(ctx, campaign.Campaign{Slug: slug, Title: "Campaign " + slug, Protocol: protocolID, SourceLang: source, TargetLang: target, Settings: campaign.DefaultSettings(p)}, h.user(sample.Lead).ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for login, role := range map[string]campaign.Role{sample.Annotator: campaign.Annotator, sample.Researcher: campaign.Researcher} {
		if err := h.st.Accounts.AddMember(ctx, c.ID, login, role, ""); err != nil {
			h.t.Fatal(err)
		}
	}
	return c
}

// invitation invites the annotator of the sample to a campaign of another lead, and returns the path of the join link.
// A link that the sample's lead made has not been used.
func (h *house) invitation() string {
	h.t.Helper()
	ctx := h.t.Context()
	other, err := h.st.Accounts.AddUser(ctx, "other-lead", "Ben", accounts.Member)
	if err != nil {
		h.t.Fatal(err)
	}
	p, _ := protocol.Lookup("sqm")
	c, err := h.st.Accounts.CreateCampaign(ctx, campaign.Campaign{Slug: invitingHouse, Title: "Another campaign", Protocol: "sqm", Settings: campaign.DefaultSettings(p)}, other.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.st.Accounts.RenewLink(ctx, h.find(sample.ChineseEnglish).ID, sample.Annotator, h.user(sample.Lead)); err != nil {
		h.t.Fatal(err)
	}
	made, err := h.st.Accounts.Invite(ctx, c.ID, sample.Annotator, "", campaign.Annotator, other.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return site.JoinPath(made.Join)
}

func (h *house) user(login string) accounts.User {
	h.t.Helper()
	u, err := h.st.Accounts.UserByLogin(h.t.Context(), login)
	if err != nil {
		h.t.Fatal(err)
	}
	return u
}

// link is a new sign-in link of somebody's.
func (h *house) link(login string) string {
	h.t.Helper()
	token, err := h.st.Accounts.NewLink(h.t.Context(), h.user(login).ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.url + site.LinkPath(token)
}

// window is a person's, signed in; a stranger's for no login.
func (h *house) window(login string) context.Context {
	h.t.Helper()
	if w := h.windows[login]; w != nil {
		return w
	}
	w := window(h.t, h.browser)
	h.windows[login] = w
	if login != "" {
		run(h.t, w, login+" signs in", signInWith(h.t, h.link(login)))
		knowsGuides(h.t, h.st, login)
	}
	return w
}

// head asks for a page without a browser and says what answers: its status, 0 for
// what is no page.
func (h *house) head(login, path string) int {
	h.t.Helper()
	c := h.clients[login]
	if c == nil {
		c = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		if login != "" {
			c = signedIn(h.t, h.link(login))
		}
		h.clients[login] = c
	}
	res := h.get(c, h.url+path)
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/html; charset=UTF-8" || res.Header.Get("Content-Disposition") != "" {
		return 0
	}
	return res.StatusCode
}

func (h *house) get(c *http.Client, address string) *http.Response {
	h.t.Helper()
	res, err := c.Get(address)
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

var parameter = regexp.MustCompile(`:[a-z]+`)

// fill puts something that exists in the place of every :name of a pattern.
func (h *house) fill(pattern string) (string, error) {
	values := map[string]string{
		":slug": sample.ChineseEnglish, ":segment": h.segment(sample.ChineseEnglish, "poem-millet", "s11"),
		":assignment": h.next(sample.ChineseEnglish, sample.Annotator), ":login": sample.Annotator, ":format": "csv", ":token": "nosuch",
		":a": sample.Annotator, ":b": "samir", ":round": "1", ":file": "annotators.tex", ":protocol": "esa", ":import": h.latestImport(sample.ChineseEnglish),
	}
	switch {
	case strings.Contains(pattern, "/training/segments/"):
		values[":segment"], _ = h.trained(sample.Lead)
	case strings.Contains(pattern, "/training/results/"):
		_, values[":result"] = h.trained(sample.Lead)
	case strings.Contains(pattern, "/train/results/"):
		_, values[":result"] = h.trained(sample.Annotator)
	}
	var unknown string
	path := parameter.ReplaceAllStringFunc(pattern, func(name string) string {
		if values[name] == "" {
			unknown = name
		}
		return values[name]
	})
	if unknown != "" {
		return "", fmt.Errorf("%s: nobody has said what %s may stand for; add it to house.fill", pattern, unknown)
	}
	if strings.HasSuffix(pattern, "/trace") {
		path += "?judge=judge&system=Dune"
	}
	if strings.HasSuffix(pattern, "/judges/unread") {
		path += "?judge=judge"
	}
	if strings.HasSuffix(pattern, "/members/copy") {
		path += "?from=" + sample.EnglishArabic
	}
	return path, nil
}

// segment is the id of a segment in addresses.
func (h *house) segment(slug, doc, id string) string {
	h.t.Helper()
	row, err := h.st.Records.SegmentRowID(h.t.Context(), h.find(slug).ID, doc, id)
	if err != nil {
		h.t.Fatalf("%s, %s: %v", doc, id, err)
	}
	return row
}

// judged adds a judgement with a trace of one translation of the segment that fill names.
func (h *house) judged() {
	h.t.Helper()
	score := 2.5
	line := campaign.JudgementLine{
		DocID: "poem-millet", SegmentID: "s11", System: "Dune", Method: "rate", Model: "model",
		Judgement: campaign.Judgement{
			Judge: "judge", Status: campaign.JudgementOK, Score: &score,
			Spans: []protocol.ErrorSpan{{Side: protocol.Target, Start: 0, End: 3, Severity: "major", Category: "accuracy/mistranslation"}},
		},
		Trace: []campaign.TraceCall{{Step: "round 1", Role: "core agent", Prompt: "Source:\n粒粒皆辛苦", Reply: "<finish>2.5</finish>", InputTokens: 40, OutputTokens: 9, Seconds: 1.5}},
	}
	lines := func(yield func(campaign.JudgementLine, error) bool) { yield(line, nil) }
	if _, err := h.st.Intake.ImportJudgements(h.t.Context(), h.find(sample.ChineseEnglish).ID, lines, intake.ImportOptions{File: "test"}); err != nil {
		h.t.Fatal(err)
	}
}

// trained makes a training set of one segment with an answer, if there is none, and has somebody
// practise on it. It returns the id of the segment and that of the result.
func (h *house) trained(login string) (segment, result string) {
	h.t.Helper()
	ctx, c := h.t.Context(), h.find(sample.ChineseEnglish)
	check := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(err)
		}
	}
	side, err := h.st.Training.MakeTraining(ctx, c.ID)
	check(err)
	_, err = transfer.AddTraining(ctx, h.st, c, []string{h.anySegment(c.Slug)}, h.user(sample.Lead).ID)
	check(err)
	set, err := h.st.Training.TrainingSet(ctx, c)
	check(err)
	segment = set[0].ID
	submit := func(id, login string) {
		h.t.Helper()
		page, err := h.st.Work.LoadWork(ctx, side, id, h.user(login).ID)
		check(err)
		revisions := map[string]int{}
		for i, card := range page.Cards {
			rating := protocol.Rating{Scores: map[string]float64{"sqm": float64(i % 5)}}
			saved, err := h.st.Work.SaveCard(ctx, side, h.user(login).ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rating})
			check(err)
			revisions[card.ID] = saved.Revision
		}
		check(h.st.Work.Submit(ctx, side, h.user(login).ID, id, revisions))
	}
	if set[0].Answer == nil {
		id, err := h.st.Training.OpenAnswer(ctx, c.ID, segment, h.user(sample.Lead).ID)
		check(err)
		submit(id, sample.Lead)
	}
	id, err := h.st.Training.TryTraining(ctx, c.ID, segment, h.user(login).ID)
	check(err)
	submit(id, login)
	turn, err := h.st.Training.TrainingTurnOf(ctx, side, id, h.user(login).ID)
	check(err)
	return segment, turn.ResultID
}

// latestImport returns the id of the latest import for addresses. It is empty if there is none.
func (h *house) latestImport(slug string) string {
	h.t.Helper()
	imports, err := h.st.Intake.Imports(h.t.Context(), h.find(slug).ID)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(imports) == 0 {
		return ""
	}
	return imports[0].ID
}

// next is the assignment that an annotator is at, or is given.
func (h *house) next(slug, login string) string {
	h.t.Helper()
	id, err := h.st.Work.Next(h.t.Context(), h.find(slug).ID, h.user(login).ID)
	if err != nil {
		h.t.Fatalf("%s in %s: %v", login, slug, err)
	}
	return id
}

func (h *house) find(slug string) campaign.Campaign {
	h.t.Helper()
	c, err := h.st.Records.Campaign(h.t.Context(), slug)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// anySegment is the id of the first segment of a campaign.
func (h *house) anySegment(slug string) string {
	h.t.Helper()
	list, _, err := h.st.Desk.Segments(h.t.Context(), h.find(slug).ID, desk.SegmentFilter{Limit: 1})
	if err != nil || len(list) == 0 {
		h.t.Fatalf("%s has no segments: %v", slug, err)
	}
	return list[0].ID
}
