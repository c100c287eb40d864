package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/pressly/goose/v3"

	"annotate/migrations"
)

// ErrOldSchema: the migrations of a PostgreSQL database must be run.
var ErrOldSchema = errors.New("the database schema is missing or older than this program; run: annotate migrate up")

// A SchemaError says that this program cannot use the schema of a database: a newer version of the
// program made it, or one that is too old. The program would store wrong data.
type SchemaError struct {
	Database int64 // newest migration of the database that the program does not know
	Program  int64 // newest migration that this program knows
}

func (e *SchemaError) Error() string {
	if e.Database > e.Program {
		return fmt.Sprintf(
			"the database has schema %d, and this program knows schemas up to %d: a newer annotate made or migrated it; use that version, or restore a backup from before the upgrade",
			e.Database, e.Program,
		)
	}
	return fmt.Sprintf("the database has schema %d, which this program (schema %d) cannot bring up to date; %s", e.Database, e.Program, oldSchemaHelp)
}

// A Migration is one versioned change of the schema.
type Migration struct {
	Version   int64
	Name      string
	AppliedAt time.Time // zero if it is pending
}

// Migrator returns the provider that applies the migrations of this program to the database.
func (d *DB) Migrator() (*goose.Provider, error) {
	pool, err := d.Conn.DB()
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	if d.Dialect == Postgres {
		dialect = goose.DialectPostgres
	}
	return goose.NewProvider(dialect, pool, migrations.Files, goose.WithVerbose(false), goose.WithGoMigrations(migrations.Access(dialect), migrations.Places(dialect)))
}

// MigrateUp applies every pending migration, each in its own transaction. Several processes
// may do so at the same time. It first makes a copy of a SQLite file that has a schema, and
// names the copy in a notice. If this program cannot use the schema of the database, the error is a
// *[SchemaError].
func (d *DB) MigrateUp(ctx context.Context) error {
	m, err := d.Migrator()
	if err != nil {
		return fmt.Errorf("migrate up: %w", err)
	}
	unlock, err := d.lockMigrations(ctx)
	if err != nil {
		return fmt.Errorf("migrate up: %w", err)
	}
	return errors.Join(d.migrateUp(ctx, m), unlock())
}

// migrationsLock is the number of the advisory lock of migrations on PostgreSQL.
const migrationsLock = 7_106_322

// lockMigrations waits until no other process migrates the PostgreSQL database, and keeps others from it until unlock. If
// this process dies, the lock ends with its connection. On SQLite, lockMigrations does nothing.
func (d *DB) lockMigrations(ctx context.Context) (unlock func() error, err error) {
	if d.Dialect != Postgres {
		return func() error { return nil }, nil
	}
	pool, err := d.Conn.DB()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migrationsLock); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationsLock)
		return errors.Join(err, conn.Close())
	}, nil
}

func (d *DB) migrateUp(ctx context.Context, m *goose.Provider) error {
	copied := false
	for {
		before, err := d.Pending(ctx, m)
		if err != nil || before == 0 {
			return err
		}
		if d.Dialect == SQLite && !copied && !d.NoCopy {
			if err := d.copyBefore(ctx, m); err != nil {
				return fmt.Errorf("migrate up: copy the database first: %w", err)
			}
			copied = true
		}
		if err := d.Use(ctx); err != nil {
			return fmt.Errorf("migrate up: %w", err)
		}
		d.Doing("bringing the schema of the database up to date")
		if err = d.upgrade(ctx, m); err == nil {
			err = d.applyEach(ctx, m)
		}
		if err == nil {
			return nil
		}
		// A migration fails if another process has just applied it. Then fewer are
		// pending than before, and the loop goes on.
		if left, _ := d.Pending(ctx, m); left >= before {
			return fmt.Errorf("migrate up: %w", err)
		}
	}
}

// applyEach applies the pending migrations one after the other, and says before each which it is.
func (d *DB) applyEach(ctx context.Context, m *goose.Provider) error {
	pending, err := d.Pending(ctx, m)
	for n := 1; n <= pending && err == nil; n++ {
		d.Doing(fmt.Sprintf("bringing the schema of the database up to date, step %d of %d,", n, pending))
		_, err = m.UpByOne(ctx)
	}
	return err
}

// copyBefore makes a backup of a SQLite file that has a schema, so that the operator can go
// back to the state before the migrations.
func (d *DB) copyBefore(ctx context.Context, m *goose.Provider) error {
	current, target, err := m.GetVersions(ctx)
	if err != nil || current == 0 {
		return err
	}
	d.Doing("copying the database before its schema changes")
	path, err := d.backupBeside(ctx, fmt.Sprintf("before-migration-%d", target))
	if err != nil {
		return err
	}
	d.notice(fmt.Sprintf("the database was copied to %s before its schema is brought from %d to %d", path, current, target))
	return nil
}

// Pending counts the migrations that are not applied. If this program cannot use the schema of the
// database, the error is a *[SchemaError]. It asks the database once. The provider would ask once for
// each migration.
func (d *DB) Pending(ctx context.Context, m *goose.Provider) (n int, err error) {
	if _, err := m.GetDBVersion(ctx); err != nil { // makes the table of versions if there is none
		return 0, fmt.Errorf("migration status: %w", err)
	}
	pool, err := d.Conn.DB()
	if err != nil {
		return 0, err
	}
	applied, err := appliedVersions(ctx, pool)
	if err != nil {
		return 0, fmt.Errorf("migration status: %w", err)
	}
	var known []int64
	for _, source := range m.ListSources() {
		known = append(known, source.Version)
		if !applied[source.Version] {
			n++
		}
		delete(applied, source.Version)
	}
	if len(applied) > 0 && !canUpgrade(applied) {
		return 0, &SchemaError{Database: slices.Max(slices.Collect(maps.Keys(applied))), Program: slices.Max(known)}
	}
	return n, nil
}

// appliedVersions reads which migrations were applied.
func appliedVersions(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (map[int64]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT version_id FROM goose_db_version WHERE is_applied AND version_id > 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	applied := map[int64]bool{}
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return nil, err
		}
		applied[version] = true
	}
	return applied, rows.Err()
}

// Migrations lists every migration this program knows, oldest first.
func (d *DB) Migrations(ctx context.Context) ([]Migration, error) {
	m, err := d.Migrator()
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	status, err := m.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	out := make([]Migration, len(status))
	for i, st := range status {
		out[i] = Migration{Version: st.Source.Version, Name: filepath.Base(st.Source.Path)}
		if st.State == goose.StateApplied {
			out[i].AppliedAt = st.AppliedAt
		}
	}
	return out, nil
}

// CheckSchema returns an error unless the schema is the one of this program.
func (d *DB) CheckSchema(ctx context.Context) error {
	m, err := d.Migrator()
	if err != nil {
		return err
	}
	n, err := d.Pending(ctx, m)
	if err != nil {
		return err
	}
	if n > 0 {
		return ErrOldSchema
	}
	return nil
}
