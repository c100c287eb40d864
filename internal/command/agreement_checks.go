package command

import (
	"fmt"

	"annotate/internal/api"
	"annotate/internal/readmodel"
)

// writeChecks prints the results of checks by annotator. It prints nothing if nobody has
// taken a check.
func (a *App) writeChecks(judged []readmodel.AnnotatorChecks) error {
	lines := api.ChecksOf(judged)
	if len(lines) == 0 {
		return nil
	}
	fmt.Fprintln(
		a.Stdout,
		"\nChecks (by chance: passed on average without reading; p: chance to pass at least as many documents without reading;\ncareful p: chance that somebody who reads with care passes at most as many)",
	)
	return a.Table(func(row func(cells ...any)) {
		row("annotator", "kind", "taken", "passed", "by chance", "documents", "documents passed", "p", "careful p", "flag")
		for _, x := range lines {
			flag := "no"
			switch {
			case x.Flag:
				flag = "yes"
			case !x.Enough:
				flag = "too few"
			}
			row(
				x.Annotator, x.Kind, x.Taken, x.Passed, digits(float64(x.Expected), 1), x.Documents, x.DocumentsPassed, digits(float64(x.P), 4),
				digits(float64(x.Careful), 4), flag,
			)
		}
	})
}
