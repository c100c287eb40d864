package rounds

import (
	"cmp"
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
		Skipped     string
		Drafts      int
		StartedAt   database.Instant
		TouchedAt   database.Instant
		SubmittedAt database.Instant
		Seconds     float64
	}
	err := db.Raw(`SELECT u.login, a.round, a.state, a.set_aside, a.work, a.replaced, a.counts, a.added, a.skipped, a.started_at, a.touched_at, a.submitted_at, a.seconds,
			(SELECT count(*) FROM drafts x WHERE x.assignment_id = a.id) AS drafts
		FROM assignments a JOIN users u ON u.id = a.user_id WHERE a.segment_id = ? AND `+records.Annotates, segmentID).
		Scan(&rows).
		Error
	out := make([]readmodel.Turn, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Turn{
			Login: r.Login, Round: r.Round, State: campaign.AssignmentState(r.State), SetAside: campaign.AssignmentState(r.SetAside),
			Work: campaign.Work(
				r.Work,
			), Replaced: r.Replaced, Counts: r.Counts, Added: r.Added, Skipped: r.Skipped, StartedAt: r.StartedAt.Time(), TouchedAt: r.TouchedAt.Time(), SubmittedAt: r.SubmittedAt.Time(), Seconds: r.Seconds,
		}
		out[i].Begun = r.Drafts > 0 || out[i].State == campaign.Submitted || out[i].SetAside == campaign.Submitted
	}
	slices.SortFunc(out, func(a, b readmodel.Turn) int { return cmp.Or(a.Round-b.Round, strings.Compare(a.Login, b.Login)) })
	return out, err
}
