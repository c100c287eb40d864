package command

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// mostColumns is the number of annotators up to which matrices are printed. The table
// of pairs has the same numbers.
const mostColumns = 12

func (a *App) writeAgreementText(c campaign.Campaign, f api.AgreementFacts, gold bool) error {
	r := f.Report
	if err := a.writeAgreementSummary(c, r, f.Done); err != nil {
		return err
	}
	if err := a.writeInterventions(f.Done); err != nil {
		return err
	}
	if err := a.writeAnnotators(c, f, gold); err != nil {
		return err
	}
	if err := a.writeChecks(f.Checks); err != nil {
		return err
	}
	return a.writeJudges(c, r.Judges, f.Judges)
}

// writeAnnotators prints how far annotators agree.
func (a *App) writeAnnotators(c campaign.Campaign, f api.AgreementFacts, gold bool) error {
	r := f.Report
	if len(r.Annotators) == 0 {
		fmt.Fprintln(a.Stdout, "\nNobody has submitted a rating.")
		return nil
	}
	where := ""
	if gold {
		where = ", in gold"
	}
	if len(r.Pairs) == 0 {
		fmt.Fprintf(a.Stdout, "\nNo two annotators share a segment%s.\n", where)
		return a.writeEach(r, f.People)
	}
	if len(r.Annotators) <= mostColumns {
		if err := a.writeMatrix("System level: r of the sums by system (segments shared"+where+")", r.Annotators, r.SystemLevel); err != nil {
			return err
		}
		if err := a.writeMatrix("Segment level: mean r of the segments (segments shared"+where+")", r.Annotators, r.SegmentLevel); err != nil {
			return err
		}
	}
	if err := a.writePairs(c, r); err != nil {
		return err
	}
	return a.writeEach(r, f.People)
}

// gateText says what the gate of a campaign does, with the limits that it heeds.
func gateText(c campaign.Campaign) string {
	if c.Settings.NoGate {
		return "none"
	}
	text := c.Settings.Gate
	if c.Rules.Heeds("threshold") {
		text += fmt.Sprintf(", threshold %v", c.Settings.Threshold)
	}
	if c.Rules.Heeds("tolerance") {
		text += fmt.Sprintf(", tolerance %v", c.Settings.Tolerance)
	}
	return text
}

func (a *App) writeAgreementSummary(c campaign.Campaign, r campaign.AgreementReport, done campaign.Interventions) error {
	return a.Table(func(row func(cells ...any)) {
		row("campaign", c.Slug)
		row("protocol", c.Protocol)
		row("gate", gateText(c))
		row("segments", len(r.Segments))
		for _, status := range campaign.Statuses {
			if n := r.Statuses[status]; n > 0 {
				row("  "+string(status), n)
			}
		}
		first := "–"
		if !math.IsNaN(r.FirstFailRate) {
			first = fmt.Sprintf("%.1f %%", 100*r.FirstFailRate)
		}
		row("failed in round 1", first)
		alpha := digits(r.Alpha.Alpha, 3)
		if r.Alpha.Units > 0 {
			alpha += fmt.Sprintf(", %v, over %s", r.Metric, wording.Counted(r.Alpha.Units, "translation"))
		}
		if in := r.AlphaInterval; in.Resamples > 0 {
			alpha += fmt.Sprintf(", 95 %% interval %s to %s", digits(in.Low, 3), digits(in.High, 3))
		}
		if math.IsNaN(r.Alpha.Alpha) && len(r.Alpha.Warnings) > 0 {
			alpha += " (" + strings.Join(r.Alpha.Warnings, "; ") + ")"
		}
		row("alpha", alpha)
		if done.Entered > 0 {
			row("entered by a lead", wording.Counted(done.Entered, "gold value")+" in "+wording.Counted(done.EnteredSegments, "segment"))
		}
		if done.Adjudicated > 0 {
			row("given by adjudicators", wording.Counted(done.Adjudicated, "gold value")+" in "+wording.Counted(done.AdjudicatedSegments, "segment"))
		}
		if done.MeansAccepted > 0 {
			row("mean accepted by a lead", wording.Counted(done.MeansAccepted, "segment"))
		}
	})
}

// writeInterventions lists work that is or was set aside, and settings that were changed.
func (a *App) writeInterventions(done campaign.Interventions) error {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
	if len(done.SetAside) > 0 {
		fmt.Fprintf(a.Stdout, "\nWork set aside (times in UTC)\n")
		err := a.Table(func(row func(cells ...any)) {
			row("annotator", "ratings", "at", "restored", "reason")
			for _, x := range done.SetAside {
				restored := "no"
				if !x.RestoredAt.IsZero() {
					restored = at(x.RestoredAt)
				}
				row(x.Annotator, x.Ratings, at(x.At), restored, x.Reason)
			}
		})
		if err != nil {
			return err
		}
	}
	if len(done.Settings) == 0 {
		return nil
	}
	fmt.Fprintf(a.Stdout, "\nChanges of settings (times in UTC)\n")
	return a.Table(func(row func(cells ...any)) {
		row("setting", "from", "to", "at", "by")
		for _, x := range done.Settings {
			by := x.By
			by = cmp.Or(by, "command line")
			row(x.Key, x.From, x.To, at(x.At), by)
		}
	})
}

// writeMatrix prints the lower half of a matrix. A cell is blank if the pair shares
// nothing.
func (a *App) writeMatrix(title string, annotators []string, cells []agreement.Cell) error {
	byPair := map[[2]string]agreement.Cell{}
	for _, c := range cells {
		byPair[[2]string{c.A, c.B}] = c
	}
	last := len(annotators) - 1
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\t%s\t\n", strings.Join(annotators[:last], "\t"))
	for i, b := range annotators[1:] {
		fmt.Fprint(w, b, "\t")
		for k, name := range annotators[:last] {
			if c := byPair[[2]string{name, b}]; k <= i && c.Shared > 0 {
				fmt.Fprintf(w, "%s (%d)", digits(c.R, 2), c.Shared)
			}
			fmt.Fprint(w, "\t") // every row needs all tabs, so that columns are aligned
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "\n%s\n", title)
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(a.Stdout, strings.TrimRight(line, " \n"))
	}
	return nil
}

// writePairs prints a row for each pair that shares a segment.
func (a *App) writePairs(c campaign.Campaign, r campaign.AgreementReport) error {
	level := func(cells []agreement.Cell) map[[2]string]agreement.Cell {
		out := map[[2]string]agreement.Cell{}
		for _, c := range cells {
			out[[2]string{c.A, c.B}] = c
		}
		return out
	}
	system, segment := level(r.SystemLevel), level(r.SegmentLevel)
	kappa := r.Metric != agreement.Interval
	fmt.Fprintln(a.Stdout, "\nPairs")
	err := a.Table(func(row func(cells ...any)) {
		head := []any{"A", "B", "segments", "translations", "r system", "r segment", "tau-b"}
		if kappa {
			head = append(head, "kappa")
		}
		row(head...)
		for _, p := range r.Pairs {
			key := [2]string{p.A, p.B}
			line := []any{p.A, p.B, system[key].Shared, p.Translations, digits(system[key].R, 3), digits(segment[key].R, 3), digits(p.TauB, 3)}
			if kappa {
				line = append(line, digits(p.Kappa, 3))
			}
			row(line...)
		}
	})
	if err != nil || c.Rules.Spans == nil || c.Rules.Given != "" {
		return err
	}
	noun := c.Rules.Spans.Noun()
	fmt.Fprintf(
		a.Stdout,
		"\nMarked %[1]ss: F1 of characters, share of the %[1]ss of one annotator that overlap %[4]s of the other, F1 of %[1]ss that match by %.0[2]f %%.\nValues after the slash compare only %[1]ss of the same %[3]s.\n",
		noun, 100*agreement.Theta, c.Rules.Spans.Kind(), c.Rules.Spans.One(),
	)
	return a.Table(func(row func(cells ...any)) {
		row("A", "B", noun+"s of A", noun+"s of B", "either or neither", "characters", "of A by B", "of B by A", "matches")
		for _, p := range r.Pairs {
			row(append([]any{p.A, p.B}, spanCells(p.Spans, p.SpansBySeverity)...)...)
		}
	})
}

// spanCells returns the cells that compare spans, without and with severity.
func spanCells(s, v agreement.Spans) []any {
	_, _, f1 := s.Matches()
	_, _, severe := v.Matches()
	both := func(x, y float64) string { return digits(x, 3) + " / " + digits(y, 3) }
	return []any{
		s.SpansA,
		s.SpansB,
		digits(s.Presence(), 3),
		both(s.CharF1(), v.CharF1()),
		both(s.OverlapOfA(), v.OverlapOfA()),
		both(s.OverlapOfB(), v.OverlapOfB()),
		both(f1, severe),
	}
}

// writeEach prints a row for each annotator, and the flags.
func (a *App) writeEach(r campaign.AgreementReport, people []api.Conduct) error {
	fmt.Fprintf(a.Stdout, "\nEach annotator compared with the mean of the others (standard deviation of all scores: %s)\n",
		digits(r.Deviation, 2))
	err := a.Table(func(row func(cells ...any)) {
		row("annotator", "ratings", "mean", "compared", "r", "difference", "drift")
		for _, o := range r.Each {
			row(
				o.Annotator, o.Ratings, digits(o.Mean, 2), o.Compared, digits(o.LeaveOneOut, 3), signed(o.Difference),
				signed(api.ConductOf(people, o.Annotator).Drift()),
			)
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "drift: the difference over the last %d ratings minus that over the %d before\n", campaign.DriftRatings,
		campaign.DriftRatings)
	return a.writeFlags(people)
}

func (a *App) writeFlags(people []api.Conduct) error {
	title := "\nFlags\n"
	for _, p := range people {
		for _, f := range p.Flags {
			if _, err := fmt.Fprintf(a.Stdout, "%s%s: %s: %s\n", title, p.Login, f.Kind, f.Text); err != nil {
				return err
			}
			title = ""
		}
	}
	return nil
}

// digits formats a number with the given number of decimals. NaN is "–".
func digits(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "–"
	}
	s := fmt.Sprintf("%.*f", decimals, x)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // no negative zero
	}
	return s
}

// signed formats a difference with two decimals and its sign.
func signed(x float64) string {
	s := digits(x, 2)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}
