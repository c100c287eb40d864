package command

import (
	"cmp"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
)

// checkJSON is what the checks of one kind, or of all kinds, say of an annotator.
type checkJSON struct {
	Annotator       string `json:"annotator"`
	Kind            string `json:"kind"` // "all", or one of [campaign.CheckKinds]
	Taken           int    `json:"taken"`
	Passed          int    `json:"passed"`
	Expected        Number `json:"expected"`  // number passed on average without reading
	P               Number `json:"p"`         // chance to pass at least as many documents without reading
	Documents       int    `json:"documents"` // that the checks are evidence of
	DocumentsPassed int    `json:"documents_passed"`
	Careful         Number `json:"careful"` // chance that somebody who reads with care passes at most as many
	Enough          bool   `json:"enough"`  // enough were taken for a flag
	Flag            bool   `json:"flag"`    // the annotator has the flag because of this line
}

// checksOf lists the checks of annotators who have taken any.
func checksOf(judged []readmodel.AnnotatorChecks) []checkJSON {
	var out []checkJSON
	for _, a := range judged {
		if a.Results[0].Taken == 0 {
			continue
		}
		deciding := campaign.DecidingChecks(a.Results)
		for _, r := range a.Results {
			out = append(out, checkJSON{
				Annotator: a.Login, Kind: cmp.Or(string(r.Kind), "all"), Taken: r.Taken, Passed: r.Passed, Expected: Number(r.Expected()), P: Number(r.P),
				Documents: r.Documents, DocumentsPassed: r.DocumentsPassed, Careful: Number(r.Careful),
				Enough: r.Enough, Flag: r.Flag && r.Kind == deciding.Kind,
			})
		}
	}
	return out
}

// writeChecks prints what the checks say of annotators; nothing if nobody has taken any.
func (a *App) writeChecks(judged []readmodel.AnnotatorChecks) error {
	lines := checksOf(judged)
	if len(lines) == 0 {
		return nil
	}
	fmt.Fprintln(a.Stdout, "\nChecks (by chance: passed on average without reading; p: chance to pass at least as many documents without reading;\ncareful p: chance that somebody who reads with care passes at most as many)")
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
			row(x.Annotator, x.Kind, x.Taken, x.Passed, digits(float64(x.Expected), 1), x.Documents, x.DocumentsPassed, digits(float64(x.P), 4), digits(float64(x.Careful), 4), flag)
		}
	})
}
