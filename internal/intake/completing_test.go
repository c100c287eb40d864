package intake_test

import (
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// An import that fails after it was published, by a defect of the program, drops nothing of
// what it has staged, and is completed later.
func TestCompletingImportFails(t *testing.T) {
	db := storetest.Open(t)
	s := judgedSample(t, db.Store, "sample")
	storetest.SetPlaceAtOnce(db.Store, 10)
	storetest.OnPlaced(db.Store, func() { panic("a defect") })
	if _, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, ratedAndJudged(s), intake.ImportOptions{}); err == nil {
		t.Error("the import has not failed")
	}
	storetest.OnPlaced(db.Store, nil)
	db.DB.DeadAfter = time.Millisecond
	storetest.Check(t, db.Intake.DropDead(t.Context()))
	if p := storetest.Must(db.Desk.Standing(t.Context(), s.Campaign))(t); p.Ratings != 2*judgedSegments || p.Segments[campaign.Adjudicated] != judgedSegments-3 {
		t.Errorf("%d ratings and %v", p.Ratings, p.Segments)
	}
}
