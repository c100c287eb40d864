package intake

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// publish makes the annotators of the import, and what it says of terms, part of the
// campaign. Then it makes the staged ratings its ratings or, where they are many, says
// that this is about to be done. Adjudications need the states that follow from the
// ratings, so that a file with adjudications becomes visible in this one transaction.
func (im *ratingImport) publish(tx *database.Tx, c campaign.Campaign, report *records.ImportReport) error {
	if im.problems.Count() > 0 {
		return im.adjudicateIn(tx, report) // which tells what is wrong with adjudications
	}
	if rounds.WeighDifferently(im.c.Rules, c.Rules) || !reflect.DeepEqual(im.c.Own, c.Own) {
		return fmt.Errorf("what scores are made of was changed while the import was under way; import again: %w", campaign.ErrConflict)
	}
	if err := im.makeAnnotators(tx, report); err != nil {
		return err
	}
	if err := im.refuseBegun(tx.DB); err != nil {
		return err
	}
	large := im.count > im.s.PlaceAtOnce && len(im.judged) == 0
	for placed := 1; placed > 0 && !large; {
		p, err := im.s.placeRatings(tx, c, placedSegments)
		if err != nil {
			return err
		}
		placed = p.ratings
		report.Decide(p.moves)
	}
	if err := im.adjudicateIn(tx, report); err != nil {
		return err
	}
	report.Ratings = im.count
	report.NewAnnotators = append(report.NewAnnotators, im.created...)
	slices.Sort(report.NewAnnotators)
	if err := im.terms.Save(tx, c.ID, report); err != nil {
		return err
	}
	if large {
		return im.beginCompleting(tx)
	}
	return nil
}

// adjudicateIn is adjudicate in the last transaction.
func (im *ratingImport) adjudicateIn(tx *database.Tx, report *records.ImportReport) error {
	im.tx, im.created = tx, nil
	clear(im.judges)
	between := im.db
	im.db = tx.DB // which has what the transaction has changed
	defer func() { im.db = between }()
	return im.adjudicate(report)
}

// refuseBegun is an ErrConflict where an annotator of the import has begun or changed
// work since the import began that it has ratings of. Nobody begins any before the
// transaction ends, since it holds the campaign.
func (im *ratingImport) refuseBegun(db *gorm.DB) error {
	var login, segment string
	// CROSS JOIN and the list of all states have SQLite begin with the few assignments.
	err := database.Scan(db.Raw(`SELECT u.login, g.segment_id FROM assignments a CROSS JOIN staged_ratings r CROSS JOIN users u CROSS JOIN segments g
		WHERE a.campaign_id = ? AND a.state IN ('open', 'submitted', 'released', 'problem', 'adjudicating', 'adjudicated') AND a.touched_at > ?
		AND r.campaign_id = a.campaign_id AND r.segment_id = a.segment_id AND r.user_id = a.user_id AND r.round = a.round
		AND u.id = a.user_id AND g.id = a.segment_id LIMIT 1`, im.c.ID, im.began), &login, &segment)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s worked on segment %q while the import was under way; import again: %w", login, segment, campaign.ErrConflict)
}
