package database_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// crashFile names, for the child process of TestKill, the database to work on.
const crashFile = "ANNOTATE_TEST_CRASH_FILE"

const crashAnnotators, crashCards = 8, 3

// Every save that was acknowledged is in the file after kill -9.
func TestKill(t *testing.T) {
	if path := os.Getenv(crashFile); path != "" {
		saveForEver(t, path)
		return
	}
	for run := range 2 {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			db := storetest.Open(t)
			s := storetest.Campaign(t, db.Store, storetest.Segments(crashAnnotators), storetest.Systems(crashCards),
				storetest.Annotators(crashAnnotators), storetest.Set("redundancy=1", "release_hours=0"))
			assignments := make([]string, crashAnnotators)
			for i := range assignments {
				assignments[i] = s.Next(t, i)
			}
			storetest.Check(t, db.Close())
			acknowledged := saveAndKill(t, db.Config.DSN, 500+200*run)

			again := storetest.Must(store.Open(t.Context(), db.Config))(t)
			defer again.Close()
			s.Store = again
			for i, a := range assignments {
				for place, card := range s.Work(t, i, a).Cards {
					want := acknowledged[[2]int{i, place}]
					// One more save may have been stored and not been reported.
					if card.Revision < want || card.Revision > want+1 {
						t.Errorf("annotator %d, card %d: revision %d is stored, %d was acknowledged", i, place, card.Revision, want)
					}
					if card.Rating.Scores["sqm"] != float64(card.Revision%5) {
						t.Errorf("annotator %d, card %d: revision %d has scores %v", i, place, card.Revision, card.Rating.Scores)
					}
				}
			}
			if ok := storetest.Query[string](t, &storetest.DB{Store: again}, "PRAGMA integrity_check"); len(ok) != 1 || ok[0] != "ok" {
				t.Errorf("integrity_check: %v", ok)
			}
		})
	}
}

// saveAndKill runs a child that saves for ever, kills it after a number of
// acknowledged saves, and returns the last revision acknowledged of each
// annotator's cards.
func saveAndKill(t *testing.T, path string, saves int) map[[2]int]int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKill$")
	child.Env = append(os.Environ(), crashFile+"="+path)
	child.Stderr = os.Stderr
	out := storetest.Must(child.StdoutPipe())(t)
	storetest.Check(t, child.Start())
	last := map[[2]int]int{}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var annotator, card, revision int
		if _, err := fmt.Sscanf(lines.Text(), "saved %d %d %d", &annotator, &card, &revision); err != nil {
			t.Errorf("the child says %q", lines.Text())
		}
		last[[2]int{annotator, card}] = revision
		if n == saves {
			storetest.Check(t, child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	return last
}

// saveForEver saves as several annotators, and reports each save that was
// acknowledged in one line written at once.
func saveForEver(t *testing.T, path string) {
	st := storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
	s := &storetest.Sample{Store: st, Campaign: storetest.Must(st.Records.Campaign(t.Context(), "sample"))(t)}
	var wg sync.WaitGroup
	for i := range crashAnnotators {
		u := storetest.Must(st.Accounts.UserByLogin(t.Context(), fmt.Sprintf("ann%d", i+1)))(t)
		a := storetest.Must(st.Work.Next(t.Context(), s.Campaign.ID, u.ID))(t)
		cards := storetest.Must(st.Work.LoadWork(t.Context(), s.Campaign, a, u.ID))(t).Cards
		wg.Go(func() {
			for n := 0; ; n++ {
				card := n % crashCards
				save := work.CardSave{AssignmentID: a, CardID: cards[card].ID, Revision: n / crashCards, Rating: storetest.Rating(float64((n/crashCards + 1) % 5))}
				saved, err := st.Work.SaveCard(t.Context(), s.Campaign, u.ID, save)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := fmt.Printf("saved %d %d %d\n", i, card, saved.Revision); err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}
