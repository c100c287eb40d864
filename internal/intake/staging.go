package intake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/outbox"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A stagedImport is under way, and nobody sees its rows yet. It writes them in steps, which are short
// transactions, so that no save waits long for it. Then it publishes all of them in one transaction,
// or drops them. The views segments, segment_tallies, systems, reference_texts, suggestions, judges and
// judgements hide what is staged, and so does metrics.staged.
//
// A program that is killed leaves an import that nobody goes on with. Its beat no longer rises, so
// that the next program to look knows that it can be dropped.
type stagedImport struct {
	ID, CampaignID string
	After          int          // the import's segments have positions above this one
	Record         importRecord // what the list of imports says of it; Close fills in the rest

	s        *Store
	stopBeat func()
}

// beatEvery is how often an import shows that it is alive, besides in its steps.
const beatEvery = 5 * time.Second

// dropTime bounds how long an import that was cancelled takes to drop its rows. The next program to
// look drops what is left.
const dropTime = 5 * time.Second

// A stagedKind says which rows an import stages.
type stagedKind int

const (
	stageSegments   stagedKind = iota
	stageOnSegments            // rows about segments that the campaign has
)

// toFollow is the text that the list of imports shows with an import until another import of the same files follows. If
// a program is killed between the two, the text stays.
const toFollow = "; more of the files is still to be imported (if no import is under way, undo this one and import the files again)"

// errCheckOnly ends the transaction of a check that found no problem.
var errCheckOnly = errors.New("checked only")

// stage begins an import into a campaign. It waits until another one that writes in steps is over, and
// ends it if its program was killed. A closed campaign is an ErrConflict.
func (s *Store) stage(ctx context.Context, campaignID string, of stagedKind) (*stagedImport, campaign.Campaign, error) {
	st := &stagedImport{s: s, CampaignID: campaignID, ID: database.NewID()}
	other := watch{s: s, campaignID: campaignID}
	var c campaign.Campaign
	for begun := false; !begun; {
		err := s.db.WriteLong(ctx, func(tx *database.Tx) (err error) {
			c, begun, err = st.begin(tx, of)
			return err
		})
		if err == nil && !begun {
			err = other.wait(ctx)
		}
		if err != nil {
			return nil, c, err
		}
	}
	st.beat()
	return st, c, nil
}

// begin takes the campaign's place for an import. begun is false if another import has it.
func (st *stagedImport) begin(tx *database.Tx, of stagedKind) (c campaign.Campaign, begun bool, err error) {
	if c, err = records.LockToImport(tx, st.CampaignID); err != nil {
		return c, false, err
	}
	st.After = math.MaxInt32
	hides := false // the import brings the systems, since the campaign has none; its segments may have been taken over
	if of == stageSegments {
		if err := database.Scan(tx.Raw("SELECT NOT EXISTS (SELECT 1 FROM all_systems WHERE campaign_id = ?)", st.CampaignID), &hides); err != nil {
			return c, false, err
		}
		if err := database.Scan(tx.Raw("SELECT coalesce(max(position), 0) FROM segments WHERE campaign_id = ?", st.CampaignID), &st.After); err != nil {
			return c, false, err
		}
	}
	res := tx.Exec(
		"INSERT INTO staged_imports (campaign_id, id, after_position, hides_systems) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", st.CampaignID,
		st.ID, st.After, hides || st.After == 0,
	)
	if res.Error != nil || res.RowsAffected == 0 {
		return c, false, res.Error
	}
	if err := tx.Exec("INSERT INTO hidden_imports (id, campaign_id) VALUES (?, ?)", st.ID, st.CampaignID).Error; err != nil {
		return c, false, err
	}
	var counted int
	if err := database.Scan(tx.Raw("SELECT count(*) FROM campaign_tallies WHERE campaign_id = ?", st.CampaignID), &counted); err != nil {
		return c, false, err
	}
	if counted == 0 { // Publish adds to the sums, and would count all segments where there are none
		tx.TouchCampaign(st.CampaignID)
	}
	return c, true, nil
}

// beat shows that the import is alive while it waits for its input, until stopBeat.
func (st *stagedImport) beat() {
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = st.Step(ctx, func(*database.Tx) error { return nil }) // the next step of the import tells what is wrong
			}
		}
	})
	st.stopBeat = func() {
		stop()
		group.Wait()
	}
}

// Alive shows that the import goes on. If another program has dropped it, Alive fails.
func (st *stagedImport) Alive(tx *database.Tx) error {
	res := tx.Exec("UPDATE staged_imports SET beat = beat + 1 WHERE campaign_id = ? AND id = ? AND NOT dropped", st.CampaignID, st.ID)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("the import stood still for too long and was given up; import again: %w", campaign.ErrConflict)
	}
	return res.Error
}

// Step writes rows that stay hidden. write may run twice, so it changes nothing but the database.
func (st *stagedImport) Step(ctx context.Context, write func(tx *database.Tx) error) error {
	return st.s.db.Write(ctx, func(tx *database.Tx) error {
		if err := st.Alive(tx); err != nil {
			return err
		}
		return write(tx)
	})
}

// Publish makes everything that was staged visible, in one transaction with what last adds. If the
// campaign was closed meanwhile, Publish fails.
func (st *stagedImport) Publish(ctx context.Context, last func(tx *database.Tx, c campaign.Campaign) error) error {
	return st.s.db.WriteLong(ctx, func(tx *database.Tx) error {
		c, err := records.LockToImport(tx, st.CampaignID)
		if err != nil {
			return err
		}
		if err := st.Alive(tx); err != nil {
			return err
		}
		if err := showStaged(tx, st.CampaignID, st.ID); err != nil {
			return err
		}
		return last(tx, c)
	})
}

// showStaged ends the staging of an import. The rows that are left of it are visible from now on.
func showStaged(tx *database.Tx, campaignID, id string) error {
	if err := tx.Exec("DELETE FROM staged_imports WHERE campaign_id = ? AND id = ?", campaignID, id).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM hidden_imports WHERE id = ?", id).Error
}

// Close ends an import in the transaction of [stagedImport.Publish], which calls it last. It returns the
// problems that were found as the error, rolls a check back with [errCheckOnly], and otherwise adds to
// the list of imports and to the audit log. kind and brought say in words what was imported.
func (st *stagedImport) Close(tx *database.Tx, opt ImportOptions, problems *campaign.Problems, kind, brought string, report readmodel.ImportReport) error {
	if problems.Count() > 0 {
		problems.Sort()
		return problems
	}
	if opt.Check {
		return errCheckOnly
	}
	if err := desk.NoteImport(tx, st.CampaignID); err != nil {
		return err
	}
	st.Record.Kind, st.Record.Brought = kind, broughtBy(report)
	if err := tx.Exec("UPDATE imports SET brought = replace(brought, ?, '') WHERE campaign_id = ? AND files = ?",
		toFollow, st.CampaignID, database.Storable(opt.File)).Error; err != nil {
		return err
	}
	if opt.Follows != nil && opt.Follows() {
		st.Record.Brought += toFollow
	}
	st.Record.Restores.Severities, st.Record.Restores.Categories = report.OwnSeverities, report.OwnCategories
	if err := st.Record.Add(tx, st.CampaignID, st.ID, opt.File, opt.ByID); err != nil {
		return err
	}
	if err := st.s.outbox.Tell(tx, st.CampaignID, outbox.ImportDone,
		outbox.Import{Kind: kind, Files: opt.File, Brought: brought}); err != nil {
		return err
	}
	return st.s.records.Audit(tx, st.CampaignID, opt.ByID, "import "+kind, fmt.Sprintf("%s: %s", opt.File, brought), "")
}

// Run does the work of an import. If the work fails, Run drops what was staged. A check, which ends
// with [errCheckOnly], does not fail but leaves nothing. A panic is an error.
func (st *stagedImport) Run(ctx context.Context, work func() error) error {
	defer st.stopBeat()
	err := recovered(work)
	if err != nil {
		st.drop(ctx)
	}
	if errors.Is(err, errCheckOnly) {
		return nil
	}
	return err
}

// recovered turns a panic into an error.
func recovered(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in an import: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// drop deletes what was staged. After an import that was cancelled it takes no longer than dropTime.
func (st *stagedImport) drop(ctx context.Context) {
	rest := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		var stop context.CancelFunc
		rest, stop = context.WithTimeout(rest, dropTime)
		defer stop()
	}
	err := st.s.DropStaged(rest, stagedRow{CampaignID: st.CampaignID, ID: st.ID})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		st.s.db.Log.Error("drop what an import has written", "campaign", st.CampaignID, "error", err)
	}
}
