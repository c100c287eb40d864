package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/metaeval"
	"annotate/internal/records"
	"annotate/internal/report"
	"annotate/internal/store"
)

// A ReportTask describes the report to compute.
type ReportTask struct {
	Campaign campaign.Campaign
	Beside   []campaign.Campaign // the campaigns of Choices.Beside, in their order
	Choices  Choices
	Now      func() time.Time // nil: time.Now
	// Progress, if set, is called with a description of the current step and the share
	// of all work that is done. Several goroutines call it, one at a time.
	Progress func(words string, share float64)

	mu sync.Mutex
}

// attempts is how often [ComputeReport] tries to read a campaign that changes
// meanwhile.
const attempts = 3

// ComputeReport reads the campaign and computes its report. It reads segments, decisions and
// metrics one after the other. If the campaign changes meanwhile, it starts again. If
// the campaign changes during every attempt, the stamp of the report has the state
// before the last attempt, so that the report counts as out of date.
//
// The error is that of the database or of ctx, or a *[campaign.InvalidError] if the
// choices name something that does not exist.
func ComputeReport(ctx context.Context, st *store.Store, t *ReportTask) (report.Report, error) {
	for attempt := 1; ; attempt++ {
		before, err := ReportState(ctx, st, t.Campaign, t.Beside)
		if err != nil {
			return report.Report{}, err
		}
		c, err := st.Records.Campaign(ctx, t.Campaign.Slug) // its settings may have changed
		if err != nil {
			return report.Report{}, err
		}
		t.Campaign = c
		r, err := t.computeOnce(ctx, st, before)
		if err != nil {
			return report.Report{}, err
		}
		after, err := ReportState(ctx, st, t.Campaign, t.Beside)
		if err != nil || after == before || attempt == attempts {
			return r, err
		}
	}
}

func (t *ReportTask) computeOnce(ctx context.Context, st *store.Store, state string) (report.Report, error) {
	readings, err := t.plans(ctx, st)
	if err != nil {
		return report.Report{}, err
	}
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	total, err := segments(ctx, st, t.Campaign)
	if err != nil {
		return report.Report{}, err
	}
	done, err := st.Desk.Interventions(ctx, t.Campaign.ID)
	if err != nil {
		return report.Report{}, err
	}
	c := t.Campaign
	c.Settings.Pseudonyms = t.Choices.For(c).Pseudonyms == "yes"
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	if err != nil {
		return report.Report{}, err
	}
	flagged, err := flagged(ctx, st, c, people)
	if err != nil {
		return report.Report{}, err
	}
	checked, err := checked(ctx, st, c, people)
	if err != nil {
		return report.Report{}, err
	}
	judges, calls, err := t.judges(ctx, st)
	if err != nil {
		return report.Report{}, err
	}
	var sides []report.Side
	for i, r := range readings {
		if len(readings) > 1 {
			sides = append(sides, report.Side{Label: r.campaign.Slug, Campaign: r.campaign, Segments: t.segments(ctx, st, readings, i)})
		}
	}
	chain, err := stagesOf(ctx, st, c)
	if err != nil {
		return report.Report{}, err
	}
	var notes []string
	r, err := report.Compute(ctx, report.Input{
		Campaign: c, Interventions: people.Interventions(done), Flagged: flagged, Checked: checked, Judges: judges, AgentCalls: calls,
		Segments: people.Segments(t.segments(ctx, st, readings, 0)), Sides: sides, Chain: chain,
		Metrics: func(context.Context) (all []report.Evaluation, err error) {
			for _, r := range readings {
				if r.evaluated != nil {
					all = append(all, *r.evaluated)
				}
				notes = append(notes, r.notes...)
			}
			return all, nil
		},
		Options: report.Options{
			Program: Program(),
			Now:     now(),
			State:   state,
			Seed:    metaeval.DefaultSeed,
			Gold:    t.Choices.Gold,
			Prices:  t.Choices.Prices,
			Systems: t.Choices.Systems,
			ByGroup: t.Choices.ByGroup,
			Progress: func(read int) {
				switch {
				case read < 0:
					t.say("counting", .9)
				case read%200 == 0:
					t.say(fmt.Sprintf("reading ratings: %d of %d segments", read, total),
						t.share(len(readings), 0, .5*float64(read)/float64(max(read, total))))
				}
			},
		},
	})
	if err != nil {
		return report.Report{}, err
	}
	for i := range r.Sections {
		if r.Sections[i].ID == report.MetricsSection {
			r.Sections[i].Paragraphs = append(r.Sections[i].Paragraphs, notes...)
		}
	}
	return r, nil
}

// stagesOf returns the campaigns of the chain that ends with c, beginning with the first. It returns nil if c
// rates translations and follows no campaign.
func stagesOf(ctx context.Context, st *store.Store, c campaign.Campaign) ([]report.Stage, error) {
	chain, err := st.Records.Chain(ctx, c)
	if err != nil || len(chain) < 2 && !c.Rules.OfSegments() {
		return nil, err
	}
	stages := make([]report.Stage, len(chain))
	for i, k := range chain {
		stage := report.Stage{Campaign: k, Segments: st.Records.Segments(ctx, k, records.Texts|records.Ratings|records.Agreement)}
		if stage.LeftOut, err = st.Desk.FilteredOut(ctx, k); err != nil {
			return nil, err
		}
		if i > 0 {
			if stage.Next, stage.Taken, err = st.Records.TakenOver(ctx, chain[i-1], k); err != nil {
				return nil, err
			}
		}
		stages[len(chain)-1-i] = stage
	}
	return stages, nil
}

func (t *ReportTask) say(words string, share float64) {
	if t.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Progress(words, share)
}

// judges returns the line about each judge of the campaigns, and the calls of sub-agents of those that have any. If there are
// several campaigns, the names of judges have the label of their campaign.
func (t *ReportTask) judges(ctx context.Context, st *store.Store) (all []campaign.JudgeAbout, calls []report.AgentCalls, err error) {
	campaigns := append([]campaign.Campaign{t.Campaign}, t.Beside...)
	for _, c := range campaigns {
		judges, err := st.Records.JudgesAbout(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		rounds, err := subAgentRounds(ctx, st, c)
		if err != nil {
			return nil, nil, err
		}
		for _, j := range judges {
			own := rounds[j.Judge]
			if len(campaigns) > 1 {
				j.Judge = label(c, campaigns) + ": " + j.Judge
			}
			all = append(all, j)
			if own != nil {
				calls = append(calls, report.AgentCalls{Judge: j.Judge, Rounds: own})
			}
		}
	}
	return all, calls, nil
}

// subAgentRounds counts the calls of sub-agents by judge, agent and round.
func subAgentRounds(ctx context.Context, st *store.Store, c campaign.Campaign) (map[string]map[string]map[float64]int, error) {
	counts := map[string]map[string]map[float64]int{}
	err := st.Records.EachTrace(ctx, c.ID, judge.RATEAgent, func(name string, trace []campaign.TraceCall) error {
		steps := make([]string, len(trace))
		for i, call := range trace {
			steps[i] = call.Step
		}
		for _, call := range judge.SubAgentCalls(steps) {
			agents := counts[name]
			if agents == nil {
				agents = map[string]map[float64]int{}
				counts[name] = agents
			}
			if agents[call.Agent] == nil {
				agents[call.Agent] = map[float64]int{}
			}
			agents[call.Agent][float64(call.Round)]++
		}
		return nil
	})
	return counts, err
}

// label returns the name of a campaign in tables that show several campaigns.
func label(c campaign.Campaign, all []campaign.Campaign) string {
	pair := c.LanguagePair()
	for _, other := range all {
		if other.ID != c.ID && other.LanguagePair() == pair {
			return c.Slug
		}
	}
	return cmp.Or(pair, c.Slug)
}

// flagged lists the annotators who have flags.
func flagged(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms) ([]report.Flagged, error) {
	p, err := st.Desk.Progress(ctx, c)
	var out []report.Flagged
	for _, a := range p.Annotators {
		if len(a.Flags) > 0 {
			out = append(out, report.Flagged{Annotator: people.Login(a.User.Login), Flags: a.Flags})
		}
	}
	slices.SortFunc(out, func(a, b report.Flagged) int { return strings.Compare(a.Annotator, b.Annotator) })
	return out, err
}

// checked lists the annotators who have taken checks.
func checked(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms) ([]report.Checked, error) {
	judged, err := st.Desk.JudgedChecks(ctx, c)
	var out []report.Checked
	for _, a := range judged {
		out = append(out, report.Checked{Annotator: people.Login(a.Login), Results: a.Results})
	}
	slices.SortFunc(out, func(a, b report.Checked) int { return strings.Compare(a.Annotator, b.Annotator) })
	return out, err
}

func segments(ctx context.Context, st *store.Store, c campaign.Campaign) (n int, err error) {
	p, err := st.Desk.Progress(ctx, c)
	for _, count := range p.Segments {
		n += count
	}
	return n, err
}
