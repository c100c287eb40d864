package report

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/wording"
)

// judgesTable describes how each judge makes its judgements.
func judgesTable(judges []campaign.JudgeAbout) Table {
	t := Table{
		ID:      "judges",
		Title:   "Judges",
		Caption: "How each judge makes its judgements: method, prompts, model, server, days of the runs, and parameters.",
		Note:    "Each method follows the published method that it names. Built-in prompts ask for the same as the published ones, with other words and examples; the published prompts can be read from a file.",
		Columns: texts("Judge", "About"),
	}
	for _, j := range judges {
		t.add(text(j.Judge), text(j.About))
	}
	return t
}

// AgentCalls count how often a judge called each of its sub-agents.
type AgentCalls struct {
	Judge  string
	Rounds map[string]map[float64]int // by agent, then by the round of the translation, from 1
}

// roundsFigure shows in which rounds a judge calls its sub-agents (Figure 6 of Tian et al. 2026).
func roundsFigure(c AgentCalls, id string) Figure {
	f := Figure{ID: id, Title: "Calls of sub-agents of " + c.Judge, Kind: HistogramsFigure,
		Caption: fmt.Sprintf("How often %s called each sub-agent in each round of a translation, over all translations.", c.Judge),
		X:       chart.Axis{Label: "Round"}, Y: chart.Axis{Label: "Calls"}}
	last := 1.0
	for _, rounds := range c.Rounds {
		for round := range rounds {
			last = max(last, round)
		}
	}
	var bins []chart.Bin
	for round := 1.0; round <= last; round++ {
		bins = append(bins, chart.Bin{Low: round - .5, High: round + .5, Label: wording.Decimal(round, 0)})
	}
	f.X.Min, f.X.Max = bins[0].Low, bins[len(bins)-1].High
	var words []string
	for _, agent := range sorted(c.Rounds) {
		p := panel(agent, bins, c.Rounds[agent])
		f.Panels = append(f.Panels, p)
		words = append(words, fmt.Sprintf("%s: %s, %s of them in round 1", agent, wording.Counted(p.N, "call"), percent(p.Bins[0].Count, p.N)))
	}
	f.Words = "A histogram for each sub-agent. " + strings.Join(words, "; ") + "."
	f.Table = panelTable(f)
	return f
}
