package work_test

import (
	"testing"

	"annotate/internal/store/storetest"
)

// TestGuideOpens: the guide opens for each annotator until they have closed it, and for nobody
// else.
func TestGuideOpens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		opens := func(userID string) bool {
			return storetest.Must(db.Work.GuideOpens(t.Context(), s.Campaign.ID, userID))(t)
		}
		if opens(s.Lead.ID) || !opens(s.Annotators[0].ID) || !opens(s.Annotators[1].ID) {
			t.Error("the guide opens for a lead, or not for an annotator")
		}
		for range 2 {
			storetest.Check(t, db.Work.CloseGuide(t.Context(), s.Campaign.ID, s.Annotators[0].ID))
		}
		if opens(s.Annotators[0].ID) || !opens(s.Annotators[1].ID) {
			t.Error("the guide opens again after it was closed, or one annotator has closed it for another")
		}
	})
}
