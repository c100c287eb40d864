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
	"annotate/internal/imports"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A staging is an import under way whose rows nobody sees yet. It writes them in
// steps, which are short transactions, so that no save waits long for it. Then it
// publishes all of them in one transaction, or drops them. The views segments,
// segment_tallies, systems, reference_texts, suggestions, judges and judgements hide what
// is staged, and so does metrics.staged.
//
// A program that is killed leaves a staging that nobody goes on with. Its beat does
// not rise any more, by which whoever comes next knows that it can be dropped.
type staging struct {
	s          *Store
	campaignID string
	id         string
	after      int // segments after this position are the import's
	record     imports.Record
	stopBeat   func()
}

// beatEvery is how often a staging shows that it is alive, beside its steps.
const beatEvery = 5 * time.Second

// dropTime bounds how long an import that was cancelled takes to drop its rows.
// What is left is dropped by whoever comes next.
const dropTime = 5 * time.Second

// A stagedKind says which rows an import stages.
type stagedKind int

const (
	stagedSegments   stagedKind = iota
	stagedOnSegments            // rows about segments that the campaign has
)

// stage begins an import into a campaign. It waits until another one that writes in
// steps is over. A closed campaign is an ErrConflict.
func (s *Store) stage(ctx context.Context, campaignID string, of stagedKind) (*staging, campaign.Campaign, error) {
	st := &staging{s: s, campaignID: campaignID, id: database.NewID()}
	var c campaign.Campaign
	var other stagedImport
	var seen time.Time // when other last changed
	for {
		begun := false
		err := s.WriteLong(ctx, func(tx *database.Tx) (err error) {
			c, begun, err = st.begin(tx, of)
			return err
		})
		if err != nil {
			return nil, c, err
		}
		if begun {
			st.beat()
			return st, c, nil
		}
		now, err := s.stagedImport(ctx, campaignID)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			continue
		case err != nil:
			return nil, c, err
		case now != other:
			other, seen = now, time.Now()
		}
		if other.Dropped || time.Since(seen) >= s.DeadAfter {
			if err := s.endDead(ctx, other); err != nil {
				return nil, c, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, c, ctx.Err()
		case <-time.After(min(200*time.Millisecond, s.DeadAfter)):
		}
	}
}

// begin takes the campaign's place for an import; false where another one has it.
func (st *staging) begin(tx *database.Tx, of stagedKind) (c campaign.Campaign, begun bool, err error) {
	if c, err = records.HoldOpenCampaign(tx, st.campaignID); err != nil {
		return c, false, err
	}
	st.after = math.MaxInt32
	if of == stagedSegments {
		if err := database.Scan(tx.Raw("SELECT coalesce(max(position), 0) FROM segments WHERE campaign_id = ?", st.campaignID), &st.after); err != nil {
			return c, false, err
		}
	}
	res := tx.Exec("INSERT INTO staged_imports (campaign_id, id, after_position, hides_systems) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", st.campaignID, st.id, st.after, st.after == 0)
	if res.Error != nil || res.RowsAffected == 0 {
		return c, false, res.Error
	}
	if err := tx.Exec("INSERT INTO hidden_imports (id, campaign_id) VALUES (?, ?)", st.id, st.campaignID).Error; err != nil {
		return c, false, err
	}
	var counted int
	if err := database.Scan(tx.Raw("SELECT count(*) FROM campaign_tallies WHERE campaign_id = ?", st.campaignID), &counted); err != nil {
		return c, false, err
	}
	if counted == 0 { // publish adds to the sums, and would count all segments where there are none
		tx.TouchCampaign(st.campaignID)
	}
	return c, true, nil
}

// beat shows until end that the staging is alive, while it waits for its input.
func (st *staging) beat() {
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
				_ = st.step(ctx, func(*database.Tx) error { return nil }) // the next step of the import tells what is wrong
			}
		}
	})
	st.stopBeat = func() {
		stop()
		group.Wait()
	}
}

// alive shows that the staging goes on. It fails where somebody has dropped it.
func (st *staging) alive(tx *database.Tx) error {
	res := tx.Exec("UPDATE staged_imports SET beat = beat + 1 WHERE campaign_id = ? AND id = ? AND NOT dropped", st.campaignID, st.id)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("the import stood still for too long and was given up; import again: %w", campaign.ErrConflict)
	}
	return res.Error
}

// step writes rows that stay hidden. What write does may be done twice, so that it
// changes nothing but the database.
func (st *staging) step(ctx context.Context, write func(tx *database.Tx) error) error {
	return st.s.Write(ctx, func(tx *database.Tx) error {
		if err := st.alive(tx); err != nil {
			return err
		}
		return write(tx)
	})
}

// publish makes everything that was staged visible, in one transaction with what
// last adds. It fails where the campaign was closed meanwhile.
func (st *staging) publish(ctx context.Context, last func(tx *database.Tx, c campaign.Campaign) error) error {
	return st.s.WriteLong(ctx, func(tx *database.Tx) error {
		c, err := records.HoldOpenCampaign(tx, st.campaignID)
		if err != nil {
			return err
		}
		if err := st.alive(tx); err != nil {
			return err
		}
		if err := show(tx, st.campaignID, st.id); err != nil {
			return err
		}
		return last(tx, c)
	})
}

// show ends the staging of an import: what is left of its rows is visible from now on.
func show(tx *database.Tx, campaignID, id string) error {
	if err := tx.Exec("DELETE FROM staged_imports WHERE campaign_id = ? AND id = ?", campaignID, id).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM hidden_imports WHERE id = ?", id).Error
}

// close ends an import that brought something: it makes the problems that were found
// the error, rolls back after a check, and writes the list of imports and the audit log.
// publish calls it last. kind and brought say in words what was imported.
func (st *staging) close(tx *database.Tx, opt ImportOptions, problems *campaign.Problems, kind, brought string, report readmodel.ImportReport) error {
	if problems.Count() > 0 {
		problems.Sort()
		return problems
	}
	if opt.Check {
		return errCheckOnly
	}
	if err := desk.NoteImport(tx, st.campaignID); err != nil {
		return err
	}
	st.record.Kind, st.record.Brought = kind, imports.Brought(report)
	st.record.Restores.Severities, st.record.Restores.Categories = report.OwnSeverities, report.OwnCategories
	if err := st.record.Add(tx, st.campaignID, st.id, opt.File, opt.ByID); err != nil {
		return err
	}
	return st.s.Audit(tx, st.campaignID, opt.ByID, "import "+kind, fmt.Sprintf("%s: %s", opt.File, brought), "")
}

// run does the work of an import, and drops what it has staged where that fails. A
// check, which ends with errCheckOnly, does not fail but leaves nothing. A panic is
// an error.
func (st *staging) run(ctx context.Context, work func() error) error {
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

// drop deletes what was staged. After an import that was cancelled it takes no
// longer than dropTime.
func (st *staging) drop(ctx context.Context) {
	rest := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		var stop context.CancelFunc
		rest, stop = context.WithTimeout(rest, dropTime)
		defer stop()
	}
	err := st.s.dropStaged(rest, stagedImport{CampaignID: st.campaignID, ID: st.id})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		st.s.Log.Error("drop what an import has written", "campaign", st.campaignID, "error", err)
	}
}

// A stagedImport is the row of a staging.
type stagedImport struct {
	CampaignID, ID string
	AfterPosition  int
	UntilPosition  int64
	HidesSystems   bool
	Beat           int64
	Dropped        bool
}

func (s *Store) stagedImport(ctx context.Context, campaignID string) (i stagedImport, err error) {
	err = s.Read(ctx).Raw("SELECT * FROM staged_imports WHERE campaign_id = ?", campaignID).Take(&i).Error
	return i, database.Translate(err)
}

// endDead ends an import whose program was killed. One that was being completed is
// completed, any other one dropped.
func (s *Store) endDead(ctx context.Context, i stagedImport) error {
	if err := s.completeImport(ctx, i.CampaignID, i.ID, func(placement, int) {}); err != nil {
		return err
	}
	return s.dropStaged(ctx, i)
}

// dropSize is about how many rows one step deletes.
const dropSize = 1000

// dropStaged deletes the rows of an import, and then its own, in steps. Several
// programs may do so at the same time.
func (s *Store) dropStaged(ctx context.Context, i stagedImport) error {
	there := false
	err := s.Write(ctx, func(tx *database.Tx) error {
		res := tx.Exec(`UPDATE staged_imports SET dropped = TRUE WHERE campaign_id = ? AND id = ?
			AND NOT EXISTS (SELECT 1 FROM completing_imports c WHERE c.id = staged_imports.id)`, i.CampaignID, i.ID)
		there = res.RowsAffected > 0
		return res.Error
	})
	if err != nil || !there {
		return err
	}
	var systems int
	if err := database.Scan(s.Read(ctx).Raw("SELECT count(*) FROM all_systems WHERE campaign_id = ?", i.CampaignID), &systems); err != nil {
		return database.Translate(err)
	}
	if err := s.dropSegments(ctx, i, max(1, dropSize/max(1, systems))); err != nil {
		return err
	}
	for _, part := range []string{
		fmt.Sprintf(`DELETE FROM documents WHERE id IN (SELECT d.id FROM documents d JOIN staged_imports i ON i.campaign_id = d.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND NOT EXISTS (SELECT 1 FROM all_segments s WHERE s.document_id = d.id) LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_systems WHERE id IN (SELECT y.id FROM all_systems y JOIN staged_imports i ON i.campaign_id = y.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND i.hides_systems LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM metric_scores WHERE (translation_id, metric_id) IN (SELECT x.translation_id, x.metric_id FROM metric_scores x
			JOIN metrics m ON m.id = x.metric_id JOIN staged_imports i ON i.campaign_id = m.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND m.staged AND m.replaced_by = '' LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM metrics WHERE id IN (SELECT m.id FROM metrics m JOIN staged_imports i ON i.campaign_id = m.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND m.staged AND m.replaced_by = '' LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM staged_ratings WHERE (campaign_id, segment_id, user_id, round, translation_id) IN (SELECT r.campaign_id, r.segment_id, r.user_id, r.round, r.translation_id
			FROM staged_ratings r JOIN staged_imports i ON i.campaign_id = r.campaign_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_reference_texts WHERE (segment_id, name) IN (SELECT r.segment_id, r.name FROM all_reference_texts r
			JOIN staged_imports i ON i.id = r.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`UPDATE all_suggestions SET replaced_by = '' WHERE (translation_id, import_id) IN (SELECT s.translation_id, s.import_id FROM all_suggestions s
			JOIN staged_imports i ON i.id = s.replaced_by WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_suggestions WHERE (translation_id, import_id) IN (SELECT s.translation_id, s.import_id FROM all_suggestions s
			JOIN staged_imports i ON i.id = s.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`UPDATE all_judgements SET replaced_by = '' WHERE (translation_id, judge_id, import_id) IN (SELECT x.translation_id, x.judge_id, x.import_id FROM all_judgements x
			JOIN staged_imports i ON i.id = x.replaced_by WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_judgements WHERE (translation_id, judge_id, import_id) IN (SELECT x.translation_id, x.judge_id, x.import_id FROM all_judgements x
			JOIN staged_imports i ON i.id = x.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		"DELETE FROM all_judges WHERE id IN (SELECT j.id FROM all_judges j JOIN staged_imports i ON i.id = j.import_id WHERE i.campaign_id = ? AND i.id = ?)",
	} {
		if err := s.deleteAll(ctx, part, i.CampaignID, i.ID); err != nil {
			return err
		}
	}
	if err := s.dropAccounts(ctx, i); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *database.Tx) error {
		if err := tx.Exec("DELETE FROM import_members WHERE import_id IN (SELECT i.id FROM staged_imports i WHERE i.campaign_id = ? AND i.id = ?)", i.CampaignID, i.ID).Error; err != nil {
			return err
		}
		return show(tx, i.CampaignID, i.ID)
	})
}

// dropAccounts deletes the accounts that an import made and that nothing else needs.
func (s *Store) dropAccounts(ctx context.Context, i stagedImport) error {
	var ids []string
	err := s.Read(ctx).Raw("SELECT m.user_id FROM import_members m JOIN staged_imports i ON i.id = m.import_id WHERE i.campaign_id = ? AND i.id = ? AND m.account ORDER BY m.user_id", i.CampaignID, i.ID).Scan(&ids).Error
	if err != nil {
		return database.Translate(err)
	}
	return s.DropImportedUsers(ctx, ids)
}

// dropSegments deletes the segments of an import with all their data, in parts of size segments.
func (s *Store) dropSegments(ctx context.Context, i stagedImport, size int) error {
	for n := 1; n > 0; {
		err := s.Write(ctx, func(tx *database.Tx) error {
			var ids []string
			err := tx.Raw(`SELECT s.id FROM all_segments s JOIN staged_imports i ON i.campaign_id = s.campaign_id
				WHERE i.campaign_id = ? AND i.id = ? AND s.position > i.after_position AND s.position <= i.until_position ORDER BY s.position LIMIT ?`, i.CampaignID, i.ID, size).Scan(&ids).Error
			n = len(ids)
			if err != nil || n == 0 {
				return err
			}
			if err := rounds.UncountMeetings(tx, i.CampaignID, ids, func(string) bool { return true }); err != nil {
				return err
			}
			return records.DeleteSegments(tx, ids)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteAll deletes rows, a part at a time, until there are none.
func (s *Store) deleteAll(ctx context.Context, part string, args ...any) error {
	for n := int64(1); n > 0; {
		err := s.Write(ctx, func(tx *database.Tx) error {
			res := tx.Exec(part, args...)
			n = res.RowsAffected
			return res.Error
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DropDead ends imports whose program was killed, and likewise undoing. It deletes replaced metric
// scores, suggestions and judgements if the import that replaced them can't be undone, because it was
// made by an older version of the program.
func (s *Store) DropDead(ctx context.Context) error {
	var before []stagedImport
	if err := s.Read(ctx).Raw("SELECT * FROM staged_imports").Scan(&before).Error; err != nil {
		return database.Translate(err)
	}
	if len(before) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.DeadAfter):
		}
	}
	for _, was := range before {
		is, err := s.stagedImport(ctx, was.CampaignID)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			continue
		case err != nil:
			return err
		case is == was || is.Dropped:
			if err := s.endDead(ctx, is); err != nil {
				return err
			}
		}
	}
	const orphan = "m.staged AND m.replaced_by = '' AND NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = m.campaign_id)"
	err := s.deleteAll(ctx, fmt.Sprintf(`DELETE FROM metric_scores WHERE (translation_id, metric_id) IN (SELECT x.translation_id, x.metric_id
		FROM metric_scores x JOIN metrics m ON m.id = x.metric_id WHERE %s LIMIT %d)`, orphan, dropSize))
	if err != nil {
		return err
	}
	if err := s.deleteAll(ctx, fmt.Sprintf("DELETE FROM metrics WHERE id IN (SELECT m.id FROM metrics m WHERE %s LIMIT %d)", orphan, dropSize)); err != nil {
		return err
	}
	err = s.deleteAll(ctx, fmt.Sprintf(`DELETE FROM all_suggestions WHERE (translation_id, import_id) IN (SELECT s.translation_id, s.import_id
		FROM all_suggestions s WHERE s.replaced_by > '' AND NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = s.replaced_by)
		AND NOT EXISTS (SELECT 1 FROM imports m WHERE m.id = s.replaced_by) LIMIT %d)`, dropSize))
	if err != nil {
		return err
	}
	return s.deleteAll(ctx, fmt.Sprintf(`DELETE FROM all_judgements WHERE (translation_id, judge_id, import_id) IN (SELECT x.translation_id, x.judge_id, x.import_id
		FROM all_judgements x WHERE x.replaced_by > '' AND NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.replaced_by)
		AND NOT EXISTS (SELECT 1 FROM imports m WHERE m.id = x.replaced_by) LIMIT %d)`, dropSize))
}
