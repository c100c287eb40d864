package database

import (
	"database/sql"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// Rows are read in one of these ways:
//
//   - by key, where a whole row goes in or out: GORM's generics, gorm.G[Row](db);
//   - a set of rows: SQL with db.Raw(query).Scan(&rows) into a slice of structs;
//   - one row of a few values: [Scan];
//   - many rows, or rows that go straight into another structure: [Each].

// ErrNoRows is the error of [Scan] if there is no row.
var ErrNoRows = sql.ErrNoRows

// Scan reads the first row of a query. The error is [ErrNoRows] if there is none.
// It replaces GORM's Row, which with prepared statements hides an error, such as that of
// a cancelled request, in a row that panics when it is read.
func Scan(query *gorm.DB, dest ...any) error {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNoRows
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return rows.Close()
}

// Each runs a query and calls row for each of its rows. It stops at the first error.
func Each(query *gorm.DB, row func(*sql.Rows) error) error {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Rows collects the values of one INSERT.
type Rows struct {
	table   string
	Columns []string
	Values  []any
}

// NewRows begins an INSERT into a table with these columns.
func NewRows(table string, columns ...string) *Rows { return &Rows{table: table, Columns: columns} }

// Add adds a row: a value for each column.
func (r *Rows) Add(values ...any) {
	if len(values) != len(r.Columns) {
		panic("database: wrong number of values for " + r.table)
	}
	r.Values = append(r.Values, values...)
}

// Len is the number of rows that are not written yet.
func (r *Rows) Len() int { return len(r.Values) / len(r.Columns) }

// MaxParameters is how many values one statement carries; SQLite allows 32,766.
const MaxParameters = 2000

// Insert writes the rows, a few hundred to a statement.
func (r *Rows) Insert(tx *Tx) error { return r.Write(tx, "") }

// Upsert writes the rows; where there is one with the same key, its column takes
// the new value. No two of the rows have the same key.
func (r *Rows) Upsert(tx *Tx, key, column string) error {
	return r.Write(tx, " ON CONFLICT ("+key+") DO UPDATE SET "+column+" = excluded."+column)
}

// Write writes the rows, with a clause that says what becomes of conflicts, and is empty
// after that.
func (r *Rows) Write(tx *Tx, conflict string) error {
	width := len(r.Columns)
	per := MaxParameters / width * width
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	for values := range slices.Chunk(r.Values, per) {
		n := len(values) / width
		sql := "INSERT INTO " + r.table + " (" + strings.Join(r.Columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + conflict
		if err := tx.Exec(sql, values...).Error; err != nil {
			return err
		}
	}
	r.Values = r.Values[:0]
	return nil
}

// OrNull is a user's id, or null for the command line.
func OrNull(userID string) any {
	if userID == "" {
		return nil
	}
	return userID
}
