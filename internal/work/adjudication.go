package work

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// AdjudicationRounds is smaller than the round of every adjudication, and larger than every round
// of ratings, so that the two are never confused.
const AdjudicationRounds = 1000

// adjudicationReason is the reason of a submitted adjudication in the history and the audit log.
const adjudicationReason = "adjudicated on the annotate page, beside the annotators' ratings"

// OpenAdjudication gives a user a segment to adjudicate and returns the id of the assignment. If the
// user has an adjudication of the segment in work, it returns that one. From then on the user is
// never given the segment to annotate.
//
// The error is ErrForbidden if the user is not an adjudicator, lead or admin, and ErrNotOpen if the
// campaign is not open. It is ErrConflict if the segment does not wait for an adjudicator (a lead
// may also take a segment with a complete round), and if the user annotated the segment, unless the
// settings or a lead allow that.
func (s *Store) OpenAdjudication(ctx context.Context, campaignID, segmentRowID, userID string) (assignmentID string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if c.State != campaign.Open {
			return campaign.ErrNotOpen
		}
		who, err := rounds.AdjudicatingOf(tx.DB, c.ID, userID)
		if err != nil {
			return err
		}
		who.Own = c.Settings.AdjudicateOwn
		found, err := rounds.NewFactReader(tx.DB, c.ID).Locked(tx, c, []string{segmentRowID})
		if err != nil {
			return err
		}
		if err := who.Refuses(found[0]); err != nil {
			return err
		}
		if err := records.RefuseApart(tx.DB, c, segmentRowID, found[0].Name, who.Login); err != nil {
			return err
		}
		// After an undo there can be two in work. The one with more drafts continues.
		err = database.Scan(tx.Raw(`SELECT a.id FROM assignments a WHERE a.segment_id = ? AND a.user_id = ? AND a.state = 'adjudicating'
			ORDER BY (SELECT count(*) FROM drafts d WHERE d.assignment_id = a.id) DESC, a.round DESC LIMIT 1`, segmentRowID, userID), &assignmentID)
		if err == nil || !errors.Is(err, database.ErrNoRows) {
			return err
		}
		var last int
		if err := database.Scan(tx.Raw("SELECT coalesce(max(round), 0) FROM assignments WHERE segment_id = ?", segmentRowID), &last); err != nil {
			return err
		}
		order, err := records.CardOrderOf(tx.DB, c, segmentRowID, userID)
		if err != nil {
			return err
		}
		now := database.InstantOf(tx.Now())
		row := records.AssignmentRow{
			ID: database.NewID(), CampaignID: c.ID, SegmentID: segmentRowID, UserID: userID, Round: max(last, AdjudicationRounds) + 1,
			State: campaign.Adjudicating, CardOrder: order, StartedAt: now, TouchedAt: now, Work: campaign.WorkAsked,
		}
		assignmentID = row.ID
		return tx.Create(&row).Error
	})
	return assignmentID, err
}

// IsAdjudication reports whether an assignment of a user is an adjudication.
func (s *Store) IsAdjudication(ctx context.Context, campaignID, assignmentID, userID string) (bool, error) {
	a, err := records.FindAssignment(s.db.Read(ctx), campaignID, assignmentID, userID)
	return a.State.Adjudicates(), err
}

// submitAdjudication makes the cards of an adjudication the gold of its segment.
func (s *Store) submitAdjudication(tx *database.Tx, a records.AssignmentRow, revisions map[string]int) error {
	c, err := records.LockCampaign(tx, a.CampaignID)
	if err != nil {
		return err
	}
	if a, err = a.Lock(tx); err != nil {
		return err
	}
	sub, err := readSubmission(tx, c, a, revisions)
	if err != nil || sub == nil {
		return err
	}
	seconds, share := 0.0, sub.secondsShare(tx, a)
	for _, card := range sub.cards {
		seconds += card.Seconds * share
	}
	return s.rounds.ActIn(
		tx, c, []string{a.SegmentID}, "adjudicate segment", adjudicationReason, a.UserID,
		func(plan *rounds.ActPlan, g *rounds.Segment) (string, error) {
			id := plan.Add(g, campaign.Act{Kind: campaign.Adjudicate})
			for i, card := range sub.cards {
				gate, _ := c.Rules.GateScoreOf(card.Rating, sub.rows[i].Candidates)
				plan.Enter(id, sub.rows[i].ID, records.ColumnsOf(card.Rating), gate, card.Seconds*share)
			}
			plan.SubmitAdjudication(a.ID, seconds)
			plan.AnswerProblems(g)
			return "", nil
		},
	)
}

// adjudicationOver returns an ErrDecided that tells the adjudicator why nothing can be saved in an
// adjudication any more; nil if it can.
func adjudicationOver(db *gorm.DB, a records.AssignmentRow) (over, err error) {
	if a.State == campaign.HasAdjudicated {
		return campaign.Decided("this adjudication is submitted; open the segment again to adjudicate it anew"), nil
	}
	who, err := rounds.AdjudicatingOf(db, a.CampaignID, a.UserID)
	if err != nil || who.Leads {
		return nil, err
	}
	if !who.May {
		return campaign.Decided("you are no longer an adjudicator of this campaign; your saved work is kept"), nil
	}
	acts, err := rounds.ReadActs(db, "c.segment_id = ?", a.SegmentID)
	if err != nil || campaign.WaitsForAdjudicator(plainActs(acts)) {
		return nil, err
	}
	if waits, err := rounds.IsUndecided(db, a.SegmentID); err != nil || waits {
		return nil, err
	}
	return campaign.Decided("this segment no longer waits for an adjudicator; your saved work is kept"), nil
}

// plainActs returns acts without the details of their storage.
func plainActs(acts []rounds.StoredAct) []campaign.Act {
	out := make([]campaign.Act, len(acts))
	for i, a := range acts {
		out[i] = a.Act
	}
	return out
}

// ToAdjudicate lists the segments of a campaign that wait for an adjudicator, because a lead asks for one or because
// the annotators' answers differ, those that have waited longest first. Each says whether the user may adjudicate it.
// The list contains no name of a system, no login and no rating.
func (s *Store) ToAdjudicate(ctx context.Context, c campaign.Campaign, userID string) ([]readmodel.ToAdjudicate, error) {
	campaignID := c.ID
	db := s.db.Read(ctx)
	who, err := rounds.AdjudicatingOf(db, campaignID, userID)
	if err != nil {
		return nil, err
	}
	acts, err := rounds.ReadActs(
		db, "c.campaign_id = ? AND c.segment_id IN (SELECT x.segment_id FROM acts x WHERE x.campaign_id = ? AND x.kind = ? AND NOT x.undone)",
		campaignID, campaignID, string(campaign.AskForAdjudication),
	)
	if err != nil {
		return nil, err
	}
	undecided, err := rounds.UndecidedOf(db, "u.campaign_id = ?", campaignID)
	if err != nil {
		return nil, err
	}
	bySegment := map[string][]rounds.StoredAct{}
	for _, a := range acts {
		bySegment[a.SegmentID] = append(bySegment[a.SegmentID], a)
	}
	var ids []string
	for id, list := range bySegment {
		if campaign.WaitsForAdjudicator(plainActs(list)) {
			ids = append(ids, id)
		}
	}
	differ := map[string]rounds.UndecidedSegment{}
	for _, u := range undecided {
		if differ[u.ID] = u; !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	var out []readmodel.ToAdjudicate
	for part := range slices.Chunk(ids, rounds.FollowBatch) {
		var row readmodel.ToAdjudicate
		var own, apart bool
		for err := range database.EachRow(db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.source,
				EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = ? AND a.state = 'adjudicating'),
				EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = ? AND `+records.Annotates+`),
				EXISTS (SELECT 1 FROM kept_apart k WHERE k.segment_id = g.id AND k.user_id = ?)
			FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.status <> 'withdrawn' AND g.id IN ?`, userID, userID, userID, part),
			&row.ID, &row.DocID, &row.SegmentID, &row.Source, &row.Begun, &own, &apart) {
			if err != nil {
				return nil, err
			}
			t := row
			if u, ok := differ[t.ID]; ok {
				t.Asked, t.Reason = u.Since.Time(), campaign.UndecidedText(c.Rules, u.Questions)
			}
			list := bySegment[t.ID]
			for _, a := range list {
				if a.Kind == campaign.AskForAdjudication && !a.Undone {
					t.Asked, t.Reason = a.At.Time(), a.Reason
				}
			}
			if apart {
				t.Refused = "You had this segment in an earlier campaign, so another person adjudicates it."
			}
			if own && !c.Settings.AdjudicateOwn && !campaign.MayAdjudicateOwn(plainActs(list), who.Login) {
				t.Refused = "You were given this segment to annotate, so another person adjudicates it."
			}
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b readmodel.ToAdjudicate) int {
		return cmp.Or(a.Asked.Compare(b.Asked), strings.Compare(a.DocID, b.DocID), strings.Compare(a.SegmentID, b.SegmentID))
	})
	return out, nil
}

// peersOf reads the annotators' ratings for an adjudication, by id of the translation: those of the
// segment's last complete round, or of round 1 if none is complete. A hash with the seed of the
// assignment decides the order of the letters, so that they tell nothing about logins.
func peersOf(db *gorm.DB, a records.AssignmentRow) (map[string][]readmodel.PeerRating, error) {
	var round int
	if err := database.Scan(db.Raw("SELECT complete FROM segments WHERE id = ?", a.SegmentID), &round); err != nil {
		return nil, err
	}
	given, err := records.RatingsOf(db, []string{a.SegmentID})
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, list := range given {
		for _, r := range list {
			if r.Round == max(round, 1) {
				mac := hmac.New(sha256.New, []byte(fmt.Sprint(a.Seed, a.SegmentID)))
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
	out := map[string][]readmodel.PeerRating{}
	for translation, list := range given {
		for _, r := range list {
			if i := slices.Index(order, r.Annotator); i >= 0 && r.Round == max(round, 1) {
				given, _ := r.Rating.Rating.KeepLinks(nil) // one to another segment would tell who is who there
				out[translation] = append(out[translation], readmodel.PeerRating{Letter: campaign.CardName(i), Rating: given})
			}
		}
		slices.SortFunc(out[translation], func(x, y readmodel.PeerRating) int {
			return cmp.Or(cmp.Compare(len(x.Letter), len(y.Letter)), strings.Compare(x.Letter, y.Letter))
		})
	}
	return out, nil
}

// MyAdjudications sums up a user's adjudications in a campaign.
type MyAdjudications struct {
	Segments int     // submitted adjudications; a segment that was adjudicated twice counts twice
	Seconds  float64 // active time
}

// MyAdjudications sums up the submitted adjudications of a user in a campaign.
func (s *Store) MyAdjudications(ctx context.Context, campaignID, userID string) (MyAdjudications, error) {
	var m MyAdjudications
	err := database.Scan(
		s.db.Read(ctx).
			Raw("SELECT count(*), coalesce(sum(seconds), 0) FROM assignments WHERE campaign_id = ? AND state = 'adjudicated' AND user_id = ?", campaignID, userID),
		&m.Segments,
		&m.Seconds,
	)
	return m, err
}
