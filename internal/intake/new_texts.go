package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// TakeNewTexts replaces the sources and references of segments that a campaign took over by those that the followed campaign gives now, as
// [rounds.Store.TakeNewTexts] says. Without segmentIDs it takes all segments that have a new text, are not in work, and are neither
// discarded nor withdrawn; taken is their number. The error is ErrConflict if a chosen segment has no new text, or if no segment has one.
func (s *Store) TakeNewTexts(ctx context.Context, campaignID string, segmentIDs []string, reason, byID string) (taken int, err error) {
	db := s.db.Read(ctx)
	c, f, err := handsOn(db, campaignID)
	if err != nil {
		return 0, err
	}
	if !campaign.TakesNewTexts(c.Rules) && !campaign.TakesNewSources(c.Rules) {
		return 0, fmt.Errorf("a campaign with %s takes no new text over, because it rates translations, or has marks or terms in its texts: %w", c.Rules.Name, campaign.ErrConflict)
	}
	found, err := newTexts(db, c, f, segmentIDs)
	if err != nil {
		return 0, err
	}
	texts := map[string]rounds.NewText{}
	for _, n := range found {
		texts[n.ID] = n.stored
	}
	if len(texts) == 0 && segmentIDs == nil {
		return 0, fmt.Errorf("%s has no new text for any segment that nobody works on here: %w", f.From.Slug, campaign.ErrConflict)
	}
	if len(texts) < len(segmentIDs) {
		return 0, fmt.Errorf("%s has no new text: its source or accepted text must have changed, and the segment must still be ready there: %w", f.From.Slug, campaign.ErrConflict)
	}
	return len(texts), s.rounds.TakeNewTexts(ctx, c.ID, texts, reason, byID)
}

// comparedTexts is the largest number of segments whose texts [Store.NewTexts] compares with those of their forebears.
const comparedTexts = 5_000

// NewTexts lists the texts that [Store.TakeNewTexts] would take over, in the order of the segments. It is not known for
// a campaign that took over more than 5,000 segments, because to compare the texts takes long.
func (s *Store) NewTexts(ctx context.Context, c campaign.Campaign) (list []readmodel.NewText, known bool, err error) {
	db := s.db.Read(ctx)
	f, err := records.FollowingOf(db, c.ID)
	if errors.Is(err, campaign.ErrNotFound) || err == nil &&
		(f.From == nil || f.From.Archived || !f.Rule.ComparesTexts(f.From.Rules, c.Rules)) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	var n int
	if err := database.Scan(db.Raw("SELECT count(*) FROM lineage WHERE campaign_id = ? AND from_campaign = ? AND depth = 1", c.ID, f.From.ID), &n); err != nil || n > comparedTexts {
		return nil, false, err
	}
	found, err := newTexts(db, c, f, nil)
	for _, x := range found {
		list = append(list, x.NewText)
	}
	return list, true, err
}

// A newText has the texts that a segment can take over.
type newText struct {
	readmodel.NewText
	stored rounds.NewText
}

// inWork is the SQL condition that somebody works on segment g, so that [rounds.Store.TakeNewTexts] refuses it; worksOn
// there decides the same of one segment. A look that a lead asked for is work once something was saved in it, or once
// one of several annotators has submitted it.
const inWork = `(EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.state IN ('open', 'problem') AND a.work <> 'over' AND (a.state = 'problem'
		OR EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id) OR NOT EXISTS (SELECT 1 FROM acts c WHERE c.id = g.holding AND c.kind = 'another look' AND c.round = a.round)))
	OR g.status IN ('pending', 'reannotate') AND EXISTS (SELECT 1 FROM acts c JOIN assignments b ON b.segment_id = c.segment_id AND b.round = c.round
		WHERE c.id = g.holding AND c.kind = 'another look' AND (b.state = 'submitted' OR b.set_aside = 'submitted')))`

// newTexts finds the new texts of segments of c, or of all that nobody works on and that are not taken out, in the order of the segments.
func newTexts(db *gorm.DB, c campaign.Campaign, f records.Following, segmentIDs []string) (out []newText, err error) {
	which, args := "g.status NOT IN ('discarded', 'withdrawn') AND NOT "+inWork, []any{c.ID, f.From.ID}
	if segmentIDs != nil {
		which, args = "g.id IN ?", append(args, segmentIDs)
	}
	var rows []struct{ ID, DocID, SegmentID, Status, FromSegment, Brought string }
	err = db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.status, l.from_segment, l.brought
		FROM lineage l JOIN segments g ON g.id = l.segment_id JOIN documents d ON d.id = g.document_id
		WHERE l.campaign_id = ? AND l.from_campaign = ? AND l.depth = 1 AND `+which+" ORDER BY g.position", args...).
		Scan(&rows).
		Error
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
			source, reference := f.Rule.NewTexts(f.From.Rules, c.Rules, segments[i], b)
			if source == "" && reference == "" {
				continue
			}
			x := newText{
				readmodel.NewText{ID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, Status: campaign.Status(r.Status)},
				rounds.NewText{Source: source, Reference: reference, Was: r.Brought},
			}
			if source != "" {
				x.Source, b.Source = readmodel.Change{Was: b.Source, Now: source}, source
			}
			if reference != "" {
				x.Reference, b.Reference = readmodel.Change{Was: b.Reference, Now: reference}, reference
			}
			now, err := json.Marshal(b)
			if err != nil {
				return nil, fmt.Errorf("encode what a forebear gives: %w", err)
			}
			x.stored.Brought = string(now)
			out = append(out, x)
		}
	}
	return out, nil
}
