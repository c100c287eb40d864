package records

import (
	"gorm.io/gorm"
)

// NamesByID reads a column of ids and one of names.
func NamesByID(db *gorm.DB, query, campaignID string) (map[string]string, error) {
	rows, err := db.Raw(query, campaignID).Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[string]string{}
	for rows.Next() {
		var id, name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		names[id] = name
	}
	return names, rows.Err()
}
