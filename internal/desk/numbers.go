package desk

import (
	"context"
	"math"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/database"
	"annotate/internal/readmodel"
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
	db := s.Read(ctx)
	if m.Days, err = annotatorDays(db, c, scaleOf(c), userID); err != nil {
		return m, database.Translate(err)
	}
	for i := range m.Days {
		m.Days[i].Compared, m.Days[i].Difference = 0, math.NaN()
	}
	var sources []string
	err = db.Raw("SELECT s.source FROM assignments a JOIN segments s ON s.id = a.segment_id WHERE a.campaign_id = ? AND a.user_id = ? AND a.state = 'submitted' AND a.round = 1", c.ID, userID).Scan(&sources).Error
	for _, text := range sources {
		m.Words += codepoint.Words(text)
	}
	return m, database.Translate(err)
}
