package rounds

import (
	"reflect"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// newRules gives c, a campaign whose settings were changed, its new rules. Severities that
// are used and no longer offered become its own. The effect says whether ratings must get
// their scores anew.
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
		if _, bad := terms.Learn(records.Place{}, protocol.ErrorSpan{Severity: severity}); bad != nil {
			return settingsEffect{}, campaign.Invalid(bad.Field, bad.Msg)
		}
	}
	e := settingsEffect{Rescores: true, Kept: terms.Own.Severities[len(c.Own.Severities):]}
	c.Own, c.Rules = terms.Own, terms.Rules
	return e, nil
}

// withoutOffered leaves out of a campaign's own severities those that the settings
// offer.
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

// WeighDifferently reports whether a rating may have another gate score under q
// than under p, or a severity that q does not know.
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

// rescoring gives ratings their scores by the rules as they are.
type rescoring struct {
	tx            *database.Tx
	terms         *records.OwnTerms
	read, changed int // ratings with spans
}

// segments gives the ratings of some segments their scores. Those without spans
// keep theirs, since nothing weighs what is not there.
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
	var values []any
	var changed []string // segments
	for _, row := range rows {
		given := row.Given.Rating()
		for _, s := range given.Spans {
			if _, bad := r.terms.Learn(records.Place{}, s); bad != nil {
				return campaign.Invalid(bad.Field, bad.Msg)
			}
		}
		gate, ok := r.terms.Rules.GateScore(given)
		if ok && gate != row.GateScore {
			values = append(values, gate, row.ID)
			r.tx.TouchSegments(row.SegmentID)
			changed = append(changed, row.SegmentID)
			r.changed++
		}
	}
	r.read += len(rows)
	if err := EachPart(r.tx, changed, "UPDATE all_segments SET rated = rated + 1 WHERE id IN ?"); err != nil {
		return err
	}
	return r.store(values)
}

// store writes gate scores, given as score and id by turns. SQLite is quickest
// with a row at a time, and PostgreSQL, which each statement has to travel to, with
// many.
func (r *rescoring) store(values []any) error {
	size := database.MaxParameters
	if r.tx.Name() != database.Postgres {
		size = 2
	}
	for part := range slices.Chunk(values, size) {
		sql := "UPDATE ratings SET gate_score = ? WHERE id = ?"
		if size > 2 {
			sql = "UPDATE ratings SET gate_score = v.column1 FROM (VALUES " +
				strings.TrimSuffix(strings.Repeat("(CAST(? AS DOUBLE PRECISION), CAST(? AS TEXT)),", len(part)/2), ",") + ") AS v WHERE ratings.id = v.column2"
		}
		if err := r.tx.Exec(sql, part...).Error; err != nil {
			return err
		}
	}
	return nil
}
