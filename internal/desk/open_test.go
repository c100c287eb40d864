package desk_test

import (
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/store/storetest"
)

// The desk counts as open what annotators find in their own work: also a segment that is
// settled, where a lead asks them as further annotators, and nothing that is over.
func TestOpenIsWhatAnnotatorsAreAskedFor(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(3))
	lead := storetest.Leading{T: t, Sample: s}
	storetest.RateFirst(t, db, s, 1, 0, 0, 2, 4)
	storetest.RateFirst(t, db, s, 1, 1, 0, 2, 4) // agreed
	storetest.RateFirst(t, db, s, 2, 0, 0, 2, 4)
	storetest.RateFirst(t, db, s, 2, 1, 4, 2, 0) // a second look
	storetest.RateBoth(t, db, s, 3, 4, 2, 0)
	lead.Done(lead.Discard("s3"))
	lead.Done(lead.FurtherAnnotator("s1", "ann3"))
	p := s.Progress(t)
	for i, want := range []struct{ open, second int }{{1, 1}, {1, 1}, {1, 0}} {
		mine := s.MyProgress(t, i)
		if a := p.Annotators[i]; a.Open != want.open || a.Second != want.second || a.Open != mine.Begun+mine.Second {
			t.Errorf("%s has %d open, %d of them second looks, want %v; their own work is %+v", a.User.Login, a.Open, a.Second, want, mine)
		}
	}
	// What was not touched for long is late, whoever it waits for.
	db.Clock.Advance(25 * time.Hour)
	if p := s.Progress(t); p.Late != 1 {
		t.Errorf("%d second looks are late, want 1", p.Late)
	}
	q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 10}))(t)
	if q.Counts[""] != 1 || p.Segments[campaign.Reannotate] != 1 {
		t.Errorf("the queue has %d segments", q.Counts[""])
	}
}

// The number of segments that an annotator is told of is that of the segments that could be handed out to them, whichever others are held, full,
// settled or their own.
func TestAvailable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(9), storetest.PerDocument(9), storetest.Annotators(4))
		available := func(annotator, want int) {
			t.Helper()
			if mine := s.MyProgress(t, annotator); mine.Available != want {
				t.Errorf("%d segments are available, want %d", mine.Available, want)
			}
			if n := storetest.Count(t, db, `segments s WHERE s.status = 'pending' AND s.held = FALSE AND s.taken < 2 AND (s.imported = 0 OR s.taken < s.imported)
				AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = s.id AND a.user_id = ?)`, s.Annotators[annotator].ID); n != want {
				t.Errorf("%d segments could be handed out, want %d", n, want)
			}
		}
		available(3, 9)
		storetest.ReportProblem(t, s, 0, s.Next(t, 0), "odd") // s1 is held
		available(3, 8)
		storetest.RateFirst(t, db, s, 2, 0, 0, 2, 4)
		storetest.RateFirst(t, db, s, 2, 1, 0, 2, 4) // agreed
		storetest.RateFirst(t, db, s, 3, 1, 0, 2, 4)
		available(3, 7)
		available(1, 6)
		full, half := s.Next(t, 2), s.Next(t, 0) // s3 and s4
		available(3, 6)
		imported := func(assignment string, n int) {
			storetest.Exec(t, db, "UPDATE all_segments SET imported = ? WHERE id = (SELECT segment_id FROM assignments WHERE id = ?)", n, assignment)
		}
		imported(half, 1) // it has no place for others than those whose ratings came with an import
		available(3, 5)
		imported(half, 2)
		available(3, 6)
		imported(full, 2)
		available(3, 6)
		storetest.Exec(t, db, "UPDATE all_segments SET imported = 0")
		available(3, 6)
	})
}
