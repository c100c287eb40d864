package store

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/tally"
)

// An adjudication is made on the annotate page, in an assignment whose state says that
// it is one. It has drafts like any other assignment, but no ratings: what is submitted
// becomes an act of adjudication, and its values are those of the act.

// annotates is the condition for an assignment a to be no adjudication.
const annotates = "a.state NOT IN ('adjudicating', 'adjudicated')"

// adjudicationRounds is the number above which the rounds of adjudications lie, so
// that they are never taken for a round of ratings.
const adjudicationRounds = 1000

// adjudicationReason is what history and audit log say of a submitted adjudication.
const adjudicationReason = "adjudicated on the annotate page, beside the annotators' ratings"

func (a assignmentRow) adjudicates() bool { return campaign.AssignmentState(a.State).Adjudicates() }

// An adjudicating is what somebody may do as an adjudicator in a campaign.
type adjudicating struct {
	login string
	may   bool
	leads bool // may adjudicate any complete segment, whether anybody asks for it or not
	own   bool // may adjudicate what they annotated, by the settings of the campaign
}

func adjudicatingOf(db *gorm.DB, campaignID, userID string) (adjudicating, error) {
	var who adjudicating
	err := scan(db.Raw(`SELECT u.login, u.role = 'admin' OR coalesce(m.role = 'lead', FALSE), u.role = 'admin' OR coalesce(m.role IN ('lead', 'adjudicator') OR m.adjudicates, FALSE)
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? AND NOT m.removed WHERE u.id = ?`, campaignID, userID), &who.login, &who.leads, &who.may)
	return who, err
}

// refuses says why somebody can't adjudicate a segment; nil if they can.
func (who adjudicating) refuses(g leadSegment) error {
	switch {
	case !who.may:
		return fmt.Errorf("only adjudicators and leads of the campaign adjudicate: %w", campaign.ErrForbidden)
	case g.status == campaign.Withdrawn:
		return g.refuse("is withdrawn")
	case who.leads && g.stored.complete == 0 && !campaign.WaitsForAdjudicator(g.Acts):
		return g.refuse("has no complete round to adjudicate")
	case !who.leads && !campaign.WaitsForAdjudicator(g.Acts):
		return g.refuse("does not wait for an adjudicator")
	case g.annotatedBy(who.login) && !who.own && !campaign.MayAdjudicateOwn(g.Acts, who.login):
		return g.refuse("was given to you to annotate, so somebody else adjudicates it, unless a lead says that you may")
	}
	return nil
}

func (s *segmentFacts) annotatedBy(login string) bool {
	return slices.ContainsFunc(s.Turns, func(t campaign.Turn) bool { return t.Annotator == login })
}

// mayAnnotate refuses, as an ErrConflict, to give a segment to somebody who has opened
// it to adjudicate it, and has seen the annotators' ratings.
func (g leadSegment) mayAnnotate(login string) error {
	if !g.opened[login] {
		return nil
	}
	return fmt.Errorf("%s has opened segment %q to adjudicate it and has seen its ratings, so they can't annotate it: %w", login, g.Name, campaign.ErrConflict)
}

// OpenAdjudication gives somebody a segment to adjudicate, or the adjudication of it
// that they have in work, and returns the id of the assignment. From then on they are
// not given the segment to annotate. ErrForbidden for anyone but adjudicators, leads
// and admins; ErrNotOpen while the campaign is not open; ErrConflict for a segment
// that does not wait for an adjudicator (a lead may take any with a complete round),
// and for one that they annotated, unless a lead asked them by name.
func (s *Store) OpenAdjudication(ctx context.Context, campaignID, segmentRowID, userID string) (assignmentID string, err error) {
	err = s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if c.State != campaign.Open {
			return campaign.ErrNotOpen
		}
		who, err := adjudicatingOf(tx, c.ID, userID)
		if err != nil {
			return err
		}
		who.own = c.Settings.AdjudicateOwn
		facts, err := newFactReader(tx, c.ID)
		if err != nil {
			return err
		}
		found, err := facts.locked(c, []string{segmentRowID})
		if err != nil {
			return err
		}
		if err := who.refuses(found[0]); err != nil {
			return err
		}
		err = scan(tx.Raw("SELECT id FROM assignments WHERE segment_id = ? AND user_id = ? AND state = 'adjudicating'", segmentRowID, userID), &assignmentID)
		if err == nil || !errors.Is(err, errNoRows) {
			return err
		}
		var last int
		if err := scan(tx.Raw("SELECT coalesce(max(round), 0) FROM assignments WHERE segment_id = ?", segmentRowID), &last); err != nil {
			return err
		}
		now := instantOf(s.now())
		row := assignmentRow{
			ID: newID(), CampaignID: c.ID, SegmentID: segmentRowID, UserID: userID, Round: max(last, adjudicationRounds) + 1,
			State: string(campaign.Adjudicating), Seed: newSeed(), StartedAt: now, TouchedAt: now, Work: string(campaign.WorkAsked),
		}
		assignmentID = row.ID
		return tx.Create(&row).Error
	})
	return assignmentID, err
}

// IsAdjudication reports whether an assignment of the user's is an adjudication.
func (s *Store) IsAdjudication(ctx context.Context, campaignID, assignmentID, userID string) (bool, error) {
	a, err := findAssignment(s.read(ctx), campaignID, assignmentID, userID)
	return a.adjudicates(), translate(err)
}

// submitAdjudication makes the cards of an adjudication the gold of its segment.
func (s *Store) submitAdjudication(tx *gorm.DB, a assignmentRow, revisions map[string]int) error {
	c, err := lockCampaign(tx, a.CampaignID)
	if err != nil {
		return err
	}
	if err := lockSegment(tx, a.SegmentID); err != nil {
		return err
	}
	if a, err = findAssignment(tx, c.ID, a.ID, a.UserID); err != nil {
		return err
	}
	rows, err := cardRows(tx, c, a)
	if err != nil {
		return err
	}
	if a.State == string(campaign.HasAdjudicated) && sameRevisions(rows, revisions) {
		return nil // the page did not receive the first answer
	}
	if err := maySave(tx, c, a); err != nil {
		return err
	}
	source, err := sourceOf(tx, c, a.SegmentID)
	if err != nil {
		return err
	}
	cards, err := finished(c, source, rows, revisions)
	if err != nil {
		return err
	}
	seconds, share := 0.0, honest(cards, s.now().Sub(a.StartedAt.time()).Seconds())
	for _, card := range cards {
		seconds += card.Seconds * share
	}
	now := instantOf(s.now())
	err = tx.Exec("UPDATE assignments SET state = ?, submitted_at = ?, touched_at = ?, seconds = ? WHERE id = ?", string(campaign.HasAdjudicated), now, now, seconds, a.ID).Error
	if err != nil {
		return err
	}
	return s.actIn(tx, c, []string{a.SegmentID}, "adjudicate segment", adjudicationReason, a.UserID, func(acting *acting, g leadSegment) (string, error) {
		id := acting.add(g, campaign.Act{Kind: campaign.Adjudicate})
		for i, card := range cards {
			gate, _ := c.Rules.GateScore(card.Rating)
			acting.enter(id, rows[i].ID, columnsOf(card.Rating), gate, card.Seconds*share)
		}
		acting.settle(g)
		return "", nil
	})
}

// sameRevisions reports whether a page has the cards as they are stored.
func sameRevisions(rows []cardRow, revisions map[string]int) bool {
	return len(revisions) == len(rows) && !slices.ContainsFunc(rows, func(r cardRow) bool {
		revision, ok := revisions[r.CardID]
		return !ok || revision != r.revision()
	})
}

// adjudicationOver says why nothing can be saved in an adjudication any more, as an
// ErrDecided in words for the adjudicator; nil where something can.
func adjudicationOver(db *gorm.DB, a assignmentRow) (over, err error) {
	if a.State == string(campaign.HasAdjudicated) {
		return fmt.Errorf("this adjudication is submitted; open the segment again to adjudicate it anew: %w", campaign.ErrDecided), nil
	}
	who, err := adjudicatingOf(db, a.CampaignID, a.UserID)
	if err != nil || who.leads {
		return nil, err
	}
	if !who.may {
		return fmt.Errorf("you are no adjudicator of this campaign any more; what you saved is kept: %w", campaign.ErrDecided), nil
	}
	acts, err := readActs(db, "c.segment_id = ?", a.SegmentID)
	if err != nil || campaign.WaitsForAdjudicator(plainActs(acts)) {
		return nil, err
	}
	return fmt.Errorf("this segment does not wait for an adjudicator any more; what you saved is kept: %w", campaign.ErrDecided), nil
}

func plainActs(acts []storedAct) []campaign.Act {
	out := make([]campaign.Act, len(acts))
	for i, a := range acts {
		out[i] = a.Act
	}
	return out
}

// A ToAdjudicate is a segment that waits for an adjudicator.
type ToAdjudicate struct {
	ID        string // row id of the segment
	DocID     string
	SegmentID string
	Source    string
	Asked     time.Time // when a lead asked last
	Reason    string    // the lead's words
	Begun     bool      // the user has it in work
	Refused   string    // why the user can't adjudicate it, in words; empty: they can
}

// ToAdjudicate lists the segments of a campaign that wait for an adjudicator, the
// longest waiting first, as the user may have them. It holds no name of a system, no
// login and no rating.
func (s *Store) ToAdjudicate(ctx context.Context, c campaign.Campaign, userID string) ([]ToAdjudicate, error) {
	campaignID := c.ID
	db := s.read(ctx)
	who, err := adjudicatingOf(db, campaignID, userID)
	if err != nil {
		return nil, translate(err)
	}
	acts, err := readActs(db, "c.campaign_id = ? AND c.segment_id IN (SELECT x.segment_id FROM acts x WHERE x.campaign_id = ? AND x.kind = ? AND NOT x.undone)",
		campaignID, campaignID, string(campaign.AskForAdjudication))
	if err != nil {
		return nil, translate(err)
	}
	bySegment := map[string][]storedAct{}
	for _, a := range acts {
		bySegment[a.SegmentID] = append(bySegment[a.SegmentID], a)
	}
	var ids []string
	for id, list := range bySegment {
		if campaign.WaitsForAdjudicator(plainActs(list)) {
			ids = append(ids, id)
		}
	}
	var out []ToAdjudicate
	for part := range slices.Chunk(ids, followBatch) {
		rows, err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.source,
				EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = ? AND a.state = 'adjudicating'),
				EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = ? AND `+annotates+`)
			FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.status <> 'withdrawn' AND g.id IN ?`, userID, userID, part).Rows()
		err = eachRow(rows, err, func(scan func(...any) error) error {
			var t ToAdjudicate
			var own bool
			if err := scan(&t.ID, &t.DocID, &t.SegmentID, &t.Source, &t.Begun, &own); err != nil {
				return err
			}
			list := bySegment[t.ID]
			for _, a := range list {
				if a.Kind == campaign.AskForAdjudication && !a.Undone {
					t.Asked, t.Reason = a.At.time(), a.Reason
				}
			}
			if own && !c.Settings.AdjudicateOwn && !campaign.MayAdjudicateOwn(plainActs(list), who.login) {
				t.Refused = "You were given this segment to annotate, so somebody else adjudicates it."
			}
			out = append(out, t)
			return nil
		})
		if err != nil {
			return nil, translate(err)
		}
	}
	slices.SortFunc(out, func(a, b ToAdjudicate) int {
		return cmp.Or(a.Asked.Compare(b.Asked), strings.Compare(a.DocID, b.DocID), strings.Compare(a.SegmentID, b.SegmentID))
	})
	return out, nil
}

// A PeerRating is an annotator's rating as an adjudicator sees it.
type PeerRating struct {
	Letter string // A, B, C …: the same annotator on all cards of the segment
	protocol.Rating
}

// peersOf are the ratings that stand beside the cards of an adjudication, by
// translation: those of the segment's last complete round, or of round 1 where none is
// complete. The letters come in an order that the seed of the assignment keys, so that
// they tell nothing of logins.
func peersOf(db *gorm.DB, a assignmentRow) (map[string][]PeerRating, error) {
	var round int
	if err := scan(db.Raw("SELECT complete FROM segments WHERE id = ?", a.SegmentID), &round); err != nil {
		return nil, err
	}
	given, err := ratingsOf(db, []string{a.SegmentID})
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, list := range given {
		for _, r := range list {
			if r.Round == max(round, 1) {
				mac := hmac.New(sha256.New, []byte(fmt.Sprint(a.Seed)))
				mac.Write([]byte(r.Annotator))
				keys[r.Annotator] = string(mac.Sum(nil))
			}
		}
	}
	order := make([]string, 0, len(keys))
	for login := range keys {
		order = append(order, login)
	}
	slices.SortFunc(order, func(x, y string) int { return strings.Compare(keys[x], keys[y]) })
	out := map[string][]PeerRating{}
	for translation, list := range given {
		for _, r := range list {
			if i := slices.Index(order, r.Annotator); i >= 0 && r.Round == max(round, 1) {
				out[translation] = append(out[translation], PeerRating{Letter: campaign.CardName(i), Rating: r.Rating.Rating})
			}
		}
		slices.SortFunc(out[translation], func(x, y PeerRating) int {
			return cmp.Or(cmp.Compare(len(x.Letter), len(y.Letter)), strings.Compare(x.Letter, y.Letter))
		})
	}
	return out, nil
}

// adjudicationDays sums the adjudications of a campaign by person and day.
func adjudicationDays(db *gorm.DB, c campaign.Campaign) (tally.Table, error) {
	return daysOf(db, c, `SELECT a.user_id, a.submitted_at, (SELECT count(*) FROM translations t WHERE t.segment_id = a.segment_id) AS ratings, a.seconds
		FROM assignments a WHERE a.campaign_id = ? AND a.state = 'adjudicated'`)
}

// MyAdjudications is what somebody has adjudicated in a campaign.
type MyAdjudications struct {
	Segments int // submitted; one that was adjudicated twice counts twice
	Seconds  float64
}

// MyAdjudications counts what the user has adjudicated in a campaign, and the active time
// that it took.
func (s *Store) MyAdjudications(ctx context.Context, campaignID, userID string) (MyAdjudications, error) {
	var m MyAdjudications
	err := scan(s.read(ctx).Raw("SELECT count(*), coalesce(sum(seconds), 0) FROM assignments WHERE campaign_id = ? AND state = 'adjudicated' AND user_id = ?", campaignID, userID), &m.Segments, &m.Seconds)
	return m, translate(err)
}
