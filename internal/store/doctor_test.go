package store_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

func examine(t *testing.T, db *storetest.DB, repair bool) map[string]store.Finding {
	t.Helper()
	found := map[string]store.Finding{}
	err := db.Doctor(t.Context(), repair, func(f store.Finding) {
		if len(f.Problems) > 0 {
			found[f.Check[strings.LastIndex(f.Check, ": ")+1:]] = f
		}
	})
	storetest.Check(t, err)
	return found
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		storetest.FourSegments(t, db)
		storetest.Exec(t, db, "INSERT INTO metrics (id, campaign_id, name, systems) SELECT 'm', id, 'm', 'x y z' FROM campaigns")
		storetest.Exec(t, db, "INSERT INTO metric_segment_scores (metric_id, segment_id, scores) SELECT 'm', id, '1 - -0.5' FROM all_segments")
		if found := examine(t, db, false); len(found) != 0 {
			t.Fatalf("a sound database has %v", found)
		}
		for _, c := range []struct{ check, wrong, right string }{
			{"places", "UPDATE all_segments SET taken = 7 WHERE position = 4", ""},
			{"sums against a recount", "UPDATE tallies SET n = n + 1 WHERE kind = 'status'", ""},
			{"assignments", "UPDATE assignments SET ratings = 9 WHERE round = 1 AND state = 'submitted'", "UPDATE assignments SET ratings = 4 WHERE ratings = 9"},
			{"sums against a recount", "UPDATE all_segments SET round = 1 WHERE status = 'reannotate'", ""},
			{"decisions", "UPDATE decisions SET round = 3 WHERE passed", "UPDATE decisions SET round = 1 WHERE passed"},
			{"metrics", "UPDATE metric_segment_scores SET scores = '1 -'", "UPDATE metric_segment_scores SET scores = '1 - -0.5'"},
		} {
			storetest.Exec(t, db, c.wrong)
			found := examine(t, db, false)
			if len(found[" "+c.check].Problems) == 0 {
				t.Errorf("%s: found %v", c.wrong, found)
			}
			if c.right != "" {
				storetest.Exec(t, db, c.right)
			}
			for check, f := range examine(t, db, true) {
				if !f.Repaired || !slices.Contains([]string{" places", " sums against a recount"}, check) {
					t.Errorf("%s: repairing left %s: %v", c.wrong, check, f)
				}
			}
			if found := examine(t, db, false); len(found) != 0 {
				t.Errorf("%s: after the repair there is %v", c.wrong, found)
			}
		}
	})
}
