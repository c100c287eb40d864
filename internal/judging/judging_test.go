package judging_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judge"
	"annotate/internal/judging"
	"annotate/internal/provider"
	"annotate/internal/provider/scripted"
	"annotate/internal/store/storetest"
)

// A site is a campaign with a model that answers by a script.
type site struct {
	*scripted.Server
	*storetest.Sample
	db       *storetest.DB
	provider provider.Provider
}

func newSite(t *testing.T, db *storetest.DB, script scripted.Script, opts ...storetest.Option) *site {
	t.Helper()
	s := &site{Server: scripted.New(script), db: db, Sample: storetest.Campaign(t, db.Store, append([]storetest.Option{storetest.Protocol("esa")}, opts...)...)}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	var err error
	s.provider, err = provider.NewOpenAI(provider.Options{BaseURL: web.URL + "/v1", Concurrency: 4, Tries: 5, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t *testing.T, method string) judging.Options {
	t.Helper()
	m, err := judge.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	return judging.Options{Name: "j", Method: m, Model: "m", Concurrency: 4, Retries: 2, Seed: 4}
}

func (s *site) run(t *testing.T, o judging.Options) judging.Progress {
	t.Helper()
	p, err := judging.Run(t.Context(), s.Store, s.Campaign, s.provider, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *site) lines(t *testing.T) (out []campaign.JudgementLine) {
	t.Helper()
	err := s.Store.EachJudgement(t.Context(), s.Campaign, true, func(j campaign.JudgementLine) error {
		out = append(out, j)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *site) stored(t *testing.T) intake.JudgeRun {
	t.Helper()
	runs, err := s.Store.JudgeRuns(t.Context(), s.Campaign.ID)
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	return runs[0]
}

func always(text string) scripted.Script {
	return func(scripted.Chat) scripted.Answer { return scripted.Answer{Text: text} }
}

// Every translation gets one judgement with its trace. A second run asks nothing.
func TestRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, func(c scripted.Chat) scripted.Answer {
			if c.Model != "m" || !strings.Contains(c.Last(), "Chinese") || !strings.Contains(c.Last(), "English") || !strings.Contains(c.Last(), "源文本") {
				t.Errorf("the model was asked %+v", c)
			}
			return scripted.Answer{Text: "85"}
		}, storetest.Segments(4), storetest.Systems(3))
		var told []judging.Progress
		o := options(t, "gemba-da")
		o.Progress = func(p judging.Progress) { told = append(told, p) }
		before := storetest.Must(db.ReportState(t.Context(), s.Campaign.ID))(t)
		p := s.run(t, o)
		if p.State != intake.JudgeDone || p.Judged != 12 || p.All != 12 || p.Calls != 12 || len(told) != 12 || p.Reason != "" || s.Asked() != 12 {
			t.Errorf("the run ended %+v after %d calls", p, s.Asked())
		}
		lines := s.lines(t)
		if len(lines) != 12 || *lines[0].Score != 85 || lines[0].Method != "gemba-da" || lines[0].Model != "m" || lines[0].Spans != nil {
			t.Fatalf("%d judgements, first %+v", len(lines), lines[0])
		}
		if c := lines[5].Trace; len(c) != 1 || c[0].Reply != "85" || !strings.HasPrefix(c[0].Prompt, "[user]\n") || c[0].OutputTokens != 1 || c[0].InputTokens == 0 {
			t.Errorf("the trace is %+v", c)
		}
		if run := s.stored(t); run.State != intake.JudgeDone || run.Tokens() != p.Tokens || run.Calls != 12 || p.Tokens == 0 {
			t.Errorf("stored is %+v", run)
		}
		if after := storetest.Must(db.ReportState(t.Context(), s.Campaign.ID))(t); after == before {
			t.Error("a report does not know that there are judgements")
		}
		if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 12 || s.Asked() != 12 {
			t.Errorf("the second run ended %+v after %d calls", p, s.Asked())
		}
		o.Name = "other" // its replies are those that are there
		if p := s.run(t, o); p.Judged != 12 || s.Asked() != 12 || p.Tokens != 0 {
			t.Errorf("another judge ended %+v after %d calls", p, s.Asked())
		}
		for name, change := range map[string]func(o *judging.Options){
			"model":   func(o *judging.Options) { o.Model = "m2" },
			"variant": func(o *judging.Options) { o.Variant = "reference" },
			"retries": func(o *judging.Options) { o.Retries = 1 },
			"seed":    func(o *judging.Options) { o.Seed = 5 },
			"text": func(o *judging.Options) {
				o.Method.Prompts = append([]judge.Prompt{}, o.Method.Prompts...)
				o.Method.Prompts[0].Text += " "
			},
			"version": func(o *judging.Options) { o.Method.Version++ },
		} {
			o := options(t, "gemba-da")
			change(&o)
			if _, err := judging.Run(t.Context(), s.Store, s.Campaign, s.provider, o); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("with another %s: %v", name, err)
			}
		}
	})
}

// A variant asks as it says, and its judge has a name of its own. A segment without what the
// variant requires is skipped.
func TestVariant(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c scripted.Chat) scripted.Answer {
		if !strings.Contains(c.Last(), "Reference: Ein Satz.") {
			t.Errorf("the model was asked %q", c.Last())
		}
		return scripted.Answer{Text: "Major errors:\nNone\nMinor errors:\n(1) \"Translation\" - Style\n0, 1"}
	}, storetest.Segments(2), storetest.Systems(2))
	storetest.Must(db.ImportReferences(t.Context(), s.Campaign.ID, func(yield func(campaign.NumberedReference, error) bool) {
		yield(campaign.NumberedReference{Line: 1, Text: campaign.ReferenceText{SegmentID: "s1", Reference: campaign.Reference{Name: "ref", Text: "Ein Satz."}}}, nil)
	}, intake.ImportOptions{}))(t)
	o := options(t, "eaprompt")
	o.Name, o.Variant = "", "one_step_reference"
	p := s.run(t, o)
	if p.State != intake.JudgeDone || p.Judged != 2 || p.Skipped != 2 || p.Reason != "2 translations skipped, since their segments have no reference" || s.Asked() != 2 {
		t.Errorf("it ended %+v after %d calls", p, s.Asked())
	}
	if run := s.stored(t); run.Name != "eaprompt-one_step_reference-m" || run.Settings.Variant != o.Variant {
		t.Errorf("stored is %+v", run)
	}
	if j := s.lines(t)[0]; *j.Score != -1 || len(j.Spans) != 1 {
		t.Errorf("%+v", j)
	}
}

// An answer that can't be read is asked for again, then the judgement has no score. Answers
// that could not be read are not kept.
func TestUnparsable(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c scripted.Chat) scripted.Answer {
		if strings.Contains(c.Last(), "segment 1.") {
			return scripted.Answer{Text: "I would rather not."}
		}
		return scripted.Answer{Text: "70"}
	}, storetest.Segments(2), storetest.Systems(1))
	p := s.run(t, options(t, "gemba-da"))
	if p.State != intake.JudgeDone || p.Judged != 2 || p.Unparsable != 1 || s.Asked() != 4 {
		t.Errorf("the run ended %+v after %d calls", p, s.Asked())
	}
	lines := s.lines(t)
	if lines[0].Status != campaign.JudgementUnparsable || lines[0].Score != nil || lines[0].Why == "" || len(lines[0].Trace) != 3 || *lines[1].Score != 70 {
		t.Errorf("%+v", lines)
	}
	if n := storetest.Count(t, db, "judge_replies"); n != 1 {
		t.Errorf("%d replies are kept, want 1", n)
	}
}

// A method with spans gives them with their words and places; what stands nowhere is kept
// without a place.
func TestSpans(t *testing.T) {
	for id, category := range map[string][2]string{"esa": {"accuracy-mistranslation", ""}, "mqm": {"Accuracy", "Mistranslation"}, "sqm": {"accuracy-mistranslation", ""}} {
		s := newSite(t, storetest.Open(t), always("Critical:\nno-error\nMajor:\naccuracy/mistranslation - \"Translation\"\nMinor:\nfluency/grammar - \"nowhere at all\""), storetest.Segments(1), storetest.Systems(1), storetest.Protocol(id))
		s.run(t, options(t, "gemba-mqm"))
		j := s.lines(t)[0]
		if *j.Score != -6 || len(j.Spans) != 1 || j.Spans[0].Start != 0 || j.Spans[0].End != 11 || j.Spans[0].Severity != "major" || j.Spans[0].Category != category[0] || j.Spans[0].Subcategory != category[1] ||
			len(j.Unplaced) != 1 || j.Unplaced[0].Text != "nowhere at all" {
			t.Errorf("%s: %+v", id, j)
		}
	}
}

// The limit on tokens ends a run in good order, and counts what earlier runs used. A higher
// one goes on.
func TestMaxTokens(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(10), storetest.Systems(2))
	o := options(t, "gemba-da")
	o.MaxTokens, o.Concurrency = 300, 1
	p := s.run(t, o)
	if p.State != intake.JudgeStopped || !strings.Contains(p.Reason, "limit on tokens") || p.Tokens < 300 || p.Judged == 0 || p.Judged == 20 || int64(p.Judged) != p.Calls {
		t.Errorf("the run ended %+v", p)
	}
	asked := s.Asked()
	if p := s.run(t, o); p.State != intake.JudgeStopped || s.Asked() != asked {
		t.Errorf("with no tokens left it asked %d times, %+v", s.Asked()-asked, p)
	}
	o.MaxTokens = 0
	if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 20 || s.Asked() != 20 {
		t.Errorf("it ended %+v after %d calls", p, s.Asked())
	}
}

// A server that refuses everything ends the run at once, and one that is down after a few
// units; nothing is judged wrongly, and the run can be resumed.
func TestServerFails(t *testing.T) {
	for name, tt := range map[string]struct {
		fault scripted.Answer
		most  int
		want  string
	}{
		"wrong key": {scripted.Answer{Status: 401, Text: "wrong key"}, 4, "401 Unauthorized: wrong key"},
		"no model":  {scripted.Answer{Status: 404, Text: "no such model"}, 4, "no such model"},
		"down":      {scripted.Answer{Status: 503, Text: "down"}, 5 * 14, "10 requests failed one after the other"},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			var mu sync.Mutex
			works := false
			s := newSite(t, db, func(scripted.Chat) scripted.Answer {
				mu.Lock()
				defer mu.Unlock()
				if works {
					return scripted.Answer{Text: "50"}
				}
				return tt.fault
			}, storetest.Segments(10), storetest.Systems(2))
			p := s.run(t, options(t, "gemba-da"))
			if p.State != intake.JudgeStopped || p.Judged != 0 || !strings.Contains(p.Reason, tt.want) || s.Asked() > tt.most || len(s.lines(t)) > 0 {
				t.Errorf("the run ended %+v after %d requests", p, s.Asked())
			}
			mu.Lock()
			works = true
			mu.Unlock()
			if p := s.run(t, options(t, "gemba-da")); p.State != intake.JudgeDone || p.Judged != 20 || p.Failed != 0 {
				t.Errorf("the second run ended %+v", p)
			}
		})
	}
}

// A request that is rejected for its content leaves its translation without a score, and the
// others go on.
func TestRejected(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c scripted.Chat) scripted.Answer {
		if strings.Contains(c.Last(), "segment 1.") {
			return scripted.Answer{Status: 400, Text: "too long"}
		}
		return scripted.Answer{Text: "50"}
	}, storetest.Segments(2), storetest.Systems(1))
	p := s.run(t, options(t, "gemba-da"))
	lines := s.lines(t)
	if p.State != intake.JudgeDone || p.Unparsable != 1 || lines[0].Score != nil || !strings.Contains(lines[0].Why, "too long") {
		t.Errorf("%+v, %+v", p, lines[0])
	}
}

// A lead stops a run; a cancelled one ends as well. Both are resumed without a repeated call.
func TestStopAndCancel(t *testing.T) {
	for _, stop := range []bool{true, false} {
		t.Run(fmt.Sprint("stop ", stop), func(t *testing.T) {
			db := storetest.Open(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newSite(t, db, always("50"), storetest.Segments(6), storetest.Systems(2))
			o, once := options(t, "gemba-da"), sync.Once{}
			o.Concurrency = 1
			o.Progress = func(p judging.Progress) {
				if p.Judged < 3 {
					return
				}
				once.Do(func() {
					if !stop {
						cancel()
						return
					}
					if err := s.Store.StopJudge(t.Context(), s.Campaign.ID, "j", ""); err != nil {
						t.Error(err)
					}
				})
			}
			p, err := judging.Run(ctx, s.Store, s.Campaign, s.provider, o)
			if err != nil || p.State != intake.JudgeStopped || p.Reason != map[bool]string{true: "stopped on the page of judges", false: "interrupted"}[stop] {
				t.Errorf("it ended %+v, %v", p, err)
			}
			o.Progress = nil
			if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 12 || s.Repeats() != 0 {
				t.Errorf("resumed it ended %+v, %d repeats", p, s.Repeats())
			}
		})
	}
}

// One program at a time works on a judge. One that is gone is followed by the next.
func TestTakeOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, always("50"), storetest.Segments(2), storetest.Systems(1))
		o := options(t, "gemba-da")
		spec := intake.JudgeSpec{Name: "j", Method: "gemba-da", Model: "m", MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(), Settings: intake.JudgeSettings{Retries: 2, Seed: 4}}
		first, err := s.Store.BeginJudge(t.Context(), s.Campaign, spec, "")
		if err != nil {
			t.Fatal(err)
		}
		db.Store.DeadAfter = 10 * time.Millisecond
		if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 2 {
			t.Errorf("it ended %+v", p)
		}
		if _, err := first.Beat(t.Context()); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("the program that was gone may go on: %v", err)
		}
		if err := first.KeepReply(t.Context(), "x", "{}", 1, 1); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("the program that was gone may store replies: %v", err)
		}
		db.Store.DeadAfter = 10 * time.Second
		second, err := s.Store.BeginJudge(t.Context(), s.Campaign, spec, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				_, _ = second.Beat(ctx)
			}
		}()
		if _, err := s.Store.BeginJudge(t.Context(), s.Campaign, spec, ""); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("two programs run one judge: %v", err)
		}
	})
}

// A run that has shown no sign of life for long is interrupted, and the next takes it over
// without waiting for one. The limits stored are those of the latest run.
func TestInterrupted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, always("50"), storetest.Segments(2), storetest.Systems(1))
		db.Store.DeadAfter = time.Hour
		o := options(t, "gemba-da")
		spec := intake.JudgeSpec{Name: "j", Method: "gemba-da", Model: "m", MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(), Settings: intake.JudgeSettings{Retries: 2, Seed: 4, Concurrency: 9, MaxTokens: 1000}}
		storetest.Must(s.Store.BeginJudge(t.Context(), s.Campaign, spec, ""))(t)
		if run := s.stored(t); run.Interrupted || run.Settings.MaxTokens != 1000 || run.Settings.Concurrency != 9 || run.Since.IsZero() {
			t.Errorf("begun it is %+v", run)
		}
		begun := db.Clock.Now()
		db.Clock.Advance(time.Minute)
		if run := s.stored(t); !run.Interrupted || !run.Since.Equal(begun) {
			t.Errorf("after a minute without a sign of life it is %+v", run)
		}
		if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 2 {
			t.Errorf("it ended %+v", p)
		}
		if run := s.stored(t); run.Interrupted || run.Settings.MaxTokens != 0 || run.Settings.Concurrency != 4 || !run.Since.After(begun) || !run.BeganAt.Equal(begun) {
			t.Errorf("after the second run it is %+v", run)
		}
	})
}

type panicking struct{}

func (panicking) Complete(context.Context, provider.Request) (provider.Reply, error) {
	panic("sk-secret")
}

// A panic ends the run and not the program. Its words are not for the page.
func TestPanic(t *testing.T) {
	s := newSite(t, storetest.Open(t), always("50"), storetest.Segments(2), storetest.Systems(1))
	p, err := judging.Run(t.Context(), s.Store, s.Campaign, panicking{}, options(t, "gemba-da"))
	if err == nil || !strings.Contains(err.Error(), "panicking") || p.State != intake.JudgeStopped || !strings.Contains(p.Reason, "something went wrong") || strings.Contains(p.Reason, "secret") {
		t.Errorf("it ended %+v, %v", p, err)
	}
	if run := s.stored(t); run.State != intake.JudgeStopped || run.Reason != p.Reason {
		t.Errorf("stored is %+v", run)
	}
}

// Segments that lack what a method needs are skipped and counted.
func TestSkipped(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("x"), storetest.Segments(2), storetest.Systems(2))
	p := s.run(t, options(t, "acre"))
	if p.State != intake.JudgeDone || p.Skipped != 4 || p.Judged != 0 || p.Reason != "4 translations skipped, since their segments have no term" || s.Asked() != 0 {
		t.Errorf("it ended %+v", p)
	}
	f, err := judging.Predict(t.Context(), s.Store, s.Campaign, options(t, "acre"))
	if err != nil || f.Skipped != 4 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A forecast asks nothing. After some calls it goes by what they took.
func TestPredict(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(10), storetest.Systems(2))
	o := options(t, "gemba-esa")
	f, err := judging.Predict(t.Context(), s.Store, s.Campaign, o)
	if err != nil || f.Segments != 10 || f.Translations != 20 || f.Least != 40 || f.Usual != 40 || f.Most != 40 || f.InputTokens < 40*100 || f.OutputTokens != 40*200 || f.Measured || s.Asked() != 0 {
		t.Errorf("%+v, %v after %d calls", f, err, s.Asked())
	}
	da := options(t, "gemba-da")
	da.MaxTokens, da.Concurrency = 1, 1
	p := s.run(t, da)
	f, err = judging.Predict(t.Context(), s.Store, s.Campaign, da)
	if want := int64(20-p.Judged) * (p.Tokens / p.Calls); err != nil || !f.Measured || f.Translations != 20-p.Judged || f.InputTokens+f.OutputTokens < want-40 || f.InputTokens+f.OutputTokens > want+40 {
		t.Errorf("%+v, want about %d tokens, %v", f, want, err)
	}
}

// All translations of a source are one task of the RATE agents, in byte order of their texts,
// and each gets its judgement.
func TestPerSource(t *testing.T) {
	db := storetest.Open(t)
	var mu sync.Mutex
	var order []string
	s := newSite(t, db, func(c scripted.Chat) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, c.Last())
		return scripted.Answer{Text: "<finish><score>3</score></finish>"}
	}, storetest.Segments(1), storetest.Systems(3))
	p := s.run(t, options(t, "rate"))
	if p.State != intake.JudgeDone || p.Judged != 3 || len(s.lines(t)) != 3 {
		t.Errorf("it ended %+v with %d judgements", p, len(s.lines(t)))
	}
	var texts []string
	for _, tr := range s.All(t)[0].Translations {
		texts = append(texts, tr.Text)
	}
	slices.Sort(texts)
	last := -1
	for _, text := range texts {
		at := slices.IndexFunc(order, func(asked string) bool { return strings.Contains(asked, text) })
		if at <= last {
			t.Errorf("%q is asked about at place %d of %q", text, at, order)
		}
		last = at
	}
}

// An engine is a scripted search engine that finds nothing but fails for one query.
type engine struct {
	mu      sync.Mutex
	queries []string
}

func (e *engine) Search(_ context.Context, query string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queries = append(e.queries, query)
	if query == "huang le slang" {
		return "", errors.New("the engine is down")
	}
	return "It means that a plan came to nothing.", nil
}

// The agents of rate search with the engine that the run has. A search that fails is told to the
// agents and ends nothing. What was found is stored like a reply.
func TestSearch(t *testing.T) {
	tool := func(name string, args ...string) string {
		for i := 0; i < len(args); i += 2 {
			name += "\n<arg_key>" + args[i] + "</arg_key><arg_value>" + args[i+1] + "</arg_value>"
		}
		return "<tool_call>" + name + "</tool_call>"
	}
	s := newSite(t, storetest.Open(t), func(c scripted.Chat) scripted.Answer {
		finish := scripted.Answer{Text: tool("finish_evaluation", "final_score", "3")}
		switch last := c.Last(); {
		case strings.Contains(last, "Turn the request into queries"):
			return scripted.Answer{Text: tool("search", "search_query", `[{"q": "huang le meaning"}, {"q": "huang le slang"}]`)}
		case strings.Contains(last, "These are the results of the search"):
			if !strings.Contains(last, "huang le meaning: It means that a plan came to nothing.") || !strings.Contains(last, "huang le slang: no result") {
				t.Errorf("the search agent was given %q", last)
			}
			return scripted.Answer{Text: `{"answer": "it failed"}`}
		case strings.Contains(last, "it failed"), !strings.Contains(c.Messages[0].Text, "search_agent"):
			return finish
		}
		return scripted.Answer{Text: tool("search_agent", "query", "huang le")}
	}, storetest.Segments(1), storetest.Systems(1))
	var found engine
	o := options(t, "rate")
	o.Searcher = &found
	if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 1 || *s.lines(t)[0].Score != 3 {
		t.Fatalf("it ended %+v", p)
	}
	var searches []string
	for _, call := range s.lines(t)[0].Trace {
		if call.Role == "search engine" {
			searches = append(searches, call.Prompt+" -> "+call.Reply)
		}
	}
	slices.Sort(searches)
	if want := []string{"huang le meaning -> It means that a plan came to nothing.", "huang le slang -> (no reply: the engine is down)"}; !slices.Equal(searches, want) {
		t.Errorf("the trace has the searches %q, want %q", searches, want)
	}
	asked := s.Asked()
	o.Name = "again"
	if p := s.run(t, o); p.State != intake.JudgeDone || s.Asked() != asked || len(found.queries) != 3 { // only what failed is sought again
		t.Errorf("another judge ended %+v after %d calls and the queries %q", p, s.Asked()-asked, found.queries)
	}
	o.Name, o.Searcher = "without", nil
	if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != 1 || s.Asked() != asked+1 || len(found.queries) != 3 {
		t.Errorf("without an engine it ended %+v after %d calls", p, s.Asked()-asked)
	}
	o.Name = "j"
	if _, err := judging.Run(t.Context(), s.Store, s.Campaign, s.provider, o); err == nil || !strings.Contains(err.Error(), "search engine") {
		t.Errorf("a judge goes on without its search engine: %v", err)
	}
}

// himateModel finds a spelling error in every translation and is as sure of it as logProbs says of
// the comparison that it is asked for; nil: it gives no log-probabilities.
func himateModel(logProbs func(scripted.Chat) []float64, discussions *atomic.Int64) scripted.Script {
	return func(c scripted.Chat) scripted.Answer {
		switch last := c.Last(); {
		case c.LogProbs:
			return scripted.Answer{Text: `{"corrected": true}`, LogProbs: logProbs(c)}
		case strings.Contains(last, "Correct this error"):
			return scripted.Answer{Text: "corrected"}
		case strings.Contains(last, "give your opinion"):
			discussions.Add(1)
			return scripted.Answer{Text: `{"error": true, "severity": "Minor", "opinion": "yes"}`}
		case strings.Contains(last, "Say whether you agree"):
			return scripted.Answer{Text: `{"agree": true}`}
		case strings.Contains(last, "The type of error is Spelling"):
			return scripted.Answer{Text: `{"error": true, "severity": "Minor", "span": "Translation", "explanation": "x"}`}
		}
		return scripted.Answer{Text: `{"error": false}`}
	}
}

// A run finds the threshold of himate before it judges, stores it, and asks nothing twice.
// Without log-probabilities every finding is discussed, in this run and in the next.
func TestCalibrate(t *testing.T) {
	const translations, calls = 20, 19 + 2 // calls for each: every subtype, and the check of the finding
	for name, tt := range map[string]struct {
		logProb     []float64
		threshold   float64
		discussions int64
	}{
		"log-probabilities": {[]float64{-0.5, -0.25}, -0.75, 0}, // all are equal, and equal is not below
		"none":              {nil, 1, translations},
	} {
		t.Run(name, func(t *testing.T) {
			var discussions atomic.Int64
			s := newSite(t, storetest.Open(t), himateModel(sure(tt.logProb...), &discussions), storetest.Segments(10), storetest.Systems(2))
			p := s.run(t, options(t, "himate"))
			run := s.stored(t)
			if p.State != intake.JudgeDone || p.Judged != translations || run.Settings.Threshold == nil || *run.Settings.Threshold != tt.threshold {
				t.Fatalf("it ended %+v; stored is %+v", p, run)
			}
			if n := discussions.Load(); n != tt.discussions || s.Repeats() != 0 || int64(s.Asked()) != translations*calls+2*tt.discussions {
				t.Errorf("%d discussions and %d calls, %d of them again", n, s.Asked(), s.Repeats())
			}
			for _, line := range s.lines(t) {
				if line.Score == nil || *line.Score != -1 {
					t.Fatalf("%+v", line)
				}
			}
		})
	}
}

func sure(logProbs ...float64) func(scripted.Chat) []float64 {
	return func(scripted.Chat) []float64 { return logProbs }
}

// The threshold is the 60th percentile over a tenth of the translations that the seed draws. What is
// less certain is discussed, nothing else. A run that is resumed keeps the threshold, although what
// is left has another tenth.
func TestThreshold(t *testing.T) {
	const translations = 11 // so that the tenth is two
	given := -0.5
	calibrated := func(t *testing.T, seed uint64, threshold *float64) (drawn []string) {
		var mu sync.Mutex
		var asked []string
		var confidences []float64 // in the order of asked
		var discussions atomic.Int64
		s := newSite(t, storetest.Open(t), himateModel(func(c scripted.Chat) []float64 {
			mu.Lock()
			defer mu.Unlock()
			h := fnv.New32a()
			h.Write([]byte(c.Last()))
			x := -float64(h.Sum32()%1000) / 1000
			asked, confidences = append(asked, c.Last()), append(confidences, x)
			return []float64{x}
		}, &discussions), storetest.Segments(translations), storetest.Systems(1))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := options(t, "himate")
		o.Seed, o.Threshold, o.Concurrency = seed, threshold, 1 // so that nothing is under way when it is cancelled
		o.Progress = func(p judging.Progress) {
			if p.Judged == translations/2 {
				cancel()
			}
		}
		if p, err := judging.Run(ctx, s.Store, s.Campaign, s.provider, o); err != nil || p.State != intake.JudgeStopped {
			t.Fatalf("it ended %+v, %v", p, err)
		}
		o.Progress = nil
		if p := s.run(t, o); p.State != intake.JudgeDone || p.Judged != translations || s.Repeats() != 0 || len(asked) != translations {
			t.Fatalf("resumed it ended %+v after %d comparisons, with %d calls again", p, len(asked), s.Repeats())
		}
		want := given
		if threshold == nil {
			low, high := min(confidences[0], confidences[1]), max(confidences[0], confidences[1])
			want = low + 0.6*(high-low)
		}
		if got := *s.stored(t).Settings.Threshold; math.Abs(got-want) > 1e-12 {
			t.Errorf("the threshold is %v, want %v of %v", got, want, confidences)
		}
		below := int64(0)
		for _, x := range confidences {
			if x < want {
				below++
			}
		}
		if n := discussions.Load(); n != below || below == 0 || below == translations {
			t.Errorf("%d findings were discussed, want %d, which are less certain than %v", n, below, want)
		}
		return slices.Sorted(slices.Values(asked[:2]))
	}
	first, again, other := calibrated(t, 4, nil), calibrated(t, 4, nil), calibrated(t, 5, nil)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("the seed 4 drew %q and %q, the seed 5 %q", first, again, other)
	}
	calibrated(t, 4, &given)
}

// No translation is judged before the threshold is known: judgements with another one could not
// be compared.
func TestCalibrationFails(t *testing.T) {
	var discussions, down atomic.Int64
	works := himateModel(sure(-0.5), &discussions)
	s := newSite(t, storetest.Open(t), func(c scripted.Chat) scripted.Answer {
		if c.LogProbs && down.Load() == 0 {
			return scripted.Answer{Status: 503, Text: "down"}
		}
		return works(c)
	}, storetest.Segments(5), storetest.Systems(2))
	p := s.run(t, options(t, "himate"))
	if p.State != intake.JudgeStopped || p.Judged != 0 || p.Failed != 1 || !strings.Contains(p.Reason, "the calls for 1 translation failed; run the judge again") || s.stored(t).Settings.Threshold != nil {
		t.Errorf("it ended %+v; stored is %+v", p, s.stored(t))
	}
	down.Store(1)
	if p := s.run(t, options(t, "himate")); p.State != intake.JudgeDone || p.Judged != 10 || *s.stored(t).Settings.Threshold != -0.5 {
		t.Errorf("the second run ended %+v", p)
	}
}

func TestRefusedToRun(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(1), storetest.Systems(1))
	storetest.Must(db.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(storetest.ScoresInOrder("COMET", s.Systems[0], 1)), intake.ImportOptions{}))(t)
	threshold := 0.5
	for name, tt := range map[string]struct {
		change func(*judging.Options)
		field  string
	}{
		"metric's name": {func(o *judging.Options) { o.Name = "COMET" }, "as"},
		"no model":      {func(o *judging.Options) { o.Model = "" }, "model"},
		"threshold":     {func(o *judging.Options) { o.Threshold = &threshold }, "threshold"},
		"variant":       {func(o *judging.Options) { o.Variant = "one_step" }, "variant"},
		"retries":       {func(o *judging.Options) { o.Retries = -1 }, "retries"},
		"no calls":      {func(o *judging.Options) { o.Concurrency = 0 }, "concurrency"},
		"many calls":    {func(o *judging.Options) { o.Concurrency = 257 }, "concurrency"},
		"tokens":        {func(o *judging.Options) { o.MaxTokens = -1 }, "max-tokens"},
	} {
		o := options(t, "gemba-da")
		tt.change(&o)
		_, err := judging.Run(t.Context(), s.Store, s.Campaign, s.provider, o)
		if bad, ok := errors.AsType[*campaign.InvalidError](err); !ok || bad.Field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
		if _, predicted := judging.Predict(t.Context(), s.Store, s.Campaign, o); predicted == nil || predicted.Error() != err.Error() {
			t.Errorf("%s: the run is refused with %v, its forecast with %v", name, err, predicted)
		}
	}
	if s.Asked() != 0 {
		t.Errorf("%d calls", s.Asked())
	}
}
