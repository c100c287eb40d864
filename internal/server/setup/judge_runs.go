package setup

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/judgeruns"
	"annotate/internal/parallel"
	"annotate/internal/provider"
	"annotate/internal/server/site"
	"annotate/internal/wording"
)

// judgesAtOnce is the largest number of judges that a server runs at a time.
const judgesAtOnce = 8

// JudgeRuns runs judges in the background.
type JudgeRuns struct {
	store  *judgeruns.Store
	cfg    site.JudgeConfig
	logger *slog.Logger
	Runner *parallel.Runner[judgeruns.Progress]
	free   chan struct{} // a place for each judge that may run
}

func newJudgeRuns(s *site.Site, st *judgeruns.Store) *JudgeRuns {
	return &JudgeRuns{
		store: st, cfg: s.Judges, logger: s.Logger,
		Runner: parallel.NewRunner[judgeruns.Progress](judgesAtOnce, s.Now, &s.Requests), free: make(chan struct{}, judgesAtOnce),
	}
}

// judgeKey is the key of the job that runs a judge of a campaign.
func judgeKey(campaignID, judge string) string { return campaignID + "/" + judge }

// errNoModelServer says which setting is missing.
var errNoModelServer = campaign.Invalid("", "no model's server is configured; set base_url in the section [judge] of the configuration")

// start starts a run of a judge in the background, and returns its job. The error is a *campaign.InvalidError if the judge
// can't run with the options. It is an ErrConflict if the judge is running, or if the server already
// runs the largest number of judges.
func (r *JudgeRuns) start(ctx context.Context, c campaign.Campaign, o judgeruns.Options) (*parallel.Job[judgeruns.Progress], error) {
	if r.cfg.BaseURL == "" {
		return nil, errNoModelServer
	}
	key := judgeKey(c.ID, o.JudgeName())
	if j := r.Runner.Find(key); j != nil && !j.Over() {
		return nil, fmt.Errorf("the judge %s is running already: %w", o.JudgeName(), campaign.ErrConflict)
	}
	select {
	case r.free <- struct{}{}:
	default:
		return nil, fmt.Errorf("this server runs %d judges already; wait until one of them has ended, or stop one: %w",
			judgesAtOnce, campaign.ErrConflict)
	}
	run := &judgeRun{judge: o.JudgeName(), campaign: c.Slug, actor: context.WithoutCancel(ctx), logger: r.logger, free: func() { <-r.free }}
	o.Progress = run.progress
	asks, err := r.cfg.Provider(o.Concurrency, run.retrying)
	if err == nil {
		run.begun, err = r.store.Begin(ctx, c, asks, o)
	}
	if err != nil {
		run.free()
		return nil, err
	}
	j := r.Runner.Start(key, run.work, site.LogFailure(r.logger, "judge", c), func(error) { run.abandon() })
	if j.Over() {
		run.abandon()
	}
	return j, nil
}

// trouble says what holds up a judge that this server runs. It is empty if nothing does.
func (r *JudgeRuns) trouble(campaignID, judge string) string {
	j := r.Runner.Find(judgeKey(campaignID, judge))
	if j == nil || j.Over() {
		return ""
	}
	words, _ := j.Progress()
	return words
}

// A judgeRun is a judge that this server runs. The words of its job say what holds it up.
type judgeRun struct {
	judge, campaign string
	actor           context.Context // the request's context, which names the user for the logs
	logger          *slog.Logger
	begun           *judgeruns.Begun
	free            func() // returns the place among the running judges
	taken           atomic.Bool

	mu     sync.Mutex
	say    parallel.Say // nil before the job begins
	judged int
}

// work is the work of the job.
func (r *judgeRun) work(ctx context.Context, say parallel.Say) (p judgeruns.Progress, err error) {
	if r.taken.Swap(true) {
		return p, context.Canceled
	}
	defer r.free()
	r.mu.Lock()
	r.say = say
	r.mu.Unlock()
	say("", 0)
	acting, stop := context.WithCancel(r.actor)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	began := time.Now()
	p, err = r.begun.Run(acting)
	r.logger.Info(
		"judge", "campaign", r.campaign, "judge", r.judge, "state", p.State, "judged", p.Judged, "calls", p.Calls, "tokens", p.Tokens, "took",
		time.Since(began).Round(time.Millisecond),
	)
	return p, err
}

// abandon stores that the run was interrupted if the server stops before the work begins.
func (r *judgeRun) abandon() {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, _ = r.work(stopped, func(string, float64) {})
}

// progress clears the words of the job when the judge has judged another translation.
func (r *judgeRun) progress(p judgeruns.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Judged > r.judged {
		r.judged = p.Judged
		r.say("", 0)
	}
}

// retrying sets the words of the job to the error of a request that is sent again.
func (r *judgeRun) retrying(e *provider.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.say(wording.Capital(e.Error())+". The request is sent again.", 0)
}
