package server

import (
	"context"
	"strconv"
	"sync"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/spreadsheet"
	"annotate/internal/store"
	"annotate/web/templates"
)

// judgeAgreements keeps how far judges agree with annotators, a result for each campaign and
// each choice of segments, as long as it holds.
type judgeAgreements struct {
	mu   sync.Mutex
	kept map[judgeAgreementOf]*keptJudgeAgreement
}

type judgeAgreementOf struct {
	campaign string
	gold     bool
}

type keptJudgeAgreement struct {
	mu        sync.Mutex // held while it is computed
	state     string     // that it was computed for; see desk.Store.JudgedState
	agreement campaign.JudgeAgreement
}

// of returns the agreement with the judges of a campaign. It is empty if there are none.
func (j *judgeAgreements) of(ctx context.Context, st *store.Store, c campaign.Campaign, gold bool) (campaign.JudgeAgreement, error) {
	state, err := st.JudgedState(ctx, c.ID)
	k := judgeAgreementOf{c.ID, gold}
	if err != nil || state == "" {
		j.mu.Lock()
		delete(j.kept, k)
		j.mu.Unlock()
		return campaign.JudgeAgreement{}, err
	}
	j.mu.Lock()
	if j.kept == nil {
		j.kept = map[judgeAgreementOf]*keptJudgeAgreement{}
	}
	kept := j.kept[k]
	if kept == nil {
		kept = &keptJudgeAgreement{}
		j.kept[k] = kept
	}
	j.mu.Unlock()
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.state == state {
		return kept.agreement, nil
	}
	// What changes from here on has another state, so that nobody is shown an older result for it.
	a, err := st.JudgeAgreement(ctx, c, gold)
	if err != nil {
		return a, err
	}
	kept.state, kept.agreement = state, a
	return a, nil
}

// addJudges adds the judges to the heatmaps of annotators.
func addJudges(v *templates.MatricesView, at templates.Campaign, m desk.Matrices, judges campaign.JudgeAgreement) {
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
			} else if j, ok := annotators[p.Other]; ok {
				h.JudgeCells[i][j] = cell
			}
		}
	}
	level(&v.Segment, func(s campaign.ScoreAgreement) float64 { return s.SegmentLevel })
	level(&v.System, func(s campaign.ScoreAgreement) float64 { return s.SystemLevel })
}

// judgeRows are the lines of the CSV about judges. Their levels differ from those of
// annotators, so that whoever averages over annotators leaves them out.
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
			rows = append(rows, []string{level + of.level, spreadsheet.Cell(p.Judge), spreadsheet.Cell(other), coefficient(of.r), strconv.Itoa(p.Score.Segments)})
		}
	}
	return rows
}
