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
	"annotate/internal/readmodel"
)

// An importedAccount is the account of somebody whose ratings or adjudications are
// imported.
type importedAccount struct {
	id    string
	fresh bool // the import makes the account
}

// accountOf is the account of a login. Where there is none yet, its id is empty, and the
// import makes one: the same for somebody who has ratings and adjudications.
func (im *ratingImport) accountOf(login, id string) importedAccount {
	if id != "" {
		return importedAccount{id: id}
	}
	if im.freshIDs[login] == "" {
		im.freshIDs[login] = database.NewID()
	}
	return importedAccount{im.freshIDs[login], true}
}

func accountChanged(login string) error {
	return fmt.Errorf("the account %q was made or changed while the import was under way; import again: %w", login, campaign.ErrConflict)
}

// findAccount finds the account of a login. It has no id where there is none and one can be
// made; refusal says why none can.
func findAccount(db *gorm.DB, login string) (u accounts.User, refusal string, err error) {
	u, err = accounts.FindUser(db, "login = ?", login)
	if !errors.Is(err, campaign.ErrNotFound) {
		return u, "", err
	}
	err = cmp.Or(campaign.CheckLogin(login), campaign.CheckName("name", login))
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return accounts.User{}, invalid.Msg, nil
	}
	return accounts.User{}, "", err
}

// annotator finds the user of a login, or the one who will have it once the import has made the account; nil
// after a problem.
func (im *ratingImport) annotator(at ratingPlace, login string) (*importedAccount, error) {
	if a := im.annotators[login]; a != nil {
		return a, nil
	}
	id, refusal, err := findAnnotator(im.db, im.c.ID, login)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		im.refuse(at, "annotator", refusal)
		return nil, nil
	}
	if len(im.annotators) == campaign.MaxAnnotators || id == "" && im.members+len(im.freshIDs) >= campaign.MaxAnnotators {
		im.refuse(
			at,
			"annotator",
			fmt.Sprintf(
				"the campaign would have more than %d annotators, the most that are compared with each other; check that this field holds the login of the annotator, or import the ratings into several campaigns",
				campaign.MaxAnnotators,
			),
		)
		return nil, nil
	}
	a := im.accountOf(login, id)
	im.annotators[login] = &a
	return &a, nil
}

// findAnnotator finds the id of the account of a login, empty where there is none yet, or
// says why no ratings of theirs can be imported.
func findAnnotator(db *gorm.DB, campaignID, login string) (id, refusal string, err error) {
	u, refusal, err := findAccount(db, login)
	if err != nil || refusal != "" || u.ID == "" {
		return "", refusal, err
	}
	var role string
	var aside bool
	err = database.Scan(db.Raw("SELECT role, set_aside FROM memberships WHERE campaign_id = ? AND user_id = ?", campaignID, u.ID), &role, &aside)
	switch {
	case errors.Is(err, database.ErrNoRows) && u.Role == accounts.Admin:
		return "", login + " is an admin of the site, who can't be an annotator; correct the login, or give the ratings to another account", nil
	case errors.Is(err, database.ErrNoRows):
	case err != nil:
		return "", "", err
	case role != string(campaign.Annotator):
		return "", fmt.Sprintf(
			"%s has the role %s in this campaign, and only annotators rate; correct the login, or change the role on the page Members", login, role,
		), nil
	case aside:
		return "", fmt.Sprintf("the work of %s is set aside in this campaign; restore it before the import, or leave these ratings out of the file", login), nil
	}
	return u.ID, "", nil
}

// makeAnnotators makes the accounts and memberships of the annotators. It is an
// ErrConflict where one of them can't be an annotator any more.
func (im *ratingImport) makeAnnotators(tx *database.Tx, report *readmodel.ImportReport) error {
	report.NewAnnotators = nil
	for _, login := range slices.Sorted(maps.Keys(im.annotators)) {
		was := im.annotators[login]
		id, refusal, err := findAnnotator(tx.DB, im.c.ID, login)
		switch {
		case err != nil:
			return err
		case refusal != "":
			return fmt.Errorf("%s: %w", refusal, campaign.ErrConflict)
		case was.fresh && id != "" || !was.fresh && id != was.id:
			return accountChanged(login)
		}
		if was.fresh {
			if err := im.s.accounts.AddImportedUser(tx, was.id, login); err != nil {
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
		if err := im.noteMember(tx, *was); err != nil {
			return err
		}
		if err := im.s.accounts.AddImported(tx, im.c.ID, was.id, campaign.Annotator); err != nil {
			return err
		}
	}
	return nil
}

// noteMember stores the role that a user has in the campaign before the import changes it. If the
// import has stored a role of the user already, noteMember changes nothing.
func (im *ratingImport) noteMember(tx *database.Tx, a importedAccount) error {
	return tx.Exec(`INSERT INTO import_members (campaign_id, import_id, user_id, role, adjudicates, account)
		SELECT CAST(? AS TEXT), CAST(? AS TEXT), u.id, CASE WHEN m.removed THEN '' ELSE coalesce(m.role, '') END, coalesce(m.adjudicates, FALSE), CAST(? AS BOOLEAN)
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? WHERE u.id = ? ON CONFLICT DO NOTHING`,
		im.c.ID, im.st.ID, a.fresh, im.c.ID, a.id).Error
}
