package records

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// metricsOf reads the imported metric scores of segments, by id of the translation. Each list
// is in byte order of the metrics' names.
func metricsOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.MetricValue, error) {
	var rows []struct {
		TranslationID string
		Name          string
		Score         float64
	}
	err := db.Raw(`SELECT x.translation_id, m.name, x.score FROM translations t JOIN metric_scores x ON x.translation_id = t.id
		JOIN metrics m ON m.id = x.metric_id AND NOT m.staged WHERE t.segment_id IN ?`, segmentIDs).Scan(&rows).Error
	out := map[string][]campaign.MetricValue{}
	for _, r := range rows {
		out[r.TranslationID] = append(out[r.TranslationID], campaign.MetricValue{Name: r.Name, Score: r.Score})
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b campaign.MetricValue) int { return strings.Compare(a.Name, b.Name) })
	}
	return out, err
}

// MetricSystemScores lists the imported metric scores of whole systems, in byte order of
// metric, then system.
func (s *Store) MetricSystemScores(ctx context.Context, campaignID string) ([]campaign.MetricScore, error) {
	var out []campaign.MetricScore
	err := s.Read(ctx).Raw(`SELECT m.name AS metric, y.name AS system, x.score FROM metrics m JOIN metric_system_scores x ON x.metric_id = m.id
		JOIN systems y ON y.id = x.system_id WHERE m.campaign_id = ? AND NOT m.staged`, campaignID).Scan(&out).Error
	slices.SortFunc(out, func(a, b campaign.MetricScore) int {
		if c := strings.Compare(a.Metric, b.Metric); c != 0 {
			return c
		}
		return strings.Compare(a.System, b.System)
	})
	return out, database.Translate(err)
}

// Metrics lists the names of the metrics with imported scores in a campaign, in byte order.
func (s *Store) Metrics(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.Read(ctx).Raw("SELECT name FROM metrics WHERE campaign_id = ? AND NOT staged", campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, database.Translate(err)
}

// DeclaredMetrics lists the metrics with imported scores in a campaign, with the properties
// that imports gave them, in byte order of their names.
func (s *Store) DeclaredMetrics(ctx context.Context, campaignID string) ([]campaign.Metric, error) {
	var out []campaign.Metric
	err := s.Read(ctx).Raw(`SELECT name, lower_is_better, metric_group AS "group" FROM metrics WHERE campaign_id = ? AND NOT staged`, campaignID).Scan(&out).Error
	slices.SortFunc(out, func(a, b campaign.Metric) int { return strings.Compare(a.Name, b.Name) })
	return out, database.Translate(err)
}

// GoldSegments counts the segments of a campaign that are in gold.
func (s *Store) GoldSegments(ctx context.Context, campaignID string) (n int, err error) {
	var in []string
	for _, status := range campaign.Statuses {
		if status.InGold() {
			in = append(in, string(status))
		}
	}
	err = database.Scan(s.Read(ctx).Raw("SELECT count(*) FROM segments WHERE campaign_id = ? AND status IN ?", campaignID, in), &n)
	return n, database.Translate(err)
}

// HumanScoreNames lists the names of the imported human scores of a campaign, in byte order.
func (s *Store) HumanScoreNames(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.Read(ctx).Raw(`SELECT DISTINCT h.name FROM segments g JOIN translations t ON t.segment_id = g.id
		JOIN human_scores h ON h.translation_id = t.id WHERE g.campaign_id = ?`, campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, database.Translate(err)
}

// ReferenceNames lists the names of the references in a campaign, in byte order.
func (s *Store) ReferenceNames(ctx context.Context, campaignID string) ([]string, error) {
	var names []string
	err := s.Read(ctx).Raw(`SELECT DISTINCT r.name FROM segments g JOIN reference_texts r ON r.segment_id = g.id
		WHERE g.campaign_id = ?`, campaignID).Scan(&names).Error
	slices.Sort(names)
	return names, database.Translate(err)
}
