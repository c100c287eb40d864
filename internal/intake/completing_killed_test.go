package intake_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// completingFile names, for the child process of TestCompletingImportKilled, the database
// to work on.
const completingFile = "ANNOTATE_TEST_COMPLETING_FILE"

// An import whose program is killed after the first of the steps that place its ratings and
// adjudications is completed by whoever comes next: the next import into the campaign,
// housekeeping, or whoever waits for it. It comes to the same as one that was not killed,
// and nothing of it is left over.
func TestCompletingImportKilled(t *testing.T) {
	if path := os.Getenv(completingFile); path != "" {
		completeForEver(t, path)
		return
	}
	db := storetest.Open(t)
	whole := judgedSample(t, db.Store, "whole")
	storetest.SetPlaceAtOnce(db.Store, 100_000)
	storetest.Must(db.Intake.ImportRatings(t.Context(), whole.Campaign.ID, ratedAndJudged(whole), intake.ImportOptions{File: "r.jsonl", ByID: whole.Lead.ID}))(t)
	want := decidedAs(t, db, whole)
	for name, next := range map[string]func(s *storetest.Sample) error{
		"import": func(s *storetest.Sample) error {
			_, err := s.Store.Intake.ImportReferences(t.Context(), s.Campaign.ID, newReferences(judgedSegments), intake.ImportOptions{})
			return err
		},
		"housekeeping": func(s *storetest.Sample) error { return s.Store.Housekeep(t.Context()) },
		"waiting":      func(s *storetest.Sample) error { return s.Store.Intake.Settle(t.Context(), s.Campaign.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			s := judgedSample(t, db.Store, "sample")
			storetest.Check(t, db.Close())
			killChild(t, "TestCompletingImportKilled", completingFile+"="+db.Config.DSN)

			s.Store = storetest.Reopen(t, db)
			again := &storetest.DB{Store: s.Store}
			if placed := storetest.Count(t, again, "ratings"); placed == 0 || placed == 2*judgedSegments {
				t.Fatalf("%d ratings were placed when the import was killed", placed)
			}
			storetest.WantErr(t, s.Store.Intake.Completing(t.Context(), s.Campaign.ID), campaign.ErrBusy)
			storetest.Check(t, next(s))
			storetest.Check(t, s.Store.Intake.Completing(t.Context(), s.Campaign.ID))
			for _, table := range []string{"staged_ratings", "staged_imports", "hidden_imports", "completing_imports"} {
				if n := storetest.Count(t, again, table); n != 0 {
					t.Errorf("%d rows of %s are left over", n, table)
				}
			}
			if got := decidedAs(t, again, s); got != want {
				t.Errorf("completed after it was killed\n%s\nnot killed\n%s", got, want)
			}
			if n := storetest.Count(t, again, "(SELECT DISTINCT batch FROM acts)"); n != 1 {
				t.Errorf("the adjudications form %d batches", n)
			}
			err := s.Store.Doctor(t.Context(), false, func(f store.Finding) {
				if len(f.Problems) > 0 {
					t.Errorf("%s: %q", f.Check, f.Problems)
				}
			})
			storetest.Check(t, err)
		})
	}
}

// completeForEver imports, says when the first step has placed something, and then waits
// until it is killed.
func completeForEver(t *testing.T, path string) {
	st := storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
	c := storetest.Must(st.Records.Campaign(t.Context(), "sample"))(t)
	s := &storetest.Sample{Store: st, Campaign: c, Systems: storetest.Must(st.Records.Systems(t.Context(), c.ID))(t)}
	lead := storetest.Must(st.Accounts.UserByLogin(t.Context(), "lead"))(t)
	storetest.SetImportStep(st, stagedStep)
	storetest.SetPlaceAtOnce(st, 10)
	storetest.OnPlaced(st, func() {
		fmt.Println("staged")
		<-context.Background().Done()
	})
	_, err := st.Intake.ImportRatings(t.Context(), c.ID, ratedAndJudged(s), intake.ImportOptions{File: "r.jsonl", ByID: lead.ID})
	t.Error(err)
}

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
