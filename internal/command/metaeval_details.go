package command

import (
	"annotate/internal/metaeval"
)

// detailsJSON has the further tables of a report on metrics.
type detailsJSON struct {
	SystemScores []systemScoresJSON `json:"system_scores"`
	Rescaled     []rescaledJSON     `json:"rescaled_errors"`
	Lengths      []lengthJSON       `json:"lengths"` // null if the lengths of the sources are unknown
}

// systemScoresJSON has the scores of a system. They are never negated.
type systemScoresJSON struct {
	System  string            `json:"system"`
	Human   Number            `json:"human"`
	Metrics map[string]Number `json:"metrics"`
}

// rescaledJSON are the errors of a metric in [0, 1]; see [metaeval.RescaledErrors].
type rescaledJSON struct {
	Name string `json:"name"`
	MAE  Number `json:"mae"`
	MSE  Number `json:"mse"`
}

// lengthJSON is a group of segments whose sources have From to To tokens.
type lengthJSON struct {
	Name     string            `json:"name"`
	From     int               `json:"from"`
	To       *int              `json:"to"` // null if there is no upper limit
	Segments int               `json:"segments"`
	Metrics  []lengthStatsJSON `json:"metrics"`
}

type lengthStatsJSON struct {
	Name     string `json:"name"`
	Kendall  Number `json:"kendall"`
	Spearman Number `json:"spearman"`
}

func detailsOf(r metaeval.Report) *detailsJSON {
	out := &detailsJSON{SystemScores: []systemScoresJSON{}, Rescaled: []rescaledJSON{}}
	for i, system := range r.Systems {
		s := systemScoresJSON{system, Number(r.SystemScores[i]), map[string]Number{}}
		for _, m := range r.Metrics {
			s.Metrics[m.Name] = Number(m.SystemScores[i])
		}
		out.SystemScores = append(out.SystemScores, s)
	}
	for _, m := range r.Metrics {
		out.Rescaled = append(out.Rescaled, rescaledJSON{m.Name, Number(m.Segment.MAE), Number(m.Segment.MSE)})
	}
	for i, segments := range r.Lengths {
		g := metaeval.LengthGroups[i]
		l := lengthJSON{Name: g.Name, From: g.From, Segments: segments}
		if g.To > 0 {
			l.To = &g.To
		}
		for _, m := range r.Metrics {
			l.Metrics = append(l.Metrics, lengthStatsJSON{m.Name, Number(m.Lengths[i].Kendall), Number(m.Lengths[i].Spearman)})
		}
		out.Lengths = append(out.Lengths, l)
	}
	return out
}
