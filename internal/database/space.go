package database

import (
	"context"
	"fmt"
	"path/filepath"
)

// Space says how much room the disk of a SQLite database has, in bytes.
type Space struct {
	Free     int64 // bytes that this program may still write
	Database int64 // size of the main file; a backup is not larger
}

// DiskFree returns the free bytes of a folder's disk; false if the platform does not tell.
// Tests replace it.
var DiskFree = freeBytes

// Space reads how much room there is. It is false for PostgreSQL, whose disk may be on another
// machine, and if the platform does not tell.
func (d *DB) Space(ctx context.Context) (Space, bool, error) {
	if d.Dialect != SQLite {
		return Space{}, false, nil
	}
	size, err := d.Size(ctx)
	if err != nil {
		return Space{}, false, err
	}
	space, known := Space{Database: size}, false
	space.Free, known = DiskFree(filepath.Dir(d.DSN))
	return space, known, nil
}

// Size is the size of the database in bytes: of the main file, or as PostgreSQL tells it.
func (d *DB) Size(ctx context.Context) (bytes int64, err error) {
	query := "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	if d.Dialect == Postgres {
		query = "SELECT pg_database_size(current_database())"
	}
	return bytes, Scan(d.Conn.WithContext(ctx).Raw(query), &bytes)
}

// checkRoom returns an error if the folder has no room for a copy of the database.
func (d *DB) checkRoom(ctx context.Context, dir string) error {
	space, _, err := d.Space(ctx)
	if err != nil {
		return err
	}
	// A tenth stays free, so that saving can go on.
	need := space.Database + space.Database/10
	if free, known := DiskFree(dir); known && free < need {
		return fmt.Errorf("the disk of %s has %s left and a copy needs %s: make room first", dir, Megabytes(free), Megabytes(need))
	}
	return nil
}

// Megabytes writes a number of bytes for people: "12.3 MB".
func Megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
