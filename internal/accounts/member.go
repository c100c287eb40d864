package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unique"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A Membership is what a user may do in a campaign.
type Membership struct {
	User User
	readmodel.Member
	SetAside bool // a lead has set the work here aside
	// Active is true of an annotator who can sign in and is not set aside. Only active
	// annotators are waited for and handed work.
	Active bool
}

// SetMembership gives a user a role in a campaign, or changes the role. byID is the user who
// asked for it. Annotators and adjudicators must not see the ratings of others, so some changes
// are refused with ErrConflict: a person who has annotated stays an annotator; a lead or
// researcher can't become an annotator or adjudicator once there are ratings; a site admin never
// can. An annotator who is made an adjudicator is both, until they are made an annotator again.
//
// An invitation of the user to the campaign is answered by that. Credentials of the user end if they
// have a holder who may not do everything that the user may do now ([endOutOfReach]); SetMembership
// returns which.
func (s *Store) SetMembership(tx *database.Tx, campaignID, userID string, role campaign.Role, byID string) ([]Ended, error) {
	c, err := records.LockToChange(tx, campaignID)
	if err != nil {
		return nil, err
	}
	if err := records.LockUsers(tx, userID); err != nil { // SetRole must not make them an admin meanwhile
		return nil, err
	}
	is, role, adjudicates, err := checkMembership(tx.DB, campaignID, userID, role)
	if err != nil {
		return nil, err
	}
	was := campaign.Role(is.Role)
	if role != campaign.Lead && was == campaign.Lead && !is.Removed {
		if err := mayLoseLead(tx.DB, campaignID, userID, byID); err != nil {
			return nil, err
		}
	}
	err = tx.Exec(`INSERT INTO memberships (campaign_id, user_id, role, adjudicates, removed, created_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (campaign_id, user_id) DO UPDATE SET role = excluded.role, adjudicates = excluded.adjudicates, removed = excluded.removed`,
		campaignID, userID, string(role), adjudicates, false, database.InstantOf(tx.Now())).Error
	if err != nil {
		return nil, err
	}
	if err := tx.Exec("DELETE FROM invitations WHERE campaign_id = ? AND user_id = ?", campaignID, userID).Error; err != nil {
		return nil, err
	}
	if is.Role != "" {
		if err := s.rounds.FollowMember(tx, userID, campaignID); err != nil {
			return nil, err
		}
	}
	u, err := FindUser(tx.DB, "id = ?", userID)
	if err != nil {
		return nil, err
	}
	if is.Removed || was != role || is.Beside != adjudicates {
		given := string(role)
		if adjudicates {
			given += " and adjudicator"
		}
		if err := s.siteLogBy(tx, byID, "set role in a campaign", u.Login, given+" of "+c.Slug); err != nil {
			return nil, err
		}
	}
	return s.endOutOfReach(tx, userID)
}

// A standing is what a user is in a campaign before the role changes.
type standing struct {
	Admin   bool
	Role    string // the present or last role in the campaign; empty if they were never a member
	Removed bool   // removed, or never a member
	Beside  bool   // both annotator and adjudicator
	Begun   bool   // has begun a segment of the campaign
	Ratings bool   // the campaign has ratings by anybody
}

// checkMembership returns the errors of [Store.SetMembership] for a role that a user can't have, and
// the role to store: an annotator who is made an adjudicator stays annotator and adjudicates.
func checkMembership(db *gorm.DB, campaignID, userID string, role campaign.Role) (is standing, _ campaign.Role, adjudicates bool, err error) {
	err = db.Raw(`SELECT u.role = 'admin' AS admin, coalesce(m.role, '') AS role, coalesce(m.removed, TRUE) AS removed, coalesce(m.adjudicates, FALSE) AS beside,
			EXISTS (SELECT 1 FROM assignments WHERE campaign_id = ? AND user_id = u.id AND (state IN ('open', 'submitted', 'problem') OR set_aside <> '')) AS begun,
			EXISTS (SELECT 1 FROM assignments WHERE campaign_id = ? AND (state = 'submitted' OR set_aside = 'submitted')) AS ratings
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? WHERE u.id = ?`,
		campaignID, campaignID, campaignID, userID).
		Take(&is).
		Error
	if err != nil {
		return is, role, false, err
	}
	was := campaign.Role(is.Role)
	if role == campaign.Adjudicator && was == campaign.Annotator && (is.Begun || !is.Removed) {
		role, adjudicates = campaign.Annotator, true
	}
	switch {
	case role != campaign.Annotator && is.Begun:
		err = fmt.Errorf("this person has annotated here and stays an annotator: %w", campaign.ErrConflict)
	case role.Blind() && is.Admin:
		err = fmt.Errorf("a site admin sees everybody's ratings and can't be an %s: %w", role, campaign.ErrConflict)
	case role.Blind() && (was == campaign.Lead || was == campaign.Researcher) && is.Ratings:
		err = fmt.Errorf("this person could see systems and ratings as %s and can't become an %s: %w", was, role, campaign.ErrConflict)
	}
	return is, role, adjudicates, err
}

// mayLoseLead returns ErrConflict if a campaign would have no lead left who can sign in. Admins
// and the command line may do that.
func mayLoseLead(db *gorm.DB, campaignID, userID, byID string) error {
	var others, admin int
	err := database.Scan(db.Raw(`SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND m.user_id <> ? AND m.role = 'lead' AND NOT m.removed AND NOT u.disabled`, campaignID, userID), &others)
	if err != nil || others > 0 || byID == "" {
		return err
	}
	if err := database.Scan(db.Raw("SELECT count(*) FROM users WHERE id = ? AND role = 'admin'", byID), &admin); err != nil || admin > 0 {
		return err
	}
	return fmt.Errorf("this is the only lead of the campaign; make somebody else a lead first: %w", campaign.ErrConflict)
}

func checkRole(role campaign.Role) error {
	switch role {
	case campaign.Lead, campaign.Annotator, campaign.Researcher, campaign.Adjudicator:
		return nil
	}
	return campaign.Invalid("role", "use lead, annotator, researcher or adjudicator")
}

// AddMember is [Store.GiveRole] without what ended.
func (s *Store) AddMember(ctx context.Context, campaignID, login string, role campaign.Role, byID string) error {
	_, err := s.GiveRole(ctx, campaignID, login, role, byID)
	return err
}

// GiveRole gives an existing account a role in a campaign at once, or changes its role. It refuses the
// same changes with ErrConflict as [Store.SetMembership], and also to take the role of the last
// lead, unless an admin or the command line asks for it. It returns whose credentials ended by it.
func (s *Store) GiveRole(ctx context.Context, campaignID, login string, role campaign.Role, byID string) (ended []Ended, err error) {
	if err := checkRole(role); err != nil {
		return nil, err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "login = ?", login)
		if err != nil {
			return err
		}
		if ended, err = s.SetMembership(tx, campaignID, u.ID, role, byID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, byID, "add member", login+" as "+string(role), "")
	})
	return ended, err
}

// ChangeRole is [Store.GiveRole] for a member of the campaign. The error is ErrNotFound if the login
// is not one: others are invited.
func (s *Store) ChangeRole(ctx context.Context, campaignID, login string, role campaign.Role, byID string) (ended []Ended, err error) {
	if _, err := s.member(s.db.Read(ctx), campaignID, login); err != nil {
		return nil, err
	}
	return s.GiveRole(ctx, campaignID, login, role, byID)
}

// member finds the account of a member of a campaign who is not removed. The error is an ErrNotFound
// that names the login.
func (s *Store) member(db *gorm.DB, campaignID, login string) (User, error) {
	u, err := FindUser(db, "login = ?", login)
	if err != nil {
		return u, err
	}
	in, err := isMember(db, campaignID, u.ID)
	if err == nil && !in {
		err = fmt.Errorf("member %q: %w", login, campaign.ErrNotFound)
	}
	return u, err
}

func isMember(db *gorm.DB, campaignID, userID string) (in bool, err error) {
	err = database.Scan(db.Raw("SELECT EXISTS (SELECT 1 FROM memberships WHERE campaign_id = ? AND user_id = ? AND NOT removed)", campaignID, userID), &in)
	return in, err
}

// RenewLink makes a new sign-in link for a member, at the request of a lead. The error is
// ErrForbidden if the account is disabled, because the link could sign nobody in, or if the member may do
// more than this lead ([storeLinkHolders]), because the lead could use the link to get more rights.
func (s *Store) RenewLink(ctx context.Context, campaignID, login string, by User) (token string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := s.member(tx.DB, campaignID, login)
		if err != nil {
			return err
		}
		if u.Disabled {
			return fmt.Errorf("the account %q is disabled; an admin can enable it: %w", u.Login, campaign.ErrForbidden)
		}
		if token, err = s.newLink(tx, campaignID, u.ID, by.ID, s.linkLetter); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, by.ID, "new sign-in link", login, "")
	})
	return token, err
}

// RemoveMember removes a member from a campaign. Submitted ratings stay. Open assignments are
// released, which frees their places. Only an admin or the command line can remove the last lead;
// otherwise the error is ErrConflict.
func (s *Store) RemoveMember(ctx context.Context, campaignID, login, byID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "login = ?", login)
		if err != nil {
			return err
		}
		c, err := records.LockToChange(tx, campaignID)
		if err != nil {
			return err
		}
		var leads int
		err = database.Scan(
			tx.Raw("SELECT count(*) FROM memberships WHERE campaign_id = ? AND user_id = ? AND role = 'lead' AND NOT removed", campaignID, u.ID),
			&leads,
		)
		if err != nil {
			return err
		}
		if leads > 0 {
			if err := mayLoseLead(tx.DB, campaignID, u.ID, byID); err != nil {
				return err
			}
		}
		res := tx.Exec("UPDATE memberships SET removed = ? WHERE campaign_id = ? AND user_id = ? AND NOT removed", true, campaignID, u.ID)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return fmt.Errorf("member %q: %w", login, campaign.ErrNotFound)
		}
		if err := s.rounds.FollowMember(tx, u.ID, campaignID); err != nil {
			return err
		}
		if err := s.siteLogBy(tx, byID, "remove from a campaign", login, c.Slug); err != nil {
			return err
		}
		if _, err := s.endOutOfReach(tx, u.ID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, byID, "remove member", login, "")
	})
}

// Members lists a campaign's members, also removed ones, by login.
func (s *Store) Members(ctx context.Context, campaignID string) ([]Membership, error) {
	var rows []struct {
		User         UserRow `gorm:"embedded"`
		MemberRole   string
		Adjudicates  bool
		Removed      bool
		MemberSince  database.Instant
		SetAside     bool
		Active       bool
		GoodSessions int
		GoodLinks    int
		SignedIn     bool
		Begun        int
	}
	now := database.InstantOf(s.db.Now())
	err := s.db.Read(ctx).
		Raw(`SELECT u.*, m.role AS member_role, m.adjudicates, m.removed, m.set_aside, `+records.ActiveMember+` AS active, m.created_at AS member_since,
			(SELECT count(*) FROM sessions x WHERE x.user_id = u.id AND x.expires_at > ?) AS good_sessions,
			(SELECT count(*) FROM sign_in_links x WHERE x.user_id = u.id AND x.used_at = 0 AND x.expires_at > ?) AS good_links,
			`+hasSignedIn+` AS signed_in,
			CASE WHEN EXISTS (SELECT 1 FROM assignments a WHERE a.campaign_id = m.campaign_id AND a.user_id = u.id AND (a.state IN ('open', 'submitted', 'problem') OR a.set_aside <> '')) THEN 1 ELSE 0 END AS begun
		FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?`, now, now, campaignID).
		Scan(&rows).
		Error
	out := make([]Membership, len(rows))
	for i, r := range rows {
		out[i] = Membership{r.User.User(), readmodel.Member{
			Login: r.User.Login, Name: r.User.Name, Role: campaign.Role(r.MemberRole), Adjudicates: r.Adjudicates, Removed: r.Removed,
			Since: r.MemberSince.Time(), CanSignIn: !r.User.Disabled && (r.User.PasswordHash != "" || r.GoodSessions > 0 || r.GoodLinks > 0),
			Disabled: r.User.Disabled, SignedIn: r.SignedIn, Fixed: r.Begun > 0,
		}, r.SetAside, r.Active}
	}
	slices.SortFunc(out, func(a, b Membership) int { return strings.Compare(a.User.Login, b.User.Login) })
	return out, err
}

// CampaignFor finds a campaign by its slug, with the user's roles in it. There are none if the
// user is not a member, and two if the user is both annotator and adjudicator. Those in a side
// campaign are the roles in its campaign, without the blind ones: nobody with a blind role may
// see which segments are no work.
//
// work is the campaign that an assignment belongs to: the campaign, or one of its side campaigns. It is the campaign
// for any other assignment, and without one. The caller must not change roles.
func (s *Store) CampaignFor(ctx context.Context, slug, userID, assignmentID string) (found, work campaign.Campaign, roles []campaign.Role, err error) {
	if len(assignmentID) != database.IDLength {
		assignmentID = "" // there is none, and what is kept of the question stays short
	}
	question := campaignQuestion{strings.Clone(slug), userID, strings.Clone(assignmentID)} // they are parts of an address that may be long
	a, err := ask(ctx, s, question, func() (campaignAnswer, error) { return s.campaignFor(ctx, question) })
	return a.found, a.work, a.roles, err
}

// A campaignQuestion asks for a campaign and what a person may do in it.
type campaignQuestion struct{ slug, userID, assignmentID string }

// A campaignAnswer is the answer to a [campaignQuestion]; see [Store.CampaignFor].
type campaignAnswer struct {
	found, work campaign.Campaign
	roles       []campaign.Role
	texts       [2]unique.Handle[string] // of the campaign
}

func (s *Store) campaignFor(ctx context.Context, q campaignQuestion) (a campaignAnswer, err error) {
	var r records.CampaignRow
	var role campaign.Role
	var beside bool
	var side, workSide struct {
		id   string
		kind campaign.Side
	}
	err = database.Scan(
		s.db.Read(ctx).
			Raw(`SELECT k.id, k.side, c.id, c.slug, c.title, c.protocol, c.source_lang, c.target_lang, c.state, c.settings, c.created_at, c.definition, c.own_terms, c.guide, c.settings_version, c.archived,
			coalesce(m.role, ''), coalesce(m.adjudicates, FALSE), coalesce(w.id, ''), coalesce(w.side, '')
		FROM campaigns k JOIN campaigns c ON c.id = CASE WHEN k.part_of = '' THEN k.id ELSE k.part_of END
		LEFT JOIN memberships m ON m.campaign_id = c.id AND m.user_id = ? AND NOT m.removed
		LEFT JOIN assignments a ON a.id = ? LEFT JOIN campaigns w ON w.id = a.campaign_id AND w.part_of = c.id
		WHERE k.slug = ? AND NOT k.deleted`, q.userID, q.assignmentID, q.slug),
		&side.id, &side.kind, &r.ID, &r.Slug, &r.Title, &r.Protocol, &r.SourceLang, &r.TargetLang, &r.State,
		&r.Settings, &r.CreatedAt, &r.Definition,
		&r.OwnTerms, &r.Guide, &r.SettingsVersion, &r.Archived, &role, &beside, &workSide.id, &workSide.kind,
	)
	if err != nil {
		return a, err
	}
	// Answers about the same campaign share its long texts.
	a.texts = [2]unique.Handle[string]{unique.Make(r.Definition), unique.Make(r.Guide)}
	r.Definition, r.Guide = a.texts[0].Value(), a.texts[1].Value()
	a.found, err = r.Campaign()
	a.roles = rolesOf(role, beside)
	a.work = a.found
	if workSide.id != "" {
		a.work = a.found.SideOf(workSide.kind, workSide.id)
	}
	if side.kind != "" {
		a.found, a.roles = a.found.SideOf(side.kind, side.id), slices.DeleteFunc(a.roles, campaign.Role.Blind)
		a.work = a.found
	}
	return a, err
}

// rolesOf lists the roles of a membership. beside says that an annotator is also an adjudicator.
func rolesOf(role campaign.Role, beside bool) []campaign.Role {
	switch {
	case role == "":
		return nil
	case beside:
		return []campaign.Role{role, campaign.Adjudicator}
	}
	return []campaign.Role{role}
}

// RolesOf lists the roles that a user has in campaigns, each once.
func (s *Store) RolesOf(ctx context.Context, userID string) ([]campaign.Role, error) {
	var roles []campaign.Role
	err := s.db.Read(ctx).
		Raw("SELECT role FROM memberships WHERE user_id = ? AND NOT removed UNION SELECT 'adjudicator' FROM memberships WHERE user_id = ? AND NOT removed AND adjudicates", userID, userID).
		Scan(&roles).
		Error
	return roles, err
}

// A CampaignRole is a campaign with the role a user has in it.
type CampaignRole struct {
	Campaign campaign.Campaign
	Role     campaign.Role
	// Adjudicates says that the user is an adjudicator, alone or beside being an annotator.
	Adjudicates bool
}

// CampaignsOf lists the campaigns a user belongs to, by slug.
func (s *Store) CampaignsOf(ctx context.Context, userID string) ([]CampaignRole, error) {
	var rows []struct {
		Campaign   records.CampaignRow `gorm:"embedded"`
		MemberRole string
		Beside     bool
	}
	err := s.db.Read(ctx).Raw(`SELECT c.*, m.role AS member_role, m.adjudicates AS beside FROM memberships m JOIN campaigns c ON c.id = m.campaign_id
		WHERE m.user_id = ? AND NOT m.removed`, userID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := make([]CampaignRole, len(rows))
	for i, r := range rows {
		c, err := r.Campaign.Campaign()
		if err != nil {
			return nil, err
		}
		role := campaign.Role(r.MemberRole)
		out[i] = CampaignRole{c, role, r.Beside || role == campaign.Adjudicator}
	}
	slices.SortFunc(out, func(a, b CampaignRole) int { return strings.Compare(a.Campaign.Slug, b.Campaign.Slug) })
	return out, nil
}
