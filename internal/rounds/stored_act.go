package rounds

import (
	"cmp"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A StoredAct is an act of a lead as it is stored.
type StoredAct struct {
	campaign.Act
	SegmentID string
	Batch     string
	ByLogin   string // empty if it was the command line or is not known
	Reason    string
	At        database.Instant
	Seq       int64 // place among the acts of the campaign
}

// ReadActs reads the acts for which a condition on the table alias c is true. They are sorted
// by segment, and the acts of a segment by the order in which they were done.
func ReadActs(db *gorm.DB, where string, args ...any) ([]StoredAct, error) {
	var out []StoredAct
	index := map[string]int{}
	var a StoredAct
	for err := range database.EachRow(db.Raw(
		`SELECT c.id, c.segment_id, c.batch, c.kind, c.undone, c.round, coalesce(f.login, ''), coalesce(t.login, ''), c.restores, coalesce(b.login, ''), c.reason, c.at, c.seq, c.rated, c.text_before
		FROM acts c LEFT JOIN users f ON f.id = c.from_id LEFT JOIN users t ON t.id = c.to_id LEFT JOIN users b ON b.id = c.by_id
		WHERE `+where,
		args...),
		&a.ID, &a.SegmentID, &a.Batch, &a.Kind, &a.Undone, &a.Round, &a.From, &a.To, &a.Restores, &a.ByLogin, &a.Reason, &a.At,
		&a.Seq, &a.Rated, &a.Replaced) {
		if err != nil {
			return out, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b StoredAct) int {
		return cmp.Or(strings.Compare(a.SegmentID, b.SegmentID), cmp.Compare(a.Seq, b.Seq))
	})
	ids := make([]string, len(out))
	for i, a := range out {
		ids[i], index[a.ID] = a.ID, i
	}
	for part := range slices.Chunk(ids, database.MaxParameters) {
		var id, login string
		for err := range database.EachRow(db.Raw("SELECT n.act_id, u.login FROM act_annotators n JOIN users u ON u.id = n.user_id WHERE n.act_id IN ? ORDER BY u.login", part),
			&id, &login) {
			if err != nil {
				return nil, err
			}
			a := &out[index[id]]
			a.Annotators = append(a.Annotators, login)
		}
	}
	return out, nil
}
