package e2e

import (
	"annotate/internal/testenv"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/provider"
	"annotate/internal/server"
)

const judgeText = "The old fairy don't go today."

// newJudgeWorld returns a campaign of two segments with two translations each, whose judges call a scripted
// model. restart stops its server and starts another one on the same database.
func newJudgeWorld(t *testing.T, script provider.Script) (w *world, restart func()) {
	t.Helper()
	w = newWorldOf(t, "mqm", "de", "en", "redundancy=1")
	w.importSegments(two("s1", "Die alte Fähre fährt heute nicht.", judgeText, "The ferry is off."), two("s2", "Er wartet am Hafen.", "He wait at the port.", "He waits at the harbour."))
	model := httptest.NewServer(testenv.Scripted(script))
	t.Cleanup(model.Close)
	key, end := []byte(strings.Repeat("k", 64)), func() {}
	restart = func() {
		t.Helper()
		end()
		srv, err := server.New(server.Config{SessionKey: key, Judges: server.JudgeConfig{
			BaseURL: "https://llm.example.org/v1", HasKey: true,
			Provider: func(concurrency int, retrying func(*provider.Error)) (provider.Provider, error) {
				return provider.NewOpenAI(provider.Options{BaseURL: model.URL + "/v1", Key: "right", Concurrency: concurrency, Tries: 3, Retrying: retrying,
					Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
			},
		}}, w.st)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); srv.Housekeep(ctx) }()
		address, leave := serve(srv.Handler())
		end = func() { stop(); <-ended; leave() }
		w.url = address
	}
	restart()
	t.Cleanup(func() { end() })
	return w, restart
}

// A judgeDesk is a browser with a user at the page of judges.
type judgeDesk struct {
	t   *testing.T
	w   *world
	ctx context.Context
}

func newJudgeDesk(t *testing.T, b context.Context, w *world, login string, role campaign.Role) *judgeDesk {
	t.Helper()
	d := &judgeDesk{t: t, w: w, ctx: window(t, b)}
	run(t, d.ctx, login+" signs in", signInWith(t, w.invite(login, role)))
	d.open("/judges")
	return d
}

// open opens a page of the campaign.
func (d *judgeDesk) open(path string) {
	d.t.Helper()
	run(d.t, d.ctx, path, chromedp.Navigate(d.w.url+"/campaigns/"+d.w.slug+path))
}

// fill fills in the form and does not send it.
func (d *judgeDesk) fill(fields ...string) {
	d.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		run(d.t, d.ctx, fields[i], do(fmt.Sprintf("document.querySelector(%q).value = %q", "#"+fields[i], fields[i+1])))
	}
}

// press clicks the button or link with some words and waits for the next page.
func (d *judgeDesk) press(within, words string) {
	d.t.Helper()
	run(d.t, d.ctx, words, leaves(do(fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.textContent.trim().startsWith(%q)).click()`, within, words))))
}

// start fills in the form and runs the judge, until the page says that it is running.
func (d *judgeDesk) start(fields ...string) {
	d.t.Helper()
	d.fill(fields...)
	d.press(".judge-form button", "Forecast")
	d.press("#forecast button", "Start")
}

// until waits until the row of a judge has some words on the open page, which updates itself. It makes the
// page look for changes at once, as the page does when it comes to the front.
func (d *judgeDesk) until(judge string, words ...string) {
	d.t.Helper()
	list, _ := json.Marshal(words)
	run(d.t, d.ctx, fmt.Sprint(judge, " ", words), do(`document.documentElement.dataset.same = "yes"`), Until(fmt.Sprintf(`(() => {
		const row = [...document.querySelectorAll('.judge-list tbody tr')].find((e) => e.querySelector('th').firstChild.textContent.trim() === %q);
		const text = (row?.innerText ?? '').replace(/\s+/g, ' ');
		if (row && document.documentElement.dataset.same && %s.every((words) => text.includes(words))) return true;
		document.dispatchEvent(new Event('visibilitychange'));
		return false;
	})()`, judge, list)))
}

// text returns the text of an element with single spaces.
func (d *judgeDesk) text(selector string) string {
	d.t.Helper()
	return strings.Join(strings.Fields(ask[string](d.t, d.ctx, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.innerText).join(' ')`, selector))), " ")
}

// has reports words that an element lacks.
func (d *judgeDesk) has(selector string, words ...string) {
	d.t.Helper()
	got := d.text(selector)
	for _, want := range words {
		if !strings.Contains(got, want) {
			d.t.Errorf("%s says %q, and lacks %q", selector, got, want)
		}
	}
}

// TestJudgeOnItsPage takes a judge from the forecast to its end on its page. The run is stopped, resumed,
// interrupted by a restart, and resumed again. Afterwards its judgements are beside ratings with their
// traces. A lead turns its errors into suggestions, and an annotator gets them without learning their
// origin.
func TestJudgeOnItsPage(t *testing.T) {
	b := browser(t)
	first, second := make(chan struct{}), make(chan struct{})
	w, restart := newJudgeWorld(t, func(c provider.Chat) provider.Answer {
		last := c.Last()
		switch {
		case strings.Contains(last, "```"+judgeText+"```"):
			return provider.Answer{Text: "Critical:\nno-error\nMajor:\naccuracy/mistranslation - \"fairy\"\nMinor:\nfluency/grammar - \"don't go\""}
		case strings.Contains(last, "```He wait at the port.```"):
			return provider.Answer{Text: "Critical:\nno-error\nMajor:\nno-error\nMinor:\nfluency/grammar - \"wait\"", Hold: first}
		case strings.Contains(last, "```He waits at the harbour.```"):
			return provider.Answer{Text: "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error", Hold: second}
		}
		return provider.Answer{Text: "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error"}
	})
	ratings := func(yield func(campaign.RatingLine, error) bool) {
		for _, system := range []string{"Aster", "Birch"} {
			yield(campaign.RatingLine{SegmentID: "s2", System: system, Rating: campaign.Rating{Annotator: "mia", Round: 1, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{}}}}, nil)
		}
	}
	if _, err := w.st.Intake.ImportRatings(t.Context(), w.c.ID, ratings, intake.ImportOptions{File: "r.jsonl"}); err != nil {
		t.Fatal(err)
	}

	d := newJudgeDesk(t, b, w, "rea", campaign.Researcher)
	d.has("main", "No judges yet", "A run sends texts to https://llm.example.org/v1")
	d.fill("method", "gemba-mqm", "model", "whale-70b", "max_tokens", "none")
	d.press(".judge-form button", "Forecast")
	d.has("#max_tokens-error", `"none" is not a whole number`)
	d.fill("max_tokens", "")
	run(t, d.ctx, "more choices", chromedp.Click(".judge-form summary"))
	d.fill("concurrency", "1")
	d.press(".judge-form button", "Forecast")
	d.has("#forecast", "Forecast of gemba-mqm-whale-70b", "To judge 4 translations of 2 segments", "Calls 4", "Start")
	d.has("main", "No judges yet")
	d.press("#forecast button", "Start")
	const judge = "gemba-mqm-whale-70b"
	d.has(".notice-success", "The judge gemba-mqm-whale-70b is running. It goes on when this page is closed.")
	d.until(judge, "running", "2 of 4")
	d.press(".judge-state button", "Stop")
	d.until(judge, "stopped", "2 of 4", "Stopped on the page of judges", "Resume")
	d.press(".judge-state a", "Resume")
	d.has("#forecast", "To judge 2 translations of 1 segment", "estimated from the judge's calls so far", "Used so far")
	close(first)
	d.press("#forecast button", "Resume")
	d.until(judge, "running", "3 of 4")
	restart()
	d.open("/judges")
	d.until(judge, "interrupted", "3 of 4", "The program that ran it was stopped", "Resume")
	close(second)
	d.press(".judge-state a", "Resume")
	d.press("#forecast button", "Resume")
	d.until(judge, "done", "4 of 4")
	if ask[bool](t, d.ctx, `[...document.querySelectorAll('.judge-state :is(a, button)')].length > 0`) {
		t.Error("a researcher is offered something at the end")
	}

	lead := newJudgeDesk(t, b, w, "lea", campaign.Lead)
	id, err := w.st.Records.SegmentRowID(t.Context(), w.c.ID, "s2", "s2")
	if err != nil {
		t.Fatal(err)
	}
	lead.open("/segments/" + id)
	lead.has("main", "mia", judge, "−1.00", "“wait” minor, Fluency, Grammar", "No errors marked")
	lead.press("a[href*=trace]", "Trace")
	lead.has("main", "Trace of "+judge, "Reply Critical: no-error", "fluency/grammar - \"wait\"")
	if got := lead.text(".trace-asked .prose"); got != "" {
		t.Errorf("what was asked is open: %q", got)
	}
	run(t, lead.ctx, "what was asked", chromedp.Click(".trace-asked summary"))
	lead.has(".trace-asked .prose", "You check the quality of machine translations", "```He wait at the port.```")
	lead.open("/judges")
	lead.press(".judge-state a[href*=suggest]", "Make suggestions")
	lead.has("#suggest", "Annotators see its errors as suggestions for 2 translations in 1 segment. None of these has suggestions now. 2 translations are left out, because annotators have begun the segments. You can undo this under Import")
	lead.press("#suggest .btn-main", "Make suggestions")
	lead.has(".notice-success", "2 suggestions for 2 translations.", "2 translations were left out, because annotators have begun the segments.")

	m := newMarker(t, b, w, "ann")
	m.toCard(judgeText)
	if got, want := fmt.Sprint(m.suggested()), "map[1:fairy 2:don't go]"; got != want {
		t.Errorf("the annotator is suggested %s, want %s", got, want)
	}
	page := ask[string](t, m.ctx, "document.documentElement.outerHTML")
	for _, secret := range []string{"gemba", "whale"} {
		if strings.Contains(strings.ToLower(page), secret) {
			t.Errorf("the page of an annotator says %q", secret)
		}
	}
}

// TestJudgeErrorsOnItsPage checks that the page shows the error of the model's server while requests are
// sent again and at the end of the run, and that the judge can be resumed.
func TestJudgeErrorsOnItsPage(t *testing.T) {
	b := browser(t)
	hold := make(chan struct{})
	w, _ := newJudgeWorld(t, func(c provider.Chat) provider.Answer {
		switch {
		case c.Model == "locked":
			return provider.Answer{Status: 401, Text: "incorrect API key"}
		case c.Time == 1:
			return provider.Answer{Status: map[string]int{"busy": 429, "broken": 500}[c.Model], Text: "no room for " + c.Model}
		case c.Time > 3: // the run was resumed
			return provider.Answer{Text: "85"}
		}
		return provider.Answer{Status: map[string]int{"busy": 429, "broken": 500}[c.Model], Text: "no room for " + c.Model, Hold: hold}
	})
	d := newJudgeDesk(t, b, w, "lea", campaign.Lead)
	for _, model := range []string{"locked", "busy", "broken"} {
		d.start("method", "gemba-da", "model", model)
	}
	d.until("gemba-da-locked", "stopped", "The model's server answered 401 Unauthorized: incorrect API key", "0 of 4", "Resume")
	d.until("gemba-da-busy", "running", "The model's server answered 429 Too Many Requests: no room for busy. The request is sent again.", "Stop")
	d.until("gemba-da-broken", "running", "The model's server answered 500 Internal Server Error: no room for broken. The request is sent again.")
	close(hold)
	for _, model := range []string{"busy", "broken"} {
		d.until("gemba-da-"+model, "stopped", "The calls for 4 translations failed; run the judge again", "4 failed")
	}
	d.press(".judge-list tbody tr:nth-child(1) .judge-state a", "Resume")
	d.press("#forecast button", "Resume")
	d.until("gemba-da-broken", "done", "4 of 4")
}
