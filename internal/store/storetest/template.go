package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/migrations"
)

// Migrations take longer than most tests. They are run once per process for
// SQLite, whose tests get a copy of the file, and once per server for PostgreSQL,
// whose tests get a copy of a database that stays there.

var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "annotate-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "annotate.db")
	if err := migrate(database.Config{Driver: database.SQLite, DSN: path}); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // all of it: closing has emptied the log
})

// copyMigrated says how to create a copy of a migrated database. Where the server can, it
// copies files: writing each block to the log takes three times as long.
var copyMigrated = sync.OnceValues(func() (how string, err error) {
	server := os.Getenv("ANNOTATE_TEST_POSTGRES")
	template, err := migratedDatabase(server)
	if err != nil {
		return "", err
	}
	how = "TEMPLATE " + template
	copiesFiles, err := ask(server, "SELECT current_setting('server_version_num')::int >= 150000")
	if copiesFiles {
		how += " STRATEGY FILE_COPY"
	}
	return how, err
})

// migratedDatabase is the name of a database to copy. It depends on the
// migrations, so that other ones get a database of their own.
func migratedDatabase(server string) (string, error) {
	sum := sha256.New()
	files, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return "", err
	}
	for _, name := range files {
		text, err := migrations.Files.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	template := fmt.Sprintf("annotate_template_%x", sum.Sum(nil)[:8])
	const exists = "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)"
	if there, err := ask(server, exists, template); err != nil || there {
		return template, err
	}
	// Under another name until it is complete; several processes may be at it.
	how, err := sorted(server)
	if err != nil {
		return "", err
	}
	name := newName()
	if err := run(server, "CREATE DATABASE "+name+" "+how); err != nil {
		return "", fmt.Errorf("create a database to copy: %w", err)
	}
	if err := migrate(database.Config{Driver: database.Postgres, DSN: withDatabase(server, name)}); err != nil {
		return "", err
	}
	if err := run(server, "ALTER DATABASE "+name+" RENAME TO "+template); err != nil {
		if there, _ := ask(server, exists, template); !there {
			return "", fmt.Errorf("name a database to copy: %w", err)
		}
		return template, run(server, "DROP DATABASE "+name)
	}
	return template, nil
}

func migrate(cfg database.Config) error {
	st, err := store.OpenUnmigrated(cfg)
	if err != nil {
		return err
	}
	if err := st.DB.MigrateUp(context.Background()); err != nil {
		_ = st.Close()
		return err
	}
	return st.Close()
}
