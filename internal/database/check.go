package database

import (
	"database/sql"
	"fmt"

	"gorm.io/gorm"
)

// CheckSQLite lists damage of a SQLite file, and rows that refer to rows that do not exist.
func CheckSQLite(db *gorm.DB) ([]string, error) {
	var out []string
	var text string
	for err := range EachRow(db.Raw(fmt.Sprintf("PRAGMA integrity_check(%d)", maxDifferences)), &text) {
		if err != nil {
			return nil, err
		}
		if text != "ok" {
			out = append(out, text)
		}
	}
	var refs Differences
	var table, parent string
	var rowid, key sql.NullInt64
	for err := range EachRow(db.Raw("PRAGMA foreign_key_check"), &table, &rowid, &parent, &key) {
		if err != nil {
			return nil, err
		}
		refs.Add("row %d of %s refers to a row of %s that does not exist", rowid.Int64, table, parent)
	}
	return append(out, refs.List()...), nil
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
