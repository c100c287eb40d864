package work_test

import (
	"errors"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestWhyWorkIsOver checks what an annotator reads whose open page can't be saved any more: the reason alone,
// which claims nothing of the round that is not so.
func TestWhyWorkIsOver(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(3))
	lead := storetest.Leading{T: t, Sample: s}
	for n := range 2 {
		storetest.RateBoth(t, db, s, n+1, 4, 2, 0)
	}
	// why is what the page of annotator 0 says when it opens an assignment, and when it saves.
	why := func(assignment string) string {
		t.Helper()
		w := s.Work(t, 0, assignment)
		if _, err := storetest.Save(t, s, 0, work.CardSave{AssignmentID: assignment, Rating: storetest.Rating(3)}); err != nil && (!errors.Is(err, campaign.ErrDecided) || err.Error() != w.Over) {
			t.Errorf("a save says %q, the page %q", err, w.Over)
		}
		return w.Over
	}
	replaced, late := storetest.TurnOf(t, db, "s1", "ann1", 2), storetest.TurnOf(t, db, "s2", "ann1", 2)
	lead.Done(lead.Replace("s1", "ann1", "ann3"))
	if got := why(replaced); got != "the lead has taken you off this segment; what you saved is kept" {
		t.Errorf("replaced: %q", got)
	}
	lead.Done(lead.AnotherLook("s2", "ann1", "ann2"))
	if got := why(late); got != "a later round of this segment is under way, so this one is not needed any more" {
		t.Errorf("another look: %q", got)
	}
}
