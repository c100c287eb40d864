package qualification

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// The segments of a training set are a side campaign. An annotator or a lead has at most one
// assignment of each, which is used again for each answer, attempt and practice. The ratings that were submitted
// are kept as the answer of the segment, or as a result.

// The kinds of a row of training_turns.
const (
	answerTurn   = "answer"   // a lead enters the answer
	attemptTurn  = "attempt"  // an annotator trains
	practiceTurn = "practice" // counts nowhere
)

// usable is the SQL condition that the row t of training_segments is given to annotators.
const usable = "t.answer <> '' AND NOT t.removed"

// training is the training set of a campaign with its rules.
type training struct {
	campaign   campaign.Campaign // not the side campaign
	side       campaign.Campaign // without an id if there is none
	rules      campaign.TrainingRules
	requiredAt database.Instant
}

// readTraining reads the training of a campaign.
func readTraining(db *gorm.DB, c campaign.Campaign) (t training, err error) {
	t.campaign = c
	t.rules = campaign.TrainingRules{Share: c.Settings.TrainingShare, Attempts: c.Settings.TrainingAttempts}
	err = database.Scan(
		db.Raw("SELECT required, everyone, required_at FROM trainings WHERE campaign_id = ?", c.ID), &t.rules.Required, &t.rules.Everyone,
		&t.requiredAt,
	)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return t, err
	}
	if t.side, _, err = records.FindSide(db, c, campaign.Training); err != nil {
		return t, err
	}
	err = database.Scan(
		db.Raw(
			"SELECT count(*) FROM training_segments t JOIN segments g ON g.id = t.segment_id WHERE t.campaign_id = ? AND NOT t.practice AND "+usable,
			t.side.ID,
		),
		&t.rules.Segments,
	)
	return t, err
}

// trainees reads what is known of annotators, by their ids: of one user, or of all if userID is
// empty. Those of whom nothing is known are missing.
func (t training) trainees(db *gorm.DB, userID string) (map[string]campaign.Trainee, error) {
	out := map[string]campaign.Trainee{}
	change := func(id string, fn func(*campaign.Trainee)) {
		x := out[id]
		fn(&x)
		out[id] = x
	}
	var id, decision string
	for err := range database.EachRow(db.Raw(`SELECT u.id FROM users u WHERE (? = '' OR u.id = ?) AND EXISTS (SELECT 1 FROM assignments a
		WHERE a.campaign_id = ? AND a.user_id = u.id AND a.state IN ('submitted', 'released') AND (a.state = 'submitted' OR a.set_aside = 'submitted') AND a.submitted_at < ?)`,
		userID, userID, t.campaign.ID, t.requiredAt), &id) {
		if err != nil {
			return nil, err
		}
		change(id, func(x *campaign.Trainee) { x.RatedBefore = true })
	}
	var since, further int
	for err := range database.EachRow(db.Raw("SELECT user_id, decision, since, further FROM trainees WHERE campaign_id = ? AND (? = '' OR user_id = ?)", t.campaign.ID, userID, userID),
		&id, &decision, &since, &further) {
		if err != nil {
			return nil, err
		}
		change(id, func(x *campaign.Trainee) {
			x.Decision, x.Since, x.Further = campaign.TraineeDecision(decision), since, further
		})
	}
	var a campaign.TrainingAttempt
	for err := range database.EachRow(db.Raw(
		`SELECT a.user_id, a.attempt, a.finished_at > 0, a.passed, count(r.id), coalesce(sum(r.value * r.translations) / nullif(sum(r.translations), 0), 0)
		FROM training_attempts a LEFT JOIN training_results r ON r.campaign_id = ? AND r.user_id = a.user_id AND r.attempt = a.attempt
		WHERE a.campaign_id = ? AND (? = '' OR a.user_id = ?) GROUP BY a.user_id, a.attempt, a.finished_at, a.passed ORDER BY a.user_id, a.attempt`,
		t.side.ID, t.campaign.ID, userID, userID,
	), &id, &a.Number, &a.Finished, &a.Passed, &a.Done, &a.Share) {
		if err != nil {
			return out, err
		}
		change(id, func(x *campaign.Trainee) { x.Attempts = append(x.Attempts, a) })
	}
	return out, nil
}

// MustTrain returns [campaign.ErrNotQualified] if a user has to train before other work.
func MustTrain(db *gorm.DB, c campaign.Campaign, userID string) error {
	var required bool
	err := database.Scan(db.Raw("SELECT required FROM trainings WHERE campaign_id = ?", c.ID), &required)
	if errors.Is(err, database.ErrNoRows) || err == nil && !required {
		return nil
	}
	if err != nil {
		return err
	}
	standing, _, err := standingOf(db, c, userID)
	if err == nil && !standing.MayWork() {
		err = campaign.ErrNotQualified
	}
	return err
}

func standingOf(db *gorm.DB, c campaign.Campaign, userID string) (campaign.Standing, campaign.Trainee, error) {
	t, err := readTraining(db, c)
	if err != nil {
		return campaign.Standing{}, campaign.Trainee{}, err
	}
	all, err := t.trainees(db, userID)
	return t.rules.Standing(all[userID]), all[userID], err
}

// TrainingStanding says where an annotator stands in the training of a campaign, and what is known
// of them.
func (s *Store) TrainingStanding(ctx context.Context, c campaign.Campaign, userID string) (campaign.Standing, campaign.Trainee, error) {
	standing, trainee, err := standingOf(s.db.Read(ctx), c, userID)
	return standing, trainee, err
}

// NextTraining returns the assignment of the training segment that an annotator does next. It begins
// an attempt if none is under way. assignmentID is empty if the attempt under way has no segment left,
// which finishes it. The error is ErrConflict if the annotator has no attempt, and otherwise as in
// Next of package work.
func (s *Store) NextTraining(ctx context.Context, campaignID, userID string) (assignmentID string, err error) {
	err = s.db.WriteInTurn(ctx, campaignID, func(tx *database.Tx) error {
		assignmentID = ""
		c, err := records.LockEvenCompleting(tx, campaignID)
		if err != nil {
			return err
		}
		if err := cmp.Or(records.MayAnnotate(tx.DB, c, userID), MustAccept(tx.DB, c.ID, userID)); err != nil {
			return err
		}
		t, err := readTraining(tx.DB, c)
		if err != nil {
			return err
		}
		all, err := t.trainees(tx.DB, userID)
		if err != nil {
			return err
		}
		if t.rules.Standing(all[userID]).State != campaign.TrainingNeeded {
			return fmt.Errorf("there is nothing to train at the moment: %w", campaign.ErrConflict)
		}
		attempt, err := beginAttempt(tx, c, all[userID], userID)
		if err != nil {
			return err
		}
		var segment string
		err = database.Scan(tx.Raw(`SELECT t.segment_id FROM training_segments t JOIN segments g ON g.id = t.segment_id
			WHERE t.campaign_id = ? AND NOT t.practice AND `+usable+` AND NOT EXISTS (SELECT 1 FROM training_results r WHERE r.segment_id = t.segment_id AND r.user_id = ? AND r.attempt = ?)
			ORDER BY g.position LIMIT 1`, t.side.ID, userID, attempt), &segment)
		if errors.Is(err, database.ErrNoRows) {
			return t.finishAttempt(tx, userID, attempt)
		}
		if err != nil {
			return err
		}
		assignmentID, err = s.trainingTurn(tx, t.side, segment, userID, attemptTurn, attempt)
		return err
	})
	return assignmentID, err
}

// beginAttempt returns the number of the attempt under way, and begins one if there is none.
func beginAttempt(tx *database.Tx, c campaign.Campaign, x campaign.Trainee, userID string) (int, error) {
	n := 1
	if len(x.Attempts) > 0 {
		last := x.Attempts[len(x.Attempts)-1]
		if !last.Finished && last.Number > x.Since {
			return last.Number, nil
		}
		n = last.Number + 1
	}
	return n, tx.Exec(
		"INSERT INTO training_attempts (campaign_id, user_id, attempt, started_at) VALUES (?, ?, ?, ?)", c.ID, userID, n,
		database.InstantOf(tx.Now()),
	).Error
}

// trainingTurn returns the assignment of a training segment to a user, ready for a kind of turn. It
// makes the assignment, or empties the one that the user has, unless that is under way for the same.
func (s *Store) trainingTurn(tx *database.Tx, side campaign.Campaign, segmentID, userID, kind string, attempt int) (id string, err error) {
	if err := records.LockSegments(tx, segmentID); err != nil {
		return "", err
	}
	var was struct {
		ID      string
		State   campaign.AssignmentState
		Kind    string
		Attempt int
	}
	err = tx.Raw(`SELECT a.id, a.state, coalesce(x.kind, '') AS kind, coalesce(x.attempt, 0) AS attempt FROM assignments a LEFT JOIN training_turns x ON x.assignment_id = a.id
		WHERE a.segment_id = ? AND a.user_id = ?`, segmentID, userID).
		Scan(&was).
		Error
	if err != nil {
		return "", err
	}
	now := database.InstantOf(tx.Now())
	switch {
	case was.ID == "":
		was.ID = database.NewID()
		err = tx.Create(&records.AssignmentRow{
			ID: was.ID, CampaignID: side.ID, SegmentID: segmentID, UserID: userID, Round: 1, State: campaign.InWork, Work: campaign.WorkAsked,
			CardOrder: campaign.CardOrder{Seed: database.NewSeed(), Context: "segment"}, StartedAt: now, TouchedAt: now,
		}).Error
	case was.State == campaign.InWork && was.Kind == kind && was.Attempt == attempt:
		return was.ID, nil
	default:
		err = emptyTurn(tx, was.ID, segmentID)
	}
	if err != nil {
		return "", err
	}
	err = tx.Exec(`INSERT INTO training_turns (assignment_id, kind, attempt) VALUES (?, ?, ?)
		ON CONFLICT (assignment_id) DO UPDATE SET kind = excluded.kind, attempt = excluded.attempt`, was.ID, kind, attempt).Error
	if err != nil {
		return "", err
	}
	return was.ID, s.rounds.Follow(tx, side, segmentID)
}

// emptyTurn makes an assignment of a training set as if it had just been given, with the cards in a
// new order.
func emptyTurn(tx *database.Tx, assignmentID, segmentID string) error {
	for _, table := range []string{"ratings", "drafts"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE assignment_id = ?", assignmentID).Error; err != nil {
			return err
		}
	}
	now := database.InstantOf(tx.Now())
	err := tx.Exec(
		"UPDATE assignments SET state = 'open', submitted_at = 0, started_at = ?, touched_at = ?, ratings = 0, seconds = 0, comments = 0, rated = 0, seed = ? WHERE id = ?",
		now, now, database.NewSeed(), assignmentID,
	).Error
	if err != nil {
		return err
	}
	return tx.Exec("UPDATE all_segments SET rated = rated + 1 WHERE id = ?", segmentID).Error
}

// JudgeTraining stores what a submission of a training set comes to: the answer of the segment, or
// a result. It finishes the attempt if that was its last segment. ratings are by the id of the
// translation, and order has these ids in the order of the cards.
func (s *Store) JudgeTraining(tx *database.Tx, side campaign.Campaign, a records.AssignmentRow, ratings map[string]protocol.Rating, order []string) error {
	var kind string
	var attempt int
	err := database.Scan(tx.Raw("SELECT kind, attempt FROM training_turns WHERE assignment_id = ?", a.ID), &kind, &attempt)
	if errors.Is(err, database.ErrNoRows) {
		return nil // an assignment that no training has made
	}
	if err != nil {
		return err
	}
	if kind == answerTurn {
		return s.storeAnswer(tx, side, a, ratings)
	}
	segment, err := readTrainingSegment(tx.DB, side, a.SegmentID)
	if err != nil {
		return err
	}
	if segment.Answer == nil {
		return fmt.Errorf("the lead has taken the answer of this segment away: %w", campaign.ErrConflict)
	}
	candidates, err := records.CandidatesOf(tx.DB, []string{a.SegmentID})
	if err != nil {
		return err
	}
	feedback := segment.Answer.JudgeSegment(side.Rules, ratings, order, campaign.Segment{Candidates: candidates[a.SegmentID]}.CandidateTexts())
	text, err := json.Marshal(feedback)
	if err != nil {
		return fmt.Errorf("encode the feedback: %w", err)
	}
	if kind == attemptTurn { // locks the attempt, so that of two last segments one finishes it
		err := tx.Exec(
			"UPDATE training_attempts SET started_at = started_at WHERE campaign_id = ? AND user_id = ? AND attempt = ?", side.PartOf, a.UserID,
			attempt,
		).Error
		if err != nil {
			return err
		}
	} else {
		attempt = 0
	}
	err = tx.Exec(
		`INSERT INTO training_results (id, campaign_id, segment_id, user_id, attempt, value, translations, feedback, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (campaign_id, user_id, attempt, segment_id) DO UPDATE SET id = excluded.id, value = excluded.value, translations = excluded.translations, feedback = excluded.feedback, at = excluded.at`,
		database.NewID(), side.ID, a.SegmentID, a.UserID, attempt, campaign.Value(feedback), len(feedback), string(text),
		database.InstantOf(tx.Now()),
	).Error
	if err != nil || kind != attemptTurn {
		return err
	}
	of, err := records.ReadCampaign(tx.DB, side.PartOf)
	if err != nil {
		return err
	}
	t, err := readTraining(tx.DB, of)
	if err != nil {
		return err
	}
	var left int
	err = database.Scan(
		tx.Raw(`SELECT count(*) FROM training_segments t JOIN segments g ON g.id = t.segment_id WHERE t.campaign_id = ? AND NOT t.practice AND `+usable+`
		AND NOT EXISTS (SELECT 1 FROM training_results r WHERE r.segment_id = t.segment_id AND r.user_id = ? AND r.attempt = ?)`, side.ID, a.UserID, attempt),
		&left,
	)
	if err != nil || left > 0 {
		return err
	}
	return t.finishAttempt(tx, a.UserID, attempt)
}

// finishAttempt stores what an attempt has come to.
func (t training) finishAttempt(tx *database.Tx, userID string, attempt int) error {
	var share float64
	err := database.Scan(
		tx.Raw(
			"SELECT coalesce(sum(value * translations) / nullif(sum(translations), 0), 0) FROM training_results WHERE campaign_id = ? AND user_id = ? AND attempt = ?",
			t.side.ID, userID, attempt,
		),
		&share,
	)
	if err != nil {
		return err
	}
	return tx.Exec("UPDATE training_attempts SET finished_at = ?, share = ?, passed = ? WHERE campaign_id = ? AND user_id = ? AND attempt = ?",
		database.InstantOf(tx.Now()), share, t.rules.Reaches(share), t.campaign.ID, userID, attempt).Error
}

// practisable is the SQL condition that an annotator may practise on the row t of
// training_segments. Its parameter says whether they may practise on the segments of attempts, too.
const practisable = usable + " AND (t.practice OR ?)"

// MayPractise reports whether there is a segment that an annotator can practise on: one that is for
// practice, or one of the training set once they need not train.
func (s *Store) MayPractise(ctx context.Context, c campaign.Campaign, userID string) (may bool, err error) {
	db := s.db.Read(ctx)
	t, err := readTraining(db, c)
	if err != nil {
		return false, err
	}
	all, err := t.trainees(db, userID)
	if err != nil {
		return false, err
	}
	err = database.Scan(
		db.Raw(
			"SELECT count(*) > 0 FROM training_segments t JOIN segments g ON g.id = t.segment_id WHERE t.campaign_id = ? AND "+practisable, t.side.ID,
			t.rules.Standing(all[userID]).MayWork(),
		),
		&may,
	)
	return may, err
}

// Practise returns the assignment of a segment to practise on: the one under way, or else of those
// that the annotator has practised on least recently. The error is ErrNoWork if there is none, and
// otherwise as in Next of package work. Neither instructions nor qualification are asked for.
func (s *Store) Practise(ctx context.Context, campaignID, userID string) (assignmentID string, err error) {
	err = s.db.WriteInTurn(ctx, campaignID, func(tx *database.Tx) error {
		c, err := records.LockEvenCompleting(tx, campaignID)
		if err != nil {
			return err
		}
		if err := records.MayAnnotate(tx.DB, c, userID); err != nil {
			return err
		}
		t, err := readTraining(tx.DB, c)
		if err != nil {
			return err
		}
		all, err := t.trainees(tx.DB, userID)
		if err != nil {
			return err
		}
		var segment string
		err = database.Scan(tx.Raw(`SELECT t.segment_id FROM training_segments t JOIN segments g ON g.id = t.segment_id
			LEFT JOIN training_results r ON r.segment_id = t.segment_id AND r.user_id = ? AND r.attempt = 0
			LEFT JOIN assignments a ON a.segment_id = t.segment_id AND a.user_id = ? AND a.state = 'open'
			LEFT JOIN training_turns x ON x.assignment_id = a.id AND x.kind = '`+practiceTurn+`'
			WHERE t.campaign_id = ? AND `+practisable+`
			ORDER BY CASE WHEN x.assignment_id IS NULL THEN 1 ELSE 0 END, CASE WHEN t.practice THEN 0 ELSE 1 END, coalesce(r.at, 0), g.position LIMIT 1`,
			userID, userID, t.side.ID, t.rules.Standing(all[userID]).MayWork()), &segment)
		if errors.Is(err, database.ErrNoRows) {
			return campaign.ErrNoWork
		}
		if err != nil {
			return err
		}
		assignmentID, err = s.trainingTurn(tx, t.side, segment, userID, practiceTurn, 0)
		return err
	})
	return assignmentID, err
}

// Prepares reports whether a lead enters or tries the answer of a training segment in an assignment. Leads
// do so in every state of a campaign, unless it is archived.
func Prepares(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow) (yes bool, err error) {
	if c.Side != campaign.Training || c.Archived {
		return false, nil
	}
	err = database.Scan(
		db.Raw(`SELECT count(*) > 0 FROM training_turns x WHERE x.assignment_id = ? AND (x.kind = '`+answerTurn+`' OR x.kind = '`+practiceTurn+`'
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.campaign_id = ? AND m.user_id = ? AND m.role = 'annotator'))`, a.ID, c.PartOf, a.UserID),
		&yes,
	)
	return yes, err
}

// A TrainingTurn says what an assignment of a training set is for.
type TrainingTurn struct {
	Answers   bool // a lead enters the answer
	Practises bool // it counts nowhere
	SegmentID string
	// ResultID is the id of the result of a submitted assignment; empty if there is none.
	ResultID string
}

// TrainingTurnOf reads what an assignment of a user in a training set is for. The error is
// ErrNotFound if there is no such assignment.
func (s *Store) TrainingTurnOf(ctx context.Context, side campaign.Campaign, assignmentID, userID string) (TrainingTurn, error) {
	var kind string
	var t TrainingTurn
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT x.kind, a.segment_id, coalesce(r.id, '') FROM assignments a JOIN training_turns x ON x.assignment_id = a.id
		LEFT JOIN training_results r ON r.segment_id = a.segment_id AND r.user_id = a.user_id AND r.attempt = x.attempt AND a.state = 'submitted'
		WHERE a.id = ? AND a.campaign_id = ? AND a.user_id = ?`, assignmentID, side.ID, userID), &kind, &t.SegmentID, &t.ResultID)
	if errors.Is(err, database.ErrNoRows) {
		err = fmt.Errorf("assignment: %w", campaign.ErrNotFound)
	}
	t.Answers, t.Practises = kind == answerTurn, kind == practiceTurn
	return t, err
}

// TrainingResults lists the results of an annotator in attempts, by attempt and in the order of the
// set.
func (s *Store) TrainingResults(ctx context.Context, c campaign.Campaign, userID string) ([]readmodel.TrainingResult, error) {
	return s.results(ctx, "r.user_id = ?", "r.attempt, g.position", c.ID, userID)
}

// ResultsOf lists the results of all annotators on a segment of the training set in attempts, by
// login and attempt.
func (s *Store) ResultsOf(ctx context.Context, c campaign.Campaign, segmentID string) ([]readmodel.TrainingResult, error) {
	return s.results(ctx, "r.segment_id = ?", "u.login, r.attempt", c.ID, segmentID)
}

// results lists the results in attempts that fulfil a condition. args are the id of the campaign and
// what the condition is about.
func (s *Store) results(ctx context.Context, condition, order string, args ...any) ([]readmodel.TrainingResult, error) {
	var rows []resultRow
	err := s.db.Read(ctx).Raw(resultColumns+" WHERE k.part_of = ? AND "+condition+" AND r.attempt > 0 ORDER BY "+order, args...).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := make([]readmodel.TrainingResult, len(rows))
	for i, r := range rows {
		if out[i], err = r.result(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// resultColumns begins a query for results.
const resultColumns = `SELECT r.id, r.segment_id AS segment_row, u.login, d.doc_id, g.segment_id, r.attempt, r.value, r.at, r.feedback, g.source, t.explanation
	FROM training_results r JOIN campaigns k ON k.id = r.campaign_id JOIN users u ON u.id = r.user_id JOIN segments g ON g.id = r.segment_id JOIN documents d ON d.id = g.document_id
	JOIN training_segments t ON t.segment_id = r.segment_id`

type resultRow struct {
	ID, SegmentRow, Login, DocID, SegmentID string
	Attempt                                 int
	Value                                   float64
	At                                      database.Instant
	Feedback, Source, Explanation           string
}

func (r resultRow) result() (readmodel.TrainingResult, error) {
	out := readmodel.TrainingResult{
		ID:        r.ID,
		SegmentID: r.SegmentRow,
		Login:     r.Login,
		DocID:     r.DocID,
		Segment:   r.SegmentID,
		Attempt:   r.Attempt,
		Value:     r.Value,
		At:        r.At.Time(),
	}
	if err := json.Unmarshal([]byte(r.Feedback), &out.Feedback); err != nil {
		return out, fmt.Errorf("feedback of result %s: %w", r.ID, err)
	}
	return out, nil
}

// TrainingResult reads one result with everything that its page shows. The error is ErrNotFound if
// there is none, or if it is not that of the user. An empty userID reads the result of anybody.
func (s *Store) TrainingResult(ctx context.Context, c campaign.Campaign, id, userID string) (readmodel.TrainingResult, error) {
	db := s.db.Read(ctx)
	var rows []resultRow
	err := db.Raw(resultColumns+" WHERE k.part_of = ? AND r.id = ? AND (? = '' OR r.user_id = ?)", c.ID, id, userID, userID).Scan(&rows).Error
	if err != nil {
		return readmodel.TrainingResult{}, err
	}
	if len(rows) == 0 {
		return readmodel.TrainingResult{}, fmt.Errorf("result: %w", campaign.ErrNotFound)
	}
	out, err := rows[0].result()
	if err != nil {
		return out, err
	}
	out.Source, out.Explanation = rows[0].Source, rows[0].Explanation
	texts, err := trainingTexts(db, out.SegmentID)
	if err != nil {
		return out, err
	}
	for _, f := range out.Feedback {
		i := slices.IndexFunc(texts, func(t readmodel.TrainingText) bool { return t.TranslationID == f.TranslationID })
		if i < 0 {
			return out, fmt.Errorf("result %s is about a translation that the segment has not: %w", id, campaign.ErrOutdated)
		}
		out.Texts = append(out.Texts, texts[i].Text)
	}
	return out, nil
}
