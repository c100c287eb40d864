package intake

import (
	"cmp"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/rounds"
	"annotate/internal/wording"
)

// check returns nil if the import can be undone, and otherwise an ErrConflict with the reason.
func (u *undoing) check(db *gorm.DB) error {
	if u.row.UndoneAt != 0 {
		return fmt.Errorf("the import of %s was undone already: %w", wording.Files(u.row.Files), campaign.ErrConflict)
	}
	if u.row.Kind == takeOverKind && u.c.Settings.TakesOver == "auto" {
		return u.refuse("the setting follow is auto, so the segments would be taken over again; set it to ask first")
	}
	if err := rounds.ActUnderWay(db, u.c.ID, "try again in a moment"); err != nil {
		return err
	}
	for _, check := range []func(*gorm.DB) error{u.refuseLater, u.refuseWorkOnSegments, u.refuseWorkOnRatings, u.refuseWorkOnTexts} {
		if err := check(db); err != nil {
			return err
		}
	}
	return nil
}

// refuse returns an ErrConflict with the reason why the import can't be undone.
func (u *undoing) refuse(format string, args ...any) error {
	return fmt.Errorf("the import of %s can't be undone: %s: %w",
		wording.Files(u.row.Files), fmt.Sprintf(format, args...), campaign.ErrConflict)
}

// refuseLater refuses if there is a later import that is not undone.
func (u *undoing) refuseLater(db *gorm.DB) error {
	var kind, files string
	err := database.Scan(
		db.Raw("SELECT kind, files FROM imports WHERE campaign_id = ? AND seq > ? AND undone_at = 0 ORDER BY seq DESC LIMIT 1", u.c.ID, u.row.Seq),
		&kind, &files,
	)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	return cmp.Or(err, u.refuse("the later import of %s (%s) may build on it; undo that one first", wording.Files(files), kind))
}

// refuseJudged refuses if a judge that the import brought has been run since, or if a judge has
// judged what the import brought. It may take long.
func (u *undoing) refuseJudged(db *gorm.DB) error {
	for _, of := range []struct {
		how, query string
		args       []any
	}{
		{"has been run here since", "j.import_id = ? AND EXISTS (SELECT 1 FROM judge_runs r WHERE r.judge_id = j.id)", []any{u.row.ID}},
		{"has judged what it brought", `EXISTS (SELECT 1 FROM all_judgements x JOIN translations t ON t.id = x.translation_id
			JOIN all_segments g ON ` + brought + " WHERE x.judge_id = j.id AND x.import_id = '')", u.of()},
	} {
		var judge string
		err := database.Scan(
			db.Raw("SELECT j.name FROM all_judges j WHERE j.campaign_id = ? AND "+of.query+" LIMIT 1", append([]any{u.c.ID}, of.args...)...), &judge,
		)
		if !errors.Is(err, database.ErrNoRows) {
			return cmp.Or(err, u.refuse("the judge %s %s", judge, of.how))
		}
	}
	return nil
}

// brought is the SQL condition that the import brought the translation t of the segment g. The
// method [undoing.of] has its parameters. A query names g before t.
const brought = "t.segment_id = g.id AND g.campaign_id = ? AND (g.position > ? AND g.position <= ? OR EXISTS (SELECT 1 FROM import_translations late WHERE late.translation_id = t.id AND late.import_id = ?))"

// of returns the parameters of [brought].
func (u *undoing) of() []any {
	return []any{u.c.ID, u.row.AfterPosition, u.row.LastPosition, u.row.ID}
}

// bringsTexts reports whether the import brought segments or translations.
func (u *undoing) bringsTexts(db *gorm.DB) (bool, error) {
	if u.row.LastPosition > u.row.AfterPosition {
		return true, nil
	}
	var late bool
	err := database.Scan(
		db.Raw(
			"SELECT EXISTS (SELECT 1 FROM import_translations WHERE import_id = ?) OR EXISTS (SELECT 1 FROM import_candidates WHERE import_id = ?)",
			u.row.ID, u.row.ID,
		),
		&late,
	)
	return late, err
}

// refuseWorked refuses if a query finds segments that somebody has worked on. from is the query
// from its FROM on. It names the segments g and the users w.
func (u *undoing) refuseWorked(db *gorm.DB, from string, args ...any) error {
	var n int
	if err := database.Scan(db.Raw("SELECT count(DISTINCT g.id) "+from, args...), &n); err != nil || n == 0 {
		return err
	}
	var segment, login string
	if err := database.Scan(db.Raw("SELECT g.segment_id, w.login "+from+" ORDER BY g.position, w.login LIMIT 1", args...),
		&segment, &login); err != nil {
		return err
	}
	return u.refuse(
		"%s that it is about %s been worked on since, such as %q by %s", wording.Counted(n, "segment"), wording.Choose(n, "has", "have"), segment,
		login,
	)
}

// begun is the SQL condition that somebody has begun the assignment a and that the import did not
// make it. An assignment that is only open, without a draft, is not begun. Both parameters are the id of the import.
const begun = `(a.state NOT IN ('open', 'released') OR a.set_aside <> '' OR EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)
		OR EXISTS (SELECT 1 FROM problems p WHERE p.assignment_id = a.id))
	AND NOT EXISTS (SELECT 1 FROM import_assignments x WHERE x.assignment_id = a.id AND x.import_id = ?)
	AND NOT EXISTS (SELECT 1 FROM act_assignments x WHERE x.assignment_id = a.id AND x.batch = ? AND x.state = 'adjudicating')`

// refuseWorkOnSegments refuses if people have worked on segments or translations that the
// import brought.
func (u *undoing) refuseWorkOnSegments(db *gorm.DB) error {
	texts, err := u.bringsTexts(db)
	if err != nil || !texts {
		return err
	}
	const segments = " g.campaign_id = ? AND g.position > ? AND g.position <= ? "
	in := []any{u.c.ID, u.row.AfterPosition, u.row.LastPosition}
	err = u.refuseWorked(
		db,
		"FROM all_segments g CROSS JOIN assignments a CROSS JOIN users w WHERE"+segments+"AND a.segment_id = g.id AND w.id = a.user_id AND "+begun,
		append(in, u.row.ID, u.row.ID)...)
	if err != nil {
		return err
	}
	err = u.refuseActs(
		db, "FROM acts c JOIN all_segments g ON g.id = c.segment_id WHERE c.campaign_id = ? AND c.batch <> ? AND g.position > ? AND g.position <= ?",
		u.c.ID, u.row.ID, u.row.AfterPosition, u.row.LastPosition,
	)
	if err != nil {
		return err
	}
	err = u.refuseWorked(
		db,
		"FROM all_segments g CROSS JOIN threads h CROSS JOIN messages m CROSS JOIN users w WHERE"+segments+"AND h.segment_id = g.id AND m.thread_id = h.id AND w.id = m.author_id",
		in...)
	if err != nil {
		return err
	}
	return u.refuseWorked(db, `FROM (SELECT t.segment_id, x.import_id FROM import_translations x JOIN translations t ON t.id = x.translation_id
			UNION SELECT x.segment_id, x.import_id FROM import_candidates x) late JOIN all_segments g ON g.id = late.segment_id
		JOIN assignments a ON a.segment_id = g.id JOIN users w ON w.id = a.user_id WHERE late.import_id = ? AND `+begun, u.row.ID, u.row.ID, u.row.ID)
}

// refuseActs refuses if a query finds acts of leads. from is the query from its FROM on. It names
// the segments g.
func (u *undoing) refuseActs(db *gorm.DB, from string, args ...any) error {
	var n int
	if err := database.Scan(db.Raw("SELECT count(DISTINCT g.id) "+from, args...), &n); err != nil || n == 0 {
		return err
	}
	var segment string
	if err := database.Scan(db.Raw("SELECT g.segment_id "+from+" ORDER BY g.position LIMIT 1", args...), &segment); err != nil {
		return err
	}
	return u.refuse("a lead has acted since on %s that it is about, such as %q", wording.Counted(n, "segment"), segment)
}

// refuseWorkOnRatings refuses if people have worked on segments since the import brought
// ratings of them.
func (u *undoing) refuseWorkOnRatings(db *gorm.DB) error {
	const touched = "FROM import_segments x JOIN all_segments g ON g.id = x.segment_id "
	// Submitting a rating and taking one back both raise the count of the segment.
	err := u.refuseWorked(db, touched+`JOIN assignments a ON a.segment_id = g.id JOIN users w ON w.id = a.user_id
		WHERE x.import_id = ? AND (g.rated <> x.rated AND a.rated = (SELECT max(b.rated) FROM assignments b WHERE b.segment_id = g.id)
			OR a.round > 1 AND EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id AND d.saved_at >= ?) AND NOT EXISTS (SELECT 1 FROM import_assignments b WHERE b.assignment_id = a.id AND b.import_id = x.import_id)
			OR a.round > 1 AND EXISTS (SELECT 1 FROM problems p WHERE p.assignment_id = a.id AND p.reported_at >= ?)
			OR a.set_aside <> '' AND EXISTS (SELECT 1 FROM import_assignments b WHERE b.assignment_id = a.id AND b.import_id = x.import_id))`, u.row.ID, u.row.At, u.row.At)
	if err != nil {
		return err
	}
	// An annotator keeps the messages about a segment only with an assignment that stays.
	err = u.refuseWorked(db, touched+`JOIN threads h ON h.segment_id = g.id JOIN users w ON w.id = h.user_id
		WHERE x.import_id = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = h.id)
		AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = h.user_id AND (a.round = 1 OR a.started_at < ?)
			AND NOT EXISTS (SELECT 1 FROM import_assignments b WHERE b.assignment_id = a.id AND b.import_id = x.import_id AND b.state = ''))`, u.row.ID, u.row.At)
	if err != nil {
		return err
	}
	return u.refuseActs(
		db,
		"FROM import_segments x JOIN all_segments g ON g.id = x.segment_id JOIN acts c ON c.segment_id = g.id"+` WHERE x.import_id = ? AND (c.batch = x.import_id AND c.undone
		OR c.batch <> x.import_id AND NOT c.undone AND c.rated >= x.rated AND NOT EXISTS (SELECT 1 FROM acts b WHERE b.segment_id = g.id AND b.batch = x.import_id AND b.seq > c.seq))`,
		u.row.ID,
	)
}

// refuseWorkOnTexts refuses if people have seen the suggestions, the terms or the references that the
// import brought.
func (u *undoing) refuseWorkOnTexts(db *gorm.DB) error {
	if u.row.Kind == "suggestions" {
		return u.refuseWorked(db, `FROM all_suggestions s JOIN translations t ON t.id = s.translation_id JOIN all_segments g ON g.id = t.segment_id
			JOIN assignments a ON a.segment_id = g.id JOIN users w ON w.id = a.user_id WHERE s.import_id = ?`, u.row.ID)
	}
	if u.row.Kind == termsKind {
		return u.refuseWorked(db, `FROM all_terms s JOIN all_segments g ON g.id = s.segment_id
			JOIN assignments a ON a.segment_id = g.id JOIN users w ON w.id = a.user_id WHERE s.import_id = ?`, u.row.ID)
	}
	if u.row.Kind == "references" && (u.c.Settings.ShowReference || u.c.Rules.NeedsReference()) {
		return u.refuseWorked(db, `FROM all_reference_texts s JOIN all_segments g ON g.id = s.segment_id
			JOIN assignments a ON a.segment_id = g.id JOIN users w ON w.id = a.user_id WHERE s.import_id = ? AND a.touched_at >= ? AND NOT a.imported
			AND (a.state NOT IN ('open', 'released') OR EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id))`, u.row.ID, u.row.At)
	}
	return nil
}
