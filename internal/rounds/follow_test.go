package rounds_test

import (
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// Two annotators submit a round at the same instant: one of them decides it, and no round, the
// first or a second look, is left undecided or decided twice.
func TestDecidedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		times := 30
		if testenv.Race {
			times = 10 // what it watches happens at each
		}
		s := storetest.Campaign(t, db.Store, storetest.Segments(times), storetest.PerDocument(times), storetest.Systems(1), storetest.Set("tolerance=0", "redundancy=2"))
		both := func(ids ...string) {
			start := make(chan bool)
			var wg sync.WaitGroup
			for i, id := range ids {
				wg.Go(func() {
					<-start
					if err := storetest.Submit(t, s, i, id, 1); err != nil {
						t.Error(err)
					}
				})
			}
			close(start)
			wg.Wait()
		}
		ids := begin(t, db, s)
		for n := range times {
			both(ids[0][n], ids[1][n])
		}
		if got := storetest.Count(t, db, "decisions"); got != times {
			t.Errorf("%d decisions of the first round, want %d", got, times)
		}
		again := func(n, i int) (id string) {
			for _, id := range storetest.Query[string](t, db, `SELECT a.id FROM assignments a JOIN segments g ON g.id = a.segment_id
				WHERE g.position = ? AND a.round = 2 AND a.user_id = ?`, n+1, s.Annotators[i].ID) {
				return id
			}
			return ""
		}
		second := 0
		for n := range times {
			if n%5 == 0 {
				continue // agreed at once, see begin
			}
			second++
			first, other := again(n, 0), again(n, 1)
			s.Save(t, 0, first, 0, 0)
			s.Save(t, 1, other, 0, float64(n%2))
			both(first, other)
		}
		if got := storetest.Count(t, db, "decisions WHERE round = 2"); got != second {
			t.Errorf("%d decisions of the second round, want %d", got, second)
		}
		for n, seg := range s.All(t) {
			want, round := campaign.Agreed, 2
			if n%5 == 0 {
				round = 1
			} else if n%2 == 1 {
				want = campaign.Discarded
			}
			if seg.Status != want || seg.Round != round {
				t.Errorf("%s is %s in round %d, want %s in %d", seg.SegmentID, seg.Status, seg.Round, want, round)
			}
		}
	})
}
