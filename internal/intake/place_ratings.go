package intake

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A placement says what placing some staged ratings did.
type placement struct {
	ratings int // and adjudications
	moves   []readmodel.StatusMove
}

// An importOrigin is what placing the ratings of an import needs to know of it.
type importOrigin struct {
	ID   string // of the import, and of the batch of its adjudications
	File string // names of the files
	ByID string // the user who imports; empty: the command line
}

// placeRatings makes the staged ratings of a campaign's next segments ratings, stores
// what follows for these segments, makes acts of their staged adjudications, and deletes
// the staged rows. It places none where none are staged. The caller holds the lock of the campaign.
func (s *Store) placeRatings(tx *database.Tx, c campaign.Campaign, from importOrigin, segments int) (placement, error) {
	var ids []string
	err := tx.Raw("SELECT DISTINCT segment_id FROM staged_ratings WHERE campaign_id = ? ORDER BY segment_id LIMIT ?",
		c.ID, segments).Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return placement{}, err
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return placement{}, err
	}
	before, err := statusesOf(tx.DB, ids)
	if err != nil {
		return placement{}, err
	}
	var staged []stagedRating
	err = tx.Raw(`SELECT r.*, u.login FROM staged_ratings r JOIN users u ON u.id = r.user_id
		WHERE r.campaign_id = ? AND r.segment_id IN ? ORDER BY r.segment_id, r.user_id, r.round, r.translation_id`, c.ID, ids).Scan(&staged).Error
	if err != nil {
		return placement{}, err
	}
	noted, err := noteDecisions(tx.DB, from.ID, ids)
	if err != nil {
		return placement{}, err
	}
	if err := s.placeTurns(tx, c, from, staged); err != nil {
		return placement{}, err
	}
	if err := s.placeAdjudications(tx, c, from, staged); err != nil {
		return placement{}, err
	}
	if err := noted.Insert(tx); err != nil {
		return placement{}, err
	}
	if err := rounds.EachPart(tx, ids, "UPDATE import_segments SET rated = (SELECT g.rated FROM all_segments g WHERE g.id = import_segments.segment_id) WHERE import_id = ? AND segment_id IN ?", from.ID); err != nil {
		return placement{}, err
	}
	if err := tx.Exec("DELETE FROM staged_ratings WHERE campaign_id = ? AND segment_id IN ?", c.ID, ids).Error; err != nil {
		return placement{}, err
	}
	after, err := statusesOf(tx.DB, ids)
	return placement{len(staged), movesOf(before, after)}, err
}

// noteDecisions returns the rows of import_segments for segments before an import changes them.
func noteDecisions(db *gorm.DB, importID string, ids []string) (*database.Rows, error) {
	decisions := map[string][]string{}
	var segment, id string
	var current bool
	for err := range database.EachRow(db.Raw("SELECT segment_id, id, current FROM decisions WHERE segment_id IN ? ORDER BY id", ids),
		&segment, &id, &current) {
		if err != nil {
			return nil, err
		}
		if current {
			id += currentMark
		}
		decisions[segment] = append(decisions[segment], id)
	}
	noted := database.NewRows("import_segments", "segment_id", "import_id", "was_rated", "rated", "decisions")
	var rated int64
	for err := range database.EachRow(db.Raw("SELECT id, rated FROM all_segments WHERE id IN ? ORDER BY id", ids), &id, &rated) {
		if err != nil {
			return noted, err
		}
		noted.Add(id, importID, rated, 0, strings.Join(decisions[id], " "))
	}
	return noted, nil
}

// statusesOf reads the statuses of segments by their ids.
func statusesOf(db *gorm.DB, ids []string) (map[string]campaign.Status, error) {
	statuses := make(map[string]campaign.Status, len(ids))
	var id string
	var status campaign.Status
	for err := range database.EachRow(db.Raw("SELECT id, status FROM all_segments WHERE id IN ?", ids), &id, &status) {
		if err != nil {
			return statuses, err
		}
		statuses[id] = status
	}
	return statuses, nil
}

// movesOf counts the segments that got another status.
func movesOf(before, after map[string]campaign.Status) []readmodel.StatusMove {
	moved := map[[2]campaign.Status]int{}
	for id, was := range before {
		if after[id] != was {
			moved[[2]campaign.Status{was, after[id]}]++
		}
	}
	var moves []readmodel.StatusMove
	for m, n := range moved {
		moves = append(moves, readmodel.StatusMove{From: m[0], To: m[1], N: n})
	}
	return moves
}

// placeTurns makes ratings of the staged ratings that are of a round, and stores what
// follows for their segments.
func (s *Store) placeTurns(tx *database.Tx, c campaign.Campaign, from importOrigin, staged []stagedRating) error {
	p := ratingPlacing{
		tx: tx, c: c, importID: from.ID, met: map[[2]string]int{}, rated: map[string]bool{}, noted: map[string]bool{},
		before: database.NewRows(
			"import_assignments", "assignment_id", "import_id", "state", "imported", "started_at", "touched_at", "submitted_at", "rated", "kept",
		),
		made: database.NewRows(
			"assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "context", "started_at", "touched_at",
			"submitted_at", "imported", "work",
		),
		ratings: database.NewRows(
			"ratings", "id", "assignment_id", "translation_id", "scores", "answers", "spans", "gate_score", "comment", "suggestions", "seconds",
			"submitted_at",
		),
	}
	var ratings []stagedRating
	var ids []string // sorted
	for _, r := range staged {
		if r.Round != adjudicationRound {
			ratings, ids = append(ratings, r), append(ids, r.SegmentID)
		}
	}
	if len(ratings) == 0 {
		return nil
	}
	ids = slices.Compact(ids)
	if err := p.place(ratings, ids); err != nil {
		return err
	}
	return s.rounds.Follow(tx, c, ids...)
}

// ratingPlacing writes ratings as submitted work of their annotators.
type ratingPlacing struct {
	tx       *database.Tx
	c        campaign.Campaign
	importID string
	turns    map[string][]records.AssignmentRow // assignments by segment
	made     *database.Rows                     // new rows of assignments
	before   *database.Rows                     // new rows of import_assignments
	noted    map[string]bool                    // ids of the assignments in before
	ratings  *database.Rows
	met      map[[2]string]int // number of segments that two users share because of the import, by their ids
	rated    map[string]bool   // ids of the assignments that get ratings
}

// A stagedRating is a row of staged_ratings, with the login of its user.
type stagedRating struct {
	SegmentID, UserID    string
	Login                string
	Round                int
	TranslationID        string
	Scores, Answers      string
	Spans                string
	GateScore            float64
	Comment, Suggestions string
	Seconds              float64
	SubmittedAt          database.Instant
}

// place places the staged ratings of segments, and brings the sums of their turns up to
// date.
func (p *ratingPlacing) place(staged []stagedRating, ids []string) (err error) {
	if p.turns, err = turnsOfSegments(p.tx.DB, ids); err != nil {
		return err
	}
	for _, r := range staged {
		turn, err := p.turn(r)
		if err != nil {
			return err
		}
		p.rated[turn] = true
		p.ratings.Add(database.NewID(), turn, r.TranslationID, r.Scores, r.Answers, r.Spans, r.GateScore, r.Comment,
			r.Suggestions, r.Seconds, r.SubmittedAt)
	}
	if err := p.made.Insert(p.tx); err != nil {
		return err
	}
	if err := p.before.Insert(p.tx); err != nil {
		return err
	}
	// A rating that an annotator submitted while the import was published stays.
	if err := p.ratings.Write(p.tx, " ON CONFLICT (assignment_id, translation_id) DO NOTHING"); err != nil {
		return err
	}
	if err := p.saveMeetings(); err != nil {
		return err
	}
	err = rounds.EachPart(p.tx, ids, `UPDATE all_segments SET rated = rated + 1,
		imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.imported) WHERE id IN ?`)
	if err != nil {
		return err
	}
	return sumTurns(p.tx, slices.Sorted(maps.Keys(p.rated)))
}

// turn finds or makes the submitted assignment that a rating belongs to. The cards keep
// the order that the annotator knows from another round.
func (p *ratingPlacing) turn(r stagedRating) (string, error) {
	row := records.AssignmentRow{ // submitted at 0: not known, and no day's quota is used up
		ID: database.NewID(), CampaignID: p.c.ID, SegmentID: r.SegmentID, UserID: r.UserID, Round: r.Round,
		State: campaign.Submitted, CardOrder: campaign.CardOrder{Seed: database.NewSeed(), Context: "segment"}, StartedAt: r.SubmittedAt,
		TouchedAt: r.SubmittedAt, SubmittedAt: r.SubmittedAt,
	}
	turns := p.turns[r.SegmentID]
	for i := range turns {
		a := &turns[i]
		switch {
		case a.UserID != r.UserID:
		case a.Round != r.Round:
			row.CardOrder = a.CardOrder
		case a.State == campaign.Submitted:
			return a.ID, p.note(a.ID)
		default: // a second look that nobody has begun
			a.State = campaign.Submitted
			if err := p.note(a.ID); err != nil {
				return "", err
			}
			return a.ID, p.tx.Exec("UPDATE assignments SET state = 'submitted', imported = TRUE, started_at = ?, touched_at = ?, submitted_at = ? WHERE id = ?",
				r.SubmittedAt, r.SubmittedAt, r.SubmittedAt, a.ID).Error
		}
	}
	if r.Round == 1 {
		for _, a := range turns {
			if a.Round == 1 {
				p.met[[2]string{r.UserID, a.UserID}]++
				p.met[[2]string{a.UserID, r.UserID}]++
			}
		}
	}
	p.turns[r.SegmentID] = append(turns, row)
	p.noted[row.ID] = true
	p.before.Add(row.ID, p.importID, "", false, 0, 0, 0, 0, "")
	p.made.Add(
		row.ID, row.CampaignID, row.SegmentID, row.UserID, row.Round, row.State, row.Seed, row.Context, row.StartedAt,
		row.TouchedAt, row.SubmittedAt,
		true, string(campaign.WorkAsked),
	)
	return row.ID, nil
}

// note adds the state of an assignment to before, unless before has the assignment.
func (p *ratingPlacing) note(assignmentID string) error {
	if p.noted[assignmentID] {
		return nil
	}
	p.noted[assignmentID] = true
	var state string
	var imported bool
	var started, touched, submitted database.Instant
	var rated int64
	err := database.Scan(
		p.tx.Raw("SELECT state, imported, started_at, touched_at, submitted_at, rated FROM assignments WHERE id = ?", assignmentID), &state,
		&imported, &started, &touched, &submitted, &rated,
	)
	if err != nil {
		return err
	}
	var kept []string
	if err := p.tx.Raw("SELECT translation_id FROM ratings WHERE assignment_id = ? ORDER BY translation_id",
		assignmentID).Scan(&kept).Error; err != nil {
		return err
	}
	p.before.Add(assignmentID, p.importID, state, imported, started, touched, submitted, rated, strings.Join(kept, " "))
	return nil
}

// saveMeetings counts who has met whom through the new turns.
func (p *ratingPlacing) saveMeetings() error {
	pairs := slices.SortedFunc(maps.Keys(p.met), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	met := database.NewRows("meetings", "campaign_id", "user_id", "other_id", "segments")
	for _, pair := range pairs {
		met.Add(p.c.ID, pair[0], pair[1], p.met[pair])
	}
	return met.Write(p.tx, " ON CONFLICT (campaign_id, user_id, other_id) DO UPDATE SET segments = meetings.segments + excluded.segments")
}

// sumTurns brings the sums of assignments up to date, and notes when their ratings came
// among those of their segments.
func sumTurns(tx *database.Tx, ids []string) error {
	return rounds.EachPart(tx, ids, `UPDATE assignments SET
		rated = (SELECT g.rated FROM all_segments g WHERE g.id = assignments.segment_id),
		ratings = (SELECT count(*) FROM ratings WHERE assignment_id = assignments.id),
		seconds = (SELECT coalesce(sum(seconds), 0) FROM ratings WHERE assignment_id = assignments.id),
		comments = (SELECT count(*) FROM ratings r WHERE r.assignment_id = assignments.id AND `+records.Commented+`),
		submitted_at = CASE WHEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) > 0
			THEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) ELSE submitted_at END
		WHERE id IN ?`)
}
