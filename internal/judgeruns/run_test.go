package judgeruns_test

import (
	"annotate/internal/testenv"
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// A site is a campaign with a model whose answers come from a script.
type site struct {
	*testenv.ScriptedServer
	*storetest.Sample
	db       *storetest.DB
	provider provider.Provider
}

func newSite(t *testing.T, db *storetest.DB, script provider.Script, opts ...storetest.Option) *site {
	t.Helper()
	s := &site{ScriptedServer: testenv.Scripted(script), db: db, Sample: storetest.Campaign(t, db.Store, append([]storetest.Option{storetest.Protocol("esa")}, opts...)...)}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	var err error
	s.provider, err = provider.NewOpenAI(provider.Options{BaseURL: web.URL + "/v1", Concurrency: 4, Tries: 5, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t *testing.T, method string) judgeruns.Options {
	t.Helper()
	m, err := judge.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	return judgeruns.Options{Name: "j", Method: m, Server: "http://a/v1", Model: "m", Concurrency: 4, Retries: 2, Seed: 4}
}

func (s *site) run(t *testing.T, o judgeruns.Options) judgeruns.Progress {
	t.Helper()
	p, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *site) lines(t *testing.T) (out []campaign.JudgementLine) {
	t.Helper()
	err := s.Store.Records.EachJudgement(t.Context(), s.Campaign, true, func(j campaign.JudgementLine) error {
		out = append(out, j)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *site) stored(t *testing.T) judgeruns.JudgeRun {
	t.Helper()
	found, err := s.Store.JudgeRuns.JudgeRuns(t.Context(), s.Campaign.ID)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

func always(text string) provider.Script {
	return func(provider.Chat) provider.Answer { return provider.Answer{Text: text} }
}

// faultless finds no errors, and gives every translation 85 points.
func faultless(c provider.Chat) provider.Answer {
	if len(c.Messages) > 1 {
		return provider.Answer{Text: "Major:\nno-error\nMinor:\nno-error"}
	}
	return provider.Answer{Text: "85"}
}

// Every translation gets one judgement with its trace. A second run makes no calls.
func TestRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, func(c provider.Chat) provider.Answer {
			if c.Model != "m" || !strings.Contains(c.Last(), "Chinese") || !strings.Contains(c.Last(), "English") || !strings.Contains(c.Last(), "源文本") {
				t.Errorf("the model was asked %+v", c)
			}
			return provider.Answer{Text: "85"}
		}, storetest.Segments(4), storetest.Systems(3))
		var told []judgeruns.Progress
		o := options(t, "gemba-da")
		o.Progress = func(p judgeruns.Progress) { told = append(told, p) }
		before := storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t)
		p := s.run(t, o)
		if p.State != judgeruns.JudgeDone || p.Judged != 12 || p.All != 12 || p.Calls != 12 || len(told) != 12 || p.Reason != "" || s.Asked() != 12 {
			t.Errorf("the run ended %+v after %d calls", p, s.Asked())
		}
		lines := s.lines(t)
		if len(lines) != 12 || *lines[0].Score != 85 || lines[0].Method != "gemba-da" || lines[0].Model != "m" || lines[0].Spans != nil {
			t.Fatalf("%d judgements, first %+v", len(lines), lines[0])
		}
		if c := lines[5].Trace; len(c) != 1 || c[0].Reply != "85" || !strings.HasPrefix(c[0].Prompt, "[user]\n") || c[0].OutputTokens != 1 || c[0].InputTokens == 0 {
			t.Errorf("the trace is %+v", c)
		}
		if run := s.stored(t); run.State != judgeruns.JudgeDone || run.Tokens() != p.Tokens || run.Calls != 12 || p.Tokens == 0 {
			t.Errorf("stored is %+v", run)
		}
		if after := storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t); after == before {
			t.Error("a report does not know that there are judgements")
		}
		if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 12 || s.Asked() != 12 {
			t.Errorf("the second run ended %+v after %d calls", p, s.Asked())
		}
		o.Name = "other" // it uses the stored replies
		if p := s.run(t, o); p.Judged != 12 || s.Asked() != 12 || p.Tokens != 0 {
			t.Errorf("another judge ended %+v after %d calls", p, s.Asked())
		}
		for name, change := range map[string]func(o *judgeruns.Options){
			"model":   func(o *judgeruns.Options) { o.Model = "m2" },
			"variant": func(o *judgeruns.Options) { o.Variant = "reference" },
			"retries": func(o *judgeruns.Options) { o.Retries = 1 },
			"seed":    func(o *judgeruns.Options) { o.Seed = 5 },
			"text": func(o *judgeruns.Options) {
				o.Method.Prompts = append([]judge.Prompt{}, o.Method.Prompts...)
				o.Method.Prompts[0].Text += " "
			},
			"version": func(o *judgeruns.Options) { o.Method.Version++ },
			"server":  func(o *judgeruns.Options) { o.Server = "http://b/v1" },
		} {
			o := options(t, "gemba-da")
			change(&o)
			if _, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("with another %s: %v", name, err)
			}
		}
	})
}

// A run uses a stored reply only if the same server and model gave it to the same call with the same
// seed. A run that asks again uses no reply that was stored before it, and is resumed without a repeated
// call. Its judge's earlier judgements stay.
func TestStoredReplies(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, faultless, storetest.Segments(3), storetest.Systems(2))
		s.run(t, options(t, "gemba-da"))
		asked := s.Asked()
		for _, tt := range []struct {
			name   string
			change func(o *judgeruns.Options)
			calls  int
		}{
			{"same", func(*judgeruns.Options) {}, 0},
			{"another server", func(o *judgeruns.Options) { o.Server = "http://b/v1" }, 6},
			{"another model", func(o *judgeruns.Options) { o.Model = "m2" }, 6},
			{"another seed", func(o *judgeruns.Options) { o.Seed = 5 }, 6},
			{"same server again", func(o *judgeruns.Options) { o.Server = "http://b/v1" }, 0},
			{"fresh", func(o *judgeruns.Options) { o.Fresh = true }, 6},
		} {
			o := options(t, "gemba-da")
			o.Name = tt.name
			tt.change(&o)
			if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 6 || s.Asked()-asked != tt.calls {
				t.Errorf("%s: it ended %+v after %d calls, want %d", tt.name, p, s.Asked()-asked, tt.calls)
			}
			asked = s.Asked()
		}
		o := options(t, "gemba-da")
		o.Fresh = true
		for name, act := range map[string]func() error{
			"run":      func() error { _, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o); return err },
			"forecast": func() error { _, err := s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, o); return err },
		} {
			if err := act(); err == nil || !strings.Contains(err.Error(), "has judged every translation") {
				t.Errorf("the %s of a judge that has nothing to ask again: %v", name, err)
			}
		}
		o = options(t, "gemba-esa") // two calls for each translation
		o.Name, o.Fresh, o.MaxTokens, o.Concurrency = "resumed", true, 1, 1
		if p := s.run(t, o); p.State != judgeruns.JudgeStopped || p.Calls != 1 {
			t.Fatalf("with a limit it ended %+v", p)
		}
		asked, o.Fresh, o.MaxTokens = s.Asked(), false, 0
		if p := s.run(t, o); p.Judged != 6 || s.Asked()-asked != 11 {
			t.Errorf("resumed it ended %+v after %d calls, want 11", p, s.Asked()-asked)
		}
	})
}

// A variant has its own prompts, and its judge has its own name. A run skips segments without the
// reference that a variant requires.
func TestVariant(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c provider.Chat) provider.Answer {
		if !strings.Contains(c.Last(), "Reference: Ein Satz.") {
			t.Errorf("the model was asked %q", c.Last())
		}
		return provider.Answer{Text: "Major errors:\nNone\nMinor errors:\n(1) \"Translation\" - Style\n0, 1"}
	}, storetest.Segments(2), storetest.Systems(2))
	storetest.Must(db.Intake.ImportReferences(t.Context(), s.Campaign.ID, func(yield func(campaign.ReferenceText, error) bool) {
		yield(campaign.ReferenceText{SegmentID: "s1", Reference: campaign.Reference{Name: "ref", Text: "Ein Satz."}}, nil)
	}, intake.ImportOptions{}))(t)
	o := options(t, "eaprompt")
	o.Name, o.Variant = "", "one_step_reference"
	p := s.run(t, o)
	if p.State != judgeruns.JudgeDone || p.Judged != 2 || p.Skipped != 2 || p.Reason != "2 translations skipped, since their segments have no reference" || s.Asked() != 2 {
		t.Errorf("it ended %+v after %d calls", p, s.Asked())
	}
	if run := s.stored(t); run.Name != "eaprompt-one_step_reference-m" || run.Settings.Variant != o.Variant {
		t.Errorf("stored is %+v", run)
	}
	if j := s.lines(t)[0]; *j.Score != -1 || len(j.Spans) != 1 {
		t.Errorf("%+v", j)
	}
}

// A call whose answer can't be parsed is made again. If no answer can be parsed, the judgement has no
// score. Answers that could not be parsed are deleted.
func TestUnparsable(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c provider.Chat) provider.Answer {
		if strings.Contains(c.Last(), "segment 1.") {
			return provider.Answer{Text: "I would rather not."}
		}
		return provider.Answer{Text: "70"}
	}, storetest.Segments(2), storetest.Systems(1))
	p := s.run(t, options(t, "gemba-da"))
	if p.State != judgeruns.JudgeDone || p.Judged != 2 || p.Unparsable != 1 || s.Asked() != 4 {
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

// A run whose first 20 translations all have unreadable answers stops and says so. A run that can read one
// of them goes on, and says at its end how many it could not read.
func TestUnreadable(t *testing.T) {
	for name, tt := range map[string]struct {
		readable string
		judged   int
		state    judgeruns.JudgeState
		reason   string
	}{
		"all": {"no such words", 20, judgeruns.JudgeStopped, "no answer could be read for 20 translations; the traces of the judgements show the answers"},
		"one": {"segment 20.", 24, judgeruns.JudgeDone, "the answers for 23 of 24 translations could not be read, so they have no score"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, storetest.Open(t), func(c provider.Chat) provider.Answer {
				if strings.Contains(c.Last(), tt.readable) {
					return provider.Answer{Text: "70"}
				}
				return provider.Answer{Text: "I would rather not."}
			}, storetest.Segments(24), storetest.Systems(1))
			o := options(t, "gemba-da")
			o.Concurrency = 1
			p := s.run(t, o)
			if run := s.stored(t); p.State != tt.state || p.Judged != tt.judged || run.State != tt.state || run.Reason != tt.reason {
				t.Errorf("it ended %+v; stored is %s, %q", p, run.State, run.Reason)
			}
			if p := s.run(t, o); name == "one" && p.Reason != tt.reason || p.Judged != 24 {
				t.Errorf("the next run ended %+v", p)
			}
		})
	}
}

// A method with spans gives each error with its words and its place. An error whose words are in
// neither text is kept without a place.
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

// The limit on tokens stops a run without an error. It includes the tokens of earlier runs. A run
// with a higher limit goes on.
func TestMaxTokens(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(10), storetest.Systems(2))
	o := options(t, "gemba-da")
	o.MaxTokens, o.Concurrency = 300, 1
	p := s.run(t, o)
	if p.State != judgeruns.JudgeStopped || !strings.Contains(p.Reason, "limit on tokens") || p.Tokens < 300 || p.Judged == 0 || p.Judged == 20 || int64(p.Judged) != p.Calls {
		t.Errorf("the run ended %+v", p)
	}
	asked := s.Asked()
	if p := s.run(t, o); p.State != judgeruns.JudgeStopped || s.Asked() != asked {
		t.Errorf("with no tokens left it asked %d times, %+v", s.Asked()-asked, p)
	}
	o.MaxTokens = 0
	if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 20 || s.Asked() != 20 {
		t.Errorf("it ended %+v after %d calls", p, s.Asked())
	}
}

// A run skips and counts the translations of segments that lack a field that the method needs.
func TestSkipped(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("x"), storetest.Segments(2), storetest.Systems(2))
	p := s.run(t, options(t, "acre"))
	if p.State != judgeruns.JudgeDone || p.Skipped != 4 || p.Judged != 0 || p.Reason != "4 translations skipped, since their segments have no term" || s.Asked() != 0 {
		t.Errorf("it ended %+v", p)
	}
	f, err := s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, options(t, "acre"))
	if err != nil || f != (readmodel.JudgeForecast{Judge: "j", Object: "translation", Skipped: 4, Lacks: "term"}) {
		t.Errorf("%+v, %v", f, err)
	}
	g := storetest.Segment(3, 3, s.Systems)
	g.Term, g.Explication = "源", "the origin"
	storetest.ImportSegments(t, s.Sample, g)
	f, err = s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, options(t, "acre"))
	if err != nil || f.Segments != 1 || f.Translations != 2 || f.Skipped != 4 || f.Usual != 8 || f.InputTokens == 0 || f.OutputTokens != 8*readmodel.AssumedOutput {
		t.Errorf("with one term: %+v, %v", f, err)
	}
}

// A forecast leaves out the calls whose replies are stored: those of a run that was stopped, and those that
// another judge has made. A run that asks again makes them all.
func TestPredictKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, faultless, storetest.Segments(3), storetest.Systems(2))
		o := options(t, "gemba-esa") // two calls for each translation
		o.MaxTokens, o.Concurrency = 1, 1
		if p := s.run(t, o); p.Calls != 1 {
			t.Fatalf("with a limit it ended %+v", p)
		}
		perCall := s.stored(t).Tokens()
		predict := func(name string, fresh bool, kept, calls int, tokens int64) {
			t.Helper()
			o.Name, o.Fresh = name, fresh
			f, err := s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, o)
			if err != nil || f.Translations != 6 || f.Kept != kept || f.Least != calls || f.Usual != calls || f.Most != calls || tokens >= 0 && f.InputTokens+f.OutputTokens != tokens {
				t.Errorf("%s, fresh %t: %+v, %v; want %d calls and %d kept", name, fresh, f, err, calls, kept)
			}
		}
		predict("j", false, 1, 11, 11*perCall)
		predict("j", true, 0, 12, 12*perCall)
		o.Name, o.Fresh, o.MaxTokens = "j", false, 0
		if p := s.run(t, o); p.Judged != 6 || p.Calls != 12 {
			t.Fatalf("it ended %+v", p)
		}
		predict("other", false, 12, 0, 0)
		predict("other", true, 0, 12, -1)
		o.Seed++
		predict("other seed", false, 0, 12, -1)
	})
}

// A forecast makes no calls. If the judge has made calls before, it estimates tokens from them.
func TestPredict(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(10), storetest.Systems(2))
	o := options(t, "gemba-esa")
	f, err := s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, o)
	if err != nil || f.Segments != 10 || f.Translations != 20 || f.Least != 40 || f.Usual != 40 || f.Most != 40 || f.InputTokens < 40*100 || f.OutputTokens != 40*200 || f.Measured || s.Asked() != 0 {
		t.Errorf("%+v, %v after %d calls", f, err, s.Asked())
	}
	da := options(t, "gemba-da")
	da.MaxTokens, da.Concurrency = 1, 1
	p := s.run(t, da)
	f, err = s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, da)
	if want := int64(20-p.Judged) * (p.Tokens / p.Calls); err != nil || !f.Measured || f.Translations != 20-p.Judged || f.InputTokens+f.OutputTokens < want-40 || f.InputTokens+f.OutputTokens > want+40 {
		t.Errorf("%+v, want about %d tokens, %v", f, want, err)
	}
}

// The RATE agents judge all translations of a source in one task, in byte order of their texts. Each
// translation gets a judgement.
func TestPerSource(t *testing.T) {
	db := storetest.Open(t)
	var mu sync.Mutex
	var order []string
	s := newSite(t, db, func(c provider.Chat) provider.Answer {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, c.Last())
		return provider.Answer{Text: "<finish><score>3</score></finish>"}
	}, storetest.Segments(1), storetest.Systems(3))
	p := s.run(t, options(t, "rate"))
	if p.State != judgeruns.JudgeDone || p.Judged != 3 || len(s.lines(t)) != 3 {
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

func TestRefusedToRun(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(1), storetest.Systems(1))
	storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(storetest.ScoresInOrder("COMET", s.Systems[0], 1)), intake.ImportOptions{}))(t)
	threshold := 0.5
	for name, tt := range map[string]struct {
		change func(*judgeruns.Options)
		field  string
	}{
		"metric's name": {func(o *judgeruns.Options) { o.Name = "COMET" }, "as"},
		"no model":      {func(o *judgeruns.Options) { o.Model = "" }, "model"},
		"threshold":     {func(o *judgeruns.Options) { o.Threshold = &threshold }, "threshold"},
		"variant":       {func(o *judgeruns.Options) { o.Variant = "one_step" }, "variant"},
		"retries":       {func(o *judgeruns.Options) { o.Retries = -1 }, "retries"},
		"no calls":      {func(o *judgeruns.Options) { o.Concurrency = 0 }, "concurrency"},
		"many calls":    {func(o *judgeruns.Options) { o.Concurrency = 257 }, "concurrency"},
		"tokens":        {func(o *judgeruns.Options) { o.MaxTokens = -1 }, "max-tokens"},
	} {
		o := options(t, "gemba-da")
		tt.change(&o)
		_, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, s.provider, o)
		if bad, ok := errors.AsType[*campaign.InvalidError](err); !ok || bad.Field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
		if _, predicted := s.Store.JudgeRuns.Predict(t.Context(), s.Campaign, o); predicted == nil || predicted.Error() != err.Error() {
			t.Errorf("%s: the run is refused with %v, its forecast with %v", name, err, predicted)
		}
	}
	if s.Asked() != 0 {
		t.Errorf("%d calls", s.Asked())
	}
}
