package records_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// An export contains one state of the database, even if others write while it is read. It
// contains a submission with all its ratings or not at all, and nothing that was written after
// its first segment was read.
func TestAllSegmentsIsASnapshot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const segments = 450 // more than two batches
		s := storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(segments), storetest.Systems(2),
			storetest.Set("redundancy=1"))
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for ctx.Err() == nil {
				a, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID)
				if err == nil {
					err = s.TryRate(t.Context(), 0, a, 1, 2)
				}
				if err != nil {
					if !errors.Is(err, campaign.ErrNoWork) {
						t.Error(err)
					}
					return
				}
			}
		})
		for range 5 {
			rated, n := 0, 0
			var before int
			for seg, err := range db.Records.AllSegments(t.Context(), s.Campaign) {
				storetest.Check(t, err)
				if n++; n == 1 {
					// Several of these are written while the export is read.
					before = storetest.Count(t, db, "decisions")
				}
				given := 0
				for _, tr := range seg.Translations {
					given += len(tr.Ratings)
				}
				if done := seg.Status == campaign.Ungated; given != 0 && given != 2 || done != (given == 2) {
					t.Errorf("%s is %s with %d ratings", seg.SegmentID, seg.Status, given)
				}
				if given == 2 {
					rated++
				}
			}
			if n != segments || rated > before {
				t.Errorf("%d segments, %d of them rated; %d were when the export began", n, rated, before)
			}
		}
		stop()
		wg.Wait()
	})
}

// A reader may stop before the last segment, and its request may end before that.
func TestAllSegmentsStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(210), storetest.Systems(1))
		for range 5 { // more often than snapshots are read at a time
			for range db.Records.AllSegments(t.Context(), s.Campaign) {
				break
			}
			ctx, cancel := context.WithCancel(t.Context())
			for _, err := range db.Records.AllSegments(ctx, s.Campaign) {
				storetest.Check(t, err)
				cancel()
				break
			}
			ctx, cancel = context.WithCancel(t.Context())
			defer cancel()
			n := 0
			var last error
			for _, err := range db.Records.AllSegments(ctx, s.Campaign) {
				if n++; n == 10 {
					cancel()
				}
				last = err
			}
			if !errors.Is(last, context.Canceled) || n > 201 {
				t.Errorf("after %d segments: %v, want that the context was cancelled", n, last)
			}
		}
		if n := len(s.All(t)); n != 210 {
			t.Errorf("%d segments afterwards", n)
		}
	})
}

// The memory that an import and an export need does not depend on the size of the campaign.
func TestMemory(t *testing.T) { checkMemory(t, storetest.Open(t)) }

func TestSoakMemoryOnPostgres(t *testing.T) {
	testenv.SoakTime(t)
	checkMemory(t, storetest.Postgres(t))
}

func checkMemory(t *testing.T, db *storetest.DB) {
	t.Helper()
	if testenv.Race {
		t.Skip("the race detector distorts what is measured; make test runs this without it")
	}
	const segments = 20_000
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	storetest.ResetPeak(t)
	before := storetest.PeakMB(t)
	storetest.Must(db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.ManyLines(segments, 1), intake.ImportOptions{}))(t)
	importing := storetest.PeakMB(t) - before
	storetest.ResetPeak(t)
	before = storetest.PeakMB(t)
	n := 0
	for _, err := range db.Records.AllSegments(t.Context(), s.Campaign) {
		storetest.Check(t, err)
		n++
	}
	exporting := storetest.PeakMB(t) - before
	t.Logf("import %.0f MB, export %.0f MB", importing, exporting)
	// A connection to SQLite may take 2 MB for pages. If statements were kept until the end
	// of a transaction, the export would take 66 MB.
	if n != segments || importing > 50 || exporting > 50 {
		t.Errorf("%d segments; the import took %.0f MB, the export %.0f MB", n, importing, exporting)
	}
}

func TestExportFacts(t *testing.T) {
	db, s := storetest.New(t)
	if f := storetest.Must(db.Records.ExportFacts(t.Context(), s.Campaign.ID))(t); f.Ratings != 0 || len(f.Logins) != 0 {
		t.Errorf("facts of a new campaign: %+v", f)
	}
	s.RateNext(t, 0, 1, 2, 3)
	s.Next(t, 1) // has submitted nothing
	storetest.ImportRatings(t, s, storetest.RatingLine("s1", "sys-001", "Z", 1, 3), storetest.RatingLine("s1", "sys-002", "Z", 1, 3))
	f := storetest.Must(db.Records.ExportFacts(t.Context(), s.Campaign.ID))(t)
	if f.Ratings != 5 || fmt.Sprint(f.Logins) != "[Z ann1]" {
		t.Errorf("facts %+v", f)
	}
}
