package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/outbox"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// An undoing undoes one import.
type undoing struct {
	s        *Store
	c        campaign.Campaign
	row      importRow
	restores restores
}

// An importRow is the row of an import.
type importRow struct {
	ID            string
	Seq           int
	Kind          string
	Files         string
	At            database.Instant
	Brought       string
	AfterPosition int
	LastPosition  int
	Restores      string
	UndoneAt      database.Instant
}

// Imports lists the imports into a campaign, the latest first. The list lacks imports by
// versions of the program that kept no list.
func (s *Store) Imports(ctx context.Context, campaignID string) ([]readmodel.Import, error) {
	var rows []struct {
		ID, Kind, Files, Login, Brought, UndoneBy string
		Seq                                       int
		At, UndoneAt                              database.Instant
	}
	err := s.db.Read(ctx).
		Raw(`SELECT i.id, i.seq, i.kind, i.files, coalesce(u.login, '') AS login, i.at, i.brought, i.undone_at, coalesce(b.login, '') AS undone_by
		FROM imports i LEFT JOIN users u ON u.id = i.by_id LEFT JOIN users b ON b.id = i.undone_by WHERE i.campaign_id = ? ORDER BY i.seq DESC`, campaignID).
		Scan(&rows).
		Error
	out := make([]readmodel.Import, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Import{
			ID:       r.ID,
			Number:   r.Seq,
			Kind:     r.Kind,
			Files:    r.Files,
			By:       r.Login,
			At:       r.At.Time(),
			Brought:  r.Brought,
			Undone:   r.UndoneAt.Time(),
			UndoneBy: r.UndoneBy,
		}
	}
	return out, err
}

// CheckUndo returns an import, and the error that undoing it would return now.
func (s *Store) CheckUndo(ctx context.Context, c campaign.Campaign, importID string) (readmodel.Import, error) {
	imports, err := s.Imports(ctx, c.ID)
	if err != nil {
		return readmodel.Import{}, err
	}
	i := slices.IndexFunc(imports, func(i readmodel.Import) bool { return i.ID == importID })
	if i < 0 {
		return readmodel.Import{}, fmt.Errorf("import: %w", campaign.ErrNotFound)
	}
	u, err := s.undoing(s.db.Read(ctx), c, importID)
	if err == nil {
		err = u.refuseJudged(s.db.Read(ctx))
	}
	return imports[i], err
}

// undoing reads an import and checks that it can be undone.
func (s *Store) undoing(db *gorm.DB, c campaign.Campaign, importID string) (*undoing, error) {
	u := &undoing{s: s, c: c}
	if err := u.read(db, importID); err != nil {
		return nil, err
	}
	if err := records.RefuseCompleting(db, c.ID); err != nil {
		return nil, err
	}
	return u, u.check(db)
}

// read reads the row of the import.
func (u *undoing) read(db *gorm.DB, importID string) error {
	err := db.Raw("SELECT id, seq, kind, files, at, brought, after_position, last_position, restores, undone_at FROM imports WHERE campaign_id = ? AND id = ?", u.c.ID, importID).
		Take(&u.row).
		Error
	if errors.Is(err, campaign.ErrNotFound) {
		return fmt.Errorf("import: %w", campaign.ErrNotFound)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(u.row.Restores), &u.restores); err != nil {
		return fmt.Errorf("decode what an import changed: %w", err)
	}
	return nil
}

// broughtSystems reports whether the import brought texts and no translation is left without it, so that it brought the systems.
func (u *undoing) broughtSystems(tx *database.Tx) (brought bool, err error) {
	after, last := u.row.AfterPosition, u.row.LastPosition
	err = database.Scan(tx.Raw(`SELECT (? OR EXISTS (SELECT 1 FROM import_translations x WHERE x.import_id = ?)) AND NOT EXISTS (SELECT 1 FROM all_systems y JOIN translations t ON t.system_id = y.id JOIN all_segments g ON g.id = t.segment_id
		WHERE y.campaign_id = ? AND (g.position <= ? OR g.position > ?) AND NOT EXISTS (SELECT 1 FROM import_translations x WHERE x.translation_id = t.id AND x.import_id = ?))`,
		last > after, u.row.ID, u.c.ID, after, last, u.row.ID), &brought)
	return brought, err
}

// hide gives the staging to the import, which hides all rows that the import brought, and
// restores the rows that the import replaced.
func (u *undoing) hide(tx *database.Tx, stagingID string, rated ratedBefore, byID string) error {
	after, last := u.row.AfterPosition, u.row.LastPosition
	systems, err := u.broughtSystems(tx)
	if err != nil {
		return err
	}
	hides := last > after
	if !hides {
		after = math.MaxInt32
	}
	for _, of := range []struct {
		sql  string
		args []any
	}{
		{"UPDATE staged_imports SET id = ?, after_position = ?, hides_systems = ? WHERE campaign_id = ? AND id = ?",
			[]any{u.row.ID, after, systems || after == 0, u.c.ID, stagingID}},
		{"DELETE FROM hidden_imports WHERE id = ?", []any{stagingID}},
		{"INSERT INTO hidden_imports (id, campaign_id) VALUES (?, ?)", []any{u.row.ID, u.c.ID}},
		{"UPDATE metrics SET name = id, staged = TRUE WHERE campaign_id = ? AND import_id = ? AND NOT staged", []any{u.c.ID, u.row.ID}},
		{"UPDATE metrics SET name = replaced_name, staged = FALSE, replaced_by = '', replaced_name = '' WHERE campaign_id = ? AND replaced_by = ?", []any{u.c.ID, u.row.ID}},
		{"UPDATE imports SET undone_at = ?, undone_by = ? WHERE id = ?", []any{database.InstantOf(tx.Now()), database.OrNull(byID), u.row.ID}},
	} {
		if err := tx.Exec(of.sql, of.args...).Error; err != nil {
			return err
		}
	}
	for _, j := range u.restores.Judges {
		if err := tx.Exec("UPDATE all_judges SET method = ?, model = ?, about = ? WHERE id = ?",
			j.Method, j.Model, j.About, j.ID).Error; err != nil {
			return err
		}
	}
	counted := desk.SumTable{}
	if hides {
		counting, err := desk.CountingOf(tx.DB, u.c)
		if err != nil {
			return err
		}
		if err := counting.Uncount(tx.DB, after, last); err != nil {
			return err
		}
		counted = counting.Change
	}
	if err := u.takeBack(tx, rated); err != nil {
		return err
	}
	if err := desk.AddSums(tx, u.c.ID, counted); err != nil {
		return err
	}
	if err := desk.NoteImport(tx, u.c.ID); err != nil {
		return err
	}
	if err := u.s.outbox.Tell(tx, u.c.ID, outbox.ImportUndone,
		outbox.Import{Kind: u.row.Kind, Files: u.row.Files, Brought: u.row.Brought}); err != nil {
		return err
	}
	return u.s.records.Audit(tx, u.c.ID, byID, "undo import "+u.row.Kind, fmt.Sprintf("%s: %s", u.row.Files, u.row.Brought), "")
}

// A ratedBefore tells of the segments that stay and have ratings of an import.
type ratedBefore struct {
	segments   int      // the number of these segments
	annotators []string // the ids of the users whom the ratings are of, sorted
}

// rated finds the segments that stay and have ratings of the import. It may take long. While the
// program holds the campaign's staging, no segment is added, and people can only be removed.
func (u *undoing) rated(db *gorm.DB) (r ratedBefore, err error) {
	err = database.Scan(db.Raw("SELECT count(*) FROM import_segments x JOIN segments g ON g.id = x.segment_id WHERE x.import_id = ?", u.row.ID), &r.segments)
	if err != nil || r.segments == 0 {
		return r, err
	}
	err = db.Raw(`SELECT DISTINCT a.user_id FROM import_segments x JOIN assignments a ON a.segment_id = x.segment_id
		JOIN import_assignments b ON b.assignment_id = a.id AND b.import_id = x.import_id WHERE x.import_id = ?`, u.row.ID).Scan(&r.annotators).Error
	slices.Sort(r.annotators)
	return r, err
}

// takeBack notes that the ratings of the import on segments that stay are to be removed in steps.
func (u *undoing) takeBack(tx *database.Tx, rated ratedBefore) error {
	if rated.segments == 0 {
		return u.s.endUndoing(tx, u.c, u.row.ID)
	}
	return tx.Exec("INSERT INTO completing_imports (campaign_id, id, annotators, ratings, undoing) VALUES (?, ?, ?, ?, ?)",
		u.c.ID, u.row.ID, strings.Join(rated.annotators, " "), rated.segments, true).Error
}

// endUndoing restores the members, the severities and categories, and the languages that an
// import changed, and deletes the translations that it added to segments that stay. The caller
// has removed all ratings of the import. Afterwards only hidden rows remain to be deleted.
func (s *Store) endUndoing(tx *database.Tx, c campaign.Campaign, importID string) error {
	u := &undoing{s: s, c: c}
	if err := u.read(tx.DB, importID); err != nil {
		return err
	}
	for _, restore := range []func(*database.Tx) error{u.removeLate, u.removeMembers, u.restoreTerms, u.restoreLanguages} {
		if err := restore(tx); err != nil {
			return err
		}
	}
	return tx.Exec("UPDATE staged_imports SET dropped = TRUE WHERE campaign_id = ? AND id = ?", c.ID, importID).Error
}

// removeLate deletes the translations that the import added to segments that stay.
func (u *undoing) removeLate(tx *database.Tx) error {
	var ids []string
	err := tx.Raw(`SELECT t.segment_id FROM import_translations x JOIN translations t ON t.id = x.translation_id JOIN segments g ON g.id = t.segment_id WHERE x.import_id = ?
		UNION SELECT x.segment_id FROM import_candidates x JOIN segments g ON g.id = x.segment_id WHERE x.import_id = ?`, u.row.ID, u.row.ID).
		Scan(&ids).
		Error
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return err
	}
	for _, of := range []struct {
		sql  string
		args []any
	}{
		{"DELETE FROM translations WHERE id IN (SELECT x.translation_id FROM import_translations x WHERE x.import_id = ?) AND segment_id IN (SELECT id FROM segments WHERE campaign_id = ?)", []any{u.row.ID, u.c.ID}},
		{"DELETE FROM candidates WHERE (segment_id, name) IN (SELECT x.segment_id, x.name FROM import_candidates x WHERE x.import_id = ?)", []any{u.row.ID}},
	} {
		if err := tx.Exec(of.sql, of.args...).Error; err != nil {
			return err
		}
	}
	empty := "EXISTS (SELECT 1 FROM lineage l WHERE l.segment_id = g.id) AND NOT EXISTS (SELECT 1 FROM translations t WHERE t.segment_id = g.id)"
	if u.c.Rules.OfSegments() {
		empty = "EXISTS (SELECT 1 FROM lineage l WHERE l.segment_id = g.id) AND NOT EXISTS (SELECT 1 FROM candidates t WHERE t.segment_id = g.id)"
	}
	return rounds.EachPart(tx, ids, "INSERT INTO untranslated (segment_id) SELECT g.id FROM all_segments g WHERE g.id IN ? AND "+empty)
}

// removeMembers restores the roles from before the import. It removes the members that the
// import added. A member with other work in the campaign stays, and so does one whose work was set
// aside, or whom an act names. A member whose account the import made stays if the account has got
// a way to sign in. A person whom a lead has made a lead or a researcher since stays that.
func (u *undoing) removeMembers(tx *database.Tx) error {
	const noWork = ` NOT EXISTS (SELECT 1 FROM assignments a JOIN segments g ON g.id = a.segment_id WHERE a.campaign_id = memberships.campaign_id AND a.user_id = memberships.user_id)
		AND NOT EXISTS (SELECT 1 FROM acts c WHERE c.campaign_id = memberships.campaign_id AND memberships.user_id IN (c.by_id, c.from_id, c.to_id))
		AND NOT EXISTS (SELECT 1 FROM set_asides x WHERE x.campaign_id = memberships.campaign_id AND x.user_id = memberships.user_id)
		AND memberships.role IN ('annotator', 'adjudicator')`
	for _, sql := range []string{
		`UPDATE memberships SET role = x.role, adjudicates = x.adjudicates FROM import_members x
			WHERE x.import_id = ? AND x.role <> '' AND memberships.campaign_id = x.campaign_id AND memberships.user_id = x.user_id
			AND memberships.role IN ('annotator', 'adjudicator') AND NOT EXISTS (SELECT 1 FROM acts c WHERE c.campaign_id = memberships.campaign_id AND c.by_id = memberships.user_id)`,
		`DELETE FROM memberships WHERE EXISTS (SELECT 1 FROM import_members x JOIN users u ON u.id = x.user_id WHERE x.import_id = ? AND x.role = ''
			AND x.campaign_id = memberships.campaign_id AND x.user_id = memberships.user_id AND (u.imported OR NOT x.account)) AND ` + noWork,
	} {
		if err := tx.Exec(sql, u.row.ID).Error; err != nil {
			return err
		}
	}
	return tx.Exec(`DELETE FROM pseudonyms WHERE campaign_id = ? AND user_id IN (SELECT x.user_id FROM import_members x WHERE x.import_id = ?)
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.campaign_id = pseudonyms.campaign_id AND m.user_id = pseudonyms.user_id)`, u.c.ID, u.row.ID).Error
}

// restoreTerms removes the severities and categories that the import added to the campaign. They
// stay if people have worked in the campaign since the import, because the page offered the terms
// to them.
func (u *undoing) restoreTerms(tx *database.Tx) error {
	if len(u.restores.Severities)+len(u.restores.Categories) == 0 {
		return nil
	}
	var worked bool
	err := database.Scan(tx.Raw(`SELECT EXISTS (SELECT 1 FROM assignments a WHERE a.campaign_id = ? AND a.touched_at >= ? AND NOT a.imported
		AND (a.state NOT IN ('open', 'released') OR EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)))`, u.c.ID, u.row.At), &worked)
	if err != nil || worked {
		return err
	}
	own := protocol.Own{
		Severities: slices.DeleteFunc(slices.Clone(u.c.Own.Severities), func(s string) bool { return slices.Contains(u.restores.Severities, s) }),
		Categories: slices.DeleteFunc(slices.Clone(u.c.Own.Categories), func(s string) bool { return slices.Contains(u.restores.Categories, s) }),
	}
	return tx.Exec("UPDATE campaigns SET own_terms = ? WHERE id = ?", records.EncodeOwn(own), u.c.ID).Error
}

// restoreLanguages removes the languages that the import gave to the campaign.
func (u *undoing) restoreLanguages(tx *database.Tx) error {
	source, target := u.c.SourceLang, u.c.TargetLang
	if u.restores.SourceLang {
		source = ""
	}
	if u.restores.TargetLang {
		target = ""
	}
	return tx.Exec("UPDATE campaigns SET source_lang = ?, target_lang = ? WHERE id = ?", source, target, u.c.ID).Error
}
