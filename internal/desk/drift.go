package desk

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// keptDrift keeps in memory what drift is computed from. Several pages need it at each view, and in a campaign of few systems many segments
// are read for it.
type keptDrift struct {
	mu sync.Mutex
	of map[string]driftAt // by id of the campaign
}

// maxDrift is the largest number of annotators that all campaigns in [keptDrift] have together.
const maxDrift = 10_000

// driftAt is what was read in one state of a campaign. It is not changed once it is made.
type driftAt struct {
	state readState
	of    map[string]driftWindows // by id of the annotator
}

// driftWindows are the windows of the latest ratings of an annotator that drift compares.
type driftWindows struct {
	last, before campaign.Window
	documents    []string // ids of those in which the annotator's latest turns lie, from which the windows were computed
}

// driftOf returns, by id, the windows of the annotators who have enough ratings for two of them. at is a state that the campaign was in
// lately.
func (s *Store) driftOf(db *gorm.DB, c campaign.Campaign, at readState, f figures, annotators []AnnotatorProgress) (map[string]driftWindows, error) {
	now := driftAt{at, map[string]driftWindows{}}
	var err error
	s.drift.mu.Lock()
	kept := s.drift.of[c.ID]
	s.drift.mu.Unlock()
	switch {
	case kept.state.whole != now.state.whole:
		_, err = now.state.readChanged(db, readState{}, c.ID)
	case kept.state.version == now.state.version:
		now = driftAt{kept.state, maps.Clone(kept.of)}
	default:
		err = now.keepUnchanged(db, c, kept)
	}
	if err != nil {
		return nil, err
	}
	limits := map[string]int{}
	for _, a := range annotators {
		if _, known := now.of[a.User.ID]; !known && a.Compared >= 2*campaign.DriftRatings {
			perTurn := max(1, float64(a.Ratings)/float64(max(1, a.Segments)))
			limits[a.User.ID] = int(math.Ceil(2*campaign.DriftRatings/perTurn)) + 2
		}
	}
	if err := readDrift(db, c.ID, f.scale, limits, now.of); err != nil {
		return nil, err
	}
	s.drift.mu.Lock()
	defer s.drift.mu.Unlock()
	s.drift.of[c.ID] = now
	annotated := 0
	for _, k := range s.drift.of {
		annotated += len(k.of)
	}
	if annotated > maxDrift {
		clear(s.drift.of)
	}
	return now.of, nil
}

// keepUnchanged takes over what was read before of annotators who have, and had, no turn in a document that has changed.
func (d *driftAt) keepUnchanged(db *gorm.DB, c campaign.Campaign, before driftAt) error {
	changed, err := d.state.readChanged(db, before.state, c.ID)
	if err != nil {
		return err
	}
	worked, err := workedIn(db, changed)
	if err != nil {
		return err
	}
	for id, w := range before.of {
		if !worked[id] && !slices.ContainsFunc(w.documents, func(document string) bool { return changed[document] }) {
			d.of[id] = w
		}
	}
	return nil
}

// mostUnions is how many annotators one query of turns is about.
const mostUnions = 100

// readDrift adds the windows of users to out. limits says how many turns of each are likely to be enough; it is empty at the end.
func readDrift(db *gorm.DB, campaignID string, scale scoreScale, limits map[string]int, out map[string]driftWindows) error {
	for len(limits) > 0 {
		for part := range slices.Chunk(slices.Sorted(maps.Keys(limits)), mostUnions) {
			if err := readLatestTurns(db, campaignID, scale, part, limits, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLatestTurns reads as many turns of each user as limits says. A user stays in limits, with a higher limit, if more turns are needed to
// fill the windows and there are more. Turns of one moment are in the order of import, the later segment first.
func readLatestTurns(db *gorm.DB, campaignID string, scale scoreScale, users []string, limits map[string]int, out map[string]driftWindows) error {
	var parts []string
	var args []any
	for _, id := range users {
		parts = append(parts, `SELECT a.user_id, a.round, a.submitted_at, a.at_position, a.in_document, coalesce(k.counted, '')
			FROM (SELECT user_id, round, submitted_at, at_position, in_document, segment_id FROM assignments
				WHERE campaign_id = ? AND state = 'submitted' AND user_id = ? ORDER BY submitted_at DESC, at_position DESC LIMIT ?) a
			LEFT JOIN segment_tallies k ON k.segment_id = a.segment_id`)
		args = append(args, campaignID, id, limits[id])
		last, before := campaign.Windows(nil)
		out[id] = driftWindows{last: last, before: before}
	}
	turns, read := map[string][]campaign.ComparedTurn{}, map[string]int{}
	var user, document, counted string
	var round, position int
	var at database.Instant
	for err := range database.EachRow(db.Raw(strings.Join(parts, " UNION ALL ")+" ORDER BY 1, 3 DESC, 4 DESC", args...),
		&user, &round, &at, &position, &document, &counted) {
		if err != nil {
			return err
		}
		read[user]++
		w := out[user]
		if w.before.Ratings >= campaign.DriftRatings {
			continue // both windows are full
		}
		if !slices.Contains(w.documents, document) {
			w.documents = append(w.documents, document)
		}
		seg, err := decodeCounted(counted)
		if err != nil {
			return err
		}
		if seg != nil && seg.ComparedRound() == round {
			if _, n, difference := seg.Against(user, round); n > 0 {
				turns[user] = append(turns[user], campaign.ComparedTurn{Ratings: n, Difference: scale.Mean(difference)})
				w.last, w.before = campaign.Windows(turns[user])
			}
		}
		out[user] = w
	}
	for _, id := range users {
		if out[id].before.Ratings < campaign.DriftRatings && read[id] == limits[id] {
			limits[id] *= 2
		} else {
			delete(limits, id)
		}
	}
	return nil
}
