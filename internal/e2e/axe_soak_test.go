package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/server"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
	"annotate/internal/wire"
	"annotate/web"
	"annotate/web/templates"
	"annotate/web/templates/segments"
	"annotate/web/templates/setup"
)

// unseenText finds words on the page that have the colour of what is behind them.
const unseenText = `(() => {
	const behind = (e) => e ? (({ backgroundColor: b }) => /, 0\)$|transparent/.test(b) ? behind(e.parentElement) : b)(getComputedStyle(e)) : 'rgb(0, 0, 0)';
	return [...document.querySelectorAll('.marked mark *, .marked, .mark-bar *, .card-marks *')].filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim()) && getComputedStyle(e).color === behind(e)).map((e) => e.textContent);
})()`

// muchToSay are pages in states that last a moment or have much to say. They are made of views.
func muchToSay() map[string]templ.Component {
	page := templates.Page{Title: "A page", Static: web.Prefix(), User: &templates.User{Login: "lead", Name: "Lea Duarte", Leads: true}, Here: "import",
		Campaign: &templates.Campaign{Slug: "news", Title: "News 2026, Chinese to English", Protocol: "MQM", SourceLang: "zh", TargetLang: "en", State: "open", Role: "lead", Timezone: "Europe/Lisbon"}}
	now := time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC)
	page.Clock.Now = now
	longName := strings.Repeat("generalMT2023-zh-en-system-outputs-", 6) + "final.mqm.tsv"
	long := strings.Repeat("segment \"news-17-of-the-second-collection\" of document \"xinhua\" by \"ONLINE-W\", ", 12)
	problems := &campaign.Problems{More: 11_862}
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("system-of-the-shared-task-%02d", i)
		problems.List = append(problems.List, &campaign.Problem{File: longName, Line: 1_000_000 + i, Column: 12, Field: "translations.ONLINE-W", Msg: "must be a text in double quotes, not " + long})
	}
	brought := readmodel.Import{ID: "x", Number: 7, Kind: "segments", Files: longName, By: "lead", At: now, Brought: "1,000,000 segments, 12,000,000 translations, 12 accounts"}
	form := setup.JudgeForm{Method: "himate", Model: "whale-70b", Concurrency: "4", Retries: "2", Seed: "4"}
	judges := setup.JudgesView{Page: page, Methods: []setup.JudgeMethod{{Name: "himate", Title: "HiMATE", Least: 19, Usual: 27, Most: 133, Spans: true, Threshold: true}}, Marks: true, Runs: true,
		ModelServer: "https://llm.example.org/v1", HasKey: true, Form: form, Wrong: map[string]string{"as": "give the judge a name of 1 to 200 bytes"},
		Forecast: &setup.JudgeForecast{JudgeForecast: readmodel.JudgeForecast{Judge: longName, Segments: 50_000, Translations: 100_000, Skipped: 40, Lacks: "term", Kept: 30, Least: 1_900_000, Usual: 2_700_000, Most: 13_300_000, InputTokens: 1_200_000_000, OutputTokens: 540_000_000}, MaxTokens: 2_000_000, Used: 10, Resumes: true}}
	for i, state := range []string{"running", "stopped", "interrupted", "done", setup.JudgeImported} {
		judges.Judges = append(judges.Judges, setup.JudgeRow{Judge: campaign.Judge{ID: fmt.Sprint(i), Name: longName + state, Method: "himate", Model: "whale-70b", OK: 40_000, Unparsable: 3}, State: state, Running: state == "running",
			Failed: 12, Open: 60_000, Calls: 2_700_000, Tokens: 1_234_567_890, MaxTokens: 2_000_000_000, Since: now, ChangedAt: now, Again: form, Reason: "the limit on tokens is reached", Trouble: long})
	}
	return map[string]templ.Component{
		"import-under-way": setup.Import(setup.ImportView{Page: page, Busy: &wire.Job{Words: "412.7 of 981.2 MB are read", Share: .42}, Errors: map[string]string{"": "Another import into this campaign is under way."}}),
		"import-done": setup.Import(setup.ImportView{Page: page, Imports: []readmodel.Import{brought}, Ended: longName, Report: &readmodel.ImportReport{
			Segments: 1_000_000, Translations: 12_000_000, Ratings: 3_000_000, Systems: many, NewAnnotators: many, OwnSeverities: []string{"trivial"}, OwnCategories: many, Notes: []string{long}}}),
		"import-refused": setup.Import(setup.ImportView{Page: page, Ended: longName, Problems: problems}),
		"undo-refused":   setup.UndoImport(setup.UndoImportView{Page: page, Import: brought, Refused: long}),
		"file": setup.File(setup.FileView{Page: page, Title: "Gold, MENT", Name: "news.ment.jsonl", Format: "ment", Ready: true, Size: 4_300_000_000, At: now, Stale: true,
			Busy: &wire.Job{Words: "12.5 MB are written", Share: .29}, Notes: []string{long}}),
		"judges": setup.Judges(judges),
		"trace":  segments.Trace(segments.TraceView{Page: page, SegmentID: "s", Judge: longName, System: "Dune", Calls: []campaign.TraceCall{{Step: "round 2", Role: "core agent", Prompt: "[user]\nshort", Reply: strings.Repeat("x", 4000)}}}),
	}
}

// TestSoakAxeViews judges pages in every look that have much to say.
func TestSoakAxeViews(t *testing.T) {
	testenv.SoakTime(t)
	b := browser(t)
	st, err := store.Open(t.Context(), storetest.Open(t).Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	srv, err := server.New(server.Config{}, st)
	if err != nil {
		t.Fatal(err)
	}
	pages := muchToSay()
	address := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := pages[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			_ = page.Render(r.Context(), w)
		} else if strings.HasSuffix(r.URL.Path, "/status") {
			_, _ = w.Write([]byte(`{"busy":true,"words":"412.7 of 981.2 MB are read","share":0.42}`))
		} else {
			srv.Handler().ServeHTTP(w, r)
		}
	}))
	i := &inspector{judge: pagesJudge(t), h: &house{t: t, url: address, browser: b, windows: map[string]context.Context{}}}
	i.all = true
	for name := range pages {
		i.visit("", "/"+name, name)
	}
}

// TestSoakAxeMarking judges an annotator's page in every look, also enlarged to 200 %, with tools open over it: the hint
// for beginners, a suggestion, the bar of a mark, its list of categories, a comment, the document, what can be taken back,
// and the marks of others that an adjudicator takes. Where the system chooses the colours, which axe-core does not see,
// no words have the colour of what is behind them.
func TestSoakAxeMarking(t *testing.T) {
	testenv.SoakTime(t)
	b := browser(t)
	judged := func(m *marker, states ...[2]string) {
		j := pagesJudge(t)
		j.all = true
		for _, state := range states {
			m.press(state[1])
			j.check(t, m.ctx, state[0])
			run(t, m.ctx, "enlarged", look{width: 720, height: 450, scheme: "light", scale: 2}.show())
			for _, v := range j.violations(t, m.ctx) {
				t.Errorf("%s, enlarged: %s", state[0], v)
			}
			m.forced()
			if unseen := ask[[]string](t, m.ctx, unseenText); len(unseen) > 0 {
				t.Errorf("%s: these words have the colour of what is behind them: %q", state[0], unseen)
			}
			run(t, m.ctx, "a wide window", looks[0].show())
		}
	}
	for _, id := range []string{"esa", "mqm", "rate"} {
		w := newWorldOf(t, id, "de", "en")
		w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
		severity := w.c.Rules.Spans.Severities[0].ID
		w.suggest("x", at(suggestedText, "fairy", protocol.Target, severity, ""), at(suggestedText, "don't", protocol.Target, severity, ""))
		m := newMarker(t, b, w, "ann")
		run(t, m.ctx, "a wide window", looks[0].show())
		states := [][2]string{{"the hint", ""}, {"a suggestion", "y"}, {"the bar of a mark", "Escape j Ctrl+ArrowRight Enter"}, {"a comment", "Escape n"}}
		if id != "esa" {
			states = append(states, [2]string{"the list of categories", "Escape c"})
		}
		judged(m, states...)
	}
	adjudicated := newWorldOf(t, "mqm", "de", "en", "redundancy=3")
	adjudicated.importSegments(two("s1", adjudicatedSource, adjudicatedText, adjudicatedOther))
	adjudicated.toAdjudicate(mqmPeers()...)
	judged(adjudicated.adjudicator(b), [2]string{"nothing taken", ""}, [2]string{"all taken", "o t"}, [2]string{"by majority", "Escape Escape v"})

	document := newWorldOf(t, "esa", "zh", "ar", "assign=document")
	document.importSegments(documentOf("boat", 3)...)
	m := newMarker(t, b, document, "ann")
	run(t, m.ctx, "a wide window", looks[0].show())
	m.press("w")
	m.went("segment 2 of 3")
	judged(m, [2]string{"neighbours", ""}, [2]string{"the document", "d"})
	// As after a submission, but for longer than ten seconds.
	run(t, m.ctx, "note a submission", do(`sessionStorage.setItem('annotate/take-back', JSON.stringify({ url: '/nowhere', until: Date.now() + 600_000 }))`))
	m.reload()
	run(t, m.ctx, "wait for the offer", Visible(".take-back button"))
	judged(m, [2]string{"taking back", ""})
}
