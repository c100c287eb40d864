package rounds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Each act of a lead stores a row of acts and an entry of the audit log for every segment,
// with a reason and the values before and after. No act deletes a rating. act_plan.go stores
// acts, and undo_act.go undoes them.

// FurtherAnnotator asks one more annotator for ratings of the segments' current rounds. No
// round waits for this annotator, so the states of the segments stay as they are until the
// ratings are submitted. The error is ErrNotFound if the campaign has no such annotator. It
// is ErrConflict if the annotator is set aside, can't sign in or already has one of the
// segments in this round, or if a lead has decided one of the segments.
func (s *Store) FurtherAnnotator(ctx context.Context, campaignID string, segmentRowIDs []string, login, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask further annotator", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if err := a.mayWork(login); err != nil {
			return "", err
		}
		if deciding, ok := g.DecidingAct(); ok && !deciding.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.Stored.Status)
		}
		if err := a.mayHave(g, login); err != nil {
			return "", err
		}
		for i, t := range g.Turns {
			if t.Annotator == login && t.Round == g.Stored.Round && g.AllTurns[i].state != campaign.Released {
				return "", fmt.Errorf("%s already has segment %q in this round: %w", login, g.Name, campaign.ErrConflict)
			}
		}
		a.Add(g, campaign.Act{Kind: campaign.FurtherAnnotator, Round: g.Stored.Round, Annotators: []string{login}})
		return login, a.give(g, login, g.Stored.Round)
	})
}

// ReplaceAnnotator gives the segment's current round, and the ordinary rounds above it, of
// the annotator login to byLogin. If byLogin is empty nobody replaces login, and the rounds
// no longer wait for login. Ratings that login submitted in that round stop counting, and the
// reason answers a problem that login reported there. The error is ErrConflict if login has no
// turn in the round, if byLogin has one or can't work, and if a round above the first would
// have no annotator left who has submitted it or is asked for it.
func (s *Store) ReplaceAnnotator(ctx context.Context, campaignID, segmentRowID, login, byLogin, reason, byID string) error {
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "replace annotator", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if _, err := a.annotator(login); err != nil {
			return "", err
		}
		if byLogin == login {
			return "", campaign.Invalid("by", "choose somebody other than "+login+", or nobody")
		}
		i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == g.Stored.Round })
		if deciding, ok := g.DecidingAct(); ok && !deciding.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.Stored.Status)
		}
		if i < 0 || g.AllTurns[i].Stored.Replaced || g.AllTurns[i].aside {
			return "", g.refuse("has no turn of %s in round %d", login, g.Stored.Round)
		}
		if byLogin == "" {
			others := func(t turnRow) bool {
				return t.Round == g.Stored.Round && t.userID != g.AllTurns[i].userID && (t.Stored.Counts || t.Stored.Awaited)
			}
			if g.Stored.Round > 1 && !slices.ContainsFunc(g.AllTurns, others) {
				return "", g.refuse("would have nobody left in round %d; name who takes over, or decide it", g.Stored.Round)
			}
		} else if err := a.mayTakeOver(g, byLogin); err != nil {
			return "", err
		}
		a.Add(g, campaign.Act{Kind: campaign.Replace, Round: g.Stored.Round, From: login, To: byLogin})
		a.release(g.AllTurns[i])
		if byLogin == "" {
			return login + " by nobody", nil
		}
		return login + " by " + byLogin, a.give(g, byLogin, g.Stored.Round)
	})
}

// mayTakeOver returns an error if an annotator can't be given the segment's current round.
func (a *ActPlan) mayTakeOver(g *Segment, login string) error {
	if err := a.mayHave(g, login); err != nil {
		return err
	}
	if err := a.mayWork(login); err != nil {
		return err
	}
	for i, t := range g.Turns {
		if t.Annotator == login && t.Round == g.Stored.Round && (t.Submitted || g.AllTurns[i].state != campaign.Released) {
			return fmt.Errorf("%s already has segment %q in this round: %w", login, g.Name, campaign.ErrConflict)
		}
	}
	return nil
}

// AnotherLook asks annotators to rate segments again in a new round, which alone decides
// each segment. annotators are the logins of two or more active annotators, or of one or more in a
// campaign with a redundancy of 1. If it is empty, the active annotators who count in the segment's last
// complete round are asked. The annotators see the reason instead of the message that they did not agree. The error is
// ErrConflict if fewer annotators can be asked for a segment, or if such a round is already under way.
func (s *Store) AnotherLook(ctx context.Context, campaignID string, segmentRowIDs []string, annotators []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask another look", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		return a.lookAgain(g, annotators)
	})
}

// lookAgain plans another look at a segment by annotators, as [Store.AnotherLook] says.
func (a *ActPlan) lookAgain(g *Segment, annotators []string) (string, error) {
	if deciding, ok := g.DecidingAct(); ok && deciding.Kind == campaign.AnotherLook && g.underWay() {
		return "", g.refuse("has another look under way")
	}
	asked := slices.Compact(slices.Sorted(slices.Values(annotators)))
	for _, login := range asked {
		if err := a.mayWork(login); err != nil {
			return "", err
		}
		if err := a.mayHave(g, login); err != nil {
			return "", err
		}
	}
	if len(annotators) == 0 {
		asked = a.lookers(g)
	}
	last := 1
	for _, t := range g.Turns {
		last = max(last, t.Round)
	}
	switch need := a.c.Settings.LookersNeeded(); {
	case len(asked) >= need:
	case need == 1:
		return "", g.refuse("needs an annotator who can look at it again; name one")
	default:
		return "", g.refuse("needs two annotators who can look at it again; name them")
	}
	for _, x := range g.Acts {
		last = max(last, x.Round)
	}
	a.Add(g, campaign.Act{Kind: campaign.AnotherLook, Round: last + 1, Annotators: asked})
	a.AnswerProblems(g)
	return strings.Join(asked, ", "), nil
}

// lookers lists the active annotators who count in the last complete round of a segment, or in round 1 if none is complete.
func (a *ActPlan) lookers(g *Segment) (out []string) {
	for i, t := range g.Turns {
		if t.Round == max(g.Stored.Complete, 1) && t.Submitted && !t.SetAside && !g.AllTurns[i].Stored.Replaced &&
			a.facts.active[t.Annotator] && !g.opened[t.Annotator] {
			out = append(out, t.Annotator)
		}
	}
	return out
}

// Withdraw takes undecided segments out of a campaign. The error is an ErrConflict that
// names a segment that is already decided.
func (s *Store) Withdraw(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "withdraw segment", reason, byID, (*ActPlan).Withdraw)
}

// WithdrawIn is [Store.Withdraw] for one segment, in a transaction that has locked the campaign.
func (s *Store) WithdrawIn(tx *database.Tx, c campaign.Campaign, segmentRowID, reason, byID string) error {
	r := actRequest{c.ID, database.NewID(), "withdraw segment", reason, byID, (*ActPlan).Withdraw, true}
	if err := s.doIn(tx, c, r, []string{segmentRowID}); err != nil {
		return err
	}
	return s.mailAnswers(tx, r)
}

// Withdraw plans to take a segment out of the campaign.
func (a *ActPlan) Withdraw(g *Segment) (string, error) {
	if !g.underWay() {
		return "", g.refuse("is %s already", g.Stored.Status)
	}
	a.Add(g, campaign.Act{Kind: campaign.Withdraw})
	a.AnswerProblems(g)
	return "", nil
}

// Discard leaves segments out of gold, whatever the gate decides about them now or later.
// The error is an ErrConflict that names a segment that a lead has already discarded or
// withdrawn.
func (s *Store) Discard(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "discard segment", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if deciding, ok := g.DecidingAct(); ok && (deciding.Kind == campaign.Discard || deciding.Kind == campaign.Withdraw) {
			return "", g.refuse("is %s by a lead already", g.Stored.Status)
		}
		a.Add(g, campaign.Act{Kind: campaign.Discard})
		a.AnswerProblems(g)
		return "", nil
	})
}

// AcceptMeans makes the mean of each segment's last complete round its gold. The mean is
// taken over the annotators who count in that round now. The error is an ErrConflict that
// names a segment without a complete round.
func (s *Store) AcceptMeans(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "accept mean", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if _, nominal := a.c.Rules.NominalGate(); nominal {
			return "", g.refuse("has answers that are not numbers, which have no mean; adjudicate it, or ask an adjudicator")
		}
		act := campaign.Act{Kind: campaign.AcceptMean, Round: g.Stored.Complete}
		for i, t := range g.Turns {
			if t.Round == act.Round && t.Submitted && !t.SetAside && !g.AllTurns[i].Stored.Replaced {
				act.Annotators = append(act.Annotators, t.Annotator)
			}
		}
		if len(act.Annotators) == 0 {
			return "", g.refuse("has no complete round whose mean could be accepted")
		}
		a.Add(g, act)
		a.AnswerProblems(g)
		return "", nil
	})
}

// RestoreSegments takes back the lead's act that decides each segment now. After that an
// earlier deciding act decides the segment or, without one, the ratings do. The error is an
// ErrConflict that names a segment that no lead has decided.
func (s *Store) RestoreSegments(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "restore segment", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		deciding, ok := g.DecidingAct()
		if !ok {
			return "", g.refuse("is not decided by a lead, so there is nothing to take back")
		}
		if _, ok := g.newTextOf(g.batches[deciding.ID]); ok {
			return "", g.refuse("has a new text, and its earlier ratings are about another one; undo the act instead")
		}
		a.Add(g, campaign.Act{Kind: campaign.Restore, Restores: deciding.ID})
		return string(deciding.Kind), nil
	})
}

// LookAtRatings notes that a lead has seen the ratings that were submitted after a lead
// decided the segments. The overview lists segments with such ratings until a lead has seen
// them. The error is an ErrConflict that names a segment without such ratings.
func (s *Store) LookAtRatings(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "look at later ratings", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if !g.RatedAfterDecision(g.Stored.DecidingAct) {
			return "", g.refuse("has no ratings that came after the decision of a lead and were not looked at")
		}
		a.Add(g, campaign.Act{Kind: campaign.LookedAt})
		return "", nil
	})
}

// AskForAdjudication asks adjudicators to decide segments. The status of the segments stays
// as it is. The error is an ErrConflict that names a segment that already waits for an
// adjudicator, or that is adjudicated or withdrawn.
func (s *Store) AskForAdjudication(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.askForAdjudication(ctx, campaignID, segmentRowIDs, reason, byID, false)
}

// AskForAdjudicationByAny is [Store.AskForAdjudication], but adjudicators who have annotated
// a segment may adjudicate it too. It also accepts segments that already wait for an
// adjudicator.
func (s *Store) AskForAdjudicationByAny(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.askForAdjudication(ctx, campaignID, segmentRowIDs, reason, byID, true)
}

func (s *Store) askForAdjudication(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string, own bool) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask for adjudication", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if g.Stored.Status == campaign.Adjudicated || g.Stored.Status == campaign.Withdrawn {
			return "", g.refuse("is %s already", g.Stored.Status)
		}
		if campaign.WaitsForAdjudicator(g.Acts) && !own {
			return "", g.refuse("waits for an adjudicator already")
		}
		act, detail := campaign.Act{Kind: campaign.AskForAdjudication}, ""
		if own {
			for _, t := range g.Turns {
				act.Annotators = append(act.Annotators, t.Annotator)
			}
			slices.Sort(act.Annotators)
			act.Annotators, detail = slices.Compact(act.Annotators), "its annotators may adjudicate it,"
		}
		a.Add(g, act)
		return detail, nil
	})
}

// Adjudicate makes gate scores that a lead enters the gold of a segment. scores are by
// system; systems without a score keep the mean of the last complete round as gold. Without
// any scores it does the same as [Store.AcceptMeans]. The error is ErrConflict if the segment
// has no complete round.
func (s *Store) Adjudicate(ctx context.Context, campaignID, segmentRowID string, scores map[string]float64, reason, byID string) error {
	if len(scores) == 0 {
		return s.AcceptMeans(ctx, campaignID, []string{segmentRowID}, reason, byID)
	}
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "adjudicate segment", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		if g.Stored.Complete == 0 {
			return "", g.refuse("has no complete round to adjudicate")
		}
		if _, nominal := a.c.Rules.NominalGate(); nominal {
			return "", g.refuse("has answers that are not numbers, so no scores can be entered; adjudicate it, or ask an adjudicator")
		}
		id := a.Add(g, campaign.Act{Kind: campaign.Adjudicate, Round: g.Stored.Complete})
		if err := a.enterScores(g, id, scores); err != nil {
			return "", err
		}
		a.AnswerProblems(g)
		return "", nil
	})
}

// enterScores plans gate scores, by system, as the gold values of an act of adjudication.
func (a *ActPlan) enterScores(g *Segment, actID string, scores map[string]float64) error {
	var rows []struct{ ID, Name string }
	err := a.db.Raw("SELECT t.id, y.name FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id = ?", g.ID).Scan(&rows).Error
	if err != nil {
		return err
	}
	translations := map[string]string{}
	for _, r := range rows {
		translations[r.Name] = r.ID
	}
	for system, score := range scores {
		if translations[system] == "" {
			return campaign.Invalid("scores", fmt.Sprintf("the segment has no translation by the system %q", system))
		}
		if scale, ok := a.c.Rules.Score(a.c.Rules.Gate); math.IsNaN(score) || math.IsInf(score, 0) || ok &&
			(score < float64(scale.Min) || score > float64(scale.Max)) {
			return campaign.Invalid("scores", fmt.Sprintf("%v for %q is not on the scale", score, system))
		}
		a.Enter(actID, translations[system], records.RatingColumns{Scores: "{}", Answers: "{}", Spans: "[]"}, score, 0)
	}
	return nil
}
