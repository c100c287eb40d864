package results

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/jobs"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// reportsAtOnce is how many reports are computed at a time. Each keeps all
// processors busy and takes some memory.
const reportsAtOnce = 1

// reportKind is the kind of the jobs that compute reports.
const reportKind = "report"

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
	r := &Reports{
		st: st, logger: s.Logger, now: s.Now, Runner: parallel.NewRunner[struct{}](reportsAtOnce, s.Now, &s.Requests),
		Compute: computeAndKeep, Patience: 1200 * time.Millisecond, named: map[string]keptNames{},
	}
	r.Runner.Claim = st.Jobs.Claims(reportKind)
	return r
}

func jobKey(c campaign.Campaign, choices evaluation.Choices) string {
	return c.ID + "?" + choices.Key()
}

// Job is the latest job that computes a report, here or on another server; nil if none is known.
func (r *Reports) Job(ctx context.Context, c campaign.Campaign, beside []campaign.Campaign, choices evaluation.Choices) (*reportJob, error) {
	if j := r.Runner.Find(jobKey(c, choices)); j != nil {
		return j, nil
	}
	lease, err := r.st.Jobs.Elsewhere(ctx, reportKind, jobKey(c, choices))
	if err != nil || lease == nil {
		return nil, err
	}
	return r.start(c, beside, choices, true), nil
}

// Start starts the job that computes a report of a campaign beside others, or returns the one under way.
func (r *Reports) Start(c campaign.Campaign, beside []campaign.Campaign, choices evaluation.Choices) *reportJob {
	return r.start(c, beside, choices, false)
}

// start is [Reports.Start]. elsewhere says that another server held the job, which may be over before this one waits for it.
func (r *Reports) start(c campaign.Campaign, beside []campaign.Campaign, choices evaluation.Choices, elsewhere bool) *reportJob {
	return r.Runner.Start(jobKey(c, choices), func(ctx context.Context, say parallel.Say) (struct{}, error) {
		if (elsewhere || jobs.Waited(ctx)) && r.present(ctx, c, beside, choices) {
			return struct{}{}, nil // another server has computed it
		}
		began := time.Now()
		err := r.Compute(ctx, r.st, &evaluation.ReportTask{Campaign: c, Beside: beside, Choices: choices, Now: r.now, Progress: say})
		if err == nil {
			r.logger.Info("report", "campaign", c.Slug, "took", time.Since(began).Round(time.Millisecond))
		}
		return struct{}{}, err
	}, site.LogFailure(r.logger, "report", c))
}

// present reports whether the report that is kept was computed by this version of the program from the present data.
func (r *Reports) present(ctx context.Context, c campaign.Campaign, beside []campaign.Campaign, choices evaluation.Choices) bool {
	kept, err := evaluation.KeptReport(ctx, r.st, c, choices)
	if err != nil || kept.Stamp.Program != evaluation.Program() {
		return false
	}
	state, err := evaluation.ReportState(ctx, r.st, c, beside)
	return err == nil && state == kept.Stamp.State
}

func computeAndKeep(ctx context.Context, st *store.Store, t *evaluation.ReportTask) error {
	found, err := evaluation.ComputeReport(ctx, st, t)
	if err != nil {
		return err
	}
	t.Progress("keeping", .99)
	return evaluation.KeepReport(ctx, st, t.Campaign, t.Choices, found)
}
