package work

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A CardSave is what a page sends after a change of one card.
type CardSave struct {
	AssignmentID string
	CardID       string // as in [Card]
	Revision     int    // the revision that the change is based on; 0 before the first save
	SaveID       string // the page's id for this save; a repeated save has the same one
	Rating       protocol.Rating
	Seconds      float64 // active time on the card so far
}

// Saved acknowledges a [CardSave], which is on disk.
type Saved struct {
	Revision int
	At       time.Time
}

// A ConflictError says that a card was changed elsewhere since the revision that a save was based
// on. It contains the present card. It is an ErrConflict.
type ConflictError struct {
	Index int // of the card in the annotator's order, from 0
	Card  Card
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("card %s was changed in another window", campaign.CardName(e.Index))
}

// Is makes the error an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == campaign.ErrConflict }

// touchEvery is the least time between two updates of an assignment's touched_at, so that most saves
// write one row only.
const touchEvery = time.Minute

// SaveCard stores the draft of one card of a user's assignment. A save that is based on an older
// revision is refused with a *[ConflictError]. A save that repeats the last SaveID gets the same
// answer as the first time. The rating may be unfinished, but its parts must be valid, otherwise the
// error is a *campaign.InvalidError. If the page shows whole documents, an error may be linked to
// another one by the same user on the same system, document and round. ErrNotOpen and ErrDecided
// say that nothing can be saved any more, and ErrOutdated that the assignment has no such card.
//
// Everything is read in the transaction that writes: on SQLite that costs less than reading before it, because the
// connection that writes keeps the pages of the database in memory, and another one reads them anew after every commit.
func (s *Store) SaveCard(ctx context.Context, c campaign.Campaign, userID string, save CardSave) (done Saved, err error) {
	if len(save.SaveID) > 64 {
		return Saved{}, campaign.Invalid("save_id", "must have at most 64 characters")
	}
	if err := cmp.Or(database.CheckText("save_id", save.SaveID), checkTexts(save.Rating)); err != nil {
		return Saved{}, err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.FindAssignment(tx.DB, c.ID, save.AssignmentID, userID)
		if err != nil {
			return err
		}
		if err := maySave(tx.DB, c, a); err != nil {
			return err
		}
		translation, err := translationOn(tx.DB, a, save.CardID)
		if err != nil {
			return err
		}
		checked := save
		if checked.Rating, err = checkedRating(tx.DB, c, a, translation, save.Rating); err != nil {
			return err
		}
		now := tx.Now()
		checked.Seconds = max(0, min(save.Seconds, now.Sub(a.StartedAt.Time()).Seconds()))
		done = Saved{Revision: save.Revision + 1, At: database.InstantOf(now).Time()}
		n, err := writeDraft(tx, a.ID, translation, checked, database.InstantOf(now))
		if err != nil {
			return err
		}
		if n == 0 {
			return s.repeatOrConflict(tx.DB, c, a, checked, &done)
		}
		if now.Sub(a.TouchedAt.Time()) > touchEvery || a.State == campaign.Released {
			return s.touch(tx, a, database.InstantOf(now))
		}
		return nil
	})
	return done, err
}

// checkedRating returns a rating that a page sends for a translation as it is stored, or a *campaign.InvalidError.
func checkedRating(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, translationID string, r protocol.Rating) (protocol.Rating, error) {
	texts, err := textsOf(db, c, translationID, r)
	if err != nil {
		return r, err
	}
	r = namedCandidates(c.Rules, a, r, texts.Candidates)
	if texts.Linkable, err = linkableFrom(db, c, a, translationID, r); err != nil {
		return r, err
	}
	if v := c.Rules.Check(r, texts); len(v) > 0 {
		return r, campaign.Invalid(v[0].Field, v[0].Msg)
	}
	return records.DecideCard(db, translationID, c.Rules.TakeGiven(withWords(r, texts), texts.Given))
}

// checkTexts refuses a rating with a text that the database can't store.
func checkTexts(r protocol.Rating) error {
	if err := database.CheckText("comment", r.Comment); err != nil {
		return err
	}
	for name, a := range r.Answers {
		if err := cmp.Or(database.CheckText("answers", name),
			database.CheckText(name, strings.Join(append([]string{a.Text}, a.Several...), "\n"))); err != nil {
			return err
		}
	}
	for i, s := range r.Spans {
		for _, f := range records.SpanTexts(s) {
			if err := database.CheckText(fmt.Sprintf("spans[%d].%s", i, f.Name), f.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// withWords adds the marked text to valid spans, because it is stored with them.
func withWords(r protocol.Rating, t protocol.Texts) protocol.Rating {
	r.Spans = slices.Clone(r.Spans)
	for i, s := range r.Spans {
		r.Spans[i], _ = t.Place(s)
	}
	return r
}

// maySave returns an error if nothing can be saved in an assignment. It is a
// *[records.CompletingError] while ratings of the assignment are being imported.
func maySave(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow) error {
	if c.State != campaign.Open {
		if prepares, err := qualification.Prepares(db, c, a); err != nil || !prepares {
			return cmp.Or(err, campaign.ErrNotOpen)
		}
	}
	if a.SetAside != "" {
		return campaign.ErrSetAside
	}
	switch {
	case c.Side == campaign.Training && a.State == campaign.Submitted:
		return campaign.Decided("this training segment is submitted, and what you submitted stands")
	case a.State == campaign.Reported:
		return campaign.Decided("this segment waits for the lead's answer")
	}
	// An import never adds ratings to an existing assignment of round 1.
	if a.Round > 1 && !a.State.Adjudicates() {
		placed, err := records.IsPlaced(db, a)
		if err == nil && placed {
			err = records.RefuseCompleting(db, a.CampaignID)
		}
		if err != nil {
			return err
		}
	}
	if a.Work == campaign.WorkLate {
		return nil // a page that is already open may be finished
	}
	over, err := overBecause(db, a)
	return cmp.Or(err, over)
}

// overBecause returns an ErrDecided that tells the annotator why the page of an assignment does not
// open for work any more; nil if it does.
func overBecause(db *gorm.DB, a records.AssignmentRow) (over, err error) {
	if a.State.Adjudicates() {
		return adjudicationOver(db, a)
	}
	switch a.Work {
	case campaign.WorkAsked, campaign.WorkKept:
		return nil, nil
	case campaign.WorkLate:
		begun := a.State == campaign.Released
		if !begun {
			err = database.Scan(db.Raw("SELECT count(*) > 0 FROM drafts WHERE assignment_id = ?", a.ID), &begun)
		}
		if err != nil || begun {
			return nil, err
		}
	}
	var round int
	var holding string
	if err := database.Scan(db.Raw("SELECT round, holding FROM segments WHERE id = ?", a.SegmentID), &round, &holding); err != nil {
		return nil, err
	}
	switch {
	case a.Work == campaign.WorkLate && a.Round < round:
		return campaign.Decided("a later round of this segment is under way, so this one is not needed any more"), nil
	case a.Work == campaign.WorkLate:
		return campaign.Decided("this segment has all the ratings it needs, so yours is not needed any more"), nil
	case a.State == campaign.Submitted:
		return campaign.ErrDecided, nil
	case a.Replaced:
		return campaign.Decided("the lead has taken you off this segment; what you saved is kept"), nil
	case holding != "":
		return campaign.Decided("the lead has decided, and your rating is no longer needed; your saved work is kept"), nil
	}
	return campaign.Decided("this second look is no longer needed; your saved work is kept, and you get the segment back if it is needed again"), nil
}

// cardIDs returns the function that gives the id by which pages name the card of a translation in an assignment. It tells
// nothing about the translation or its system, and differs in every assignment, because it is a hash with the seed of the
// assignment as its key. No page gets the seed.
func cardIDs(a records.AssignmentRow) func(translationID string) string {
	mac := hmac.New(sha256.New, binary.BigEndian.AppendUint64(nil, uint64(a.Seed)))
	return func(translationID string) string {
		mac.Reset()
		mac.Write([]byte(a.ID + translationID))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
	}
}

// translationOn finds the id of the translation on a card of an assignment.
func translationOn(db *gorm.DB, a records.AssignmentRow, card string) (found string, err error) {
	cardID := cardIDs(a)
	var id string
	for err := range database.EachRow(database.Query(db, "SELECT id FROM translations WHERE segment_id = ?", a.SegmentID), &id) {
		if err != nil {
			return found, err
		}
		if found == "" && cardID(id) == card {
			found = id
		}
	}
	if found == "" {
		return "", campaign.ErrOutdated
	}
	return found, nil
}

// textsOf reads the texts and the given terms that a rating's spans refer to. They are empty if the
// rating has no spans.
func textsOf(db *gorm.DB, c campaign.Campaign, translationID string, r protocol.Rating) (protocol.Texts, error) {
	var t protocol.Texts
	if c.Rules.AsksCandidate() {
		var segment string
		if err := database.Scan(db.Raw("SELECT segment_id FROM translations WHERE id = ?", translationID), &segment); err != nil {
			return t, err
		}
		of, err := records.CandidatesOf(db, []string{segment})
		if err != nil {
			return t, err
		}
		t.Candidates = campaign.Segment{Candidates: of[segment]}.CandidateTexts()
	}
	if c.Rules.Spans == nil || len(r.Spans) == 0 {
		return t, nil
	}
	var segment string
	err := database.Scan(
		db.Raw("SELECT s.id, s.source, t.text FROM translations t JOIN segments s ON s.id = t.segment_id WHERE t.id = ?", translationID), &segment,
		&t.Source, &t.Translation,
	)
	if err == nil && c.Rules.MarksReference() {
		var reference *string
		if reference, err = firstReference(db, segment); reference != nil {
			t.Reference = *reference
		}
	}
	if err == nil && c.Rules.Given != "" {
		var given map[string][]protocol.ErrorSpan
		given, err = records.TermsOf(db, []string{segment})
		t.Given = given[segment]
	}
	return t, err
}

// writeDraft stores a save if it is based on the stored revision. It returns the number of rows that
// it wrote: 0 if the revision is another one.
func writeDraft(tx *database.Tx, assignmentID, translationID string, save CardSave, now database.Instant) (int64, error) {
	given := records.ColumnsOf(save.Rating)
	if save.Revision == 0 {
		return database.Exec(
			tx,
			`INSERT INTO drafts (assignment_id, translation_id, revision, save_id, scores, answers, spans, no_errors, comment, suggestions, seconds, saved_at)
			VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (assignment_id, translation_id) DO NOTHING`,
			assignmentID, translationID, save.SaveID, given.Scores, given.Answers, given.Spans, given.NoErrors, given.Comment, given.Suggestions,
			save.Seconds, now,
		)
	}
	return database.Exec(
		tx,
		`UPDATE drafts SET revision = revision + 1, save_id = ?, scores = ?, answers = ?, spans = ?, no_errors = ?, comment = ?, suggestions = ?, seconds = ?, saved_at = ?
		WHERE assignment_id = ? AND translation_id = ? AND revision = ?`,
		save.SaveID, given.Scores, given.Answers, given.Spans, given.NoErrors, given.Comment, given.Suggestions, save.Seconds, now, assignmentID,
		translationID, save.Revision,
	)
}

// repeatOrConflict answers a save that is not based on the stored revision. If it repeats the
// last save, done
// gets the answer of the first time. Otherwise the error is a *[ConflictError].
func (s *Store) repeatOrConflict(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, save CardSave, done *Saved) error {
	rows, err := cardRows(db, c, a)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(rows, func(r CardRow) bool { return r.CardID == save.CardID })
	if index < 0 {
		return campaign.ErrOutdated
	}
	card := rows[index].pageCard(c)
	var lastID string
	if card.Revision > 0 {
		err := database.Scan(db.Raw("SELECT save_id FROM drafts WHERE assignment_id = ? AND translation_id = ?", a.ID, rows[index].ID), &lastID)
		if err != nil {
			return err
		}
	}
	if save.SaveID != "" && lastID == save.SaveID && card.Revision == save.Revision+1 {
		done.Revision, done.At = card.Revision, card.SavedAt
		return nil
	}
	return &ConflictError{Index: index, Card: card}
}

// touch stores when the annotator last worked on an assignment. A released assignment becomes open
// again, if its segment still waits for it and the annotator has not skipped it.
func (s *Store) touch(tx *database.Tx, a records.AssignmentRow, now database.Instant) error {
	if a.State == campaign.Released {
		if err := s.takeUp(tx, a); err != nil {
			return err
		}
	}
	return tx.Exec("UPDATE assignments SET touched_at = ? WHERE id = ?", now, a.ID).Error
}

// takeUp makes a released assignment open again, if its segment still waits for it and the annotator has
// not skipped it.
func (s *Store) takeUp(tx *database.Tx, a records.AssignmentRow) error {
	if err := records.LockSegments(tx, a.SegmentID); err != nil {
		return err
	}
	if err := tx.Exec("UPDATE assignments AS a SET state = 'open' WHERE id = ? AND state = 'released' AND work = 'asked' AND NOT "+records.IsSkipped, a.ID).Error; err != nil {
		return err
	}
	return rounds.RecountPlaces(tx, []string{a.SegmentID})
}
