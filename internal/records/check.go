package records

import (
	"cmp"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// OwnWork returns the campaigns whose assignments an annotator of c works on as one: c, followed by
// the side campaign of its checks if there is one. Checks have the setting release_hours of c.
func OwnWork(db *gorm.DB, c campaign.Campaign) ([]campaign.Campaign, error) {
	checks, ok, err := FindSide(db, c, campaign.Checks)
	if err != nil || !ok {
		return []campaign.Campaign{c}, err
	}
	checks.Settings.ReleaseHours = c.Settings.ReleaseHours
	return []campaign.Campaign{c, checks}, nil
}

// IDs lists the ids of campaigns.
func IDs(campaigns []campaign.Campaign) []string {
	ids := make([]string, len(campaigns))
	for i, c := range campaigns {
		ids[i] = c.ID
	}
	return ids
}

// SelectOwnIDs is the query of [OwnIDs]. Both of its parameters are the id of the campaign.
const SelectOwnIDs = "SELECT id FROM campaigns WHERE id = ? UNION ALL SELECT id FROM campaigns WHERE part_of = ? AND part_of <> '' AND side = 'checks' AND NOT deleted"

// OwnIDs lists the ids of the campaigns of [OwnWork].
func OwnIDs(db *gorm.DB, campaignID string) (ids []string, err error) {
	err = db.Raw(SelectOwnIDs, campaignID, campaignID).Scan(&ids).Error
	return ids, err
}

// OwnWorkState is an SQL expression for what the annotator may still do with the assignment a
// ([campaign.Work]). A check that is submitted is locked together with the work that was handed out
// before it.
const OwnWorkState = `CASE WHEN a.state = 'submitted' AND a.work = 'asked' THEN coalesce((SELECT w.work FROM check_pages k JOIN assignments w ON w.id = k.lock_with
	WHERE k.segment_id = a.segment_id AND w.state = 'submitted'), a.work) ELSE a.work END`

// ownSetAside is an SQL expression for the state that the assignment a had before its annotator's work
// was set aside; empty if it is not set aside. A check is set aside with the work.
const ownSetAside = `CASE WHEN EXISTS (SELECT 1 FROM check_pages k JOIN campaigns x ON x.id = a.campaign_id JOIN memberships m ON m.campaign_id = x.part_of
	WHERE k.segment_id = a.segment_id AND m.user_id = a.user_id AND m.set_aside) THEN a.state ELSE a.set_aside END`

// OwnDocuments numbers the documents of which a user was handed segments, from 1 in the order in which
// they were handed out, by the id of their row. Annotators see these numbers instead of the ids of
// documents, because an id that does not follow the others would give a check away. It is nil if
// annotators see the ids: in training, and in a campaign that places no checks and has none. c may be a
// side campaign.
func OwnDocuments(db *gorm.DB, c campaign.Campaign, userID string) (map[string]int, error) {
	if c.Side == campaign.Training {
		return nil, nil
	}
	campaigns, err := OwnIDs(db, cmp.Or(c.PartOf, c.ID))
	if err != nil || len(campaigns) == 1 && c.Settings.CheckRate <= 0 {
		return nil, err
	}
	var ids []string
	err = db.Raw("SELECT a.in_document FROM assignments a WHERE a.user_id = ? AND a.campaign_id IN ? AND "+Annotates+" GROUP BY a.in_document ORDER BY min(a.started_at), a.in_document",
		userID, campaigns).
		Scan(&ids).
		Error
	numbers := make(map[string]int, len(ids))
	for i, id := range ids {
		numbers[id] = i + 1
	}
	return numbers, err
}

// LockOf finds the assignments with which the pages of a check are locked: at most n of the user's
// own in the campaign, the latest first.
func LockOf(db *gorm.DB, campaignID, userID string, n int) (ids []string, err error) {
	err = db.Raw("SELECT id FROM assignments WHERE user_id = ? AND campaign_id = ? AND round = 1 AND NOT imported ORDER BY started_at DESC, id DESC LIMIT ?", userID, campaignID, n).
		Scan(&ids).
		Error
	return ids, err
}

// A CheckCopy copies a document of a campaign into the side campaign of its checks.
type CheckCopy struct {
	Checks   campaign.Campaign // the side campaign
	Document string            // id of the document that is copied
	DocID    string            // the id that the copy has in the side campaign
}

// Texts are the segments of a document with their translations.
type copiedSegment struct{ ID, SegmentID, Domain, DataSource, Source, Context, Note, Term, Explication string }

// A CopiedTranslation is a translation of a document that is copied.
type CopiedTranslation struct {
	ID, SegmentID, System, Text string
	Suggested                   bool // it has suggested error spans
}

// ReadTranslations reads the translations of a document, by place of the segment, then by system.
func (k CheckCopy) ReadTranslations(db *gorm.DB) (out []CopiedTranslation, err error) {
	err = db.Raw(`SELECT t.id, t.segment_id, y.name AS system, t.text, EXISTS (SELECT 1 FROM suggestions x WHERE x.translation_id = t.id) AS suggested
		FROM segments s JOIN translations t ON t.segment_id = s.id JOIN all_systems y ON y.id = t.system_id WHERE s.document_id = ? ORDER BY s.position, y.name`, k.Document).Scan(&out).Error
	return out, err
}

// Copy writes the copy, with texts in the place of those of translations, by their id. It returns the
// ids of the copies, by the ids of the segments and the translations that are copied, and the copied
// segments in order. The caller holds the lock of the campaign.
func (k CheckCopy) Copy(tx *database.Tx, texts map[string]string) (copies map[string]string, segments []string, err error) {
	var rows []copiedSegment
	if err := tx.Raw("SELECT id, segment_id, domain, data_source, source, context, note, term, explication FROM segments WHERE document_id = ? ORDER BY position", k.Document).Scan(&rows).Error; err != nil {
		return nil, nil, err
	}
	translations, err := k.ReadTranslations(tx.DB)
	if err != nil {
		return nil, nil, err
	}
	var position int
	if err := database.Scan(tx.Raw("SELECT coalesce(max(position), 0) FROM all_segments WHERE campaign_id = ?", k.Checks.ID), &position); err != nil {
		return nil, nil, err
	}
	systems, err := k.systems(tx, translations)
	if err != nil {
		return nil, nil, err
	}
	copies = map[string]string{}
	document := database.NewID()
	if err := tx.Exec("INSERT INTO documents (id, campaign_id, doc_id) VALUES (?, ?, ?)", document, k.Checks.ID, k.DocID).Error; err != nil {
		return nil, nil, err
	}
	into := database.NewRows(
		"all_segments", "id", "campaign_id", "document_id", "segment_id", "position", "domain", "data_source",
		"source", "context", "note", "term",
		"explication",
	)
	for i, r := range rows {
		copies[r.ID] = database.NewID()
		segments = append(segments, r.ID)
		into.Add(copies[r.ID], k.Checks.ID, document, r.SegmentID, position+1+i, r.Domain, r.DataSource, r.Source, r.Context,
			r.Note, r.Term, r.Explication)
		tx.TouchSegments(copies[r.ID])
	}
	if err := into.Insert(tx); err != nil {
		return nil, nil, err
	}
	into = database.NewRows("translations", "id", "segment_id", "system_id", "text")
	for _, t := range translations {
		copies[t.ID] = database.NewID()
		text, ok := texts[t.ID]
		if !ok {
			text = t.Text
		}
		into.Add(copies[t.ID], copies[t.SegmentID], systems[t.System], text)
	}
	if err := into.Insert(tx); err != nil {
		return nil, nil, err
	}
	return copies, segments, k.copyRest(tx, copies)
}

// systems finds the ids of the systems in the side campaign, by name. It makes those that are missing.
func (k CheckCopy) systems(tx *database.Tx, translations []CopiedTranslation) (map[string]string, error) {
	var rows []struct{ ID, Name string }
	if err := tx.Raw("SELECT id, name FROM all_systems WHERE campaign_id = ?", k.Checks.ID).Scan(&rows).Error; err != nil {
		return nil, err
	}
	ids, made := map[string]string{}, database.NewRows("all_systems", "id", "campaign_id", "name")
	for _, r := range rows {
		ids[r.Name] = r.ID
	}
	for _, t := range translations {
		if ids[t.System] == "" {
			ids[t.System] = database.NewID()
			made.Add(ids[t.System], k.Checks.ID, t.System)
		}
	}
	return ids, made.Insert(tx)
}

// copyRest copies the references, the candidates, the suggested error spans and the given terms.
func (k CheckCopy) copyRest(tx *database.Tx, copies map[string]string) error {
	var references []struct{ SegmentID, Name, Text string }
	err := tx.Raw("SELECT r.segment_id, r.name, r.text FROM reference_texts r JOIN segments s ON s.id = r.segment_id WHERE s.document_id = ?", k.Document).
		Scan(&references).
		Error
	if err != nil {
		return err
	}
	into := database.NewRows("all_reference_texts", "segment_id", "name", "text")
	for _, r := range references {
		into.Add(copies[r.SegmentID], r.Name, r.Text)
	}
	if err := into.Insert(tx); err != nil {
		return err
	}
	var candidates []struct{ SegmentID, Name, Text string }
	err = tx.Raw("SELECT c.segment_id, c.name, c.text FROM candidates c JOIN segments s ON s.id = c.segment_id WHERE s.document_id = ?", k.Document).
		Scan(&candidates).
		Error
	if err != nil {
		return err
	}
	into = database.NewRows("candidates", "segment_id", "name", "text")
	for _, c := range candidates {
		into.Add(copies[c.SegmentID], c.Name, c.Text)
	}
	if err := into.Insert(tx); err != nil {
		return err
	}
	var suggested []struct{ TranslationID, Origin, Spans string }
	err = tx.Raw("SELECT x.translation_id, x.origin, x.spans FROM segments s JOIN translations t ON t.segment_id = s.id JOIN suggestions x ON x.translation_id = t.id WHERE s.document_id = ?", k.Document).
		Scan(&suggested).
		Error
	if err != nil {
		return err
	}
	into = database.NewRows("all_suggestions", "translation_id", "import_id", "origin", "spans")
	for _, x := range suggested {
		into.Add(copies[x.TranslationID], "", x.Origin, x.Spans)
	}
	if err := into.Insert(tx); err != nil {
		return err
	}
	var terms []struct{ SegmentID, Terms string }
	err = tx.Raw("SELECT t.segment_id, t.terms FROM segments s JOIN given_terms t ON t.segment_id = s.id WHERE s.document_id = ?", k.Document).
		Scan(&terms).
		Error
	if err != nil {
		return err
	}
	into = database.NewRows("all_terms", "segment_id", "import_id", "terms")
	for _, t := range terms {
		into.Add(copies[t.SegmentID], "", t.Terms)
	}
	return into.Insert(tx)
}
