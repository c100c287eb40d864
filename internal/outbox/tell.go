package outbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// ListensTo is the SQL condition that a webhook gets events of the campaign of the row s.
const ListensTo = "EXISTS (SELECT 1 FROM webhooks w WHERE w.campaign_id = s.campaign_id OR w.campaign_id IS NULL)"

// Tell stores an event of a campaign for each webhook that gets this event. data becomes the JSON of the event.
func (s *Store) Tell(tx *database.Tx, campaignID, event string, data any) error {
	ids, err := listeners(tx, campaignID, event)
	if err != nil || len(ids) == 0 {
		return err
	}
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", event, err)
	}
	rows := database.NewRows("deliveries", "id", "webhook_id", "campaign_id", "event", "body", "state", "created_at", "next_at")
	now := database.InstantOf(tx.Now())
	for _, id := range ids {
		rows.Add(database.NewID(), id, campaignID, event, string(body), waiting, now, now)
	}
	tx.AfterCommit(s.wake)
	return rows.Insert(tx)
}

// listeners returns the ids of the webhooks that get an event of a campaign. It locks them, so that nobody removes them
// before the transaction ends.
func listeners(tx *database.Tx, campaignID, event string) (ids []string, err error) {
	query := "SELECT w.id FROM webhooks w WHERE (w.campaign_id = ? OR w.campaign_id IS NULL) AND w.events LIKE ? ORDER BY w.id"
	if !tx.Alone() {
		query += " FOR KEY SHARE"
	}
	err = tx.Raw(query, campaignID, "% "+event+" %").Scan(&ids).Error
	return ids, err
}

// A Change says how a segment has changed.
type Change struct {
	ID      string // row id of the segment
	Status  campaign.Status
	Round   int
	Settled bool // the segment is settled, and was not before
	Gold    bool // its gold has changed
	Rounds  bool // a further round is complete
}

// A Segment is a segment in the JSON of an event. Its keys are those of annotate agreement --format json.
type Segment struct {
	DocID     string          `json:"doc_id"`
	SegmentID string          `json:"segment_id"`
	Round     int             `json:"round"`
	Status    campaign.Status `json:"status"`
}

// An Import is an import in the JSON of an event. Its keys are those of annotate import list --json.
type Import struct {
	Kind    string `json:"kind"`
	Files   string `json:"files"`
	Brought string `json:"brought"`
}

// A Judge, in the JSON of an event, is a judge whose run has ended. Its keys are those of annotate judge list --json.
type Judge struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Model  string `json:"model"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// TellSegments stores events about changes of segments of a campaign. Each kind of event is stored once for all changes
// of a call.
func (s *Store) TellSegments(tx *database.Tx, campaignID string, changes []Change) error {
	for _, of := range []struct {
		event string
		is    func(Change) bool
	}{
		{RoundComplete, func(c Change) bool { return c.Rounds }},
		{SegmentSettled, func(c Change) bool { return c.Settled }},
		{GoldChanged, func(c Change) bool { return c.Gold }},
	} {
		some := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !of.is(c) })
		if len(some) == 0 {
			continue
		}
		segments, err := named(tx, some)
		if err != nil {
			return err
		}
		if err := s.Tell(tx, campaignID, of.event, map[string]any{"segments": segments}); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Settled }) {
		return nil
	}
	return s.tellComplete(tx, campaignID)
}

// named returns the segments of changes in the form of events.
func named(tx *database.Tx, changes []Change) ([]Segment, error) {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	var rows []struct{ ID, DocID, SegmentID string }
	err := tx.Raw("SELECT s.id, d.doc_id, s.segment_id FROM segments s JOIN documents d ON d.id = s.document_id WHERE s.id IN ?", ids).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := make([]Segment, 0, len(rows))
	for _, c := range changes {
		if i := slices.IndexFunc(rows, func(r struct{ ID, DocID, SegmentID string }) bool { return r.ID == c.ID }); i >= 0 {
			out = append(out, Segment{rows[i].DocID, rows[i].SegmentID, c.Round, c.Status})
		}
	}
	return out, nil
}

// tellComplete stores the event that a campaign is complete if all its segments are settled. On PostgreSQL two
// transactions may settle the last two segments at the same time, and each would see the other's segment unsettled. So
// tellComplete locks the webhooks that get the event, and the second transaction looks after the first has ended.
func (s *Store) tellComplete(tx *database.Tx, campaignID string) error {
	ids, err := listeners(tx, campaignID, CampaignComplete)
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := tx.Lock("webhooks", ids...); err != nil {
		return err
	}
	var open, segments int
	err = database.Scan(
		tx.Raw("SELECT count(CASE WHEN status IN ('pending', 'reannotate') THEN 1 END), count(*) FROM segments WHERE campaign_id = ?", campaignID),
		&open, &segments,
	)
	if err != nil || open > 0 {
		return err
	}
	return s.Tell(tx, campaignID, CampaignComplete, map[string]any{"segments": segments})
}
