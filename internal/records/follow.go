package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A Following says which campaign a campaign follows, and how.
type Following struct {
	FromID string
	Title  string             // of that campaign, when the follower began to follow it
	From   *campaign.Campaign // nil: it was deleted
	Rule   campaign.Follow    // without conditions if From is nil
}

// FollowingOf reads which campaign a campaign follows. The error is ErrNotFound if it follows no campaign.
func FollowingOf(db *gorm.DB, campaignID string) (f Following, err error) {
	var conditions, carries string
	err = database.Scan(
		db.Raw("SELECT from_id, from_title, conditions, carries FROM follows WHERE campaign_id = ?", campaignID),
		&f.FromID, &f.Title, &conditions,
		&carries,
	)
	if err != nil {
		return f, err
	}
	f.Rule.Carry = strings.Fields(carries)
	from, err := ReadCampaign(db, f.FromID)
	if errors.Is(err, campaign.ErrNotFound) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.From = &from
	var where []string
	if err := json.Unmarshal([]byte(conditions), &where); err != nil {
		return f, fmt.Errorf("decode the conditions of a follower: %w", err)
	}
	f.Rule, err = campaign.NewFollow(from.Rules, where, f.Rule.Carry)
	return f, err
}

// Chain lists the campaigns that c follows, from c itself to the first. It ends before a campaign that was deleted.
func (s *Store) Chain(ctx context.Context, c campaign.Campaign) ([]campaign.Campaign, error) {
	db, chain := s.db.Read(ctx), []campaign.Campaign{c}
	for len(chain) <= campaign.MaxLineage {
		f, err := FollowingOf(db, chain[len(chain)-1].ID)
		if errors.Is(err, campaign.ErrNotFound) || err == nil && f.From == nil {
			return chain, nil
		}
		if err != nil {
			return nil, err
		}
		chain = append(chain, *f.From)
	}
	return chain, nil
}

// TakenOver reads how a campaign follows another one, and how many segments it has taken over from it.
func (s *Store) TakenOver(ctx context.Context, c, from campaign.Campaign) (rule *campaign.Follow, taken int, err error) {
	db := s.db.Read(ctx)
	f, err := FollowingOf(db, c.ID)
	if err != nil {
		return nil, 0, err
	}
	taken, err = CountTaken(db, c.ID, from.ID)
	return &f.Rule, taken, err
}

// IsDescendant is the SQL condition that a row l of lineage is about a segment of the first campaign, which it took over from the second
// one. As in the view segments, it is mostly enough to ask once a query whether there are segments that are hidden.
const IsDescendant = `l.campaign_id = ? AND l.from_campaign = ? AND l.depth = 1
	AND (NOT EXISTS (SELECT 1 FROM staged_imports) OR EXISTS (SELECT 1 FROM segments n WHERE n.id = l.segment_id))`

// CountTaken counts the segments that a campaign has taken over from another one.
func CountTaken(db *gorm.DB, campaignID, fromID string) (n int, err error) {
	err = database.Scan(db.Raw("SELECT count(*) FROM lineage l WHERE "+IsDescendant, campaignID, fromID), &n)
	return n, err
}

// ForebearsOf reads the forebears of segments, the nearest first, by row id of the segment.
func ForebearsOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.Forebear, error) {
	var rows []struct{ SegmentID, FromSegment, FromCampaign, Stage string }
	err := db.Raw("SELECT segment_id, from_segment, from_campaign, stage FROM lineage WHERE segment_id IN ? ORDER BY segment_id, depth", segmentIDs).
		Scan(&rows).
		Error
	out := map[string][]campaign.Forebear{}
	for _, r := range rows {
		out[r.SegmentID] = append(out[r.SegmentID], campaign.Forebear{Segment: r.FromSegment, Campaign: r.FromCampaign, Stage: r.Stage})
	}
	return out, err
}

// BroughtBy reads what the forebear of a segment gave when the segment was taken over.
func BroughtBy(db *gorm.DB, segmentID string) (b campaign.Brought, err error) {
	var text string
	if err = database.Scan(db.Raw("SELECT brought FROM lineage WHERE segment_id = ? AND depth = 1", segmentID), &text); err != nil {
		return b, err
	}
	if err = json.Unmarshal([]byte(text), &b); err != nil {
		err = fmt.Errorf("decode what a forebear gave: %w", err)
	}
	return b, err
}

// ResolveApart stores which campaigns a campaign is kept apart from, as its setting apart names them. An unknown slug is an
// [campaign.InvalidError].
func ResolveApart(tx *database.Tx, c campaign.Campaign) error {
	if err := tx.Exec("DELETE FROM aparts WHERE campaign_id = ?", c.ID).Error; err != nil {
		return err
	}
	for _, slug := range c.Settings.ApartFrom() {
		var other string
		err := database.Scan(tx.Raw("SELECT id FROM campaigns WHERE slug = ? AND NOT deleted AND part_of = ''", slug), &other)
		if errors.Is(err, campaign.ErrNotFound) || err == nil && other == c.ID {
			return campaign.Invalid("apart", fmt.Sprintf("there is no other campaign %q; name earlier campaigns of the chain by their slugs", slug))
		}
		if err != nil {
			return err
		}
		if err := tx.Exec("INSERT INTO aparts (campaign_id, other_id) VALUES (?, ?)", c.ID, other).Error; err != nil {
			return err
		}
	}
	return nil
}

// RefuseApart returns an ErrConflict if somebody had a forebear of a segment in a campaign that c is kept apart from. name is that of the
// segment.
func RefuseApart(db *gorm.DB, c campaign.Campaign, segmentID, name, login string) error {
	if c.Settings.Apart == "" {
		return nil
	}
	var had bool
	err := database.Scan(
		db.Raw("SELECT EXISTS (SELECT 1 FROM kept_apart k JOIN users u ON u.id = k.user_id WHERE k.segment_id = ? AND u.login = ?)", segmentID, login),
		&had,
	)
	if err != nil || !had {
		return err
	}
	return fmt.Errorf(
		"%s had segment %q in an earlier campaign, and this one is kept apart from it (the setting apart); choose somebody else: %w", login, name,
		campaign.ErrConflict,
	)
}
