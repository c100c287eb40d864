package desk

import (
	"context"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// MyNumbers are an annotator's own figures of a campaign. They tell nothing of how the
// annotator agrees with others.
type MyNumbers struct {
	MyProgress
	Days  []readmodel.AnnotatorDay // oldest first
	Words int                      // of the sources of the Done segments, as [codepoint.Words] counts
}

// MyNumbers reads the figures of an annotator.
func (s *Store) MyNumbers(ctx context.Context, c campaign.Campaign, userID string) (MyNumbers, error) {
	var m MyNumbers
	var err error
	if m.MyProgress, err = s.MyProgress(ctx, c, userID); err != nil {
		return m, err
	}
	db := s.db.Read(ctx)
	own, err := records.OwnWork(db, c)
	if err != nil {
		return m, err
	}
	for _, k := range own {
		days, err := annotatorDays(db, k, scaleOf(k), userID)
		if err != nil {
			return m, err
		}
		m.addDays(days)
	}
	for i := range m.Days {
		m.Days[i].Compared, m.Days[i].Difference = 0, math.NaN()
	}
	var sources []string
	err = db.Raw("SELECT s.source FROM assignments a JOIN segments s ON s.id = a.segment_id WHERE a.campaign_id IN ? AND a.user_id = ? AND a.state = 'submitted' AND a.round = 1", records.IDs(own), userID).
		Scan(&sources).
		Error
	for _, text := range sources {
		m.Words += codepoint.Words(text)
	}
	return m, err
}

// addDays adds days to those that are there. The days of both are in order.
func (m *MyNumbers) addDays(days []readmodel.AnnotatorDay) {
	for _, d := range days {
		i, found := slices.BinarySearchFunc(m.Days, d, func(a, b readmodel.AnnotatorDay) int { return strings.Compare(a.Day, b.Day) })
		if !found {
			m.Days = slices.Insert(m.Days, i, d)
			continue
		}
		m.Days[i].Ratings += d.Ratings
		m.Days[i].Segments += d.Segments
		m.Days[i].Seconds += d.Seconds
	}
}
