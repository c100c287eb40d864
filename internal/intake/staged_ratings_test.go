package intake_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// A large import of ratings becomes visible in steps. Until it is over nobody is shown
// the campaign and no lead changes it, while annotators go on. An import whose program
// is killed then is completed by whoever comes next.
func TestLargeImportIsCompleted(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetImportStep(db.Store, stagedStep)
	whole := storetest.Campaign(t, db.Store, storetest.Slug("whole"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
	s := storetest.Campaign(t, db.Store, storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
	file := func(s *storetest.Sample) iter.Seq2[campaign.RatingLine, error] {
		return newRatings(s, 2*stagedSegments, "x", "sqm")
	}
	storetest.SetPlaceAtOnce(db.Store, 2*stagedSegments)
	want := storetest.Must(db.Intake.ImportRatings(t.Context(), whole.Campaign.ID, file(whole), intake.ImportOptions{}))(t)
	storetest.SetPlaceAtOnce(db.Store, 10)

	// The first annotator has a segment in work that the file rates.
	a := s.Next(t, 0)
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	storetest.OnPlaced(db.Store, func() {
		if steps++; steps != 2 {
			return
		}
		busy, ok := errors.AsType[*records.CompletingError](db.Intake.Completing(t.Context(), s.Campaign.ID))
		if !ok || busy.Share <= 0 || busy.Share >= 1 {
			t.Errorf("while it is completed: %v", busy)
		}
		storetest.WantErr(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, "lead", campaign.Researcher, s.Lead.ID), campaign.ErrBusy)
		s.Save(t, 0, a, 0, 3)
		if next := s.Next(t, 1); next == "" {
			t.Error("an annotator gets no work")
		}
		stop() // as where the program is stopped
	})
	report := storetest.Must(db.Intake.ImportRatings(ctx, s.Campaign.ID, file(s), intake.ImportOptions{}))(t)
	if len(report.Notes) != 1 || report.Ratings != want.Ratings || report.Decided != nil {
		t.Errorf("the report of an import that is stopped: %+v", report)
	}
	storetest.OnPlaced(db.Store, nil)
	storetest.WantErr(t, db.Intake.Completing(t.Context(), s.Campaign.ID), campaign.ErrBusy)

	// The next import into the campaign completes it.
	again := storetest.Reopen(t, db)
	storetest.Check(t, again.Intake.Settle(t.Context(), s.Campaign.ID))
	storetest.Check(t, db.Intake.Completing(t.Context(), s.Campaign.ID))
	storetest.Check(t, db.Intake.Settle(t.Context(), s.Campaign.ID))
	if n := storetest.Count(t, db, "staged_ratings") + storetest.Count(t, db, "staged_imports") + storetest.Count(t, db, "hidden_imports") + storetest.Count(t, db, "completing_imports"); n != 0 {
		t.Errorf("%d rows are left over", n)
	}
	if differences := storetest.Must(db.Desk.CheckTallies(t.Context(), s.Campaign.ID))(t); len(differences) > 0 {
		t.Errorf("%q", differences)
	}
	p, q := s.Progress(t), storetest.Must(db.Desk.Progress(t.Context(), whole.Campaign))(t)
	if p.Ratings != 2*stagedSegments || fmt.Sprint(p.Segments) != fmt.Sprint(q.Segments) {
		t.Errorf("%d ratings, %v; in one step %d, %v", p.Ratings, p.Segments, q.Ratings, q.Segments)
	}

	// One that is not stopped decides in its report what one step decides.
	s = storetest.Campaign(t, db.Store, storetest.Slug("third"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
	report = storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, file(s), intake.ImportOptions{}))(t)
	if fmt.Sprint(report.Decided) != fmt.Sprint(want.Decided) || len(report.Notes) > 0 {
		t.Errorf("decided %v, want %v; %q", report.Decided, want.Decided, report.Notes)
	}
}

// Somebody who begins work while their ratings of it are imported keeps it, and the
// import fails.
func TestImportRatingsWhileASegmentIsBegun(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetImportStep(db.Store, stagedStep)
	s := storetest.Campaign(t, db.Store, storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments), storetest.Annotators(1))
	before := storetest.RowCounts(t, db)
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, during(newRatings(s, 2*stagedSegments, "ann1", "sqm"), 2*stagedSegments, func() {
		db.Clock.Advance(time.Second)
		s.Next(t, 0)
	}), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrConflict)
	after := storetest.RowCounts(t, db)
	before["assignments"]++
	if !maps.Equal(before, after) {
		t.Errorf("rows %v, before %v", after, before)
	}
}
