package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// TakeNewTexts replaces the references of segments that a campaign took over by the texts that the followed campaign gives now, as
// [rounds.Store.TakeNewTexts] says. Without segmentIDs it takes all segments that have a new text, are not in work, and are neither
// discarded nor withdrawn; taken is their number. The error is ErrConflict if a chosen segment has no new text, or if no segment has one.
func (s *Store) TakeNewTexts(ctx context.Context, campaignID string, segmentIDs []string, reason, byID string) (taken int, err error) {
	db := s.db.Read(ctx)
	c, f, err := handsOn(db, campaignID)
	if err != nil {
		return 0, err
	}
	if !campaign.TakesNewTexts(c.Rules) {
		return 0, fmt.Errorf("a campaign with %s takes no new text over, because its ratings are not about the reference alone: %w", c.Rules.Name, campaign.ErrConflict)
	}
	texts, err := newTexts(db, c, f, segmentIDs)
	if err != nil {
		return 0, err
	}
	if len(texts) == 0 && segmentIDs == nil {
		return 0, fmt.Errorf("%s has no new text for any segment that nobody works on here: %w", f.From.Slug, campaign.ErrConflict)
	}
	if len(texts) < len(segmentIDs) {
		return 0, fmt.Errorf("%s has no new text: its accepted text must have changed, and the segment must still be ready there: %w", f.From.Slug, campaign.ErrConflict)
	}
	return len(texts), s.rounds.TakeNewTexts(ctx, c.ID, texts, reason, byID)
}

// newTexts finds the new texts of segments of c, or of all that nobody works on and that are not taken out, by id.
func newTexts(db *gorm.DB, c campaign.Campaign, f records.Following, segmentIDs []string) (map[string]rounds.NewText, error) {
	which, args := "g.status NOT IN ('discarded', 'withdrawn') AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.state IN ('open', 'problem') AND a.work <> 'over')", []any{c.ID, f.From.ID}
	if segmentIDs != nil {
		which, args = "g.id IN ?", append(args, segmentIDs)
	}
	var rows []struct{ ID, FromSegment, Brought string }
	err := db.Raw(`SELECT g.id, l.from_segment, l.brought FROM lineage l JOIN segments g ON g.id = l.segment_id
		WHERE l.campaign_id = ? AND l.from_campaign = ? AND l.depth = 1 AND `+which+" ORDER BY g.position", args...).
		Scan(&rows).
		Error
	out := map[string]rounds.NewText{}
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(rows, records.ExportBatch) {
		ids := make([]string, len(part))
		for i, r := range part {
			ids[i] = r.FromSegment
		}
		var found []records.SegmentRow
		if err := db.Raw(records.SegmentColumns+" WHERE g.id IN ?", ids).Scan(&found).Error; err != nil {
			return nil, err
		}
		segments, err := records.PartsOf(db, *f.From, found, records.Texts|records.Ratings)
		if err != nil {
			return nil, err
		}
		at := map[string]int{}
		for i, r := range found {
			at[r.ID] = i
		}
		for _, r := range part {
			i, ok := at[r.FromSegment]
			if !ok { // the forebear was deleted
				continue
			}
			var b campaign.Brought
			if err := json.Unmarshal([]byte(r.Brought), &b); err != nil {
				return nil, fmt.Errorf("decode what a forebear gave: %w", err)
			}
			text, ok := f.Rule.NewText(f.From.Rules, segments[i], b)
			if !ok {
				continue
			}
			b.Reference = text
			now, err := json.Marshal(b)
			if err != nil {
				return nil, fmt.Errorf("encode what a forebear gives: %w", err)
			}
			out[r.ID] = rounds.NewText{Text: text, Was: r.Brought, Brought: string(now)}
		}
	}
	return out, nil
}
