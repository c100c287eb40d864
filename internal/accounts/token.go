package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// TokenPrefix begins every personal access token, so that people and scanners of files recognise one.
const TokenPrefix = "annotate_pat_"

// The longest time that a token is good for, in days, and how many tokens a person may have at a time.
const (
	MaxTokenDays = 366
	maxTokens    = 100
)

// A NewToken says what a personal access token is to be good for.
type NewToken struct {
	Name       string
	Writes     bool     // it may change things, and otherwise only read
	Everywhere bool     // it is good for all campaigns of its owner, also for later ones
	Campaigns  []string // slugs; empty if Everywhere
	Days       int      // until it expires, from 1 to [MaxTokenDays]
}

// A Grant is what a token allows of what its owner may do.
type Grant struct {
	ID         string // of the token
	Writes     bool
	Everywhere bool
	campaigns  []string // ids
}

// Sees reports whether the token is good for a campaign.
func (g Grant) Sees(campaignID string) bool {
	return g.Everywhere || slices.Contains(g.campaigns, campaignID)
}

func (n NewToken) check() error {
	if err := campaign.CheckName("name", n.Name); err != nil {
		return err
	}
	switch {
	case n.Days < 1 || n.Days > MaxTokenDays:
		return campaign.Invalid("days", fmt.Sprintf("must be from 1 to %d", MaxTokenDays))
	case n.Everywhere && len(n.Campaigns) > 0:
		return campaign.Invalid("campaigns", "choose either all campaigns or some")
	case !n.Everywhere && len(n.Campaigns) == 0:
		return campaign.Invalid("campaigns", "choose the campaigns that the token is good for, or all")
	}
	return nil
}

// AddToken makes a personal access token for a user and returns it; only its hash is stored. The holders of the session in
// the context's [records.Actor] are holders of the token. The error is a *[campaign.InvalidError] of name, days or campaigns,
// among others if the user can't see one of the campaigns.
func (s *Store) AddToken(ctx context.Context, userID string, n NewToken) (token string, err error) {
	n.Campaigns = slices.Compact(slices.Sorted(slices.Values(n.Campaigns)))
	if err := n.check(); err != nil {
		return "", err
	}
	token = TokenPrefix + newToken()
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := lockUser(tx, userID)
		if err != nil {
			return err
		}
		if u.Disabled {
			return fmt.Errorf("the account %q is disabled: %w", u.Login, campaign.ErrForbidden)
		}
		var has int
		if err := database.Scan(tx.Raw("SELECT count(*) FROM tokens WHERE user_id = ?", userID), &has); err != nil {
			return err
		}
		if has >= maxTokens {
			return campaign.Invalid("name", fmt.Sprintf("there are %d tokens already; revoke one that is not used", has))
		}
		session := records.ActorOf(ctx).Session
		if session != "" {
			if _, _, err := s.lockSession(tx, session); err != nil {
				return err
			}
		}
		id, now := database.NewID(), tx.Now()
		err = tx.Exec("INSERT INTO tokens (id, token_hash, user_id, name, writes, everywhere, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			id, hashToken(token), userID, n.Name, n.Writes, n.Everywhere, database.InstantOf(now), database.InstantOf(now.AddDate(0, 0, n.Days))).Error
		if err != nil {
			return err
		}
		for _, slug := range n.Campaigns {
			res := tx.Exec(
				`INSERT INTO token_campaigns (token_id, campaign_id) SELECT ?, c.id FROM campaigns c WHERE c.slug = ? AND NOT c.deleted AND c.part_of = '' AND (? = 'admin' OR EXISTS (
				SELECT 1 FROM memberships m WHERE m.campaign_id = c.id AND m.user_id = ? AND NOT m.removed))`,
				id, slug, u.Role, userID,
			)
			if res.Error != nil {
				return res.Error
			}
			if res.RowsAffected == 0 {
				return campaign.Invalid("campaigns", fmt.Sprintf("%s has no campaign %q", u.Login, slug))
			}
		}
		if session != "" {
			err := tx.Exec(
				"INSERT INTO token_holders (token_id, holder_id) SELECT ?, holder_id FROM session_holders WHERE token_hash = ?", id,
				hashToken(session),
			).Error
			if err != nil {
				return err
			}
		}
		return s.LogSite(tx, "make token", u.Login, n.about())
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// about says for the log what a token is good for.
func (n NewToken) about() string {
	access, where := "reads", "all campaigns"
	if n.Writes {
		access = "reads and changes"
	}
	if !n.Everywhere {
		where = strings.Join(n.Campaigns, ", ")
	}
	return fmt.Sprintf("%s: %s %s, for %s", n.Name, access, where, wording.Counted(n.Days, "day"))
}

// UseToken returns the owner of a token and what it allows. The error is ErrNotFound if the token is unknown, was
// revoked or has expired, or if the account is disabled.
func (s *Store) UseToken(ctx context.Context, token string) (User, Grant, error) {
	var u UserRow
	var g Grant
	var used database.Instant
	if !strings.HasPrefix(token, TokenPrefix) {
		return User{}, g, campaign.ErrNotFound
	}
	now := s.db.Now()
	err := database.Scan(
		s.db.Read(ctx).Raw(`SELECT u.id, u.login, u.name, u.role, u.password_hash, u.disabled, u.created_at, t.id, t.writes, t.everywhere, t.last_used_at
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ? AND t.expires_at > ? AND NOT u.disabled`, hashToken(token), database.InstantOf(now)),
		&u.ID, &u.Login, &u.Name, &u.Role, &u.PasswordHash, &u.Disabled, &u.CreatedAt, &g.ID, &g.Writes, &g.Everywhere, &used,
	)
	if err != nil {
		return User{}, g, err
	}
	if !g.Everywhere {
		if err := s.db.Read(ctx).Raw("SELECT campaign_id FROM token_campaigns WHERE token_id = ?", g.ID).Scan(&g.campaigns).Error; err != nil {
			return User{}, g, err
		}
	}
	if now.Sub(used.Time()) > seenEvery {
		s.uses.note(hashToken(token), visit{seen: database.InstantOf(now)})
	}
	return u.User(), g, nil
}

// storeUses writes the last uses of tokens.
func (s *Store) storeUses(batch map[string]visit) error {
	return s.db.Write(context.Background(), func(tx *database.Tx) error {
		for hash, at := range batch {
			if err := tx.Exec("UPDATE tokens SET last_used_at = ? WHERE token_hash = ?", at.seen, hash).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// Tokens lists the tokens of a user that have not expired, the latest first. Without a user it lists those of everybody.
func (s *Store) Tokens(ctx context.Context, userID string) ([]readmodel.Token, error) {
	var rows []struct {
		ID, Login, Name                  string
		Writes, Everywhere               bool
		CreatedAt, ExpiresAt, LastUsedAt database.Instant
	}
	db := s.db.Read(ctx)
	err := db.Raw(`SELECT t.id, u.login, t.name, t.writes, t.everywhere, t.created_at, t.expires_at, t.last_used_at
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.expires_at > ? AND (? = '' OR t.user_id = ?) ORDER BY t.id DESC`,
		database.InstantOf(s.db.Now()), userID, userID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var of []struct{ TokenID, Slug string }
	err = db.Raw(`SELECT k.token_id, c.slug FROM token_campaigns k JOIN campaigns c ON c.id = k.campaign_id JOIN tokens t ON t.id = k.token_id
		WHERE NOT c.deleted AND (? = '' OR t.user_id = ?)`, userID, userID).Scan(&of).Error
	if err != nil {
		return nil, err
	}
	slugs := map[string][]string{}
	for _, c := range of {
		slugs[c.TokenID] = append(slugs[c.TokenID], c.Slug)
	}
	out := make([]readmodel.Token, len(rows))
	for i, r := range rows {
		slices.Sort(slugs[r.ID])
		out[i] = readmodel.Token{
			ID: r.ID, Login: r.Login, Name: r.Name, Writes: r.Writes, Everywhere: r.Everywhere, Campaigns: slugs[r.ID],
			CreatedAt: r.CreatedAt.Time(), ExpiresAt: r.ExpiresAt.Time(), LastUsedAt: r.LastUsedAt.Time(),
		}
	}
	return out, nil
}

// RevokeToken ends a token of a user at once. The error is ErrNotFound if the user has no such token.
func (s *Store) RevokeToken(ctx context.Context, userID, id string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "id = ?", userID)
		if err != nil {
			return err
		}
		var name string
		if err := database.Scan(tx.Raw("SELECT name FROM tokens WHERE id = ? AND user_id = ?", id, userID), &name); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM tokens WHERE id = ?", id).Error; err != nil {
			return err
		}
		return s.LogSite(tx, "revoke token", u.Login, name)
	})
}
