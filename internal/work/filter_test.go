package work_test

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// TestFilter: only segments whose source has a score on the right side of the threshold are handed out, the others are counted, and
// an emptied filter hands out the one whose place was never taken.
func TestFilter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=1"))
		var segments []campaign.Segment
		for i := range 4 {
			segments = append(segments, campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: fmt.Sprint("Sentence ", i), Translations: campaign.ItselfOnly()})
		}
		storetest.ImportSegments(t, s, segments...)
		storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{
			{Metric: "difficulty", DocID: "d", SegmentID: "s0", Score: 6.9}, {Metric: "difficulty", DocID: "d", SegmentID: "s1", Score: 10}, {Metric: "difficulty", DocID: "d", SegmentID: "s2", Score: -7},
		}), intake.ImportOptions{}))(t)
		for _, tt := range []struct {
			filter, first string
			leftOut       int
		}{{"difficulty>=7", "Sentence 1", 3}, {"difficulty<=-7", "Sentence 2", 3}, {"difficulty<=6.9", "Sentence 0", 2}, {"nosuch>=0", "", 4}, {"", "Sentence 3", 0}} {
			s.Change(t, "filter="+tt.filter)
			if p := s.Progress(t); p.LeftOut != tt.leftOut || p.Open != 4-tt.leftOut {
				t.Errorf("%s leaves out %d segments and waits for %d ratings, want %d and %d", tt.filter, p.LeftOut, p.Open, tt.leftOut, 4-tt.leftOut)
			}
			id, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID)
			if tt.first == "" {
				if err == nil {
					t.Errorf("%s: something is handed out", tt.filter)
				}
				continue
			}
			storetest.Check(t, err)
			if got := s.Work(t, 0, id).Source; got != tt.first {
				t.Errorf("%s: handed out is %q, want %q", tt.filter, got, tt.first)
			}
			storetest.Exec(t, db, "DELETE FROM assignments WHERE id = ?", id)
		}
	})
}
