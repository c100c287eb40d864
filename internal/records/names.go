package records

import (
	"database/sql"

	"gorm.io/gorm"

	"annotate/internal/database"
)

// NamesByID runs a query that has the campaign's id as its parameter and selects a column of
// ids and a column of names. It returns the names by id.
func NamesByID(db *gorm.DB, query, campaignID string) (map[string]string, error) {
	names := map[string]string{}
	err := database.Each(db.Raw(query, campaignID), func(row *sql.Rows) error {
		var id, name string
		err := row.Scan(&id, &name)
		names[id] = name
		return err
	})
	return names, err
}
