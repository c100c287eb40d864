package command

import (
	"fmt"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
)

// writeJudges prints a row for each pair of a judge and an annotator or another judge that share a
// translation.
func (a *App) writeJudges(c campaign.Campaign, j campaign.JudgeAgreement, about []campaign.JudgeAbout) error {
	if len(j.Judges) == 0 {
		return nil
	}
	fmt.Fprintln(a.Stdout, "\nJudges (no figure above includes them)")
	for _, known := range about {
		if slices.Contains(j.Judges, known.Judge) {
			fmt.Fprintf(a.Stdout, "%s: %s\n", known.Judge, known.About)
		}
	}
	if len(j.Pairs) == 0 {
		fmt.Fprintln(a.Stdout, "No judge shares a translation with an annotator or another judge.")
		return nil
	}
	several, spans := len(c.Rules.Scores) > 1, false
	err := a.Table(func(row func(cells ...any)) {
		head := []any{"judge", "compared with"}
		if several {
			head = append(head, "score")
		}
		row(append(head, "segments", "translations", "r system", "r segment", "tau-b")...)
		for _, p := range j.Pairs {
			spans = spans || p.Spans.Translations > 0
			for _, s := range append([]campaign.ScoreAgreement{p.Score}, p.Scores...) {
				line := []any{p.Judge, otherParty(p)}
				switch {
				case several && s.Name == "":
					line = append(line, c.Rules.Gate)
				case several:
					line = append(line, s.Name)
				}
				row(append(line, s.Segments, s.Translations, digits(s.SystemLevel, 3), digits(s.SegmentLevel, 3), digits(s.TauB, 3))...)
			}
		}
	})
	if err != nil || !spans {
		return err
	}
	fmt.Fprintf(
		a.Stdout,
		"\nErrors that judges marked, compared as the errors of annotators are; errors match by %.0f %%.\nValues after the slash compare only errors of the same severity.\n",
		100*agreement.Theta,
	)
	return a.Table(func(row func(cells ...any)) {
		row("judge", "compared with", "errors of judge", "of the other", "either or neither", "characters", "of judge by other",
			"of other by judge", "matches")
		for _, p := range j.Pairs {
			if p.Spans.Translations > 0 {
				row(append([]any{p.Judge, otherParty(p)}, spanCells(p.Spans, p.SpansBySeverity)...)...)
			}
		}
	})
}

func otherParty(p campaign.JudgePair) string {
	if p.OtherJudge {
		return "judge " + p.Other
	}
	return p.Other
}
