package report

import (
	"fmt"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A Checked has the results of an annotator's checks.
type Checked struct {
	Annotator string                 // login
	Results   []campaign.CheckResult // of [campaign.JudgeChecks]
}

// verdicts has the words for the results of checks.
const (
	failsChecks   = "fails checks"
	passesChecks  = "no"
	tooFewChecked = "too few"
)

// checkTable lists the checks of annotators. If nobody has taken a check that can be judged, it has no
// rows and words is empty.
func checkTable(checked []Checked) (words string, t Table) {
	t = Table{ID: "checks", Title: "Checks", Caption: "Checks that annotators took without knowing it, and how many of them they passed.",
		Note: "By chance: the average number of checks that a person passes who does not read and gives scores as in their work. " +
			"Documents: the documents of the checks. Each counts once, and is passed if at least half of its checks are. " +
			"p: the chance to pass at least as many documents without reading. Careful p: the chance to pass at most as many when reading with care. Both are one-sided and exact. " +
			"A flag needs three documents, a p above the level of the test, and a careful p of at most half that level, for the degraded texts or for all checks. It is in that row. " +
			"Checks that cannot tell whether somebody reads are left out. Checks count in no other number of this report.",
		Columns: slices.Concat(
			texts("Annotator", "Kind"), counts("Taken", "Passed"), numbers(1, "By chance"),
			counts("Documents", "Documents passed"), pValues(4, "p", "Careful p"), texts("Flag"),
		)}
	taken, passed, annotators := 0, 0, 0
	for _, a := range checked {
		all := a.Results[0]
		if all.Taken == 0 {
			continue
		}
		taken, passed, annotators = taken+all.Taken, passed+all.Passed, annotators+1
		deciding := campaign.DecidingChecks(a.Results)
		for _, r := range a.Results {
			kind, flag := "all", ""
			if r.Kind != "" {
				kind = string(r.Kind)
			}
			if r.Kind == deciding.Kind {
				flag = flagOf(r)
			}
			t.add(
				text(a.Annotator), text(kind), count(r.Taken), count(r.Passed), value(r.Expected()), count(r.Documents),
				count(r.DocumentsPassed), value(r.P), value(r.Careful), text(flag),
			)
		}
		t.rule()
	}
	if annotators == 0 {
		return "", t
	}
	t.Rows[len(t.Rows)-1].RuleAfter = false
	return fmt.Sprintf(
		"%s took %s that can be judged and passed %s of them.", wording.Counted(annotators, "annotator"), wording.Counted(taken, "check"),
		percent(passed, taken),
	), t
}

func flagOf(r campaign.CheckResult) string {
	switch {
	case r.Flag:
		return failsChecks
	case !r.Enough:
		return tooFewChecked
	}
	return passesChecks
}
