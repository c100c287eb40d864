package database

import (
	"database/sql"
	"fmt"

	"gorm.io/gorm"
)

// CheckSQLite lists damage of a SQLite file, and rows that refer to rows that do not exist.
func CheckSQLite(db *gorm.DB) ([]string, error) {
	var out []string
	err := Each(db.Raw(fmt.Sprintf("PRAGMA integrity_check(%d)", maxDifferences)), func(row *sql.Rows) error {
		var text string
		err := row.Scan(&text)
		if text != "ok" {
			out = append(out, text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var refs Differences
	err = Each(db.Raw("PRAGMA foreign_key_check"), func(row *sql.Rows) error {
		var table, parent string
		var rowid, key sql.NullInt64
		err := row.Scan(&table, &rowid, &parent, &key)
		refs.Add("row %d of %s refers to a row of %s that does not exist", rowid.Int64, table, parent)
		return err
	})
	return append(out, refs.List()...), err
}

// maxDifferences is the largest number of differences that a check describes.
const maxDifferences = 10

// Differences are what a check found to be wrong. It describes the first maxDifferences and
// counts all.
type Differences struct {
	described []string
	N         int // number of all differences
}

// Add adds a difference. Format and args describe it, as in [fmt.Sprintf].
func (d *Differences) Add(format string, args ...any) {
	if d.N++; d.N <= maxDifferences {
		d.described = append(d.described, fmt.Sprintf(format, args...))
	}
}

// List describes the first differences, and says how many more there are.
func (d *Differences) List() []string {
	if d.N > len(d.described) {
		return append(d.described, fmt.Sprintf("and %d more", d.N-len(d.described)))
	}
	return d.described
}
