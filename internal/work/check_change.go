package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// maxDegraded is the largest size of the text of a check, in bytes.
const maxDegraded = 100_000

// ReplaceDegraded replaces the damaged text of a translation, by the id of the original translation. Who is
// handed the check from now on gets the new text, also if the old one was removed. A check that was handed out
// keeps its text. The error is ErrNotFound if there is no such text.
func (s *Store) ReplaceDegraded(ctx context.Context, campaignID, translationID, text, byID string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return campaign.Invalid("text", "write the text that annotators get")
	case len(text) > maxDegraded:
		return campaign.Invalid("text", fmt.Sprintf("use at most %d bytes", maxDegraded))
	}
	if err := database.CheckText("text", text); err != nil {
		return err
	}
	return s.changeDegraded(ctx, campaignID, translationID, byID, "replace degraded text",
		func(tx *database.Tx, checks campaign.Campaign) error {
			var original string
			err := database.Scan(tx.Raw("SELECT text FROM translations WHERE id = ?", translationID), &original)
			if err != nil && !errors.Is(err, database.ErrNoRows) {
				return err
			}
			if strings.TrimSpace(original) == text {
				return campaign.Invalid("text", "the text equals the original; it must be worse")
			}
			if err := tx.Exec("UPDATE degraded_texts SET text = ?, removed = FALSE WHERE campaign_id = ? AND of_translation = ?",
				text, checks.ID, translationID).Error; err != nil {
				return err
			}
			return tx.Exec(
				`UPDATE translations SET text = ? WHERE id IN (SELECT k.translation_id FROM checks k JOIN translations t ON t.id = k.translation_id JOIN all_segments g ON g.id = t.segment_id
			WHERE k.of_translation = ? AND k.kind = 'degraded' AND g.campaign_id = ? AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id))`,
				text, translationID, checks.ID,
			).Error
		})
}

// RemoveDegraded takes the damaged text of a translation out of use, and the checks with it out of the
// count, or takes that back. The error is ErrNotFound if there is no such text.
func (s *Store) RemoveDegraded(ctx context.Context, campaignID, translationID string, removed bool, byID string) error {
	act := "remove degraded text"
	if !removed {
		act = "restore degraded text"
	}
	return s.changeDegraded(ctx, campaignID, translationID, byID, act, func(tx *database.Tx, checks campaign.Campaign) error {
		if err := tx.Exec("UPDATE degraded_texts SET removed = ? WHERE campaign_id = ? AND of_translation = ?",
			removed, checks.ID, translationID).Error; err != nil {
			return err
		}
		return tx.Exec(`UPDATE checks SET removed = ? WHERE of_translation = ? AND kind = 'degraded' AND translation_id IN
			(SELECT t.id FROM translations t JOIN all_segments g ON g.id = t.segment_id WHERE g.campaign_id = ?)`, removed, translationID, checks.ID).Error
	})
}

// changeDegraded changes the damaged text of a translation and notes it in the audit log of the campaign.
func (s *Store) changeDegraded(
	ctx context.Context, campaignID, translationID, byID, act string, change func(tx *database.Tx, checks campaign.Campaign) error,
) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		checks, made, err := records.FindSide(tx.DB, c, campaign.Checks)
		if err != nil {
			return err
		}
		var n int
		if made {
			err = database.Scan(tx.Raw("SELECT count(*) FROM degraded_texts WHERE campaign_id = ? AND of_translation = ?", checks.ID, translationID), &n)
		}
		if err != nil || n == 0 {
			return errors.Join(err, fmt.Errorf("degraded text: %w", campaign.ErrNotFound))
		}
		if err := change(tx, checks); err != nil {
			return err
		}
		if err := lockChecks(tx, translationID); err != nil {
			return err
		}
		tx.TouchCampaign(c.ID) // reports that were computed before are out of date
		return s.records.Audit(tx, c.ID, byID, act, placeOf(tx, translationID), "")
	})
}

// lockChecks locks the segments of the checks of a translation, because what is kept of them changes.
func lockChecks(tx *database.Tx, translationID string) error {
	var ids []string
	err := tx.Raw("SELECT DISTINCT t.segment_id FROM checks k JOIN translations t ON t.id = k.translation_id WHERE k.of_translation = ?", translationID).Scan(&ids).Error
	if err != nil {
		return err
	}
	return records.LockSegments(tx, ids...)
}

// placeOf names the segment of a translation for the audit log; empty if the translation is gone.
func placeOf(tx *database.Tx, translationID string) string {
	var document, segment string
	err := database.Scan(
		tx.Raw(
			"SELECT d.doc_id, g.segment_id FROM translations t JOIN all_segments g ON g.id = t.segment_id JOIN documents d ON d.id = g.document_id WHERE t.id = ?",
			translationID,
		),
		&document,
		&segment,
	)
	if err != nil {
		return ""
	}
	return document + " / " + segment
}

// GiveKnown stores the score that a translation of the campaign has in checks of the kind known. The error
// is a *campaign.InvalidError if there is no such translation, or the score does not fit the protocol.
func (s *Store) GiveKnown(ctx context.Context, campaignID string, k readmodel.KnownAnswer, byID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		var id, segment string
		err := database.Scan(
			tx.Raw(
				`SELECT t.id, g.id FROM translations t JOIN segments g ON g.id = t.segment_id JOIN documents d ON d.id = g.document_id JOIN systems y ON y.id = t.system_id
			WHERE g.campaign_id = ? AND d.doc_id = ? AND g.segment_id = ? AND y.name = ?`,
				c.ID, k.DocID, k.SegmentID, k.System,
			),
			&id,
			&segment,
		)
		if errors.Is(err, database.ErrNoRows) {
			return campaign.Invalid("segment", "there is no such translation; give the document, the segment and the system as the list of segments has them")
		}
		if err != nil {
			return err
		}
		if q, nominal := c.Rules.NominalGate(); nominal {
			if k.Score, err = knownCode(tx.DB, c, q, segment, k.Answer); err != nil {
				return err
			}
		} else if score, ok := c.Rules.Score(c.Rules.Gate); math.IsNaN(k.Score) || math.IsInf(k.Score, 0) || ok && (k.Score < float64(score.Min) || k.Score > float64(score.Max)) {
			return campaign.Invalid("score", "give the score of the scale that this translation has; higher is better")
		}
		if why := c.Settings.CheckRule(c.Rules).Uncounted(campaign.KnownCheck, k.Score); why != "" {
			return campaign.Invalid("score", "this score tells nothing of an annotator: "+why+"; choose another translation, or change the tolerance")
		}
		err = tx.Exec(`INSERT INTO known_answers (translation_id, campaign_id, score, given_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (translation_id) DO UPDATE SET score = excluded.score, given_at = excluded.given_at`, id, c.ID, k.Score, database.InstantOf(tx.Now())).Error
		if err == nil {
			err = lockChecks(tx, id)
		}
		if err != nil {
			return err
		}
		tx.TouchCampaign(c.ID)
		detail := fmt.Sprintf("%s: %v", k.System, k.Score)
		if _, nominal := c.Rules.NominalGate(); nominal {
			detail = strings.TrimPrefix(k.System+": "+k.Answer, ": ")
		}
		return s.records.Audit(tx, c.ID, byID, "give known answer", k.DocID+" / "+k.SegmentID, detail)
	})
}

// knownCode is the number of an answer to the gate q about a segment.
func knownCode(db *gorm.DB, c campaign.Campaign, q protocol.Question, segmentID, answer string) (float64, error) {
	of, err := records.CandidatesOf(db, []string{segmentID})
	if err != nil {
		return 0, err
	}
	candidates := campaign.Segment{Candidates: of[segmentID]}.CandidateTexts()
	code, ok := c.Rules.GateScoreOf(protocol.Rating{Answers: map[string]protocol.Answer{q.Name: {Text: answer}}}, candidates)
	if ok {
		return code, nil
	}
	var names []string
	for _, o := range q.Options {
		names = append(names, o.Value)
	}
	if q.Kind == protocol.Candidate {
		names = slices.Sorted(maps.Keys(candidates))
	}
	return 0, campaign.Invalid("score",
		fmt.Sprintf("%q is no answer to “%s” about this segment; give one of: %s", answer, q.Label, strings.Join(names, ", ")))
}

// TakeKnown takes a known answer back, by the id of its translation. Checks that were made with it are not
// judged any more.
func (s *Store) TakeKnown(ctx context.Context, campaignID, translationID, byID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		res := tx.Exec("DELETE FROM known_answers WHERE translation_id = ? AND campaign_id = ?", translationID, c.ID)
		if res.Error != nil || res.RowsAffected == 0 {
			return res.Error // it is gone already
		}
		if err := lockChecks(tx, translationID); err != nil {
			return err
		}
		tx.TouchCampaign(c.ID)
		return s.records.Audit(tx, c.ID, byID, "take known answer back", placeOf(tx, translationID), "")
	})
}

// KnownAnswers lists the known answers of a campaign in the order of import.
func (s *Store) KnownAnswers(ctx context.Context, c campaign.Campaign) (out []readmodel.KnownAnswer, err error) {
	var rows []struct {
		readmodel.KnownAnswer `gorm:"embedded"`
		Segment               string
	}
	db := s.db.Read(ctx)
	err = db.Raw(`SELECT k.translation_id AS id, d.doc_id, g.segment_id, y.name AS system, CASE WHEN y.name = '' THEN g.source ELSE t.text END AS text, k.score, g.id AS segment
		FROM known_answers k JOIN translations t ON t.id = k.translation_id JOIN segments g ON g.id = t.segment_id JOIN documents d ON d.id = g.document_id JOIN systems y ON y.id = t.system_id
		WHERE k.campaign_id = ? ORDER BY g.position, y.name`, c.ID).
		Scan(&rows).
		Error
	q, nominal := c.Rules.NominalGate()
	for _, r := range rows {
		k := r.KnownAnswer
		if nominal {
			of, err := records.CandidatesOf(db, []string{r.Segment})
			if err != nil {
				return nil, err
			}
			if a, ok := q.AnswerOf(k.Score, campaign.Segment{Candidates: of[r.Segment]}.CandidateTexts()); ok {
				k.Answer = q.Words(a)
			}
		}
		out = append(out, k)
	}
	return out, err
}
