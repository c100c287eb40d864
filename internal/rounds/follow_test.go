package rounds_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// Whatever happens, the stored state of a segment is what follows from its facts.
func TestStateFollowsFromFacts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		seeds := []uint64{0, 5, 7, 10, 1, 2, 3, 4, 6, 8, 9, 11}
		if db.Driver() == database.Postgres {
			seeds = seeds[:4] // the same code decides; these run all of its queries, with each number of rounds
		}
		for _, seed := range seeds {
			s := storetest.Campaign(t, db.Store, storetest.Slug(fmt.Sprint("c", seed)), storetest.Segments(8), storetest.Annotators(4),
				storetest.Set(fmt.Sprint("redundancy=", 1+seed%3), fmt.Sprint("rounds=", 1+seed%4), "assign="+[]string{"segment", "document"}[seed%2]))
			live(t, db, s, rand.New(rand.NewPCG(seed, 9)), 80)
			if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
				t.Errorf("seed %d: %s", seed, p)
			}
			// Nobody is given what is not under way, and no place is counted wrongly.
			for what, sql := range map[string]string{
				"asked for in a segment that a lead has decided": `SELECT g.segment_id FROM segments g JOIN assignments a ON a.segment_id = g.id WHERE g.campaign_id = ? AND g.status IN ('adjudicated', 'withdrawn') AND a.work = 'asked'`,
				"places counted wrongly": `SELECT g.segment_id FROM segments g WHERE g.campaign_id = ? AND g.taken <> (SELECT count(*) FROM assignments a
					WHERE a.segment_id = g.id AND a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced)`,
			} {
				if wrong := storetest.Query[string](t, db, sql, s.Campaign.ID); len(wrong) > 0 {
					t.Errorf("seed %d: %s: %v", seed, what, wrong)
				}
			}
		}
	})
}

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
