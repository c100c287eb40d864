package judgeruns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// A run ends at once if the model's server refuses every request, and after a few units if the server
// is down. It stores no judgements, and it can be resumed.
func TestServerFails(t *testing.T) {
	for name, tt := range map[string]struct {
		fault provider.Answer
		most  int
		want  string
	}{
		"wrong key": {provider.Answer{Status: 401, Text: "wrong key"}, 4, "401 Unauthorized: wrong key"},
		"no model":  {provider.Answer{Status: 404, Text: "no such model"}, 4, "no such model"},
		"down":      {provider.Answer{Status: 503, Text: "down"}, 5 * 14, "10 requests failed one after the other"},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			var mu sync.Mutex
			works := false
			s := newSite(t, db, func(provider.Chat) provider.Answer {
				mu.Lock()
				defer mu.Unlock()
				if works {
					return provider.Answer{Text: "50"}
				}
				return tt.fault
			}, storetest.Segments(10), storetest.Systems(2))
			p := s.run(t, options(t, "gemba-da"))
			if p.State != judgeruns.JudgeStopped || p.Judged != 0 || !strings.Contains(p.Reason, tt.want) || s.Asked() > tt.most || len(s.lines(t)) > 0 {
				t.Errorf("the run ended %+v after %d requests", p, s.Asked())
			}
			mu.Lock()
			works = true
			mu.Unlock()
			if p := s.run(t, options(t, "gemba-da")); p.State != judgeruns.JudgeDone || p.Judged != 20 || p.Failed != 0 {
				t.Errorf("the second run ended %+v", p)
			}
		})
	}
}

// A request that is rejected for its content leaves its translation without a score. The run goes on
// with the other translations.
func TestRejected(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, func(c provider.Chat) provider.Answer {
		if strings.Contains(c.Last(), "segment 1.") {
			return provider.Answer{Status: 400, Text: "too long"}
		}
		return provider.Answer{Text: "50"}
	}, storetest.Segments(2), storetest.Systems(1))
	p := s.run(t, options(t, "gemba-da"))
	lines := s.lines(t)
	if p.State != judgeruns.JudgeDone || p.Unparsable != 1 || lines[0].Score != nil || !strings.Contains(lines[0].Why, "too long") {
		t.Errorf("%+v, %+v", p, lines[0])
	}
}

// A run ends if a lead stops it or its context is cancelled. A resumed run repeats no call.
func TestStopAndCancel(t *testing.T) {
	for _, stop := range []bool{true, false} {
		t.Run(fmt.Sprint("stop ", stop), func(t *testing.T) {
			db := storetest.Open(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newSite(t, db, always("50"), storetest.Segments(6), storetest.Systems(2))
			o, once := options(t, "gemba-da"), sync.Once{}
			o.Concurrency = 1
			o.Progress = func(p judgeruns.Progress) {
				if p.Judged < 3 {
					return
				}
				once.Do(func() {
					if !stop {
						cancel()
						return
					}
					if err := s.Store.JudgeRuns.StopJudge(t.Context(), s.Campaign.ID, "j", ""); err != nil {
						t.Error(err)
					}
				})
			}
			p, err := s.Store.JudgeRuns.Run(ctx, s.Campaign, s.provider, o)
			if err != nil || p.State != judgeruns.JudgeStopped || p.Reason != map[bool]string{true: "stopped on the page of judges", false: "interrupted"}[stop] {
				t.Errorf("it ended %+v, %v", p, err)
			}
			o.Progress = nil
			if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 12 || s.Repeats() != 0 {
				t.Errorf("resumed it ended %+v, %d repeats", p, s.Repeats())
			}
		})
	}
}

// A run goes on if the translation that it is judging is deleted, since its import is undone.
func TestTranslationDeleted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		var s *site
		undo := sync.OnceValue(func() error {
			imports, err := db.Intake.Imports(t.Context(), s.Campaign.ID)
			if err != nil {
				return err
			}
			return db.Intake.UndoImport(t.Context(), s.Campaign.ID, imports[0].ID, intake.UndoOptions{})
		})
		s = newSite(t, db, func(c provider.Chat) provider.Answer {
			if strings.Contains(c.Last(), storetest.Text(9, 0)) {
				if err := undo(); err != nil {
					t.Error(err)
				}
			}
			return provider.Answer{Text: "50"}
		}, storetest.Segments(2), storetest.Systems(1))
		storetest.ImportSegments(t, s.Sample, storetest.Segment(9, 9, s.Systems))
		o := options(t, "gemba-da")
		o.Concurrency = 1
		if p := s.run(t, o); p.State != judgeruns.JudgeDone || len(s.lines(t)) != 2 {
			t.Errorf("it ended %+v with %d judgements", p, len(s.lines(t)))
		}
	})
}

// An import whose translations a judge has judged is not undone.
func TestUndoRefusedAfterRun(t *testing.T) {
	db := storetest.Open(t)
	s := newSite(t, db, always("50"), storetest.Segments(1), storetest.Systems(1))
	s.run(t, options(t, "gemba-da"))
	imports := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
	err := db.Intake.UndoImport(t.Context(), s.Campaign.ID, imports[0].ID, intake.UndoOptions{})
	storetest.WantErr(t, err, campaign.ErrConflict)
	if err != nil && !strings.Contains(err.Error(), "the judge j has judged what it brought") {
		t.Error(err)
	}
}

// One program at a time works on a judge. After it has gone, another program can take over.
func TestTakeOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, always("50"), storetest.Segments(2), storetest.Systems(1))
		o := options(t, "gemba-da")
		spec := judgeruns.JudgeSpec{Name: "j", Method: "gemba-da", Model: "m", MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(), Settings: records.JudgeSettings{Retries: 2, Seed: 4}}
		first, err := s.Store.JudgeRuns.BeginJudge(t.Context(), s.Campaign, spec, "")
		if err != nil {
			t.Fatal(err)
		}
		db.Store.DB.DeadAfter = 10 * time.Millisecond
		if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 2 {
			t.Errorf("it ended %+v", p)
		}
		if _, err := first.Beat(t.Context()); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("the program that was gone may go on: %v", err)
		}
		if err := first.KeepReply(t.Context(), "x", "{}", 1, 1); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("the program that was gone may store replies: %v", err)
		}
		db.Store.DB.DeadAfter = 10 * time.Second
		second, err := s.Store.JudgeRuns.BeginJudge(t.Context(), s.Campaign, spec, "")
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
		if _, err := s.Store.JudgeRuns.BeginJudge(t.Context(), s.Campaign, spec, ""); !errors.Is(err, campaign.ErrConflict) {
			t.Errorf("two programs run one judge: %v", err)
		}
	})
}

// A run without a sign of life for a minute counts as interrupted, and the next run takes over at
// once. The store has the limits of the latest run.
func TestInterrupted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := newSite(t, db, always("50"), storetest.Segments(2), storetest.Systems(1))
		db.Store.DB.DeadAfter = time.Hour
		o := options(t, "gemba-da")
		spec := judgeruns.JudgeSpec{Name: "j", Method: "gemba-da", Model: "m", MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(), Settings: records.JudgeSettings{Retries: 2, Seed: 4, Concurrency: 9, MaxTokens: 1000}}
		storetest.Must(s.Store.JudgeRuns.BeginJudge(t.Context(), s.Campaign, spec, ""))(t)
		if run := s.stored(t); run.Interrupted || run.Settings.MaxTokens != 1000 || run.Settings.Concurrency != 9 || run.Since.IsZero() {
			t.Errorf("begun it is %+v", run)
		}
		begun := db.Clock.Now()
		db.Clock.Advance(time.Minute)
		if run := s.stored(t); !run.Interrupted || !run.Since.Equal(begun) {
			t.Errorf("after a minute without a sign of life it is %+v", run)
		}
		if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != 2 {
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

// A panic ends the run and not the program. The reason of the run hides the text of the panic.
func TestPanic(t *testing.T) {
	s := newSite(t, storetest.Open(t), always("50"), storetest.Segments(2), storetest.Systems(1))
	p, err := s.Store.JudgeRuns.Run(t.Context(), s.Campaign, panicking{}, options(t, "gemba-da"))
	if err == nil || !strings.Contains(err.Error(), "panicking") || p.State != judgeruns.JudgeStopped || !strings.Contains(p.Reason, "something went wrong") || strings.Contains(p.Reason, "secret") {
		t.Errorf("it ended %+v, %v", p, err)
	}
	if run := s.stored(t); run.State != judgeruns.JudgeStopped || run.Reason != p.Reason {
		t.Errorf("stored is %+v", run)
	}
}
