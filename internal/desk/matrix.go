package desk

import (
	"context"
	"math"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// Matrices reads how far each two annotators agree at system and at segment level,
// over the latest round of each segment that both submitted; with gold over the
// segments in gold alone.
func (s *Store) Matrices(ctx context.Context, c campaign.Campaign, gold bool) (Matrices, error) {
	db := s.db.Read(ctx)
	var m Matrices
	name := "all"
	if gold {
		name = "gold"
	}
	total, err := readTable(db, c.ID, "kind = ?", kindTotal)
	if err != nil {
		return m, err
	}
	pairs := pairTable{}
	if err := pairs.read(db, c.ID, name, "1 = 1"); err != nil {
		return m, err
	}
	annotators, err := people(db, c.ID)
	if err != nil {
		return m, err
	}
	for _, a := range annotators {
		if !a.Removed || total[sumKey{Kind: kindTotal, User: a.User.ID}].N > 0 {
			m.Annotators = append(m.Annotators, a.User)
		}
	}
	for i, a := range m.Annotators {
		for _, b := range m.Annotators[i+1:] {
			system := Cell{A: a.Login, B: b.Login, R: math.NaN()}
			segment := system
			if x := pairs[pairOf(a.ID, b.ID)]; x != nil {
				system.Shared, segment.Shared = int(x.together.N), int(x.together.N)
				system.R, system.Defined = systemLevelR(x.systems), len(x.systems)
				segment.R, segment.Defined = segmentLevelR(x.together), int(x.together.X)
			}
			m.SystemLevel, m.SegmentLevel = append(m.SystemLevel, system), append(m.SegmentLevel, segment)
		}
	}
	return m, nil
}

// pairSums are what is summed up of two annotators.
type pairSums struct {
	together Sums
	systems  []Sums
}

// pairOf names two users as keys do.
func pairOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// pairTable holds sums of two annotators by these ([pairOf]).
type pairTable map[[2]string]*pairSums

// read adds the sums of two annotators that a condition finds, of "all" or "gold".
func (t pairTable) read(db *gorm.DB, campaignID, name, where string, args ...any) error {
	query := db.Raw("SELECT kind, user_id, other_id, n, x, y FROM tallies WHERE campaign_id = ? AND kind IN ? AND "+where+" AND (name = ? OR name LIKE ?)",
		slices.Concat([]any{campaignID, []string{kindTogether, kindSystem}}, args, []any{name, name + "/%"})...)
	var kind, user, other string
	var s Sums
	for err := range database.EachRow(query, &kind, &user, &other, &s.N, &s.X, &s.Y) {
		if err != nil {
			return err
		}
		if s == (Sums{}) {
			continue
		}
		pair := pairOf(user, other)
		if t[pair] == nil {
			t[pair] = &pairSums{}
		}
		if kind == kindTogether {
			t[pair].together = s
		} else {
			t[pair].systems = append(t[pair].systems, s)
		}
	}
	return nil
}

// PairSegments lists the segments behind a cell of [Matrices], lowest r first and
// those where it is undefined last: at most limit after skipping offset, and how
// many there are in all. ErrNotFound: nobody has that login.
func (s *Store) PairSegments(
	ctx context.Context, c campaign.Campaign, loginA, loginB string, gold bool, offset, limit int,
) ([]readmodel.PairSegment, int, error) {
	db := s.db.Read(ctx)
	ids := make([]string, 2)
	for i, login := range []string{loginA, loginB} {
		u, err := accounts.FindUser(db, "login = ?", login)
		if err != nil {
			return nil, 0, err
		}
		ids[i] = u.ID
	}
	slices.Sort(ids)
	name, where := "all", ""
	if gold {
		name, where = "gold", " AND gold = TRUE"
	}
	table, err := readTable(db, c.ID, "kind = ? AND user_id = ? AND other_id = ? AND name = ?", kindTogether, ids[0], ids[1], name)
	if err != nil {
		return nil, 0, err
	}
	total := int(table[sumKey{Kind: kindTogether, User: ids[0], Other: ids[1], Name: name}].N)
	var rows []struct {
		SegmentID  string
		Round      int
		Shared     int
		R          *float64
		Difference float64
	}
	err = db.Raw(`SELECT segment_id, round, shared, r, difference FROM segment_pairs WHERE campaign_id = ? AND user_id = ? AND other_id = ?`+where+`
		ORDER BY sort_r, segment_id LIMIT ? OFFSET ?`, c.ID, ids[0], ids[1], limit, offset).Scan(&rows).Error
	if err != nil {
		return nil, 0, err
	}
	segments := make([]string, len(rows))
	for i, r := range rows {
		segments[i] = r.SegmentID
	}
	entries, err := entriesOf(db, segments)
	if err != nil {
		return nil, 0, err
	}
	out := make([]readmodel.PairSegment, len(rows))
	for i, r := range rows {
		out[i] = readmodel.PairSegment{Segment: entries[i], PairRound: r.Round, R: math.NaN(), Shared: r.Shared, Difference: r.Difference}
		if r.R != nil {
			out[i].R = *r.R
		}
	}
	return out, total, nil
}

// Version is a number that rises with every change of what a campaign's pages count, that of its checks
// included. A page that knows it can ask whether there is anything new.
func (s *Store) Version(ctx context.Context, campaignID string) (int64, error) {
	at, err := stateOf(s.db.Read(ctx), campaign.Campaign{ID: campaignID})
	return at.version, err
}
