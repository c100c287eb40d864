package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/report/gather"
	"annotate/internal/store"
)

// reportsAtOnce is how many reports are computed at a time; the others wait, for
// each has the processors busy and some memory.
const reportsAtOnce = 1

// reports computes reports in the background. Who asked for one may close the page:
// it is kept in the database when it is done.
type reports struct {
	st     *store.Store
	logger *slog.Logger
	now    func() time.Time
	ctx    context.Context
	stop   context.CancelFunc
	slots  chan struct{}
	// patience is how long a page waits for a report that is not there yet, so that
	// those of small campaigns are seen without a word about computing.
	patience time.Duration

	mu   sync.Mutex
	jobs map[string]*reportJob // by campaign and choices: under way, or failed
	// named are the human scores of campaigns, by their ids, with what they depend on.
	named map[string]namedScores
}

type namedScores struct {
	key   string
	names []string
}

// humans are the names of a campaign's human scores that were kept for a key.
func (r *reports) humans(campaignID, key string) ([]string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.named[campaignID]
	return n.names, ok && n.key == key
}

func (r *reports) keepHumans(campaignID, key string, names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[campaignID] = namedScores{key, names}
}

// A reportJob is a report that is being computed.
type reportJob struct {
	done  chan struct{}
	mu    sync.Mutex
	words string
	share float64
	err   error // once it is done
}

func newReports(st *store.Store, logger *slog.Logger, now func() time.Time) *reports {
	ctx, stop := context.WithCancel(context.Background())
	return &reports{st: st, logger: logger, now: now, ctx: ctx, stop: stop, slots: make(chan struct{}, reportsAtOnce), patience: 1200 * time.Millisecond, jobs: map[string]*reportJob{}, named: map[string]namedScores{}}
}

func jobKey(c campaign.Campaign, choices gather.Choices) string { return c.ID + "?" + choices.Key() }

// job is the one that computes a report, or has failed to; nil if there is none.
func (r *reports) job(c campaign.Campaign, choices gather.Choices) *reportJob {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs[jobKey(c, choices)]
}

// start computes a report unless that is being done already.
func (r *reports) start(c campaign.Campaign, beside []campaign.Campaign, choices gather.Choices) *reportJob {
	key := jobKey(c, choices)
	r.mu.Lock()
	defer r.mu.Unlock()
	if j := r.jobs[key]; j != nil && !j.over() {
		return j
	}
	j := &reportJob{done: make(chan struct{}), words: "waiting for another report"}
	r.jobs[key] = j
	go func() {
		err := r.compute(j, &gather.Task{Campaign: c, Beside: beside, Choices: choices, Now: r.now, Progress: j.say})
		j.mu.Lock()
		j.err = err
		j.mu.Unlock()
		close(j.done)
		if err == nil {
			r.mu.Lock()
			delete(r.jobs, key)
			r.mu.Unlock()
		}
	}()
	return j
}

func (r *reports) compute(j *reportJob, t *gather.Task) error {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	j.say("beginning", 0)
	began := time.Now()
	found, err := gather.Compute(r.ctx, r.st, t)
	if err == nil {
		j.say("keeping", .99)
		err = gather.Keep(r.ctx, r.st, t.Campaign, t.Choices, found)
	}
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		r.logger.Error("report", "campaign", t.Campaign.Slug, "error", err)
	default:
		r.logger.Info("report", "campaign", t.Campaign.Slug, "took", time.Since(began).Round(time.Millisecond))
	}
	return err
}

func (j *reportJob) say(words string, share float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.words, j.share = words, share
}

func (j *reportJob) progress() (words string, share float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.words, j.share
}

func (j *reportJob) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// failure says in words why the report was not computed; empty if it was, or is
// under way.
func (j *reportJob) failure() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var invalid *campaign.InvalidError
	switch {
	case j.err == nil:
		return ""
	case errors.As(j.err, &invalid):
		return "The report was not computed: " + invalid.Error() + "."
	case errors.Is(j.err, context.Canceled):
		return "The report was not computed, since the server was stopped."
	}
	return "The report was not computed: something went wrong on the server, and is in its log."
}
