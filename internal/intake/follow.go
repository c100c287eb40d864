package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// takeOverKind is the kind of an import that takes segments over.
const takeOverKind = "take-over"

// Follow makes a campaign follow another one, in place of the campaign that it followed before. The segments that it took
// over stay. The error is an InvalidError if the campaigns would form a circle or have different source languages, or if
// next cannot store a part that segments bring, and an ErrConflict if one of them is archived.
func (s *Store) Follow(ctx context.Context, nextID, fromID string, rule campaign.Follow, byID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		// The whole chain is locked, so that two followers that begin at the same moment cannot close a circle.
		chain, _, err := chainOf(tx.DB, fromID)
		if err != nil {
			return err
		}
		ids := []string{nextID, fromID}
		for _, c := range chain {
			ids = append(ids, c.ID)
		}
		if err := tx.Lock("campaigns", ids...); err != nil {
			return err
		}
		next, err := records.LockToChange(tx, nextID)
		if err != nil {
			return err
		}
		from, err := records.ReadCampaign(tx.DB, fromID)
		if err != nil {
			return err
		}
		switch {
		case next.ID == from.ID:
			return campaign.Invalid("from", "a campaign can't follow itself")
		case next.Side != "" || from.Side != "":
			return campaign.Invalid("from", "a training set or a set of checks has no place in a chain")
		case from.Archived:
			return fmt.Errorf("campaign %q is archived and hands nothing on; bring it back first: %w", from.Slug, campaign.ErrConflict)
		case next.SourceLang != "" && from.SourceLang != "" && next.SourceLang != from.SourceLang:
			return campaign.Invalid(
				"from", fmt.Sprintf("the sources of %s are in %s, and those of %s in %s", from.Slug, from.SourceLang, next.Slug, next.SourceLang),
			)
		}
		if err := refuseCircle(tx.DB, next, from); err != nil {
			return err
		}
		if err := rule.CheckNext(next.Rules); err != nil {
			return err
		}
		where, err := json.Marshal(rule.Texts())
		if err != nil {
			return fmt.Errorf("encode the conditions of a follower: %w", err)
		}
		err = tx.Exec(`INSERT INTO follows (campaign_id, from_id, from_title, conditions, carries) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (campaign_id) DO UPDATE SET from_id = excluded.from_id, from_title = excluded.from_title, conditions = excluded.conditions, carries = excluded.carries`,
			next.ID, from.ID, from.Title, string(where), strings.Join(rule.Carry, " ")).Error
		if err != nil {
			return err
		}
		return s.records.Audit(tx, next.ID, byID, "follow", from.Slug+ruleWords(rule), "")
	})
}

// ruleWords are the conditions and the parts to bring, in words that follow the name of a campaign.
func ruleWords(rule campaign.Follow) string {
	out := ""
	if len(rule.Where) > 0 {
		out = " where " + wording.List(rule.Texts())
	}
	if len(rule.Carry) > 0 {
		out += ", with " + wording.List(rule.Carry)
	}
	return out
}

// chainOf lists the campaigns that a campaign follows, the nearest first, and says whether there are more than a chain may have.
func chainOf(db *gorm.DB, id string) (chain []campaign.Campaign, tooLong bool, err error) {
	for range campaign.MaxLineage {
		f, err := records.FollowingOf(db, id)
		if errors.Is(err, campaign.ErrNotFound) || err == nil && f.From == nil {
			return chain, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		chain, id = append(chain, *f.From), f.FromID
	}
	return chain, true, nil
}

// refuseCircle returns an InvalidError if a campaign would follow itself through others, or if the chain would be too
// long.
func refuseCircle(db *gorm.DB, next, from campaign.Campaign) error {
	chain, tooLong, err := chainOf(db, from.ID)
	if err != nil {
		return err
	}
	slugs := []string{next.Slug, from.Slug}
	for _, c := range chain {
		if slugs = append(slugs, c.Slug); c.ID == next.ID {
			return campaign.Invalid("from", fmt.Sprintf("%s would follow itself: %s", next.Slug, strings.Join(slugs, " follows ")))
		}
	}
	if tooLong {
		return campaign.Invalid("from", fmt.Sprintf("a chain has at most %d campaigns", campaign.MaxLineage))
	}
	return nil
}

// StopFollowing makes a campaign follow no campaign. The segments that it took over stay.
func (s *Store) StopFollowing(ctx context.Context, campaignID, byID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		f, err := records.FollowingOf(tx.DB, c.ID)
		if err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM follows WHERE campaign_id = ?", c.ID).Error; err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, "stop following", f.Title, "")
	})
}

// Following says which campaign c follows, and how many of its segments are ready. It is nil if c follows no campaign.
func (s *Store) Following(ctx context.Context, c campaign.Campaign) (*readmodel.Following, error) {
	f, err := records.FollowingOf(s.db.Read(ctx), c.ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &readmodel.Following{Title: f.Title, Where: f.Rule.Texts(), Carry: f.Rule.Carry, Gone: f.From == nil}
	if f.From == nil {
		return out, nil
	}
	out.Slug, out.Title, out.Archived = f.From.Slug, f.From.Title, f.From.Archived
	if f.From.Archived {
		return out, nil
	}
	out.NoReference = c.Rules.NeedsReference() && !slices.Contains(f.Rule.Carry, campaign.CarryReference)
	out.NewTexts = f.Rule.ComparesTexts(f.From.Rules, c.Rules)
	out.Ready, err = desk.CountReady(s.db.Read(ctx), *f.From, c.ID, f.Rule)
	return out, err
}

// TakeOver imports the segments that are ready in the campaign that another one follows: the segments in gold that meet
// all conditions and that were not taken over before. It imports all of them, or none. The error is an ErrConflict if
// no segment is ready, and otherwise as in [Store.ImportSegments].
func (s *Store) TakeOver(ctx context.Context, campaignID, byID string) (readmodel.ImportReport, error) {
	c, f, err := handsOn(s.db.Read(ctx), campaignID)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		n := 0
		for line, err := range s.ready(ctx, c) {
			if n++; !yield(line, err) {
				return
			}
		}
		if n == 0 {
			yield(
				campaign.SegmentLine{},
				fmt.Errorf(
					"no segment of %s is ready: none is settled, meets the conditions and was not taken over before: %w", f.From.Slug,
					campaign.ErrConflict,
				),
			)
		}
	}
	return s.ImportSegments(ctx, c.ID, lines, ImportOptions{File: f.From.Slug, ByID: byID, kind: takeOverKind})
}

// handsOn reads a campaign, and what it follows. The error is an ErrConflict if it follows no campaign, or one that hands nothing on.
func handsOn(db *gorm.DB, campaignID string) (c campaign.Campaign, f records.Following, err error) {
	if c, err = records.ReadCampaign(db, campaignID); err != nil {
		return c, f, err
	}
	f, err = records.FollowingOf(db, c.ID)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return c, f, fmt.Errorf("campaign %q follows no other campaign: %w", c.Slug, campaign.ErrConflict)
	case err != nil:
		return c, f, err
	case f.From == nil:
		return c, f, fmt.Errorf("the campaign %s was deleted and hands nothing on: %w", wording.Quote(f.Title), campaign.ErrConflict)
	case f.From.Archived:
		return c, f, fmt.Errorf("campaign %q is archived and hands nothing on; bring it back first: %w", f.From.Slug, campaign.ErrConflict)
	}
	return c, f, nil
}

// ready yields the segments that c can take over, in their order. It yields none if c follows no campaign, or one that
// is archived or deleted.
func (s *Store) ready(ctx context.Context, c campaign.Campaign) iter.Seq2[campaign.SegmentLine, error] {
	return database.Batches(ctx, s.db, func(db *gorm.DB) (func(*gorm.DB) (func() ([]campaign.SegmentLine, error), error), error) {
		f, err := records.FollowingOf(db, c.ID)
		if errors.Is(err, campaign.ErrNotFound) || err == nil && (f.From == nil || f.From.Archived) {
			return func(*gorm.DB) (func() ([]campaign.SegmentLine, error), error) { return nil, nil }, nil
		}
		if err != nil {
			return nil, err
		}
		systems, err := records.SystemNames(db, c.ID)
		if err != nil {
			return nil, err
		}
		position := 0
		return func(db *gorm.DB) (func() ([]campaign.SegmentLine, error), error) {
			rows, err := settledRows(db, *f.From, c.ID, position)
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			position = rows[len(rows)-1].Position
			return func() ([]campaign.SegmentLine, error) { return handOn(db, f, c, rows, systems) }, nil
		}, nil
	})
}

// settledRows reads the next segments of a campaign, after a position, that are in gold and that the following campaign
// lacks.
func settledRows(db *gorm.DB, from campaign.Campaign, followerID string, position int) (rows []records.SegmentRow, err error) {
	var inGold []string
	for _, s := range campaign.Statuses {
		if s.InGold() {
			inGold = append(inGold, string(s))
		}
	}
	err = db.Raw(records.SegmentColumns+` WHERE g.campaign_id = ? AND g.position > ? AND g.status IN ?
		AND NOT EXISTS (SELECT 1 FROM lineage l WHERE l.from_segment = g.id AND `+records.IsDescendant+`)
		ORDER BY g.position LIMIT ?`, from.ID, position, inGold, followerID, from.ID, records.ExportBatch).Scan(&rows).Error
	return rows, err
}

// handOn returns the settled segments that meet the conditions, in the form that c takes over.
func handOn(
	db *gorm.DB, f records.Following, c campaign.Campaign, rows []records.SegmentRow, systems []string,
) (lines []campaign.SegmentLine, err error) {
	segments, err := records.PartsOf(db, *f.From, rows, records.Texts|records.Ratings)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	earlier, err := records.ForebearsOf(db, ids)
	if err != nil {
		return nil, err
	}
	for i, s := range segments {
		brought := campaign.BroughtBy(f.From.Rules, s)
		if !f.Rule.Ready(s, brought) {
			continue
		}
		seg := f.Rule.Handed(c.Rules, s, brought)
		seg.SourceLang, seg.TargetLang = f.From.SourceLang, f.From.TargetLang
		if !c.Rules.OfSegments() {
			seg.Absent = lacking(systems, seg.Translations)
		}
		lines = append(lines, campaign.SegmentLine{File: f.From.Slug, Line: rows[i].Position, Segment: seg, From: &campaign.Descent{
			Forebear: campaign.Forebear{Segment: rows[i].ID, Campaign: f.From.ID, Stage: f.From.Title},
			Brought:  brought, Earlier: earlier[rows[i].ID],
		}})
	}
	return lines, nil
}

// lacking lists the systems without a translation among some.
func lacking(systems []string, translations []campaign.Translation) (out []string) {
	has := map[string]bool{}
	for _, t := range translations {
		has[t.System] = true
	}
	for _, name := range systems {
		if !has[name] {
			out = append(out, name)
		}
	}
	return out
}

// addLineage adds the rows of a segment that a campaign took over.
func addLineage(rows *database.Rows, segmentID, campaignID string, d campaign.Descent) error {
	brought, err := json.Marshal(d.Brought)
	if err != nil {
		return fmt.Errorf("encode what a forebear gave: %w", err)
	}
	rows.Add(segmentID, campaignID, 1, d.Segment, d.Campaign, d.Stage, string(brought))
	for i, f := range d.Earlier {
		rows.Add(segmentID, campaignID, i+2, f.Segment, f.Campaign, f.Stage, "{}")
	}
	return nil
}
