package rounds

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// IsUndecided reports whether the annotators' answers to a question about a segment have no gold.
func IsUndecided(db *gorm.DB, segmentID string) (bool, error) {
	var n int
	err := database.Scan(db.Raw("SELECT count(*) FROM undecided WHERE segment_id = ?", segmentID), &n)
	return n > 0, err
}

// An UndecidedSegment names the questions about a segment whose answers have no gold.
type UndecidedSegment struct {
	ID        string
	Questions []string
	Since     database.Instant
}

// UndecidedOf reads the undecided segments of a campaign that meet a condition on rows u of the table undecided.
func UndecidedOf(db *gorm.DB, condition string, args ...any) (out []UndecidedSegment, err error) {
	var rows []struct {
		SegmentID, Questions string
		Since                database.Instant
	}
	err = db.Raw("SELECT u.segment_id, u.questions, u.since FROM undecided u WHERE "+condition, args...).Scan(&rows).Error
	for _, r := range rows {
		out = append(out, UndecidedSegment{r.SegmentID, strings.Fields(r.Questions), r.Since})
	}
	return out, err
}

// storeUndecided stores which questions about segments have no gold, by the outcomes of the segments. The caller has
// already stored the states of their turns.
func (f *Following) storeUndecided(segments []*Segment, outcomes []campaign.Outcome) error {
	if len(f.c.Rules.Asks()) == 0 {
		return nil
	}
	found, err := UndecidedBy(f.tx.DB, f.c, segments, outcomes)
	if err != nil {
		return err
	}
	now := database.InstantOf(f.tx.Now())
	rows := database.NewRows("undecided", "segment_id", "campaign_id", "questions", "since")
	var decided []string
	for i, s := range segments {
		switch names := found[i]; {
		case slices.Equal(names, s.Undecided):
		case len(names) == 0:
			decided = append(decided, s.ID)
		default:
			rows.Add(s.ID, f.c.ID, strings.Join(names, " "), now)
		}
		s.Undecided = found[i]
	}
	if err := EachPart(f.tx, decided, "DELETE FROM undecided WHERE segment_id IN ?"); err != nil {
		return err
	}
	return rows.Write(f.tx, " ON CONFLICT (segment_id) DO UPDATE SET questions = excluded.questions, since = excluded.since")
}

// UndecidedBy lists, for each segment, the questions of a campaign whose answers have no gold by an outcome.
func UndecidedBy(db *gorm.DB, c campaign.Campaign, segments []*Segment, outcomes []campaign.Outcome) ([][]string, error) {
	out := make([][]string, len(segments))
	if len(c.Rules.Asks()) == 0 {
		return out, nil
	}
	at := map[string]int{} // places in segments, by row id
	for i, s := range segments {
		act, acted := s.actOf(outcomes[i].DecidingAct)
		if outcomes[i].Status.InGold() && !(acted && act.Kind == campaign.Adjudicate && !act.Entered()) {
			at[s.ID] = i
		}
	}
	if len(at) == 0 {
		return out, nil
	}
	ids := make([]string, 0, len(at))
	for id := range at {
		ids = append(ids, id)
	}
	ratings, err := records.RatingsOf(db, ids)
	if err != nil {
		return nil, err
	}
	var translations []struct{ ID, SegmentID string }
	if err := db.Raw("SELECT id, segment_id FROM translations WHERE segment_id IN ? ORDER BY id", ids).Scan(&translations).Error; err != nil {
		return nil, err
	}
	for _, t := range translations {
		i := at[t.SegmentID]
		s := campaign.Segment{Status: outcomes[i].Status, Round: outcomes[i].Round, Complete: outcomes[i].Complete}
		if act, ok := segments[i].actOf(outcomes[i].DecidingAct); ok && act.Kind == campaign.AcceptMean {
			s.MeanOf = act.Annotators
		}
		var given campaign.Translation
		for _, r := range ratings[t.ID] {
			given.Ratings = append(given.Ratings, r.Rating)
		}
		for _, name := range campaign.Undecided(c.Rules, s, given) {
			if !slices.Contains(out[i], name) {
				out[i] = append(out[i], name)
			}
		}
	}
	return out, nil
}

// actOf is the act of the segment with an id. ok is false if there is none.
func (g *Segment) actOf(id string) (campaign.Act, bool) {
	i := slices.IndexFunc(g.Acts, func(a campaign.Act) bool { return a.ID == id })
	if i < 0 {
		return campaign.Act{}, false
	}
	return g.Acts[i], true
}
