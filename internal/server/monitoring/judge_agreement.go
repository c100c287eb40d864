package monitoring

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// JudgeAgreements computes the agreement of judges with annotators in the background. This takes half a
// second for 100,000 judgements. It keeps the latest result for each campaign and each choice of
// segments.
type JudgeAgreements struct {
	desk     *desk.Store
	logger   *slog.Logger
	now      func() time.Time
	Runner   *parallel.Runner[DatedAgreement]
	Patience time.Duration // how long a page waits for the present result if an earlier one is kept

	mu   sync.Mutex
	Kept map[string]DatedAgreement // by campaign and choice of segments
}

// A DatedAgreement is the agreement of judges at a moment.
type DatedAgreement struct {
	campaign.JudgeAgreement
	State string // see desk.Store.JudgedState; empty if there are no judges
	at    time.Time
}

func newJudgeAgreements(s *site.Site, desk *desk.Store) *JudgeAgreements {
	return &JudgeAgreements{
		desk: desk, logger: s.Logger, now: s.Now, Runner: parallel.NewRunner[DatedAgreement](2, s.Now, &s.Requests),
		Patience: 50 * time.Millisecond, Kept: map[string]DatedAgreement{},
	}
}

// present returns the agreement with the judges of a campaign, computed from the present data. It is
// empty if there are no judges.
func (j *JudgeAgreements) present(ctx context.Context, c campaign.Campaign, gold bool) (campaign.JudgeAgreement, error) {
	a, _, err := j.within(ctx, c, gold, nil)
	return a.JudgeAgreement, err
}

// soon returns the agreement with the judges of a campaign. If the present result takes long to
// compute, soon returns an earlier one, and keeps the present one for a later call.
func (j *JudgeAgreements) soon(ctx context.Context, c campaign.Campaign, gold bool) (a DatedAgreement, earlier bool, err error) {
	patience := time.NewTimer(j.Patience)
	defer patience.Stop()
	return j.within(ctx, c, gold, patience.C)
}

// within waits for the present result until over has a value. If no earlier result is kept, it ignores
// over.
func (j *JudgeAgreements) within(ctx context.Context, c campaign.Campaign, gold bool, over <-chan time.Time) (a DatedAgreement, earlier bool, err error) {
	state, err := j.desk.JudgedState(ctx, c.ID)
	if err != nil {
		return a, false, err
	}
	key := c.ID + " " + strconv.FormatBool(gold)
	kept := j.keptFor(key, state)
	switch kept.State {
	case state:
		return kept, false, nil
	case "":
		over = nil
	}
	// A computation that is already under way may use earlier data. The next one does not.
	for range 2 {
		run := j.Runner.Start(key, func(ctx context.Context, _ parallel.Say) (DatedAgreement, error) {
			return j.compute(ctx, key, c, gold)
		}, site.LogFailure(j.logger, "agreement with judges", c))
		select {
		case <-run.Done():
		case <-over:
			return kept, true, nil
		case <-ctx.Done():
			return a, false, ctx.Err()
		}
		if a, err = run.Result(); err != nil || a.State == state {
			break
		}
	}
	return a, false, err
}

// keptFor returns the kept result for a key. If the campaign has no judges any more, keptFor forgets
// the result.
func (j *JudgeAgreements) keptFor(key, state string) DatedAgreement {
	j.mu.Lock()
	defer j.mu.Unlock()
	if state == "" {
		delete(j.Kept, key)
	}
	return j.Kept[key]
}

// compute computes the agreement from the present data and keeps it.
func (j *JudgeAgreements) compute(ctx context.Context, key string, c campaign.Campaign, gold bool) (a DatedAgreement, err error) {
	// If the data change after the state was read, their state is another one, so the result is not
	// taken for that of the changed data.
	a.at = j.now()
	if a.State, err = j.desk.JudgedState(ctx, c.ID); err != nil {
		return a, err
	}
	if a.JudgeAgreement, err = j.desk.JudgeAgreement(ctx, c, gold); err != nil {
		return a, err
	}
	j.mu.Lock()
	j.Kept[key] = a
	j.mu.Unlock()
	return a, nil
}

// addJudges adds the judges to the heatmaps of annotators, whom m names as people does.
func addJudges(v *monitoring.MatricesView, at templates.Campaign, m desk.Matrices, judges campaign.JudgeAgreement, people *campaign.Pseudonyms) {
	level := func(h *templates.Heatmap, r func(campaign.ScoreAgreement) float64) {
		annotators, place := map[string]int{}, map[string]int{}
		for i, u := range m.Annotators {
			annotators[u.Login] = i
		}
		for i, name := range judges.Judges {
			place[name] = i
			h.Judges = append(h.Judges, templates.HeatName{Name: name, Href: at.Path("judges")})
			h.JudgeCells = append(h.JudgeCells, make([]templates.HeatCell, len(m.Annotators)+len(judges.Judges)))
		}
		for _, p := range judges.Pairs {
			cell, i := templates.HeatCell{R: r(p.Score), Shared: p.Score.Segments}, place[p.Judge]
			if p.OtherJudge {
				j := place[p.Other]
				h.JudgeCells[i][len(m.Annotators)+j], h.JudgeCells[j][len(m.Annotators)+i] = cell, cell
			} else if j, ok := annotators[people.Login(p.Other)]; ok {
				h.JudgeCells[i][j] = cell
			}
		}
	}
	level(&v.Segment, func(s campaign.ScoreAgreement) float64 { return s.SegmentLevel })
	level(&v.System, func(s campaign.ScoreAgreement) float64 { return s.SystemLevel })
}

// judgeRows returns the lines of the CSV about judges. Their levels differ from those of annotators, so
// that averages over the levels of annotators leave them out.
func judgeRows(judges campaign.JudgeAgreement, people *campaign.Pseudonyms) (rows [][]string) {
	for _, p := range judges.Pairs {
		level, other := "judge-", people.Login(p.Other)
		if p.OtherJudge {
			level, other = "judges-", p.Other
		}
		for _, of := range []struct {
			level string
			r     float64
		}{{"system", p.Score.SystemLevel}, {"segment", p.Score.SegmentLevel}} {
			rows = append(rows, []string{level + of.level, spreadsheet.Escape(p.Judge), spreadsheet.Escape(other), coefficient(of.r), strconv.Itoa(p.Score.Segments)})
		}
	}
	return rows
}
