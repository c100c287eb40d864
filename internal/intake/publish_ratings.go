package intake

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/rounds"
)

// publish makes the people of the import, and what it says of terms, part of the campaign.
// Then it makes the staged ratings its ratings or, where they are many, says that this is
// about to be done.
func (im *ratingImport) publish(tx *database.Tx, c campaign.Campaign, report *readmodel.ImportReport) error {
	report.Decided = nil // of an attempt that the database gave up
	if im.problems.Count() > 0 {
		return cmp.Or(im.makeAdjudicators(tx, report), im.refuseDecided(tx.DB)) // which tell what else is wrong
	}
	if rounds.WeighDifferently(im.c.Rules, c.Rules) || !reflect.DeepEqual(im.c.Own, c.Own) {
		return fmt.Errorf("what scores are made of was changed while the import was under way; import again: %w", campaign.ErrConflict)
	}
	if err := im.makeAnnotators(tx, report); err != nil {
		return err
	}
	if err := im.makeAdjudicators(tx, report); err != nil {
		return err
	}
	if err := im.refuseBegun(tx.DB); err != nil {
		return err
	}
	if err := im.refuseDecided(tx.DB); err != nil || im.problems.Count() > 0 {
		return err
	}
	report.Ratings = im.count
	if err := im.terms.Save(tx, c.ID, report); err != nil {
		return err
	}
	if im.count+im.s.db.PlaceAtOnce*len(im.segments)/adjudicatedAtOnce > im.s.db.PlaceAtOnce {
		return im.beginCompleting(tx)
	}
	c.Rules, c.Own = im.terms.Rules, im.terms.Own
	for placed := 1; placed > 0; {
		p, err := im.s.placeRatings(tx, c, im.origin(), im.s.placedSegments())
		if err != nil {
			return err
		}
		placed = p.ratings
		report.Decide(p.moves)
	}
	return nil
}

// adjudicatedAtOnce is up to how many adjudicated segments become visible in one
// transaction. Each takes as long as several ratings.
const adjudicatedAtOnce = 100

// origin is what placing the ratings of the import needs to know of it.
func (im *ratingImport) origin() importOrigin {
	return importOrigin{im.st.ID, im.opt.File, im.opt.ByID}
}

// refuseBegun is an ErrConflict where an annotator of the import has begun, since the import
// looked at it, work that it has ratings of: what mayRate and stageRatings refuse. Nobody is
// handed any before the transaction ends, since it holds the campaign.
func (im *ratingImport) refuseBegun(db *gorm.DB) error {
	var known []string // who can have assignments
	for _, a := range im.annotators {
		if !a.fresh {
			known = append(known, a.id)
		}
	}
	if len(known) == 0 {
		return nil
	}
	var login, segment string
	// CROSS JOIN has SQLite begin with the assignments of these annotators.
	err := database.Scan(db.Raw(`SELECT u.login, g.segment_id FROM assignments a CROSS JOIN staged_ratings r CROSS JOIN users u CROSS JOIN segments g
		WHERE a.user_id IN ? AND a.campaign_id = ? AND r.campaign_id = a.campaign_id AND r.segment_id = a.segment_id AND r.user_id = a.user_id AND r.round = a.round
		AND CASE WHEN a.state = 'submitted' THEN EXISTS (SELECT 1 FROM ratings x WHERE x.assignment_id = a.id AND x.translation_id = r.translation_id)
			ELSE a.round = 1 OR a.state = 'problem' OR EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id) END
		AND u.id = a.user_id AND g.id = a.segment_id LIMIT 1`, known, im.c.ID), &login, &segment)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s worked on segment %q while the import was under way; import again: %w", login, segment, campaign.ErrConflict)
}
