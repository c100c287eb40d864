package rounds

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// TurnsOf lists the assignments of a segment by round, then login, without
// adjudications.
func TurnsOf(db *gorm.DB, segmentID string) ([]readmodel.Turn, error) {
	var rows []struct {
		Login       string
		Round       int
		State       string
		SetAside    string
		Work        string
		Replaced    bool
		Counts      bool
		Added       bool
		Drafts      int
		StartedAt   database.Instant
		TouchedAt   database.Instant
		SubmittedAt database.Instant
		Seconds     float64
	}
	err := db.Raw(`SELECT u.login, a.round, a.state, a.set_aside, a.work, a.replaced, a.counts, a.added, a.started_at, a.touched_at, a.submitted_at, a.seconds,
			(SELECT count(*) FROM drafts x WHERE x.assignment_id = a.id) AS drafts
		FROM assignments a JOIN users u ON u.id = a.user_id WHERE a.segment_id = ? AND `+records.Annotates, segmentID).Scan(&rows).Error
	out := make([]readmodel.Turn, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Turn{
			Login: r.Login, Round: r.Round, State: campaign.AssignmentState(r.State), SetAside: campaign.AssignmentState(r.SetAside),
			Work: campaign.Work(r.Work), Replaced: r.Replaced, Counts: r.Counts, Added: r.Added, StartedAt: r.StartedAt.Time(), TouchedAt: r.TouchedAt.Time(), SubmittedAt: r.SubmittedAt.Time(), Seconds: r.Seconds,
		}
		out[i].Begun = r.Drafts > 0 || out[i].State == campaign.Submitted || out[i].SetAside == campaign.Submitted
	}
	slices.SortFunc(out, func(a, b readmodel.Turn) int { return cmp.Or(a.Round-b.Round, strings.Compare(a.Login, b.Login)) })
	return out, err
}

// DecisionsOf lists the decisions of a segment by round, then as they were formed.
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
