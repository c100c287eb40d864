package rounds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/records"
)

// Each act of a lead stores a row of acts and an entry of the audit log for every
// segment, with a reason and the values before and after, and deletes no rating. How it
// is done, and undone, stands in acting.go.

// FurtherAnnotator asks one more annotator for ratings of the segments' current
// rounds. Nobody waits for them, and the states of the segments stay until they
// submit. ErrNotFound for somebody who is no annotator of the campaign; ErrConflict
// for one who has a segment in this round already, who is set aside or can't sign
// in, and for a segment that a lead has decided.
func (s *Store) FurtherAnnotator(ctx context.Context, campaignID string, segmentRowIDs []string, login, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask further annotator", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if err := a.mayWork(login); err != nil {
			return "", err
		}
		if held, ok := g.Holding(); ok && !held.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.Status)
		}
		if err := g.mayAnnotate(login); err != nil {
			return "", err
		}
		for i, t := range g.Turns {
			if t.Annotator == login && t.Round == g.round && g.AllTurns[i].state != campaign.Released {
				return "", fmt.Errorf("%s has segment %q in this round already: %w", login, g.Name, campaign.ErrConflict)
			}
		}
		a.Add(g, campaign.Act{Kind: campaign.FurtherAnnotator, Round: g.round, Annotators: []string{login}})
		return login, a.give(g, login, g.round)
	})
}

// ReplaceAnnotator lets byLogin take over the segment's current round, and the
// ordinary rounds above it, from the annotator named login; with byLogin empty
// nobody does, and nobody waits for login. What login submitted in that round does
// not count. ErrConflict where login has no turn in the round, where byLogin has one
// or can't work, and where nobody would be left in a later round.
func (s *Store) ReplaceAnnotator(ctx context.Context, campaignID, segmentRowID, login, byLogin, reason, byID string) error {
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "replace annotator", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if _, err := a.annotator(login); err != nil {
			return "", err
		}
		i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == g.round })
		if held, ok := g.Holding(); ok && !held.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.Status)
		}
		if i < 0 || g.AllTurns[i].Stored.Replaced || g.AllTurns[i].aside {
			return "", g.refuse("has no turn of %s in round %d", login, g.round)
		}
		if byLogin == "" {
			others := func(t campaign.Turn) bool { return t.Round == g.round && t.Annotator != login && !t.SetAside }
			if g.round > 1 && !slices.ContainsFunc(g.Turns, others) {
				return "", g.refuse("would have nobody left in round %d; name who takes over, or decide it", g.round)
			}
		} else if err := a.mayTakeOver(g, byLogin); err != nil {
			return "", err
		}
		a.Add(g, campaign.Act{Kind: campaign.Replace, Round: g.round, From: login, To: byLogin})
		a.release(g.AllTurns[i])
		if byLogin == "" {
			return login + " by nobody", nil
		}
		return login + " by " + byLogin, a.give(g, byLogin, g.round)
	})
}

func (a *Acting) mayTakeOver(g LeadSegment, login string) error {
	if err := g.mayAnnotate(login); err != nil {
		return err
	}
	if err := a.mayWork(login); err != nil {
		return err
	}
	for i, t := range g.Turns {
		if t.Annotator == login && t.Round == g.round && (t.Submitted || g.AllTurns[i].state != campaign.Released) {
			return fmt.Errorf("%s has segment %q in this round already: %w", login, g.Name, campaign.ErrConflict)
		}
	}
	return nil
}

// AnotherLook asks annotators to look at segments again, in a round of its own that
// alone decides each of them. Annotators are two or more active ones; none given are
// the active ones who count in the segment's last complete round. They see the reason
// in place of the words of a failed gate. ErrConflict for a segment where fewer than
// two can be asked, and for one that another look is under way for.
func (s *Store) AnotherLook(ctx context.Context, campaignID string, segmentRowIDs []string, annotators []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask another look", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if held, ok := g.Holding(); ok && held.Kind == campaign.AnotherLook && g.underWay() {
			return "", g.refuse("has another look under way")
		}
		asked := slices.Compact(slices.Sorted(slices.Values(annotators)))
		for _, login := range asked {
			if err := a.mayWork(login); err != nil {
				return "", err
			}
			if err := g.mayAnnotate(login); err != nil {
				return "", err
			}
		}
		last := 1
		for i, t := range g.Turns {
			last = max(last, t.Round)
			if len(annotators) == 0 && t.Round == max(g.Stored.Complete, 1) && t.Submitted && !t.SetAside && !g.AllTurns[i].Stored.Replaced && a.facts.active[t.Annotator] && !g.opened[t.Annotator] {
				asked = append(asked, t.Annotator)
			}
		}
		if len(asked) < 2 {
			return "", g.refuse("needs two annotators who can look at it again; name them")
		}
		for _, x := range g.Acts {
			last = max(last, x.Round)
		}
		a.Add(g, campaign.Act{Kind: campaign.AnotherLook, Round: last + 1, Annotators: asked})
		a.Settle(g)
		return strings.Join(asked, ", "), nil
	})
}

// Withdraw takes segments out of a campaign before they are decided; ErrConflict
// names one that is decided.
func (s *Store) Withdraw(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "withdraw segment", reason, byID, (*Acting).Withdraw)
}

// Withdraw plans to take a segment out of the campaign.
func (a *Acting) Withdraw(g LeadSegment) (string, error) {
	if !g.underWay() {
		return "", g.refuse("is %s already", g.Status)
	}
	a.Add(g, campaign.Act{Kind: campaign.Withdraw})
	a.Settle(g)
	return "", nil
}

// Discard leaves segments out of gold, whatever the gate says of them now or later.
// ErrConflict names one that a lead has discarded or withdrawn already.
func (s *Store) Discard(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "discard segment", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if held, ok := g.Holding(); ok && (held.Kind == campaign.Discard || held.Kind == campaign.Withdraw) {
			return "", g.refuse("is %s by a lead already", g.Status)
		}
		a.Add(g, campaign.Act{Kind: campaign.Discard})
		a.Settle(g)
		return "", nil
	})
}

// AcceptMeans makes the mean of the last complete round the gold of segments, over
// the annotators who count in it now. ErrConflict names one that has no complete
// round.
func (s *Store) AcceptMeans(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "accept mean", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
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
		a.Settle(g)
		return "", nil
	})
}

// RestoreSegments takes back what a lead decided about segments: the latest deciding
// act that is not taken back. What was decided before it holds again, be it an
// earlier act or what follows from the ratings. ErrConflict names a segment that no
// lead has decided.
func (s *Store) RestoreSegments(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "restore segment", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		held, ok := g.Holding()
		if !ok {
			return "", g.refuse("is not decided by a lead, so there is nothing to take back")
		}
		a.Add(g, campaign.Act{Kind: campaign.Restore, Restores: held.ID})
		return string(held.Kind), nil
	})
}

// LookAtRatings notes that a lead has looked at the ratings of segments that came after the
// act that decides them. The desk names such segments until then, and again when further
// ratings come. ErrConflict names one that has no such ratings.
func (s *Store) LookAtRatings(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "look at later ratings", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if !g.RatedAfterDecision(g.Stored.Holding) {
			return "", g.refuse("has no ratings that came after the decision of a lead and were not looked at")
		}
		a.Add(g, campaign.Act{Kind: campaign.LookedAt})
		return "", nil
	})
}

// AskForAdjudication asks adjudicators to decide segments; their status stays.
// ErrConflict names one that waits for an adjudicator already, or that is adjudicated.
func (s *Store) AskForAdjudication(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.askForAdjudication(ctx, campaignID, segmentRowIDs, reason, byID, false)
}

// AskForAdjudicationByAny is [Store.AskForAdjudication], and lets whoever has annotated a
// segment until now adjudicate it, if they are an adjudicator. It says so of segments
// that wait for an adjudicator already, too.
func (s *Store) AskForAdjudicationByAny(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.askForAdjudication(ctx, campaignID, segmentRowIDs, reason, byID, true)
}

func (s *Store) askForAdjudication(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string, own bool) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask for adjudication", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if g.Status == campaign.Adjudicated || g.Status == campaign.Withdrawn {
			return "", g.refuse("is %s already", g.Status)
		}
		if campaign.WaitsForAdjudicator(g.Acts) && !own {
			return "", g.refuse("waits for an adjudicator already")
		}
		act, said := campaign.Act{Kind: campaign.AskForAdjudication}, ""
		if own {
			for _, t := range g.Turns {
				act.Annotators = append(act.Annotators, t.Annotator)
			}
			slices.Sort(act.Annotators)
			act.Annotators, said = slices.Compact(act.Annotators), "its annotators may adjudicate it,"
		}
		a.Add(g, act)
		return said, nil
	})
}

// Adjudicate makes gate scores that a lead enters, by system, the gold of a segment;
// systems that are not named keep the mean of the last complete round. Without scores
// it is [Store.AcceptMeans]. ErrConflict without a complete round.
func (s *Store) Adjudicate(ctx context.Context, campaignID, segmentRowID string, scores map[string]float64, reason, byID string) error {
	if len(scores) == 0 {
		return s.AcceptMeans(ctx, campaignID, []string{segmentRowID}, reason, byID)
	}
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "adjudicate segment", reason, byID, func(a *Acting, g LeadSegment) (string, error) {
		if g.Stored.Complete == 0 {
			return "", g.refuse("has no complete round to adjudicate")
		}
		id := a.Add(g, campaign.Act{Kind: campaign.Adjudicate, Round: g.Stored.Complete})
		if err := a.enterScores(g, id, scores); err != nil {
			return "", err
		}
		a.Settle(g)
		return "", nil
	})
}

// enterScores makes gate scores, by system, the values of an act of adjudication.
func (a *Acting) enterScores(g LeadSegment, actID string, scores map[string]float64) error {
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
		if scale, ok := a.c.Rules.Score(a.c.Rules.Gate); math.IsNaN(score) || math.IsInf(score, 0) || ok && (score < float64(scale.Min) || score > float64(scale.Max)) {
			return campaign.Invalid("scores", fmt.Sprintf("%v for %q is not on the scale", score, system))
		}
		a.Enter(actID, translations[system], records.RatingColumns{Scores: "{}", Spans: "[]"}, score, 0)
	}
	return nil
}
