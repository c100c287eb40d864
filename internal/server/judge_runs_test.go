package server

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/protocol"
	"annotate/internal/provider"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

const modelKey = "sk-never-to-be-seen-4711"

// A judgeSite is a site whose judges call a scripted model.
type judgeSite struct {
	*sampleSite
	model *testenv.ScriptedServer
	at    string // address of the model's server
	log   *testenv.Buffer
	path  string // of the page of judges
}

func newJudgeSite(t *testing.T, script provider.Script, opts ...storetest.Option) *judgeSite {
	t.Helper()
	db := storetest.Open(t)
	s := &judgeSite{model: testenv.Scripted(script), log: &testenv.Buffer{}}
	model := httptest.NewServer(s.model)
	t.Cleanup(model.Close)
	s.at = model.URL + "/v1"
	s.sampleSite = &sampleSite{Sample: storetest.Campaign(t, db.Store, append([]storetest.Option{storetest.Protocol("esa"), storetest.Segments(4), storetest.Systems(3)}, opts...)...), t: t, db: db}
	s.path = "/campaigns/" + s.Campaign.Slug + "/judges"
	s.restart()
	return s
}

// restart starts a server on the database of an earlier server that was stopped.
func (s *judgeSite) restart() {
	s.t.Helper()
	if s.srv != nil {
		s.srv.setup.JudgeRuns.Runner.Stop()
	}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv, err := New(Config{Now: s.db.Clock.Now, Logger: logger, Judges: JudgeConfig{
		BaseURL: s.at, HasKey: true, Model: "whale-70b",
		Provider: func(concurrency int, retrying func(*provider.Error)) (provider.Provider, error) {
			return provider.NewOpenAI(provider.Options{BaseURL: s.at, Key: modelKey, Concurrency: concurrency, Tries: 3, Retrying: retrying, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		},
	}}, s.db.Store)
	if err != nil {
		s.t.Fatal(err)
	}
	ts := httptest.NewServer(srv.Handler())
	s.t.Cleanup(ts.Close)
	s.t.Cleanup(srv.setup.JudgeRuns.Runner.Stop)
	s.srv, s.url = srv, ts.URL
}

// over waits until this server no longer runs the judge.
func (s *judgeSite) over(judge string) {
	s.t.Helper()
	if j := s.srv.setup.JudgeRuns.Runner.Find(s.Campaign.ID + "/" + judge); j != nil {
		<-j.Done()
	}
}

// judgeFields returns a filled form with some fields changed.
func judgeFields(changed ...string) url.Values {
	f := url.Values{"method": {"gemba-da"}, "variant": {""}, "model": {"whale-70b"}, "as": {""}, "concurrency": {"4"}, "retries": {"2"}, "max_tokens": {""}, "threshold": {""}, "seed": {"4"}}
	for i := 0; i < len(changed); i += 2 {
		f.Set(changed[i], changed[i+1])
	}
	return f
}

var tag = regexp.MustCompile("<[^>]*>")

// wordsOf returns the text of an element, with a space between the texts of two elements.
func wordsOf(x *goquery.Selection) string {
	text, _ := x.Html()
	return squeezed(html.UnescapeString(tag.ReplaceAllString(text, " ")))
}

// row returns the text of the page about the first judge.
func (a answer) row(t *testing.T) string {
	t.Helper()
	return wordsOf(a.page(t).Find(".judge-list tbody"))
}

// A researcher asks for a forecast, which makes no calls, and starts the run from it. The judgements,
// their traces and the entries of the audit log are stored. No page, log or export has the key.
func TestJudgeFromForecastToEnd(t *testing.T) {
	s := newJudgeSite(t, func(c provider.Chat) provider.Answer {
		if c.Key != modelKey {
			return provider.Answer{Status: http.StatusUnauthorized, Text: "wrong key"}
		}
		if c.Time == 1 && strings.Contains(c.Last(), "segment 2.") {
			return provider.Answer{Status: http.StatusInternalServerError, Text: "broken with " + c.Key}
		}
		return provider.Answer{Text: "85"}
	})
	researcher := s.signedIn(s.Researcher)
	empty := researcher.get(s.path)
	forecast := researcher.get(s.path + "?" + judgeFields("max_tokens", "5").Encode())
	says(t, "the forecast says", wordsOf(forecast.page(t).Find("#forecast")), "Output tokens about 2,400, if each reply has 200 tokens", "Limit 5 tokens", "likely to stop the run")
	if n := s.model.Asked(); n != 0 || storetest.Count(t, s.db, "all_judges") != 0 {
		t.Errorf("the forecast asked %d times, or made a judge", n)
	}
	hidden := url.Values{}
	forecast.page(t).Find("#forecast input").Each(func(_ int, x *goquery.Selection) { hidden.Set(x.AttrOr("name", ""), x.AttrOr("value", "")) })
	hidden.Set("max_tokens", "")
	if a := researcher.post(s.path, hidden); a.status != http.StatusSeeOther {
		t.Fatalf("starting: %d %s", a.status, wordsOf(a.page(t).Find("main")))
	}
	s.over("gemba-da-whale-70b")
	about := "gemba-da, version 1, after GEMBA-DA, our wording 1; model whale-70b at " + s.at + "; " + s.db.Clock.Now().UTC().Format(time.DateOnly) + "; temperature 0, 2 retries, seed 4"
	done := researcher.get(s.path)
	says(t, "a forecast at the end says", wordsOf(researcher.get(s.path+"?"+judgeFields().Encode()).page(t).Find("#forecast")), "has judged every translation")
	lead := s.signedIn(s.Lead)
	audit := lead.get("/campaigns/" + s.Campaign.Slug + "/audit")
	if text := wordsOf(audit.page(t).Find("main")); !strings.Contains(text, "gemba-da-whale-70b: gemba-da with whale-70b") || !strings.Contains(text, s.Researcher.Name) {
		t.Errorf("the audit log says %q", text)
	}
	bodies := []string{empty.body, forecast.body, done.body, audit.body, s.log.String()}
	segments, _, err := s.db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range segments {
		at := "/campaigns/" + s.Campaign.Slug + "/segments/" + g.ID
		bodies = append(bodies, lead.get(at).body)
		for _, system := range s.Systems {
			trace := lead.get(at + "/trace?judge=gemba-da-whale-70b&system=" + system)
			if trace.status != http.StatusOK {
				t.Errorf("the trace of %s answers %d", system, trace.status)
			}
			bodies = append(bodies, trace.body)
		}
	}
	bodies = append(bodies, lead.get("/campaigns/"+s.Campaign.Slug+"/export/judgements").body)
	files, err := filepath.Glob(s.db.Config.DSN + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			bodies = append(bodies, string(text))
		}
	}
	first := "/campaigns/" + s.Campaign.Slug + "/segments/" + segments[0].ID
	for _, at := range []string{s.path, first, first + "/trace?judge=gemba-da-whale-70b&system=" + s.Systems[0], "/campaigns/" + s.Campaign.Slug + "/export/judgements"} {
		if a := lead.get(at); !strings.Contains(html.UnescapeString(a.body), about) {
			t.Errorf("%s does not say what the judge is", at)
		}
	}
	for _, body := range bodies {
		if strings.Contains(body, modelKey) {
			t.Errorf("the key stands in %.200s", body)
		}
	}
	if !strings.Contains(s.log.String(), "judge=gemba-da-whale-70b state=done judged=12") {
		t.Error("the log does not say that the judge was run")
	}
}

// The forecast and the start of a run show an error at its field, in the words of the command line.
func TestJudgeRefused(t *testing.T) {
	s := newJudgeSite(t, func(provider.Chat) provider.Answer { return provider.Answer{Text: "85"} })
	lead := s.signedIn(s.Lead)
	line := campaign.JudgementLine{DocID: "", SegmentID: "s1", System: s.Systems[0], Judgement: campaign.Judgement{Judge: "Portia", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{}}}
	storetest.Must(s.db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, func(yield func(campaign.JudgementLine, error) bool) { yield(line, nil) }, intake.ImportOptions{File: "j"}))(t)
	for _, tt := range []struct{ field, value, want string }{
		{"method", "", "name the method"},
		{"method", "gemba", `there is no method "gemba"; methods: acre, `},
		{"variant", "one_step", `the method gemba-da has no variant "one_step"; variants: reference`},
		{"model", "", "name the model to ask"},
		{"as", "Portia", `the judgements of "Portia" were imported; give the judge that you run another name`},
		{"as", strings.Repeat("x", 201), "give the judge a name of 1 to 200 bytes"},
		{"concurrency", "0", "use a number of 1 or more"},
		{"concurrency", "1000", "use a number of at most 256"},
		{"concurrency", "four", `"four" is not a whole number; write it as 4`},
		{"retries", "-1", "use a number from 0 to 20"},
		{"retries", "21", "use a number from 0 to 20"},
		{"retries", "", `"" is not a whole number`},
		{"max_tokens", "-1", "must not be negative; leave it out for no limit"},
		{"max_tokens", "1e6", "is not a whole number"},
		{"threshold", "0.5", "the method gemba-da has no threshold; leave it out"},
		{"threshold", "NaN", "is not a number"},
		{"seed", "-4", "is not a whole number"},
	} {
		fields := judgeFields(tt.field, tt.value)
		for act, a := range map[string]answer{"forecast": lead.get(s.path + "?" + fields.Encode()), "start": lead.post(s.path, fields)} {
			page := a.page(t)
			if got := wordsOf(page.Find("#" + tt.field + "-error")); !strings.Contains(got, tt.want) || page.Find(".judge-form [aria-invalid]").Length() != 1 {
				t.Errorf("%s with %s %q: the field says %q, want %q", act, tt.field, tt.value, got, tt.want)
			}
			if got, want := a.status, map[string]int{"forecast": http.StatusOK, "start": http.StatusUnprocessableEntity}[act]; got != want {
				t.Errorf("%s with %s %q answers %d, want %d", act, tt.field, tt.value, got, want)
			}
			if page.Find("#forecast").Length() > 0 {
				t.Errorf("%s with %s %q shows a forecast", act, tt.field, tt.value)
			}
		}
	}
	if a := lead.post(s.path, judgeFields("as", "Portia", "seed", "x")); a.page(t).Find("#as").AttrOr("value", "") != "Portia" {
		t.Error("what was typed is lost")
	}
	if n := storetest.Count(t, s.db, "judge_runs"); n != 0 || s.model.Asked() != 0 {
		t.Errorf("%d judges were run", n)
	}
	if err := s.db.Rounds.Archive(t.Context(), s.Campaign.ID, s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "in an archived campaign", lead.post(s.path, judgeFields()), http.StatusConflict, "is archived and can only be read")
	if a := lead.get(s.path); a.page(t).Find(".judge-form").Length() > 0 {
		t.Error("an archived campaign offers to run a judge")
	}
}

// The form's choice to ask again is kept in the forecast, and the run that begins there uses no stored
// reply.
func TestJudgeAsksAgain(t *testing.T) {
	s := newJudgeSite(t, func(provider.Chat) provider.Answer { return provider.Answer{Text: "85"} })
	lead := s.signedIn(s.Lead)
	for _, tt := range []struct {
		name, fresh string
		calls       int
	}{{"first", "", 12}, {"second", "", 12}, {"third", "yes", 24}} {
		forecast := lead.get(s.path + "?" + judgeFields("as", tt.name, "fresh", tt.fresh).Encode()).page(t)
		sent := url.Values{}
		forecast.Find("#forecast input").Each(func(_ int, x *goquery.Selection) { sent.Set(x.AttrOr("name", ""), x.AttrOr("value", "")) })
		if a := lead.post(s.path, sent); a.status != http.StatusSeeOther {
			t.Fatalf("%s: %d", tt.name, a.status)
		}
		s.over(tt.name)
		if n := s.model.Asked(); n != tt.calls {
			t.Errorf("after the %s run the model was asked %d times, want %d", tt.name, n, tt.calls)
		}
	}
}

// If no model's server is configured, the page names the setting in one line and has no form.
func TestJudgeWithoutServer(t *testing.T) {
	s := newSite(t, storetest.Protocol("esa"))
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/judges"
	a := lead.get(path + "?" + judgeFields().Encode())
	says(t, "the page says", wordsOf(a.page(t).Find("main")), "Judges can’t be run here, because no model’s server is configured: the operator sets base_url in the section [judge] of the configuration.")
	if n := a.page(t).Find("main form").Length(); n > 0 {
		t.Errorf("the page has %d forms", n)
	}
	wantStatus(t, "starting", lead.post(path, judgeFields()), http.StatusUnprocessableEntity, "No model&#39;s server is configured; set base_url in the section [judge]")
}

// A judge can't be started twice. A second server, whose page shows how far the run is, can stop it, and a resumed run
// repeats no call.
func TestJudgeStoppedAndResumed(t *testing.T) {
	held := make(chan struct{}, 12)
	var answers atomic.Bool
	s := newJudgeSite(t, func(c provider.Chat) provider.Answer {
		if answers.Load() || strings.Contains(c.Last(), "segment 1.") {
			return provider.Answer{Text: "85"}
		}
		held <- struct{}{}
		return provider.Answer{Hang: true}
	})
	researcher := s.signedIn(s.Researcher)
	version := researcher.get(s.path + "/version").body
	fields := judgeFields("as", "whale", "concurrency", "1", "max_tokens", "100000")
	if a := researcher.post(s.path, fields); a.status != http.StatusSeeOther {
		t.Fatal(a.status)
	}
	wantStatus(t, "starting twice", researcher.post(s.path, fields), http.StatusConflict, "The judge whale is running already.")
	<-held // and three are answered
	says(t, "running, the page says", researcher.get(s.path).row(t), "3 of 12", "limit 100,000")
	if now := researcher.get(s.path + "/version").body; now == version {
		t.Errorf("the version stays %s", now)
	}
	wantStatus(t, "stopping", researcher.post(s.path+"/stop", url.Values{"judge": {"whale"}}), http.StatusSeeOther)
	s.over("whale")
	answers.Store(true)
	wantStatus(t, "resuming", researcher.post(s.path, fields), http.StatusSeeOther)
	s.over("whale")
	says(t, "at the end the page says", researcher.get(s.path).row(t), "12 of 12", "done today")
	if n := s.model.Repeats(); n != 0 {
		t.Errorf("%d replies were asked for again", n)
	}
}

// If the page can't run a judge with the same prompts and method again, it offers no button to resume
// it, and says why.
func TestJudgeResumedElsewhere(t *testing.T) {
	s := newJudgeSite(t, func(provider.Chat) provider.Answer { return provider.Answer{Text: "85"} })
	m := storetest.Must(judge.Lookup("gemba-da"))(t)
	for name, version := range map[string]int{"prompts of its own": m.Version, "an old version": m.Version - 1} {
		storetest.Must(s.db.JudgeRuns.BeginJudge(t.Context(), s.Campaign, judgeruns.JudgeSpec{Name: name, Method: m.Name, Model: "m", MethodVersion: version, PromptHash: "other"}, ""))(t)
	}
	s.db.Clock.Advance(time.Minute)
	a := s.signedIn(s.Lead).get(s.path)
	got := a.row(t)
	for _, want := range []string{"Its prompts came from a file or have changed since the run. Resume it on the command line with --prompts.", "Its method has changed since the run, so it can't be resumed."} {
		if !strings.Contains(got, want) {
			t.Errorf("the page says %q, want %q", got, want)
		}
	}
	if a.page(t).Find(".judge-state a").Length() > 0 {
		t.Error("the page offers to resume them")
	}
}

// A server that is being stopped leaves no judge in the state running.
func TestJudgeStartedTooLate(t *testing.T) {
	s := newJudgeSite(t, func(provider.Chat) provider.Answer { return provider.Answer{Text: "85"} })
	s.srv.setup.JudgeRuns.Runner.Stop()
	lead := s.signedIn(s.Lead)
	if a := lead.post(s.path, judgeFields("as", "whale")); a.status != http.StatusSeeOther {
		t.Fatal(a.status)
	}
	says(t, "the page says", lead.get(s.path).row(t), "interrupted")
}

// A server refuses a run if it already runs the largest number of judges, and says so.
func TestJudgesAtOnce(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	s := newJudgeSite(t, func(provider.Chat) provider.Answer { return provider.Answer{Text: "85", Hold: hold} })
	lead := s.signedIn(s.Lead)
	for n := range 8 {
		if a := lead.post(s.path, judgeFields("as", fmt.Sprint("judge ", n))); a.status != http.StatusSeeOther {
			t.Fatal(n, a.status)
		}
	}
	wantStatus(t, "one judge more", lead.post(s.path, judgeFields("as", "one more")), http.StatusConflict, "This server runs 8 judges already")
	if n := storetest.Count(t, s.db, "judge_runs"); n != 8 {
		t.Errorf("%d judges are stored", n)
	}
}

// A judge of sources is run from the page of a campaign that rates sources, which offers no other method. The segment's page has its
// score, its reason and the way to its trace.
func TestJudgeOfSourcesOnPages(t *testing.T) {
	s := newJudgeSite(t, func(provider.Chat) provider.Answer {
		return provider.Answer{Text: `{"reason": "“Bohnen” are coffee here.", "score": 71}`}
	}, storetest.Protocol("inspect"), storetest.Segments(0))
	storetest.ImportSegments(t, s.Sample, campaign.Segment{DocID: "d", SegmentID: "one", Source: "Nicht die Bohne!", Translations: campaign.ItselfOnly(), Candidates: []campaign.CandidateText{{Name: "a", Text: "Not a bean!"}, {Name: "b", Text: "Not at all!"}}})
	lead := s.signedIn(s.Lead)
	page := lead.get(s.path + "?" + judgeFields("method", "difficulty", "as", "hard").Encode()).page(t)
	says(t, "the forecast says", wordsOf(page.Find("#forecast")), "difficulty, version 1, after the preliminary filter of MENT", "To judge 1 source Calls 1")
	if n := page.Find("#method option").Length(); n != 2 {
		t.Errorf("%d methods are offered, want one: %s", n-1, page.Find("#method").Text())
	}
	if a := lead.post(s.path, judgeFields("method", "gemba-da")); a.status != http.StatusUnprocessableEntity {
		t.Errorf("a method of translations: %d", a.status)
	}
	if a := lead.post(s.path, judgeFields("method", "difficulty", "as", "hard")); a.status != http.StatusSeeOther {
		t.Fatalf("starting: %d %s", a.status, wordsOf(a.page(t).Find("main")))
	}
	s.over("hard")
	if n := s.model.Asked(); n != 1 {
		t.Errorf("the model was asked %d times about a source with two candidates", n)
	}
	at := "/campaigns/" + s.Campaign.Slug
	segment := lead.get(at + "/segments/" + s.RowID(t, "d", "one")).page(t).Find("section[aria-labelledby=judges-title]")
	says(t, "the segment says", wordsOf(segment), "hard 71", "“Bohnen” are coffee here.")
	says(t, "the trace says", wordsOf(lead.get(segment.Find("a").First().AttrOr("href", "")).page(t).Find("main")), "the judgement of the source", "Nicht die Bohne!", "coffee here")
	says(t, "the list says", wordsOf(lead.get(at+"/segments?metric=hard&least=70").page(t).Find("tbody")), "one", "71")
	for _, path := range []string{"/agreement", "/report", "/queue", "/"} {
		if a := lead.get(at + strings.TrimSuffix(path, "/")); a.status != http.StatusOK {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}
