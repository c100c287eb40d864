package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/job"
	"annotate/internal/parallel"
	"annotate/internal/report/gather"
	"annotate/internal/store"
)

// reportsAtOnce is how many reports are computed at a time. Each keeps all
// processors busy and takes some memory.
const reportsAtOnce = 1

// reports computes reports in the background. The visitor who asked for one may
// close the page: the report is kept in the database when it is done.
type reports struct {
	st      *store.Store
	logger  *slog.Logger
	now     func() time.Time
	runner  *job.Runner[struct{}]
	compute func(context.Context, *store.Store, *gather.Task) error // keeps the report, too
	// patience is how long a page waits for a report that is not there yet. Most
	// reports of small campaigns are shown without a page about computing.
	patience time.Duration

	mu sync.Mutex
	// named are the names that reports of campaigns can choose from, by the campaigns'
	// ids, with what they depend on.
	named map[string]keptNames
}

type keptNames struct {
	key   string
	names evaluation.Names
}

func (r *reports) names(campaignID, key string) (evaluation.Names, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.named[campaignID]
	return n.names, ok && n.key == key
}

func (r *reports) keepNames(campaignID, key string, names evaluation.Names) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[campaignID] = keptNames{key, names}
}

// A reportJob computes a report and keeps it.
type reportJob = job.Job[struct{}]

func newReports(st *store.Store, logger *slog.Logger, now func() time.Time, requests *parallel.Requests) *reports {
	return &reports{
		st: st, logger: logger, now: now, runner: job.NewRunner[struct{}](reportsAtOnce, now, requests),
		compute: computeAndKeep, patience: 1200 * time.Millisecond, named: map[string]keptNames{},
	}
}

func jobKey(c campaign.Campaign, choices gather.Choices) string { return c.ID + "?" + choices.Key() }

// job is the latest job that computes a report; nil if none is remembered.
func (r *reports) job(c campaign.Campaign, choices gather.Choices) *reportJob {
	return r.runner.Find(jobKey(c, choices))
}

func (r *reports) start(c campaign.Campaign, beside []campaign.Campaign, choices gather.Choices) *reportJob {
	return r.runner.Start(jobKey(c, choices), func(ctx context.Context, say job.Say) (struct{}, error) {
		began := time.Now()
		err := r.compute(ctx, r.st, &gather.Task{Campaign: c, Beside: beside, Choices: choices, Now: r.now, Progress: say})
		if err == nil {
			r.logger.Info("report", "campaign", c.Slug, "took", time.Since(began).Round(time.Millisecond))
		}
		return struct{}{}, err
	}, logFailure(r.logger, "report", c))
}

func computeAndKeep(ctx context.Context, st *store.Store, t *gather.Task) error {
	found, err := gather.Compute(ctx, st, t)
	if err != nil {
		return err
	}
	t.Progress("keeping", .99)
	return gather.Keep(ctx, st, t.Campaign, t.Choices, found)
}

// logFailure logs the error of a job about a campaign. A job that was stopped with
// the server is no failure, and a wrong choice is its reader's to mend.
func logFailure(logger *slog.Logger, what string, c campaign.Campaign) func(error) {
	return func(err error) {
		if _, invalid := errors.AsType[*campaign.InvalidError](err); invalid || errors.Is(err, context.Canceled) {
			return
		}
		logger.Error(what, "campaign", c.Slug, "error", err)
	}
}

// failure says in words why a job about something ("the report") failed; empty if
// err is nil.
func failure(what string, err error) string {
	if err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return what + " was not computed: " + invalid.Error() + "."
	}
	if errors.Is(err, context.Canceled) {
		return what + " was not computed, since the server was stopped."
	}
	return what + " was not computed: something went wrong on the server, and is in its log."
}
