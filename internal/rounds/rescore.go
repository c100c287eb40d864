package rounds

import (
	"reflect"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// newRules sets the own severities and the rules of c, a campaign whose settings were changed.
// used are severities that ratings have and that are no longer offered; they become the
// campaign's own. The effect says whether the scores of ratings must be computed again.
func newRules(before campaign.Campaign, c *campaign.Campaign, used []string) (settingsEffect, error) {
	after, err := withSettings(*c, c.Settings)
	if err != nil {
		return settingsEffect{}, err
	}
	*c = after
	if !WeighDifferently(before.Rules, c.Rules) {
		return settingsEffect{}, nil
	}
	terms, err := records.NewOwnTerms(*c)
	if err != nil {
		return settingsEffect{}, err
	}
	for _, severity := range used {
		if _, bad := terms.Learn(campaign.Place{}, protocol.ErrorSpan{Severity: severity}); bad != nil {
			return settingsEffect{}, campaign.Invalid(bad.Field, bad.Msg)
		}
	}
	e := settingsEffect{Rescores: true, Kept: terms.Own.Severities[len(c.Own.Severities):]}
	c.Own, c.Rules = terms.Own, terms.Rules
	return e, nil
}

// withoutOffered returns own without the severities that protocol p offers.
func withoutOffered(own protocol.Own, p *protocol.Protocol) protocol.Own {
	if p.Spans == nil {
		return own
	}
	own.Severities = slices.DeleteFunc(slices.Clone(own.Severities), func(id string) bool {
		_, ok := p.Spans.Severity(id)
		return ok
	})
	return own
}

// WeighDifferently reports whether a rating may have a different gate score under protocol q
// than under p, or may have a severity that q lacks.
func WeighDifferently(p, q *protocol.Protocol) bool {
	if p.Spans == nil {
		return false
	}
	for _, s := range p.Spans.Severities {
		if _, ok := q.Spans.Severity(s.ID); !ok {
			return true
		}
	}
	i := slices.IndexFunc(p.Derived, func(d protocol.Derived) bool { return d.Name == p.Gate })
	return i >= 0 && !reflect.DeepEqual(p.Derived[i].Weights, q.Derived[i].Weights)
}

// A rescoring computes the gate scores of ratings again by the present rules.
type rescoring struct {
	tx            *database.Tx
	terms         *records.OwnTerms
	read, changed int // number of ratings with error spans, and of those whose score changed
}

// segments computes the gate scores of some segments again. It skips ratings without error
// spans, whose scores do not depend on weights.
func (r *rescoring) segments(ids []string) error {
	var rows []struct {
		ID        string
		SegmentID string
		Given     records.RatingColumns `gorm:"embedded"`
		GateScore float64
	}
	err := r.tx.Raw(`SELECT r.id, a.segment_id, r.scores, r.spans, r.gate_score FROM assignments a JOIN ratings r ON r.assignment_id = a.id
		WHERE a.segment_id IN ? AND r.spans <> '[]'`, ids).Scan(&rows).Error
	if err != nil {
		return err
	}
	scores := database.NewRows("ratings", "id", "gate_score")
	var changed []string // ids of segments
	for _, row := range rows {
		given := row.Given.Rating()
		for _, s := range given.Spans {
			if _, bad := r.terms.Learn(campaign.Place{}, s); bad != nil {
				return campaign.Invalid(bad.Field, bad.Msg)
			}
		}
		gate, ok := r.terms.Rules.GateScore(given)
		if ok && gate != row.GateScore {
			scores.Add(row.ID, gate)
			r.tx.TouchSegments(row.SegmentID)
			changed = append(changed, row.SegmentID)
			r.changed++
		}
	}
	r.read += len(rows)
	if err := EachPart(r.tx, changed, "UPDATE all_segments SET rated = rated + 1 WHERE id IN ?"); err != nil {
		return err
	}
	return scores.Update(r.tx, "")
}
