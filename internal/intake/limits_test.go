package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// TestImportsAreBounded: an import that would have more people or judges compared with each other than
// pages and reports can hold is refused with the limit. What stands at the limit is taken.
func TestImportsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Systems(1), storetest.Annotators(0))
		raters := func(segment string, from, to int) (out []campaign.RatingLine) {
			for i := from; i < to; i++ {
				out = append(out, storetest.RatingLine(segment, s.Systems[0], fmt.Sprintf("r%d", i), 1, 3))
			}
			return out
		}
		refused := func(err error, want string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
		imported := func(lines ...campaign.RatingLine) error {
			_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(lines...), intake.ImportOptions{})
			return err
		}
		refused(imported(raters("s1", 0, campaign.MaxRaters+1)...), "ratings of round 1 by 51 annotators, and 50 at most")
		storetest.Check(t, imported(raters("s1", 0, campaign.MaxRaters)...))
		refused(imported(raters("s1", campaign.MaxRaters, campaign.MaxRaters+1)...), "ratings of round 1 by 51 annotators, and 50 at most")
		refused(imported(raters("s2", 1000, 1001+campaign.MaxAnnotators)...), "more than 500 annotators")

		judgements := func(n int) (out []campaign.JudgementLine) {
			for i := range n {
				out = append(out, scored(fmt.Sprintf("j%d", i), "s1", s.Systems[0], 1))
			}
			return out
		}
		_, err := db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(judgements(campaign.MaxJudges+1)...), intake.ImportOptions{})
		refused(err, "more than 100 judges")
		importJudgements(t, s, judgements(campaign.MaxJudges)...)
		one := slices.Concat(judgements(1), []campaign.JudgementLine{scored("late", "s2", s.Systems[0], 1)})
		_, err = db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(one...), intake.ImportOptions{})
		refused(err, "f:2: judge: the campaign would have more than 100 judges")
	})
}
