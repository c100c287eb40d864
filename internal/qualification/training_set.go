package qualification

import (
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

// TrainingRules reads whether a campaign asks for training, and of what kind.
func (s *Store) TrainingRules(ctx context.Context, c campaign.Campaign) (campaign.TrainingRules, error) {
	t, err := readTraining(s.db.Read(ctx), c)
	return t.rules, err
}

// MakeTraining returns the side campaign with the training set of a campaign, and makes it if there
// is none.
func (s *Store) MakeTraining(ctx context.Context, campaignID string) (side campaign.Campaign, err error) {
	err = records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		side, err = s.records.MakeSide(tx, c, campaign.Training)
		return err
	})
	return side, err
}

// ChangeTraining switches the training of a campaign on or off. everyone says that members who have
// rated before must train too. Switched on again it asks only those who have not rated before then.
// The error is an InvalidError if there is no training segment with an answer.
func (s *Store) ChangeTraining(ctx context.Context, campaignID string, required, everyone bool, byID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		t, err := readTraining(tx.DB, c)
		if err != nil {
			return err
		}
		if required && t.rules.Segments == 0 {
			return campaign.Invalid("required", "enter the answer of at least one training segment first")
		}
		if t.rules.Required == required && t.rules.Everyone == everyone {
			return nil
		}
		at := t.requiredAt
		if required && !t.rules.Required {
			at = database.InstantOf(tx.Now())
		}
		err = tx.Exec(`INSERT INTO trainings (campaign_id, required, everyone, required_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (campaign_id) DO UPDATE SET required = excluded.required, everyone = excluded.everyone, required_at = excluded.required_at`, c.ID, required, everyone, at).Error
		if err != nil {
			return err
		}
		subject := "nobody"
		if required {
			subject = "annotators who have not rated before"
		}
		if required && everyone {
			subject = "all annotators"
		}
		return s.records.Audit(tx, c.ID, byID, "require training", subject, "")
	})
}

// segmentColumns begins a query for training segments of the row t, which may be missing.
const segmentColumns = `SELECT g.id, d.doc_id, g.segment_id, g.source, coalesce(t.practice, FALSE) AS practice, coalesce(t.removed, FALSE) AS removed, coalesce(t.tolerance, -1) AS tolerance,
	coalesce(t.explanation, '') AS explanation, coalesce(t.answer, '') AS answer, coalesce(u.login, '') AS answered_by, coalesce(t.answered_at, 0) AS answered_at,
	(SELECT count(*) FROM training_results r WHERE r.segment_id = g.id AND r.attempt > 0) AS results,
	coalesce((SELECT avg(r.value) FROM training_results r WHERE r.segment_id = g.id AND r.attempt > 0), 0) AS value
	FROM segments g JOIN documents d ON d.id = g.document_id LEFT JOIN training_segments t ON t.segment_id = g.id LEFT JOIN users u ON u.id = t.answered_by`

type trainingSegmentRow struct {
	ID, DocID, SegmentID, Source string
	Practice, Removed            bool
	Tolerance                    float64
	Explanation, Answer          string
	AnsweredBy                   string
	AnsweredAt                   database.Instant
	Results                      int
	Value                        float64
}

func (r trainingSegmentRow) segment(p *protocol.Protocol) (readmodel.TrainingSegment, error) {
	out := readmodel.TrainingSegment{
		ID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, Source: r.Source, Practice: r.Practice, Removed: r.Removed, Tolerance: r.Tolerance,
		Explanation: r.Explanation, AnsweredBy: r.AnsweredBy, AnsweredAt: r.AnsweredAt.Time(), Results: r.Results, Value: r.Value,
	}
	if out.Tolerance < 0 {
		out.Tolerance = campaign.DefaultTolerance(p)
	}
	if r.Answer == "" {
		return out, nil
	}
	out.Answer = &campaign.TrainingAnswer{Tolerance: out.Tolerance}
	if err := json.Unmarshal([]byte(r.Answer), &out.Answer.Ratings); err != nil {
		return out, fmt.Errorf("answer of training segment %s: %w", r.ID, err)
	}
	return out, nil
}

// TrainingSet lists the segments of the training set of a campaign, in the order of import.
func (s *Store) TrainingSet(ctx context.Context, c campaign.Campaign) ([]readmodel.TrainingSegment, error) {
	db := s.db.Read(ctx)
	side, ok, err := records.FindSide(db, c, campaign.Training)
	if err != nil || !ok {
		return nil, err
	}
	var rows []trainingSegmentRow
	if err := db.Raw(segmentColumns+" WHERE g.campaign_id = ? ORDER BY g.position", side.ID).Scan(&rows).Error; err != nil {
		return nil, err
	}
	out := make([]readmodel.TrainingSegment, len(rows))
	for i, r := range rows {
		if out[i], err = r.segment(c.Rules); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readTrainingSegment reads a segment of a training set. The error is ErrNotFound if there is none.
func readTrainingSegment(db *gorm.DB, side campaign.Campaign, id string) (readmodel.TrainingSegment, error) {
	var rows []trainingSegmentRow
	if err := db.Raw(segmentColumns+" WHERE g.campaign_id = ? AND g.id = ?", side.ID, id).Scan(&rows).Error; err != nil {
		return readmodel.TrainingSegment{}, err
	}
	if len(rows) == 0 {
		return readmodel.TrainingSegment{}, fmt.Errorf("training segment: %w", campaign.ErrNotFound)
	}
	return rows[0].segment(side.Rules)
}

// TrainingSegment reads a segment of the training set of a campaign, with its translations in byte
// order of the systems. The error is ErrNotFound if there is none.
func (s *Store) TrainingSegment(ctx context.Context, c campaign.Campaign, id string) (readmodel.TrainingSegment, []readmodel.TrainingText, error) {
	db := s.db.Read(ctx)
	side, _, err := records.FindSide(db, c, campaign.Training)
	if err != nil {
		return readmodel.TrainingSegment{}, nil, err
	}
	segment, err := readTrainingSegment(db, side, id)
	if err != nil {
		return segment, nil, err
	}
	texts, err := trainingTexts(db, id)
	return segment, texts, err
}

func trainingTexts(db *gorm.DB, segmentID string) (texts []readmodel.TrainingText, err error) {
	err = db.Raw("SELECT t.id AS translation_id, y.name AS system, t.text FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id = ? ORDER BY y.name", segmentID).
		Scan(&texts).
		Error
	return texts, err
}

// A TrainingChange is what a lead changes about a training segment.
type TrainingChange struct {
	Practice    bool
	Removed     bool
	Tolerance   float64 // in points; negative for that of the protocol
	Explanation string
}

// ChangeTrainingSegment changes a segment of the training set of a campaign. The error is an
// InvalidError if the tolerance or the explanation can't be used, and ErrNotFound if there is no
// such segment. Results of earlier submissions stay as they are.
func (s *Store) ChangeTrainingSegment(ctx context.Context, campaignID, segmentID string, change TrainingChange, byID string) error {
	explanation, err := campaign.CheckExplanation(change.Explanation)
	if err != nil {
		return err
	}
	if err := database.CheckText("explanation", explanation); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		c, side, segment, err := lockTrainingSegment(tx, campaignID, segmentID)
		if err != nil {
			return err
		}
		if change.Tolerance >= 0 {
			if err := campaign.CheckTolerance(c.Rules, change.Tolerance); err != nil {
				return err
			}
		}
		err = tx.Exec(`INSERT INTO training_segments (segment_id, campaign_id, practice, removed, tolerance, explanation) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (segment_id) DO UPDATE SET practice = excluded.practice, removed = excluded.removed, tolerance = excluded.tolerance, explanation = excluded.explanation`,
			segmentID, side.ID, change.Practice, change.Removed, change.Tolerance, explanation).Error
		if err != nil {
			return err
		}
		act := "change training segment"
		if change.Removed != segment.Removed {
			act = map[bool]string{true: "remove training segment", false: "bring back training segment"}[change.Removed]
		}
		return s.records.Audit(tx, c.ID, byID, act, segment.DocID+" "+segment.SegmentID, "")
	})
}

// lockTrainingSegment locks a campaign, and reads its training set and a segment of that.
func lockTrainingSegment(tx *database.Tx, campaignID, segmentID string) (c, side campaign.Campaign, segment readmodel.TrainingSegment, err error) {
	if c, err = records.LockToChange(tx, campaignID); err != nil {
		return c, side, segment, err
	}
	if side, _, err = records.FindSide(tx.DB, c, campaign.Training); err != nil {
		return c, side, segment, err
	}
	segment, err = readTrainingSegment(tx.DB, side, segmentID)
	return c, side, segment, err
}

// OpenAnswer returns the assignment on which a lead enters the answer of a training segment. It
// begins with the present answer. A lead can do so before the campaign is open.
func (s *Store) OpenAnswer(ctx context.Context, campaignID, segmentID, userID string) (assignmentID string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		_, side, segment, err := lockTrainingSegment(tx, campaignID, segmentID)
		if err != nil {
			return err
		}
		if assignmentID, err = s.trainingTurn(tx, side, segmentID, userID, answerTurn, 0); err != nil || segment.Answer == nil {
			return err
		}
		for id, r := range segment.Answer.Ratings {
			r.NoErrors = side.Rules.Spans != nil && len(r.Spans) == 0
			given := records.ColumnsOf(r)
			err := tx.Exec(
				`INSERT INTO drafts (assignment_id, translation_id, revision, save_id, scores, answers, spans, no_errors, comment, suggestions, seconds, saved_at)
				VALUES (?, ?, 1, '', ?, ?, ?, ?, ?, '[]', 0, ?) ON CONFLICT (assignment_id, translation_id) DO NOTHING`,
				assignmentID, id, given.Scores, given.Answers, given.Spans, given.NoErrors, given.Comment, database.InstantOf(tx.Now()),
			).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
	return assignmentID, err
}

// storeAnswer stores what a lead has submitted as the answer of a training segment.
func (s *Store) storeAnswer(tx *database.Tx, side campaign.Campaign, a records.AssignmentRow, ratings map[string]protocol.Rating) error {
	for id, r := range ratings {
		r.Suggestions = nil
		ratings[id] = r
	}
	text, err := json.Marshal(ratings)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	err = tx.Exec(`INSERT INTO training_segments (segment_id, campaign_id, answer, answered_by, answered_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (segment_id) DO UPDATE SET answer = excluded.answer, answered_by = excluded.answered_by, answered_at = excluded.answered_at`,
		a.SegmentID, side.ID, string(text), a.UserID, database.InstantOf(tx.Now())).Error
	if err != nil {
		return err
	}
	segment, err := readTrainingSegment(tx.DB, side, a.SegmentID)
	if err != nil {
		return err
	}
	return s.records.Audit(tx, side.PartOf, a.UserID, "answer training segment", segment.DocID+" "+segment.SegmentID, "")
}

// TakeOverAnswers gives the segments of a training set the answers, explanations, tolerances and uses
// that segments with the same ids have in the training set of another campaign. Translations are
// told apart by their systems.
func (s *Store) TakeOverAnswers(ctx context.Context, from, to campaign.Campaign) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		source, ok, err := records.FindSide(tx.DB, from, campaign.Training)
		if err != nil || !ok {
			return err
		}
		target, ok, err := records.FindSide(tx.DB, to, campaign.Training)
		if err != nil || !ok {
			return err
		}
		var rows []struct {
			Source, Target      string // row ids of the segments
			Practice            bool
			Tolerance           float64
			Explanation, Answer string
			AnsweredBy          string
			AnsweredAt          database.Instant
		}
		err = tx.Raw(`SELECT t.segment_id AS source, h.id AS target, t.practice, t.tolerance, t.explanation, t.answer, t.answered_by, t.answered_at
			FROM training_segments t JOIN segments g ON g.id = t.segment_id JOIN documents d ON d.id = g.document_id
			JOIN documents e ON e.campaign_id = ? AND e.doc_id = d.doc_id JOIN segments h ON h.document_id = e.id AND h.segment_id = g.segment_id
			WHERE t.campaign_id = ? AND NOT t.removed`, target.ID, source.ID).Scan(&rows).Error
		if err != nil {
			return err
		}
		for _, r := range rows {
			answer, err := answerFor(tx.DB, r.Answer, r.Source, r.Target)
			if err != nil {
				return err
			}
			err = tx.Exec(
				`INSERT INTO training_segments (segment_id, campaign_id, practice, tolerance, explanation, answer, answered_by, answered_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (segment_id) DO NOTHING`,
				r.Target, target.ID, r.Practice, r.Tolerance, r.Explanation, answer, r.AnsweredBy, r.AnsweredAt,
			).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// answerFor returns the stored answer of a training segment as that of its copy.
func answerFor(db *gorm.DB, answer, source, target string) (string, error) {
	if answer == "" {
		return "", nil
	}
	var ratings map[string]protocol.Rating
	if err := json.Unmarshal([]byte(answer), &ratings); err != nil {
		return "", fmt.Errorf("answer of training segment %s: %w", source, err)
	}
	was, err := trainingTexts(db, source)
	if err != nil {
		return "", err
	}
	is, err := trainingTexts(db, target)
	if err != nil {
		return "", err
	}
	out := make(map[string]protocol.Rating, len(ratings))
	for _, w := range was {
		for _, t := range is {
			if r, ok := ratings[w.TranslationID]; ok && t.System == w.System {
				out[t.TranslationID] = r
			}
		}
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// TryTraining returns an assignment on which a lead goes through a training segment as an annotator
// does. It counts nowhere. A lead can do so before the campaign is open. The error is ErrConflict while the
// segment has no answer.
func (s *Store) TryTraining(ctx context.Context, campaignID, segmentID, userID string) (assignmentID string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		_, side, segment, err := lockTrainingSegment(tx, campaignID, segmentID)
		if err != nil {
			return err
		}
		if segment.Answer == nil {
			return fmt.Errorf("enter the answer first: %w", campaign.ErrConflict)
		}
		assignmentID, err = s.trainingTurn(tx, side, segmentID, userID, practiceTurn, 0)
		return err
	})
	return assignmentID, err
}

// Trainees lists the annotators of a campaign with where they stand in the training, by login.
// Those who were removed are left out.
func (s *Store) Trainees(ctx context.Context, c campaign.Campaign) ([]readmodel.TraineeRow, error) {
	db := s.db.Read(ctx)
	t, err := readTraining(db, c)
	if err != nil {
		return nil, err
	}
	all, err := t.trainees(db, "")
	if err != nil {
		return nil, err
	}
	var rows []struct{ ID, Login, Name string }
	err = db.Raw("SELECT u.id, u.login, u.name FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND m.role = 'annotator' AND NOT m.removed ORDER BY u.login", c.ID).
		Scan(&rows).
		Error
	out := make([]readmodel.TraineeRow, len(rows))
	for i, r := range rows {
		out[i] = readmodel.TraineeRow{Login: r.Login, Name: r.Name, Trainee: all[r.ID], Standing: t.rules.Standing(all[r.ID])}
	}
	return out, err
}

// WaitingTrainees lists those of [Store.Trainees] who have no attempt left and wait for a lead's
// decision.
func (s *Store) WaitingTrainees(ctx context.Context, c campaign.Campaign) ([]readmodel.TraineeRow, error) {
	var required bool
	err := database.Scan(s.db.Read(ctx).Raw("SELECT required FROM trainings WHERE campaign_id = ?", c.ID), &required)
	if errors.Is(err, database.ErrNoRows) || err == nil && !required {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := s.Trainees(ctx, c)
	return slices.DeleteFunc(all, func(r readmodel.TraineeRow) bool { return r.Standing.State != campaign.TrainingDecides }), err
}

// A TraineeAct is what a lead does about the training of one annotator.
type TraineeAct string

// The acts about the training of an annotator.
const (
	QualifyTrainee TraineeAct = "qualify" // they get work whatever their attempts came to
	FurtherAttempt TraineeAct = "attempt" // they get one more attempt
	SendToTraining TraineeAct = "train"   // they must train anew, with all attempts
)

// DecideTrainee does an act about the training of an annotator, with the lead's reason. The error is
// ErrNotFound if the login is no annotator of the campaign, and ErrConflict if the campaign asks for
// no training.
func (s *Store) DecideTrainee(ctx context.Context, campaignID, login string, act TraineeAct, reason, byID string) error {
	if err := records.CheckReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		var userID string
		err := database.Scan(
			tx.Raw(
				"SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND u.login = ? AND m.role = 'annotator' AND NOT m.removed",
				c.ID, login,
			),
			&userID,
		)
		if errors.Is(err, database.ErrNoRows) {
			return fmt.Errorf("annotator %s: %w", login, campaign.ErrNotFound)
		}
		if err != nil {
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
		x, was := all[userID], t.rules.Standing(all[userID])
		if was.State == campaign.NoTraining {
			return fmt.Errorf("the campaign asks for no training: %w", campaign.ErrConflict)
		}
		words := ""
		switch act {
		case QualifyTrainee:
			x.Decision, words = campaign.TraineeQualified, "qualify annotator"
		case FurtherAttempt:
			if was.State == campaign.TrainingNeeded {
				return fmt.Errorf("%s has an attempt left: %w", login, campaign.ErrConflict)
			}
			if was.MayWork() {
				return fmt.Errorf("%s has work already; send them to the training instead: %w", login, campaign.ErrConflict)
			}
			x.Decision, words = campaign.TraineeMust, "give training attempt"
			x.Further++
		case SendToTraining:
			x.Decision, x.Further, words = campaign.TraineeMust, 0, "send annotator to training"
			if len(x.Attempts) > 0 {
				x.Since = x.Attempts[len(x.Attempts)-1].Number
			}
		default:
			return campaign.Invalid("act", "use qualify, attempt or train")
		}
		err = tx.Exec(`INSERT INTO trainees (campaign_id, user_id, decision, since, further) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (campaign_id, user_id) DO UPDATE SET decision = excluded.decision, since = excluded.since, further = excluded.further`, c.ID, userID, string(x.Decision), x.Since, x.Further).Error
		if err != nil {
			return err
		}
		now := t.rules.Standing(x)
		log := records.NewAuditRows()
		s.records.AddAudit(log, c.ID, byID, words, login, reason, string(was.State), string(now.State))
		return log.Insert(tx)
	})
}
