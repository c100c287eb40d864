package intake

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// An importedAnnotator is somebody whose ratings are imported.
type importedAnnotator struct {
	id    string
	fresh bool // the import makes the account
}

// annotator finds who a login is, or will be once the import has made the account; nil
// after a problem.
func (im *ratingImport) annotator(at ratingPlace, login string) (*importedAnnotator, error) {
	if a := im.annotators[login]; a != nil {
		return a, nil
	}
	a, refusal, err := im.s.importedAnnotator(im.db, im.c.ID, login)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		im.refuse(at, "annotator", refusal)
		return nil, nil
	}
	im.annotators[login] = a
	return a, nil
}

// importedAnnotator finds who a login is, or says why no ratings of theirs can be
// imported.
func (s *Store) importedAnnotator(db *gorm.DB, campaignID, login string) (a *importedAnnotator, refusal string, err error) {
	u, err := accounts.FindUser(db, "login = ?", login)
	if errors.Is(database.Translate(err), campaign.ErrNotFound) {
		err = cmp.Or(campaign.CheckLogin(login), campaign.CheckName("name", login))
		if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
			return nil, invalid.Msg, nil
		}
		return &importedAnnotator{id: database.NewID(), fresh: true}, "", err
	}
	if err != nil {
		return nil, "", err
	}
	var role string
	var aside bool
	err = database.Scan(db.Raw("SELECT role, set_aside FROM memberships WHERE campaign_id = ? AND user_id = ?", campaignID, u.ID), &role, &aside)
	switch {
	case errors.Is(err, database.ErrNoRows) && u.Role == accounts.Admin:
		return nil, login + " is an admin of the site, who can't be an annotator; correct the login, or give the ratings to another account", nil
	case errors.Is(err, database.ErrNoRows):
	case err != nil:
		return nil, "", err
	case role != string(campaign.Annotator):
		return nil, fmt.Sprintf("%s has the role %s in this campaign, and only annotators rate; correct the login, or change the role on the page Members", login, role), nil
	case aside:
		return nil, fmt.Sprintf("the work of %s is set aside in this campaign; restore it before the import, or leave these ratings out of the file", login), nil
	}
	return &importedAnnotator{id: u.ID}, "", nil
}

// makeAnnotators makes the accounts and memberships of the annotators. It is an
// ErrConflict where one of them can't be an annotator any more.
func (im *ratingImport) makeAnnotators(tx *database.Tx, report *records.ImportReport) error {
	report.NewAnnotators = nil
	for _, login := range slices.Sorted(maps.Keys(im.annotators)) {
		was := im.annotators[login]
		is, refusal, err := im.s.importedAnnotator(tx.DB, im.c.ID, login)
		switch {
		case err != nil:
			return err
		case refusal != "":
			return fmt.Errorf("%s: %w", refusal, campaign.ErrConflict)
		case is.fresh != was.fresh || !is.fresh && is.id != was.id:
			return fmt.Errorf("the account %q was made or changed while the import was under way; import again: %w", login, campaign.ErrConflict)
		}
		if was.fresh {
			if err := im.s.AddImportedUser(tx, was.id, login); err != nil {
				return err
			}
			report.NewAnnotators = append(report.NewAnnotators, login)
		}
		var n int
		if err := database.Scan(tx.Raw("SELECT count(*) FROM memberships WHERE campaign_id = ? AND user_id = ?", im.c.ID, was.id), &n); err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		if err := im.s.SetMembership(tx, im.c.ID, was.id, campaign.Annotator, ""); err != nil {
			return err
		}
	}
	return nil
}
