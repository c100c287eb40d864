package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// ImportRatings reads finished ratings into a campaign in one transaction, all
// or nothing, as [Store.ImportSegments] does with segments. Unknown annotators
// get an account that can't sign in, and membership. Redundancy and quota do not
// bind. After the last line the gate runs once over each segment the file
// touched. Refused, with file and line: an unknown segment or system, a segment
// id that several documents have, a rating that exists already for that
// annotator, translation and round, and a round whose lower rounds are missing.
func (s *Store) ImportRatings(ctx context.Context, campaignID string, lines iter.Seq2[campaign.NumberedRating, error], opt ImportOptions) (ImportReport, error) {
	var report ImportReport
	err := s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if c.State == campaign.Closed {
			return fmt.Errorf("campaign %q is closed; open it before importing: %w", c.Slug, campaign.ErrConflict)
		}
		var problems campaign.Problems
		im, err := s.newRatingImport(tx, c, &problems)
		if err != nil {
			return err
		}
		for line, err := range lines {
			if p, ok := errors.AsType[*campaign.Problem](err); ok {
				problems.Add(p)
				continue
			}
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := im.addLine(line); err != nil {
				return err
			}
		}
		report = ImportReport{}
		if err := im.finish(&report); err != nil {
			return err
		}
		if problems.Count() > 0 {
			problems.Sort()
			return &problems
		}
		if err := analyze(tx, report.Ratings); err != nil {
			return err
		}
		if opt.Check {
			return errCheckOnly
		}
		return s.audit(tx, campaignID, opt.ByID, "import ratings", fmt.Sprintf("%s: %d ratings", opt.File, report.Ratings), "")
	})
	if errors.Is(err, errCheckOnly) {
		err = nil
	}
	return report, err
}

// ratingImport writes ratings as submitted work of their annotators.
type ratingImport struct {
	s        *Store
	tx       *gorm.DB
	c        campaign.Campaign
	protocol *protocol.Protocol
	problems *campaign.Problems
	users    map[string]string          // id by login
	created  []string                   // logins of new accounts
	found    map[segmentKey]foundText   // segments looked up, a bounded number
	touched  map[string]*touchedSegment // by segment id
	order    []string                   // of touched, as first met
	pending  *rows
	count    int
}

type segmentKey struct{ doc, segment string }

type foundText struct {
	id           string
	translations map[string]string // id by system
	problem      string
}

type touchedSegment struct {
	last  place             // that touched it
	turns map[turn]*rated   // what the import gave
	seeds map[string]int64  // by user: the order of cards stays the same in all rounds
	names map[string]string // login by user id
}

type turn struct {
	user  string
	round int
}

type rated struct {
	assignment   string
	translations map[string]bool
}

func (s *Store) newRatingImport(tx *gorm.DB, c campaign.Campaign, problems *campaign.Problems) (*ratingImport, error) {
	p, ok := protocol.Lookup(c.Protocol)
	if !ok {
		return nil, fmt.Errorf("unknown protocol %q", c.Protocol)
	}
	return &ratingImport{
		s: s, tx: tx, c: c, protocol: p, problems: problems,
		users: map[string]string{}, found: map[segmentKey]foundText{}, touched: map[string]*touchedSegment{},
		pending: newRows("ratings", "id", "assignment_id", "translation_id", "scores", "gate_score", "comment", "seconds", "submitted_at"),
	}, nil
}

// place is where a rating was read.
type place struct {
	file string
	line int
}

func (im *ratingImport) refuse(at place, field, msg string) error {
	im.problems.Add(&campaign.Problem{File: at.file, Line: at.line, Field: field, Msg: msg})
	return nil
}

// addLine finds the translation that a line of a ratings file is about.
func (im *ratingImport) addLine(line campaign.NumberedRating) error {
	r, at := line.Rating, place{line.File, line.Line}
	text, err := im.find(segmentKey{r.DocID, r.SegmentID})
	if err != nil {
		return err
	}
	if text.problem != "" {
		return im.refuse(at, "segment_id", text.problem)
	}
	translation, ok := text.translations[r.System]
	if !ok {
		return im.refuse(at, "system", fmt.Sprintf("the campaign has no system %q", r.System))
	}
	return im.add(at, text.id, translation, r.Rating)
}

// maxFound bounds the segments kept in memory between lines.
const maxFound = 2000

func (im *ratingImport) find(key segmentKey) (foundText, error) {
	if text, ok := im.found[key]; ok {
		return text, nil
	}
	var ids []string
	query := im.tx.Raw("SELECT id FROM segments WHERE campaign_id = ? AND segment_id = ? LIMIT 2", im.c.ID, key.segment)
	if key.doc != "" {
		query = im.tx.Raw("SELECT s.id FROM segments s JOIN documents d ON d.id = s.document_id WHERE d.campaign_id = ? AND d.doc_id = ? AND s.segment_id = ?", im.c.ID, key.doc, key.segment)
	}
	if err := query.Scan(&ids).Error; err != nil {
		return foundText{}, err
	}
	text := foundText{translations: map[string]string{}}
	switch len(ids) {
	case 0:
		text.problem = fmt.Sprintf("the campaign has no segment %q", key.segment)
		if key.doc != "" {
			text.problem += fmt.Sprintf(" in document %q", key.doc)
		}
	case 1:
		text.id = ids[0]
		var rows []struct{ ID, Name string }
		err := im.tx.Raw("SELECT t.id, y.name FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id = ?", text.id).Scan(&rows).Error
		if err != nil {
			return text, err
		}
		for _, r := range rows {
			text.translations[r.Name] = r.ID
		}
	default:
		text.problem = fmt.Sprintf("several documents have a segment %q; name the document with doc_id", key.segment)
	}
	if len(im.found) >= maxFound {
		clear(im.found)
	}
	im.found[key] = text
	return text, nil
}

func (im *ratingImport) add(at place, segmentID, translationID string, r campaign.Rating) error {
	round := max(r.Round, 1)
	given := protocol.Rating{Scores: r.Scores} // the limit on comments is for what is typed here
	if violations := im.protocol.Check(given); len(violations) > 0 {
		return im.refuse(at, violations[0].Field, violations[0].Msg)
	}
	gate, ok := im.protocol.GateScore(given)
	if !ok {
		return im.refuse(at, "scores", "needs "+im.protocol.Missing(given))
	}
	user, err := im.user(at, r.Annotator)
	if err != nil || user == "" {
		return err
	}
	turn, err := im.turn(at, segmentID, user, r, round)
	if err != nil || turn == nil {
		return err
	}
	if turn.translations[translationID] {
		return im.refuse(at, "annotator", fmt.Sprintf("%s has rated this translation in round %d already", r.Annotator, round))
	}
	turn.translations[translationID] = true
	im.pending.add(newID(), turn.assignment, translationID, encodeScores(r.Scores), gate, r.Comment, max(0, r.Seconds), instantOf(r.SubmittedAt))
	im.count++
	if im.pending.len() >= importBatch {
		return im.pending.insert(im.tx)
	}
	return nil
}

// user finds the annotator's account, making it where there is none.
func (im *ratingImport) user(at place, login string) (string, error) {
	if id, ok := im.users[login]; ok {
		return id, nil
	}
	u, err := findUser(im.tx, "login = ?", login)
	if errors.Is(err, campaign.ErrNotFound) {
		if u, err = im.s.addUser(im.tx, login, login, Member); err == nil {
			im.created = append(im.created, login)
		}
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return "", im.refuse(at, "annotator", invalid.Msg)
	}
	if err != nil {
		return "", err
	}
	var role string
	err = scan(im.tx.Raw("SELECT role FROM memberships WHERE campaign_id = ? AND user_id = ?", im.c.ID, u.ID), &role)
	switch {
	case errors.Is(err, errNoRows):
		err = im.s.setMembership(im.tx, im.c.ID, u.ID, campaign.Annotator)
	case err == nil && role != string(campaign.Annotator):
		return "", im.refuse(at, "annotator", fmt.Sprintf("%s is a %s of this campaign, not an annotator", login, role))
	}
	if err != nil {
		return "", err
	}
	im.users[login] = u.ID
	return u.ID, nil
}

// turn finds or makes the annotator's submitted assignment; nil after a
// problem.
func (im *ratingImport) turn(at place, segmentID, userID string, r campaign.Rating, round int) (*rated, error) {
	seg := im.touched[segmentID]
	if seg == nil {
		seg = &touchedSegment{turns: map[turn]*rated{}, seeds: map[string]int64{}, names: map[string]string{}}
		im.touched[segmentID] = seg
		im.order = append(im.order, segmentID)
	}
	seg.last, seg.names[userID] = at, r.Annotator
	if t := seg.turns[turn{userID, round}]; t != nil {
		return t, nil
	}
	var known struct {
		ID    string
		State string
	}
	err := scan(im.tx.Raw("SELECT id, state FROM assignments WHERE segment_id = ? AND user_id = ? AND round = ?", segmentID, userID, round), &known.ID, &known.State)
	if err != nil && !errors.Is(err, errNoRows) {
		return nil, err
	}
	t := &rated{assignment: known.ID, translations: map[string]bool{}}
	switch {
	case known.ID != "" && known.State != string(campaign.Submitted):
		return nil, im.refuse(at, "annotator", fmt.Sprintf("%s has this segment in work in round %d; the rating can't be imported beside it", r.Annotator, round))
	case known.ID != "":
		var rated []string
		if err := im.tx.Raw("SELECT translation_id FROM ratings WHERE assignment_id = ?", known.ID).Scan(&rated).Error; err != nil {
			return nil, err
		}
		for _, id := range rated {
			t.translations[id] = true
		}
	default:
		if seg.seeds[userID] == 0 {
			seg.seeds[userID] = newSeed()
		}
		t.assignment = newID()
		submitted := instantOf(r.SubmittedAt)
		if submitted == 0 {
			submitted = instantOf(im.s.now())
		}
		err := im.tx.Exec(`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at, submitted_at)
			VALUES (?, ?, ?, ?, ?, 'submitted', ?, ?, ?, ?)`, t.assignment, im.c.ID, segmentID, userID, round, seg.seeds[userID], submitted, submitted, submitted).Error
		if err != nil {
			return nil, err
		}
		if round == 1 {
			if err := meet(im.tx, im.c.ID, segmentID, userID); err != nil {
				return nil, err
			}
		}
	}
	seg.turns[turn{userID, round}] = t
	return t, nil
}

// newSeed makes the seed of an order of cards; never 0.
func newSeed() int64 { return 1 + rand.Int64N(1<<62) }

func encodeScores(scores map[string]float64) string {
	if scores == nil {
		scores = map[string]float64{}
	}
	b, _ := json.Marshal(scores) // finite numbers by name can't fail
	return string(b)
}

func decodeScores(text string) map[string]float64 {
	scores := map[string]float64{}
	// What is read here was written by encodeScores.
	_ = json.Unmarshal([]byte(text), &scores)
	return scores
}

// finish brings sums, places and meetings up to date and decides the touched
// segments, round by round.
func (im *ratingImport) finish(report *ImportReport) error {
	if err := im.pending.insert(im.tx); err != nil {
		return err
	}
	for _, id := range im.order {
		if err := im.settle(id, im.touched[id], report); err != nil {
			return err
		}
	}
	report.Ratings = im.count
	report.NewAnnotators = im.created
	slices.Sort(report.NewAnnotators)
	return nil
}

func (im *ratingImport) settle(segmentID string, seg *touchedSegment, report *ImportReport) error {
	for _, r := range seg.turns {
		err := im.tx.Exec(`UPDATE assignments SET
			ratings = (SELECT count(*) FROM ratings WHERE assignment_id = assignments.id),
			seconds = (SELECT coalesce(sum(seconds), 0) FROM ratings WHERE assignment_id = assignments.id),
			submitted_at = CASE WHEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) > 0
				THEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) ELSE submitted_at END
			WHERE id = ?`, r.assignment).Error
		if err != nil {
			return err
		}
	}
	if err := recountPlaces(im.tx, segmentID); err != nil {
		return err
	}
	rounds, err := submittedRounds(im.tx, segmentID)
	if err != nil {
		return err
	}
	for i, round := range rounds {
		if round != i+1 {
			return im.refuse(seg.last, "round", fmt.Sprintf("the segment has ratings of round %d but none of round %d", round, i+1))
		}
	}
	for i, round := range rounds {
		d, err := im.s.decide(im.tx, im.c, segmentID, round, i == len(rounds)-1)
		if err != nil {
			return err
		}
		if i == len(rounds)-1 {
			if report.Decided == nil {
				report.Decided = map[campaign.Status]int{}
			}
			report.Decided[d.Status]++
		}
	}
	return nil
}

func submittedRounds(tx *gorm.DB, segmentID string) (rounds []int, err error) {
	err = tx.Raw("SELECT DISTINCT round FROM assignments WHERE segment_id = ? AND state = 'submitted' ORDER BY round", segmentID).Scan(&rounds).Error
	return rounds, err
}
