package database

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/migrations"
)

// A Moved says how many rows of a table were moved.
type Moved struct {
	Table string
	Rows  int
}

// ErrUnfinishedMove: a database into which not all data was moved is not to be used.
var ErrUnfinishedMove = errors.New(
	"the data of another database was being moved into this one, and the move is not finished; go on with: annotate migrate-data",
)

// movingValue is the name of the application value that says how far a move into a database is, as a [moving] in JSON. A move
// removes it at its end.
const movingValue = "moving"

// ownValues are the application values that belong to one database and are not moved.
var ownValues = []string{movingValue, migrations.AccessVersion}

// moving says how far a move is.
type moving struct {
	Table string // that is being moved
	After []any  // the key of the last row of it that was moved; nil: none
	Done  []string
}

// moveStep is how many rows a transaction of a move writes.
const moveStep = 500

// MoveTo copies all data to another database of the same schema, one of SQLite and one of PostgreSQL. The other must be empty, or
// hold a part that an earlier call has copied, after which the call goes on. No program may use either database meanwhile. At the end it compares
// the number of rows and a checksum of each table, and returns an error if they differ. progress, which may be nil, is called
// after each step.
func (d *DB) MoveTo(ctx context.Context, to *DB, progress func(table string, rows int)) ([]Moved, error) {
	lite := d
	if d.Dialect == to.Dialect {
		return nil, fmt.Errorf("both databases are %s; copy the data with annotate backup, or with pg_dump", d.Dialect)
	} else if d.Dialect != SQLite {
		lite = to
	}
	tables, err := tablesOf(lite.Read(ctx))
	if err != nil {
		return nil, err
	}
	at, err := to.beginMove(ctx)
	if err != nil {
		return nil, err
	}
	var moved []Moved
	for _, t := range tables {
		if !slices.Contains(at.Done, t.name) {
			if err := t.move(ctx, d, to, &at, progress); err != nil {
				return nil, fmt.Errorf("move the table %s: %w", t.name, err)
			}
		}
	}
	for _, t := range tables {
		n, sum, err := t.sum(d.Read(ctx))
		if err != nil {
			return nil, err
		}
		m, other, err := t.sum(to.Read(ctx))
		if err != nil {
			return nil, err
		}
		if n != m || sum != other {
			return nil, fmt.Errorf(
				"the table %s has %d rows, and %d were moved, or they differ; stop every program that uses one of the databases, empty the new one, and move the data again",
				t.name, n, m,
			)
		}
		moved = append(moved, Moved{t.name, n})
	}
	return moved, to.WriteLong(ctx, func(tx *Tx) error {
		return tx.Exec("DELETE FROM application_values WHERE name = ?", movingValue).Error
	})
}

// beginMove returns how far a move into the database is. A database that has data of its own is refused.
func (d *DB) beginMove(ctx context.Context) (at moving, err error) {
	at, unfinished, err := d.moving(ctx)
	if err != nil || unfinished {
		return at, err
	}
	var n int
	if err := Scan(d.Read(ctx).Raw("SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM campaigns)"), &n); err != nil {
		return at, err
	}
	if n > 0 {
		return at, errors.New("the database to move to has accounts or campaigns already; name an empty one")
	}
	return at, d.WriteLong(ctx, func(tx *Tx) error {
		if err := tx.Exec("DELETE FROM application_values").Error; err != nil { // such as a key for cookies
			return err
		}
		return at.save(tx)
	})
}

// moving reads how far a move into the database is, and whether there is one.
func (d *DB) moving(ctx context.Context) (at moving, unfinished bool, err error) {
	var text string
	err = Scan(d.Read(ctx).Raw("SELECT coalesce(max(value), '') FROM application_values WHERE name = ?", movingValue), &text)
	if err != nil || text == "" {
		return at, false, err
	}
	return at, true, json.Unmarshal([]byte(text), &at)
}

// CheckMoved returns [ErrUnfinishedMove] if a move into the database is not finished.
func (d *DB) CheckMoved(ctx context.Context) error {
	_, unfinished, err := d.moving(ctx)
	if unfinished {
		return ErrUnfinishedMove
	}
	return err
}

// save stores how far a move is.
func (m moving) save(tx *Tx) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	rows := NewRows("application_values", "name", "value")
	rows.Add(movingValue, string(text))
	return rows.Write(tx, " ON CONFLICT (name) DO UPDATE SET value = excluded.value")
}

// A table is a table of the schema.
type table struct {
	name    string
	columns []string
	types   []string // of columns
	key     []int    // indexes of the columns of the primary key
}

// tablesOf lists the tables of a SQLite database, each after those that it refers to.
func tablesOf(db *gorm.DB) ([]table, error) {
	var names []string
	err := db.Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version' ORDER BY name").
		Scan(&names).
		Error
	if err != nil {
		return nil, err
	}
	var out []table
	done := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if done[name] {
			return nil
		}
		done[name] = true
		var refers []string
		if err := db.Raw(`SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name).Scan(&refers).Error; err != nil {
			return err
		}
		for _, other := range refers {
			if err := add(other); err != nil {
				return err
			}
		}
		t := table{name: name}
		var columns []struct {
			Name, Type string
			Pk         int
		}
		if err := db.Raw("SELECT name, type, pk FROM pragma_table_info(?)", name).Scan(&columns).Error; err != nil {
			return err
		}
		for i, c := range columns {
			t.columns, t.types = append(t.columns, c.Name), append(t.types, c.Type)
			if c.Pk > 0 {
				t.key = append(t.key, i)
			}
		}
		slices.SortFunc(t.key, func(a, b int) int { return columns[a].Pk - columns[b].Pk })
		out = append(out, t)
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// move copies the rows of a table that come after at.
func (t table) move(ctx context.Context, from, to *DB, at *moving, progress func(table string, rows int)) error {
	if at.Table != t.name {
		at.Table, at.After = t.name, nil
	}
	for moved := 0; ; {
		rows, err := t.after(from.Read(ctx), at.After)
		if err != nil {
			return err
		}
		next := *at
		if len(rows) > 0 {
			next.After = t.keyOf(rows[len(rows)-1])
		}
		if len(rows) < moveStep {
			next = moving{Done: append(slices.Clone(at.Done), t.name)}
		}
		err = to.WriteLong(ctx, func(tx *Tx) error {
			in := NewRows(t.name, t.columns...)
			for _, row := range rows {
				if name, _ := row[0].(string); t.name != "application_values" || !slices.Contains(ownValues, name) {
					in.Add(row...)
				}
			}
			if err := in.Insert(tx); err != nil {
				return err
			}
			return next.save(tx)
		})
		if err != nil {
			return err
		}
		*at = next
		if moved += len(rows); progress != nil {
			progress(t.name, moved)
		}
		if len(rows) < moveStep {
			return nil
		}
	}
}

// keyOf returns the key of a row.
func (t table) keyOf(row []any) []any {
	var key []any
	for _, i := range t.key {
		key = append(key, row[i])
	}
	return key
}

// after reads up to moveStep rows after a key, in the order of the index of the keys, whichever way the database sorts texts.
func (t table) after(db *gorm.DB, key []any) ([][]any, error) {
	var order, cells []string
	for _, i := range t.key {
		order, cells = append(order, t.columns[i]), append(cells, "?")
	}
	query := "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name
	if key != nil {
		query += " WHERE (" + strings.Join(order, ", ") + ") > (" + strings.Join(cells, ", ") + ")"
	}
	query += " ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(moveStep)
	var out [][]any
	err := t.each(db.Raw(query, t.typed(key)...), func(row []any) { out = append(out, slices.Clone(row)) })
	return out, err
}

// typed gives the values of a key that was read from JSON the types of their columns.
func (t table) typed(key []any) []any {
	out := slices.Clone(key)
	for i, v := range out {
		if x, ok := v.(float64); ok && t.types[t.key[i]] != "DOUBLE PRECISION" {
			out[i] = int64(x)
		}
	}
	return out
}

// each calls do with each row of a query for all columns. The row is valid until do returns.
func (t table) each(query *gorm.DB, do func(row []any)) error {
	row, dest := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range row {
		dest[i] = &row[i]
	}
	for err := range EachRow(query, dest...) {
		if err != nil {
			return err
		}
		for i, v := range row {
			row[i] = t.value(i, v)
		}
		do(row)
	}
	return nil
}

// value returns a value of a column as both databases take it.
func (t table) value(column int, v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case int32:
		return int64(v)
	case int64:
		if t.types[column] == "BOOLEAN" {
			return v != 0
		}
		if t.types[column] == "DOUBLE PRECISION" {
			return float64(v)
		}
	}
	return v
}

// sum counts the rows of a table, and adds up a hash of each. The sum does not depend on the order of the rows.
func (t table) sum(db *gorm.DB) (n int, sum uint64, err error) {
	query := "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name
	var args []any
	if t.name == "application_values" {
		query, args = query+" WHERE name NOT IN ?", []any{ownValues}
	}
	var b []byte
	err = t.each(db.Raw(query, args...), func(row []any) {
		b = b[:0]
		for _, v := range row {
			text := fmt.Sprint(v)
			if x, ok := v.(float64); ok {
				text = strconv.FormatFloat(x+0, 'g', -1, 64) // -0 is 0
			}
			b = binary.AppendUvarint(b, uint64(len(text)))
			if v == nil {
				b = append(b, 0)
			}
			b = append(b, text...)
		}
		hash := sha256.Sum256(b)
		n++
		sum += binary.LittleEndian.Uint64(hash[:8])
	})
	return n, sum, err
}
