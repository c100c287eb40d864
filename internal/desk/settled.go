package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// keepsSettled reports whether the settled answers of segments are kept for a campaign: its protocol asks about segments, or it is
// about terms. Segments of other campaigns in gold have no answers that could keep them behind.
func keepsSettled(c campaign.Campaign) bool { return c.Rules.OfSegments() || c.Rules.Spans.OfTerms() }

// readSettled adds the ids of the settled answers of segments.
func (c *Counting) readSettled(byID map[string]*SegmentCount) error {
	if !keepsSettled(c.c) {
		return nil
	}
	ids := []string{}
	for id, seg := range byID {
		if seg.Gold {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []records.SegmentRow
	if err := c.db.Raw(records.SegmentColumns+" WHERE g.id IN ?", ids).Scan(&rows).Error; err != nil {
		return err
	}
	segments, err := records.PartsOf(c.db, c.c, rows, records.Ratings)
	if err != nil {
		return err
	}
	if c.answers == nil {
		c.answers = map[string]string{}
	}
	for i, seg := range segments {
		text, err := json.Marshal(campaign.BroughtBy(c.c.Rules, seg).Settled)
		if err != nil {
			return fmt.Errorf("encode settled answers: %w", err)
		}
		sum := sha256.Sum256(text)
		id := hex.EncodeToString(sum[:10])
		byID[rows[i].ID].Settled, c.answers[id] = id, string(text)
	}
	return nil
}

// keepAnswers stores the settled answers that were read.
func (c *Counting) keepAnswers(tx *database.Tx) error {
	rows := database.NewRows("settled_answers", "campaign_id", "id", "answers")
	for _, id := range slices.Sorted(maps.Keys(c.answers)) {
		rows.Add(c.c.ID, id, c.answers[id])
	}
	clear(c.answers)
	return rows.Write(tx, " ON CONFLICT DO NOTHING")
}

// A settledGroup is the segments of a campaign with the same settled answers.
type settledGroup struct {
	ID string
	campaign.Settled
	N int
}

// settledGroups lists the groups of the segments of a campaign in gold. If the answers of the campaign's segments are not kept, there
// is one group, with an empty id.
func settledGroups(db *gorm.DB, c campaign.Campaign) (out []settledGroup, err error) {
	if !keepsSettled(c) {
		table, err := readTable(db, c.ID, "kind = ?", kindStatus)
		all := settledGroup{}
		for k, sums := range table {
			if status, _, _ := strings.Cut(k.Name, "/"); campaign.Status(status).InGold() {
				all.N += int(sums.N)
			}
		}
		return []settledGroup{all}, err
	}
	var g settledGroup
	var text string
	for err := range database.EachRow(db.Raw(`SELECT x.id, x.answers, t.n FROM tallies t JOIN settled_answers x ON x.campaign_id = t.campaign_id AND x.id = t.name
		WHERE t.campaign_id = ? AND t.kind = ?`, c.ID, kindSettled), &g.ID, &text, &g.N) {
		if err != nil {
			return out, err
		}
		out = append(out, g)
		if err := json.Unmarshal([]byte(text), &out[len(out)-1].Settled); err != nil {
			return out, err
		}
	}
	return out, nil
}
