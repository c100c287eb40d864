package results

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// reportsAtOnce is how many reports are computed at a time. Each keeps all
// processors busy and takes some memory.
const reportsAtOnce = 1

// Reports computes reports in the background. The visitor who asked for one may
// close the page: the report is kept in the database when it is done.
type Reports struct {
	st      *store.Store
	logger  *slog.Logger
	now     func() time.Time
	Runner  *parallel.Runner[struct{}]
	Compute func(context.Context, *store.Store, *evaluation.ReportTask) error // keeps the report, too
	// Patience is how long a page waits for a report that is not there yet. Most
	// reports of small campaigns are shown without a page about computing.
	Patience time.Duration

	mu sync.Mutex
	// named are the names that reports of campaigns can choose from, by the campaigns'
	// ids, with what they depend on.
	named map[string]keptNames
}

type keptNames struct {
	key   string
	names evaluation.Names
}

func (r *Reports) names(campaignID, key string) (evaluation.Names, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.named[campaignID]
	return n.names, ok && n.key == key
}

func (r *Reports) keepNames(campaignID, key string, names evaluation.Names) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[campaignID] = keptNames{key, names}
}

// A reportJob computes a report and keeps it.
type reportJob = parallel.Job[struct{}]

func newReports(s *site.Site, st *store.Store) *Reports {
	return &Reports{
		st: st, logger: s.Logger, now: s.Now, Runner: parallel.NewRunner[struct{}](reportsAtOnce, s.Now, &s.Requests),
		Compute: computeAndKeep, Patience: 1200 * time.Millisecond, named: map[string]keptNames{},
	}
}

func jobKey(c campaign.Campaign, choices evaluation.Choices) string {
	return c.ID + "?" + choices.Key()
}

// Job is the latest job that computes a report; nil if none is remembered.
func (r *Reports) Job(c campaign.Campaign, choices evaluation.Choices) *reportJob {
	return r.Runner.Find(jobKey(c, choices))
}

// Start starts the job that computes a report of a campaign beside others, or returns the one under way.
func (r *Reports) Start(c campaign.Campaign, beside []campaign.Campaign, choices evaluation.Choices) *reportJob {
	return r.Runner.Start(jobKey(c, choices), func(ctx context.Context, say parallel.Say) (struct{}, error) {
		began := time.Now()
		err := r.Compute(ctx, r.st, &evaluation.ReportTask{Campaign: c, Beside: beside, Choices: choices, Now: r.now, Progress: say})
		if err == nil {
			r.logger.Info("report", "campaign", c.Slug, "took", time.Since(began).Round(time.Millisecond))
		}
		return struct{}{}, err
	}, site.LogFailure(r.logger, "report", c))
}

func computeAndKeep(ctx context.Context, st *store.Store, t *evaluation.ReportTask) error {
	found, err := evaluation.ComputeReport(ctx, st, t)
	if err != nil {
		return err
	}
	t.Progress("keeping", .99)
	return evaluation.KeepReport(ctx, st, t.Campaign, t.Choices, found)
}
