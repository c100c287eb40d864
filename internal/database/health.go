package database

import (
	"context"
	"errors"
)

// ErrDiskFull: the disk of the database has no room for the data to be saved.
var ErrDiskFull = errors.New("the disk of the database is full")

// ErrReadOnly: the file of a SQLite database can't be written.
var ErrReadOnly = errors.New(
	"the file of the database can't be written: it, its folder or its disk is read-only; make it writable for the user of this program",
)

// CheckSave checks that the database can be written, by saving a value in the same way as any
// other change. Like any other change it may have to wait for an import.
func (d *DB) CheckSave(ctx context.Context) error {
	return d.Write(ctx, func(tx *Tx) error {
		return tx.Exec("INSERT INTO application_values (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			tx.Now().UTC().Format("2006-01-02T15:04:05Z")).Error
	})
}
