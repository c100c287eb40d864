package records

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// noScore stands in the place of a score that is missing in a row of metric_segment_scores.
const noScore = "-"

// EncodeMetricScores encodes the scores of a row of metric_segment_scores. NaN is a score that is missing.
func EncodeMetricScores(scores []float64) string {
	text := make([]byte, 0, 20*len(scores))
	for i, x := range scores {
		if i > 0 {
			text = append(text, ' ')
		}
		if math.IsNaN(x) {
			text = append(text, noScore...)
		} else {
			text = strconv.AppendFloat(text, x, 'g', -1, 64)
		}
	}
	return string(text)
}

// DecodeMetricScores decodes what [EncodeMetricScores] wrote into scores, one for each system of the metric.
func DecodeMetricScores(text string, scores []float64) {
	for i := range scores {
		var number string
		number, text, _ = strings.Cut(text, " ")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil { // noScore
			x = math.NaN()
		}
		scores[i] = x
	}
}

// MetricSystemScores lists the imported metric scores of whole systems, in byte order of
// metric, then system.
func (s *Store) MetricSystemScores(ctx context.Context, campaignID string) ([]campaign.MetricScore, error) {
	var out []campaign.MetricScore
	err := s.db.Read(ctx).Raw(`SELECT m.name AS metric, y.name AS system, x.score FROM metrics m JOIN metric_system_scores x ON x.metric_id = m.id
		JOIN systems y ON y.id = x.system_id WHERE m.campaign_id = ? AND NOT m.staged`, campaignID).Scan(&out).Error
	slices.SortFunc(out, func(a, b campaign.MetricScore) int {
		if c := strings.Compare(a.Metric, b.Metric); c != 0 {
			return c
		}
		return strings.Compare(a.System, b.System)
	})
	return out, err
}

// Metrics lists the names of the metrics with imported scores in a campaign, in byte order.
func (s *Store) Metrics(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.db.Read(ctx).Raw("SELECT name FROM metrics WHERE campaign_id = ? AND NOT staged", campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, err
}

// DeclaredMetrics lists the metrics of a campaign in byte order of their names: those with
// imported scores, with the properties that imports gave them, and the judges that gave
// scores, whose group is judge.
func (s *Store) DeclaredMetrics(ctx context.Context, campaignID string) ([]campaign.Metric, error) {
	var out []campaign.Metric
	err := s.db.Read(ctx).
		Raw(`SELECT name, lower_is_better, metric_group AS "group" FROM metrics WHERE campaign_id = ? AND NOT staged`, campaignID).
		Scan(&out).
		Error
	if err != nil {
		return nil, err
	}
	var judges []string
	err = s.db.Read(ctx).Raw(`SELECT name FROM judges j WHERE campaign_id = ?
		AND EXISTS (SELECT 1 FROM judgements x WHERE x.judge_id = j.id AND x.score IS NOT NULL)`, campaignID).Scan(&judges).Error
	for _, name := range judges {
		out = append(out, campaign.Metric{Name: name, Group: campaign.JudgeGroup, Judge: true})
	}
	slices.SortFunc(out, func(a, b campaign.Metric) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// GoldSegments counts the segments of a campaign that are in gold.
func (s *Store) GoldSegments(ctx context.Context, campaignID string) (n int, err error) {
	var in []string
	for _, status := range campaign.Statuses {
		if status.InGold() {
			in = append(in, string(status))
		}
	}
	err = database.Scan(s.db.Read(ctx).Raw("SELECT count(*) FROM segments WHERE campaign_id = ? AND status IN ?", campaignID, in), &n)
	return n, err
}

// HumanScoreNames lists the names of the imported human scores of a campaign, in byte order.
func (s *Store) HumanScoreNames(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.db.Read(ctx).Raw(`SELECT DISTINCT h.name FROM segments g JOIN translations t ON t.segment_id = g.id
		JOIN human_scores h ON h.translation_id = t.id WHERE g.campaign_id = ?`, campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, err
}

// ReferenceNames lists the names of the references in a campaign, in byte order.
func (s *Store) ReferenceNames(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.db.Read(ctx).Raw(`SELECT DISTINCT r.name FROM segments g JOIN reference_texts r ON r.segment_id = g.id
		WHERE g.campaign_id = ?`, campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, err
}
