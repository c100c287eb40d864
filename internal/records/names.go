package records

import (
	"gorm.io/gorm"

	"annotate/internal/database"
)

// NamesByID runs a query that has the campaign's id as its parameter and selects a column of
// ids and a column of names. It returns the names by id.
func NamesByID(db *gorm.DB, query, campaignID string) (map[string]string, error) {
	names := map[string]string{}
	var id, name string
	for err := range database.EachRow(db.Raw(query, campaignID), &id, &name) {
		if err != nil {
			return names, err
		}
		names[id] = name
	}
	return names, nil
}
