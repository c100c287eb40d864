package intake

import (
	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// segmentPlaces are the places of a campaign's segments in the order of import, from 1, by
// their ids, and without the document too, where -1 says that several have the id.
type segmentPlaces map[segmentKey]int

// placesOf reads the places of a campaign's segments.
func placesOf(db *gorm.DB, campaignID string) (segmentPlaces, error) {
	var rows []struct{ DocID, SegmentID string }
	err := db.Raw(`SELECT d.doc_id, g.segment_id FROM segments g JOIN documents d ON d.id = g.document_id
		WHERE g.campaign_id = ? ORDER BY g.position`, campaignID).Scan(&rows).Error
	places := make(segmentPlaces, 2*len(rows))
	for i, r := range rows {
		places[segmentKey{r.DocID, r.SegmentID}] = i + 1
		alone := segmentKey{SegmentID: r.SegmentID}
		if places[alone] != 0 {
			places[alone] = -1
		} else {
			places[alone] = i + 1
		}
	}
	return places, err
}

// Of is the place of a segment that a line names. If there is none, Of returns 0 and what is wrong with
// the line.
func (p segmentPlaces) Of(key segmentKey, at campaign.Place) (int, *campaign.Problem) {
	switch i := p[key]; {
	case i > 0:
		return i, nil
	case i < 0:
		return 0, placed(*severalSegments(key.SegmentID), at)
	}
	return 0, placed(*noSegment(key), at)
}
