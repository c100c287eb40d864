package report

import "annotate/internal/campaign"

// judgesTable says of each judge how it comes to its judgements.
func judgesTable(judges []campaign.JudgeAbout) Table {
	t := Table{
		ID:      "judges",
		Title:   "Judges",
		Caption: "How each judge comes to its judgements: method, prompts, model, server, days of the runs, and parameters.",
		Note:    "A method follows the published one that is named after it. Its prompts are the published ones only if they came from a file that has them: our wordings ask for the same in other words, with other examples.",
		Columns: []Column{{Name: "Judge", Kind: Text}, {Name: "About", Kind: Text}},
	}
	for _, j := range judges {
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(j.Judge), text(j.About)}})
	}
	return t
}
