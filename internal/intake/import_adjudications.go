package intake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/rounds"
)

// adjudicationRound is the round of a staged rating that is an adjudication.
const adjudicationRound = 0

// A judgedSegment is what a file has of the adjudication of a segment.
type judgedSegment struct {
	at    ratingPlace // of its last line
	login string
	cards map[string]campaign.Place // lines by row id of the translation
}

// stageAdjudications stages the lines of adjudications that were taken, less those it
// refuses.
func (im *ratingImport) stageAdjudications() error {
	found, err := im.find(im.judged.lines)
	if err != nil {
		return err
	}
	pending := newStagedRatings()
	for _, line := range im.judged.lines {
		r, at := line, ratingPlace{Place: line.Place}
		of, bad := found.Target(nameOf(r.DocID, r.SegmentID, r.System), at.Place)
		if bad != nil {
			im.problems.Add(bad)
			continue
		}
		given, problems := im.check(at.Place, r.Rating.Rating, of.Texts)
		for _, p := range problems {
			im.refuse(at, p.Field, p.Msg)
		}
		if len(problems) > 0 {
			continue
		}
		by, err := im.adjudicator(at, r.Annotator)
		if err != nil {
			return err
		}
		if by == nil || !im.oneAdjudication(at, of, r.Annotator) {
			continue
		}
		im.stageRating(pending, at, of, by.id, adjudicationRound, given, r.Seconds, r.SubmittedAt)
	}
	im.judged.clear()
	return im.insertStaged(pending)
}

// oneAdjudication notes that the file has a line of the adjudication of a segment, and
// refuses the line if the segment or the translation has another adjudication in the file.
func (im *ratingImport) oneAdjudication(at ratingPlace, of foundTarget, login string) bool {
	seg := im.segments[of.Segment]
	if seg == nil {
		seg = &judgedSegment{login: login, cards: map[string]campaign.Place{}}
		im.segments[of.Segment] = seg
	}
	if seg.login != login {
		im.refuse(
			at,
			"adjudicated",
			fmt.Sprintf(
				"the segment is adjudicated twice, by %s at %s:%d and by %s here; keep the lines of one of them", seg.login, seg.at.File, seg.at.Line,
				login,
			),
		)
		return false
	}
	if first, twice := seg.cards[of.Translation]; twice {
		im.refuse(at, "adjudicated", fmt.Sprintf("the translation is adjudicated twice, at %s:%d and here; keep one of the lines", first.File, first.Line))
		return false
	}
	seg.at, seg.cards[of.Translation] = at, at.Place
	return true
}

// checkWhole refuses adjudications that lack a translation of their segment.
func (im *ratingImport) checkWhole() error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(im.segments)), rounds.FollowBatch) {
		var rows []struct{ ID, SegmentID, Name string }
		err := im.db.Raw("SELECT t.id, t.segment_id, y.name FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id IN ? ORDER BY t.segment_id, y.name", ids).
			Scan(&rows).
			Error
		if err != nil {
			return err
		}
		lacks := map[string][]string{}
		for _, r := range rows {
			if _, ok := im.segments[r.SegmentID].cards[r.ID]; !ok {
				lacks[r.SegmentID] = append(lacks[r.SegmentID], r.Name)
			}
		}
		for id, systems := range lacks {
			im.refuse(
				im.segments[id].at,
				"adjudicated",
				fmt.Sprintf(
					"the adjudication of the segment lacks a line for the translation by %s; add it, since an adjudication has a line for each translation of its segment",
					strings.Join(systems, ", "),
				),
			)
		}
	}
	return nil
}

// refuseDecided refuses the adjudications of segments that are decided already. It is an
// ErrConflict while an act is being done on many segments of the campaign, which may be
// about to decide some of them.
func (im *ratingImport) refuseDecided(db *gorm.DB) error {
	if len(im.segments) == 0 {
		return nil
	}
	if err := rounds.ActUnderWay(db, im.c.ID, "import again in a moment"); err != nil {
		return err
	}
	var rows []struct{ SegmentID, Kind string }
	err := db.Raw("SELECT c.segment_id, c.kind FROM acts c JOIN all_segments g ON g.id = c.segment_id AND g.holding = c.id WHERE c.campaign_id = ?", im.c.ID).
		Scan(&rows).
		Error
	for _, r := range rows {
		if seg := im.segments[r.SegmentID]; seg != nil {
			im.refuse(
				seg.at, "adjudicated",
				fmt.Sprintf("the segment is decided here already: %s; take that back before the import, or leave its adjudication out of the file", r.Kind),
			)
		}
	}
	return err
}

// An importedAdjudicator is somebody whose adjudications are imported.
type importedAdjudicator struct {
	importedAccount
	at ratingPlace // of their first line
}

// adjudicator finds the user of a login, or the one who will have it once the import has made the account; nil
// after a problem.
func (im *ratingImport) adjudicator(at ratingPlace, login string) (*importedAdjudicator, error) {
	if a := im.adjudicators[login]; a != nil {
		return a, nil
	}
	u, refusal, err := findAccount(im.db, login)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		im.refuse(at, "annotator", refusal)
		return nil, nil
	}
	a := &importedAdjudicator{im.accountOf(login, u.ID), at}
	im.adjudicators[login] = a
	return a, nil
}

// makeAdjudicators makes the accounts of the adjudicators, and makes them adjudicators, unless they
// were removed from the campaign. It comes after makeAnnotators, since somebody may be both.
func (im *ratingImport) makeAdjudicators(tx *database.Tx, report *readmodel.ImportReport) error {
	for _, login := range slices.Sorted(maps.Keys(im.adjudicators)) {
		if err := im.makeAdjudicator(tx, login, report); err != nil {
			return err
		}
	}
	slices.Sort(report.NewAnnotators)
	return nil
}

func (im *ratingImport) makeAdjudicator(tx *database.Tx, login string, report *readmodel.ImportReport) error {
	a := im.adjudicators[login]
	u, refusal, err := findAccount(tx.DB, login)
	switch {
	case err != nil:
		return err
	case refusal != "":
		return fmt.Errorf("%s: %w", refusal, campaign.ErrConflict)
	case u.ID == a.id: // be it since this transaction made the account of an annotator
	case u.ID != "" || !a.fresh:
		return accountChanged(login)
	default:
		if err := im.s.accounts.AddImportedUser(tx, a.id, login); err != nil {
			return err
		}
		report.NewAnnotators = append(report.NewAnnotators, login)
	}
	who, err := rounds.AdjudicatingOf(tx.DB, im.c.ID, a.id)
	if err != nil || who.May {
		return err
	}
	var role string
	var imported, removed bool
	err = database.Scan(
		tx.Raw(
			"SELECT coalesce(m.role, ''), u.imported, coalesce(m.removed, FALSE) FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? WHERE u.id = ?",
			im.c.ID, a.id,
		),
		&role, &imported, &removed,
	)
	if err != nil || removed { // an import gives nobody back what a lead has taken away
		return err
	}
	if role == string(campaign.Researcher) || role != "" && !imported {
		im.refuse(
			a.at,
			"annotator",
			fmt.Sprintf(
				"%s has the role %s in this campaign and is no adjudicator; correct the login, or make them an adjudicator on the page Members",
				login, role,
			),
		)
		return nil
	}
	if err := im.noteMember(tx, a.importedAccount); err != nil {
		return err
	}
	err = im.s.accounts.AddImported(tx, im.c.ID, a.id, campaign.Adjudicator)
	if errors.Is(err, campaign.ErrConflict) {
		im.refuse(
			a.at, "annotator",
			fmt.Sprintf("%s can't be an adjudicator here: %s", login, strings.TrimSuffix(err.Error(), ": "+campaign.ErrConflict.Error())),
		)
		return nil
	}
	return err
}
