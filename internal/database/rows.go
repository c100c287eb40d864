package database

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Rows are read in one of these ways:
//
//   - one row by its key: db.Where(condition, values).Take(&row). GORM's generics do the same, but each use of
//     them in a package takes seconds to compile;
//   - a set of rows into a slice of structs: db.Raw(query).Scan(&rows);
//   - a few values of one row: [Scan];
//   - many rows, or rows that are put into another structure at once: [EachRow].

// ErrNoRows is the error of [Scan] if there is no row.
var ErrNoRows = sql.ErrNoRows

// Scan reads the first row of a query. The error is [ErrNoRows] and campaign.ErrNotFound if there is none. GORM's Row
// is not used because, with prepared statements, it turns an error such as a cancelled request
// into a panic.
func Scan(query *gorm.DB, dest ...any) error {
	rows, err := run(query)
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return translate(cmp.Or(rows.Err(), ErrNoRows))
	}
	if err := rows.Scan(dest...); err != nil {
		return translate(err)
	}
	return translate(rows.Close())
}

// EachRow runs a query, and scans each of its rows into dest. It yields nil after each row. An error is the last value.
func EachRow(query *gorm.DB, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := run(query)
		if err != nil {
			yield(translate(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); !yield(err) || err != nil {
				return
			}
		}
		if err := translate(rows.Err()); err != nil {
			yield(err)
		}
	}
}

// Limit ends a query that returns at most n rows, where n is one of a few numbers. SQLite plans a statement anew for each run if its
// limit is a parameter.
func Limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

// ListOf returns a query, with its parameter, that gives texts as rows. A list can be of any length, whereas IN ? takes a parameter
// for each text.
func ListOf(db *gorm.DB, texts []string) (sql, arg string) {
	encoded, err := json.Marshal(append([]string{}, texts...)) // a list, even if there are none
	if err != nil {
		panic(err) // texts can't fail
	}
	if db.Name() == Postgres {
		return "SELECT jsonb_array_elements_text(CAST(? AS jsonb))", string(encoded)
	}
	return "SELECT value FROM json_each(?)", string(encoded)
}

// WatchCallback is the name of the callback of GORM's row processor that [Scan] and [EachRow] call with each statement. Tests
// register it to see the statements.
const WatchCallback = "watch"

// run runs a query. If its SQL is given, as by db.Raw, run sends it to the connection itself: GORM's callbacks and its
// log would take about as long as SQLite takes for a row.
func run(query *gorm.DB) (*sql.Rows, error) {
	stmt := query.Statement
	if stmt.SQL.Len() == 0 || query.Error != nil {
		return query.Rows()
	}
	if watch := query.Callback().Row().Get(WatchCallback); watch != nil {
		if watch(query); query.Error != nil {
			return nil, query.Error
		}
	}
	begin, text := time.Now(), stmt.SQL.String()
	rows, err := stmt.ConnPool.QueryContext(stmt.Context, text, stmt.Vars...)
	query.Logger.Trace(stmt.Context, begin, func() (string, int64) { return text, -1 }, err)
	return rows, err
}

// Query is db.Raw for a query that runs for every save. db.Raw looks for lists among the values, and copies the text letter by letter,
// which takes about as long as SQLite takes for a row. The values of Query must not be lists.
func Query(db *gorm.DB, text string, values ...any) *gorm.DB {
	if db.Name() == Postgres { // which has $1 where the text has ?
		return db.Raw(text, values...)
	}
	query := db.Raw("")
	query.Statement.SQL.WriteString(text)
	query.Statement.Vars = values
	return query
}

// Exec runs a statement that is run for every save or has many values, and returns the number of rows that it changed. Like [Scan], it sends
// the statement to the connection itself. The values are those of [Query].
func Exec(tx *Tx, text string, values ...any) (int64, error) {
	query := Query(tx.DB, text, values...)
	if watch := query.Callback().Raw().Get(WatchCallback); watch != nil {
		watch(query)
	}
	if query.Error != nil {
		return 0, query.Error
	}
	stmt := query.Statement
	begin, sent := time.Now(), stmt.SQL.String()
	res, err := stmt.ConnPool.ExecContext(stmt.Context, sent, stmt.Vars...)
	query.Logger.Trace(stmt.Context, begin, func() (string, int64) { return sent, -1 }, err)
	if err != nil {
		return 0, translate(err)
	}
	return res.RowsAffected()
}

// Rows collects rows to insert into a table.
type Rows struct {
	table   string
	Columns []string
	Values  []any
}

// NewRows returns Rows for the columns of a table.
func NewRows(table string, columns ...string) *Rows { return &Rows{table: table, Columns: columns} }

// Add adds a row: a value for each column.
func (r *Rows) Add(values ...any) {
	if len(values) != len(r.Columns) {
		panic("database: wrong number of values for " + r.table)
	}
	r.Values = append(r.Values, values...)
}

// Clear removes the rows, and keeps their memory for others.
func (r *Rows) Clear() {
	clear(r.Values)
	r.Values = r.Values[:0]
}

// Len is the number of rows that are not written yet.
func (r *Rows) Len() int { return len(r.Values) / len(r.Columns) }

// MaxParameters is the largest number of parameters of a statement here. SQLite allows 32,766.
const MaxParameters = 2000

// Insert inserts the rows, a few hundred with each statement.
func (r *Rows) Insert(tx *Tx) error { return r.Write(tx, "") }

// Write inserts the rows. conflict is the ON CONFLICT clause, or empty. Afterwards r has no
// rows.
func (r *Rows) Write(tx *Tx, conflict string) error {
	width := len(r.Columns)
	per := MaxParameters / width * width
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	for values := range slices.Chunk(r.Values, per) {
		n := len(values) / width
		sql := "INSERT INTO " + r.table + " (" + strings.Join(r.Columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + conflict
		if _, err := Exec(tx, sql, values...); err != nil {
			return err
		}
	}
	r.Values = r.Values[:0]
	return nil
}

// Update gives rows that exist the values of the other columns: the first column is the key, and all
// keys are texts. set is more of the SET clause, which begins with a comma, or empty. Afterwards r has no
// rows.
func (r *Rows) Update(tx *Tx, set string) error {
	width := len(r.Columns)
	row := make([]string, width)
	columns := make([]string, width)
	for values := range slices.Chunk(r.Values, MaxParameters/width*width) {
		for i, v := range values[:width] {
			row[i] = "CAST(? AS " + columnType(v) + ")"
			columns[i] = fmt.Sprintf("%s = v.column%d", r.Columns[i], i+1)
		}
		rows := strings.TrimSuffix(strings.Repeat("("+strings.Join(row, ", ")+"),", len(values)/width), ",")
		sql := "UPDATE " + r.table + " SET " + strings.Join(columns[1:], ", ") + set + " FROM (VALUES " + rows + ") AS v WHERE " + r.table + "." + columns[0]
		if err := tx.Exec(sql, values...).Error; err != nil {
			return err
		}
	}
	r.Values = r.Values[:0]
	return nil
}

// columnType is the type of a value in a list of values, where PostgreSQL does not know the column.
func columnType(value any) string {
	switch value.(type) {
	case int, int64, Instant:
		return "BIGINT"
	case float64:
		return "DOUBLE PRECISION"
	case bool:
		return "BOOLEAN"
	}
	return "TEXT"
}

// OrNull returns the id of a user for a column; null for the command line, whose id is empty.
func OrNull(userID string) any {
	if userID == "" {
		return nil
	}
	return userID
}
