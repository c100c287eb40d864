package desk

import (
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A readState is the state of a campaign, with its checks, in which something was read of it that is kept in memory.
type readState struct {
	version int64  // of the campaign; nothing has changed as long as it is the same
	whole   string // everything is read again when it changes: the settings that decide what scores mean, and the resets
	// changes is the highest number of changes of a document, by the id of the campaign. Documents that change later get
	// higher ones.
	changes map[string]int64
}

// stateOf reads the state of a campaign, without the numbers of changes.
func stateOf(db *gorm.DB, c campaign.Campaign) (s readState, err error) {
	var resets int64
	err = database.Scan(
		db.Raw("SELECT CAST(coalesce(sum(version), 0) AS BIGINT), CAST(coalesce(sum(resets), 0) AS BIGINT) FROM campaign_tallies WHERE campaign_id IN ("+records.SelectOwnIDs+")", c.ID, c.ID),
		&s.version, &resets,
	)
	s.whole = fmt.Sprint(c.SettingsVersion, " ", resets, records.EncodeOwn(c.Own))
	return s, err
}

// readChanged returns the ids of the documents of the campaigns that have changed since an earlier state, and notes their numbers of changes.
// Since the zero state all documents have changed.
func (s *readState) readChanged(db *gorm.DB, since readState, campaigns ...string) (map[string]bool, error) {
	changed := map[string]bool{}
	s.changes = map[string]int64{}
	for _, campaignID := range campaigns {
		last, known := since.changes[campaignID]
		if !known {
			last = -1
		}
		var id string
		var changes int64
		for err := range database.EachRow(db.Raw("SELECT id, changes FROM documents WHERE campaign_id = ? AND changes > ?", campaignID, last), &id, &changes) {
			if err != nil {
				return nil, err
			}
			changed[id] = true
			last = max(last, changes)
		}
		s.changes[campaignID] = last
	}
	return changed, nil
}

// workedIn returns the ids of the users who were handed something of documents.
func workedIn(db *gorm.DB, documents map[string]bool) (map[string]bool, error) {
	users := map[string]bool{}
	list, arg := database.ListOf(db, slices.Collect(maps.Keys(documents)))
	var id string
	for err := range database.EachRow(db.Raw("SELECT DISTINCT a.user_id FROM all_segments g JOIN assignments a ON a.segment_id = g.id WHERE g.document_id IN ("+list+")", arg), &id) {
		if err != nil {
			return nil, err
		}
		users[id] = true
	}
	return users, nil
}
