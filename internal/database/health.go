package database

import (
	"context"
	"errors"
)

// ErrDiskFull: the disk of the database has no room for what was to be saved.
var ErrDiskFull = errors.New("the disk of the database is full")

// CheckSave saves a value as every change is saved, and so finds out whether
// anything can be. It waits as a change waits: behind an import for long.
func (d *DB) CheckSave(ctx context.Context) error {
	return d.Write(ctx, func(tx *Tx) error {
		return tx.Exec("INSERT INTO application_values (name, value) VALUES ('checked_at', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			tx.Now().UTC().Format("2006-01-02T15:04:05Z")).Error
	})
}
