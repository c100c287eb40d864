package rounds

import (
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// DecisionsOf lists the decisions on a segment, also the superseded ones, by round and then
// in the order in which they were formed.
func DecisionsOf(db *gorm.DB, segmentID string) ([]campaign.Decision, error) {
	var rows []decisionRow
	err := db.Raw("SELECT * FROM decisions WHERE segment_id = ? ORDER BY round, decided_at, id", segmentID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var out []campaign.Decision
	for _, r := range rows {
		d, err := r.decision()
		if err != nil {
			return nil, err
		}
		d.Superseded = !r.Current
		out = append(out, d)
	}
	return out, nil
}

// A decisionRow is a row of the table decisions.
type decisionRow struct {
	ID         string
	SegmentID  string
	Round      int
	Passed     bool
	Status     string
	Gate       string
	Threshold  float64
	Tolerance  float64
	Pairs      string
	DecidedAt  database.Instant
	Annotators int
	Current    bool
	Rated      int64
}

// decision returns the decision of the row. Superseded is not set.
func (r decisionRow) decision() (campaign.Decision, error) {
	d := campaign.Decision{
		Round: r.Round, Passed: r.Passed, Status: campaign.Status(r.Status), Annotators: r.Annotators,
		Gate: r.Gate, Threshold: r.Threshold, Tolerance: r.Tolerance, At: r.DecidedAt.Time(),
	}
	if err := json.Unmarshal([]byte(r.Pairs), &d.Pairs); err != nil {
		return d, fmt.Errorf("decode pairs: %w", err)
	}
	return d, nil
}

// Formed reports whether the stored decision equals d and its encoded pairs, so that it need
// not be stored again.
func (r decisionRow) Formed(d campaign.Decision, pairs string) bool {
	return r.Passed == d.Passed && r.Status == string(d.Status) && r.Gate == d.Gate && r.Threshold == d.Threshold &&
		r.Tolerance == d.Tolerance && r.Annotators == d.Annotators && r.Pairs == pairs
}

// sameVerdict reports whether the stored decision has the same verdict, status and reasons of pairs as d.
// These are what the kept sums count.
func (r decisionRow) sameVerdict(d campaign.Decision, pairs string) bool {
	return r.Passed == d.Passed && r.Status == string(d.Status) && r.Pairs == pairs
}
