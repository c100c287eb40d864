package store_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// The files testdata/b58bae9.* hold one campaign with a training set and checks, which the tests of
// annotate b58bae9 made: a backup of a SQLite file, and the output of pg_dump --inserts.

// unpack returns the content of a compressed file.
func unpack(t *testing.T, path string) []byte {
	t.Helper()
	f := storetest.Must(os.Open(path))(t)
	defer f.Close()
	return storetest.Must(io.ReadAll(storetest.Must(gzip.NewReader(f))(t)))(t)
}

// oldFile makes the SQLite database of annotate b58bae9.
func oldFile(t *testing.T) database.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "annotate.db")
	storetest.Check(t, os.WriteFile(path, unpack(t, "testdata/b58bae9.db.gz"), 0o600))
	return database.Config{Driver: database.SQLite, DSN: path}
}

// oldPostgres makes the PostgreSQL database of annotate b58bae9.
func oldPostgres(t *testing.T) database.Config {
	t.Helper()
	cfg := database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)}
	st := storetest.Must(store.OpenUnmigrated(cfg))(t)
	pool := storetest.Must(storetest.Conn(st).DB())(t)
	storetest.Must(pool.ExecContext(t.Context(), string(unpack(t, "testdata/b58bae9.postgres.sql.gz"))))(t)
	storetest.Check(t, st.Close())
	return cfg
}

// TestUpgrade: a database of annotate b58bae9 has the schema of a new one, and all its rows, when it was
// brought over.
func TestUpgrade(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		t.Run("sqlite", func(t *testing.T) { checkUpgrade(t, oldFile(t), storetest.Open(t)) })
	})
	t.Run("postgres", func(t *testing.T) { checkUpgrade(t, oldPostgres(t), storetest.Postgres(t)) })
}

func checkUpgrade(t *testing.T, cfg database.Config, fresh *storetest.DB) {
	st := storetest.Must(store.OpenUnmigrated(cfg))(t)
	before := rowsToKeep(t, st)
	if len(before["ratings"]) != 30 {
		t.Fatalf("the old database has %d ratings", len(before["ratings"]))
	}
	storetest.Exec(t, &storetest.DB{Store: st}, `INSERT INTO settings_changes (id, campaign_id, setting, was, became, at)
		SELECT 'old', id, 'threshold', '', '0.7 -> 0.9', 1 FROM campaigns WHERE slug = 'sample'`)
	for _, sql := range []string{ // work that is under way
		"INSERT INTO batches_under_way (batch, campaign_id, beat) SELECT 'b', id, 3 FROM campaigns WHERE slug = 'sample'",
		`INSERT INTO settings_effects (campaign_id, version, rescores, position, followed, segments, effect) SELECT id, 9, FALSE, 1, 1, 4, '{"Read":7}' FROM campaigns WHERE slug = 'sample'`,
		"INSERT INTO member_changes (campaign_id, user_id) SELECT c.id, u.id FROM campaigns c, users u WHERE c.slug = 'sample' AND u.login = 'ann1'",
	} {
		storetest.Exec(t, &storetest.DB{Store: st}, sql)
	}
	if cfg.Driver == database.Postgres {
		_, err := store.Open(t.Context(), cfg)
		storetest.WantErr(t, err, database.ErrOldSchema)
	}
	storetest.Check(t, st.DB.MigrateUp(t.Context()))
	storetest.Check(t, st.Close())
	st = storetest.Must(store.OpenUnmigrated(cfg))(t) // PostgreSQL refuses to repeat a query whose columns have changed
	if values := storetest.Query[string](t, &storetest.DB{Store: st}, "SELECT was || ' and ' || became FROM settings_changes WHERE id = 'old'"); !slices.Equal(values, []string{"0.7 and 0.9"}) {
		t.Errorf("the old change of a setting has the values %q", values)
	}
	storetest.Exec(t, &storetest.DB{Store: st}, "DELETE FROM settings_changes WHERE id = 'old'")
	jobs := storetest.Query[string](t, &storetest.DB{Store: st}, `SELECT j.kind || ' ' || coalesce(u.login, '') || ' ' || j.position || ' ' || j.done || '/' || j.total || ' ' || j.beat || ' ' || j.state
		FROM jobs j LEFT JOIN users u ON u.id = j.user_id ORDER BY j.kind`)
	if want := []string{"act  0 0/0 3 {}", "member ann1 0 0/0 0 {}", `settings  1 1/4 0 {"Read":7}`}; !slices.Equal(jobs, want) {
		t.Errorf("the work under way is %q, want %q", jobs, want)
	}
	after := rowsToKeep(t, st)
	if n := storetest.Count(t, &storetest.DB{Store: st}, "metric_segment_scores"); n != len(before["metric_scores"]) {
		t.Errorf("%d rows of scores became %d", len(before["metric_scores"]), n)
	}
	delete(before, "metric_scores")
	for table, rows := range before {
		if !slices.Equal(rows, after[table]) {
			t.Errorf("%s has the rows\n%s\nwant\n%s", table, strings.Join(after[table], "\n"), strings.Join(rows, "\n"))
		}
	}
	got, want := schema(t, &storetest.DB{Store: st}), schema(t, fresh)
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("only the upgraded database has: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("only a new database has: %s", line)
		}
	}
	storetest.Check(t, st.Close())

	st = storetest.Must(store.Open(t.Context(), cfg))(t)
	defer st.Close()
	if found := examine(t, &storetest.DB{Store: st}, false); len(found) != 0 {
		t.Errorf("the doctor says %v", found)
	}
	s := &storetest.Sample{Store: st, Campaign: storetest.Must(st.Records.Campaign(t.Context(), "sample"))(t), Annotators: []accounts.User{storetest.Must(st.Accounts.UserByLogin(t.Context(), "ann1"))(t)}}
	s.RateNext(t, 0, 1, 2, 3)
}

// rowsToKeep returns the rows of every table, sorted, without what an upgrade may change.
func rowsToKeep(t *testing.T, st *store.Store) map[string][]string {
	t.Helper()
	db, rows := &storetest.DB{Store: st}, map[string][]string{}
	for _, table := range storetest.Tables(t, db) {
		switch table {
		case "goose_db_version", "jobs", "batches_under_way", "settings_effects", "member_changes":
			continue
		}
		rows[table] = []string{}
		for _, row := range storetest.Query[map[string]any](t, db, "SELECT * FROM "+table) {
			if table == "application_values" && row["name"] != "session_key" {
				continue
			}
			delete(row, "formed")  // the column is gone
			delete(row, "about")   // the column is new
			delete(row, "systems") // the column of metrics is new
			delete(row, "answers") // these columns are new
			delete(row, "awaits_code")
			delete(row, "mail")
			delete(row, "outcome")
			delete(row, "mail_off")
			delete(row, "settled")
			delete(row, "changes")
			delete(row, "text_before")
			delete(row, "brought_before")
			delete(row, "in_document")
			delete(row, "at_position")
			delete(row, "resets")
			rows[table] = append(rows[table], fmt.Sprint(row))
		}
		slices.Sort(rows[table])
	}
	return rows
}

var (
	space   = regexp.MustCompile(`\s+`)
	comment = regexp.MustCompile(`--[^\n]*`)
	checks  = regexp.MustCompile(`CHECK \((\w+ IN \([^)]*\)|[^)]*)\)`)
)

// schema lists what a database consists of, a line each: columns, constraints, indexes, views. The order of the
// columns of a table and the names of constraints are left out.
func schema(t *testing.T, db *storetest.DB) []string {
	t.Helper()
	if db.Driver() == database.Postgres {
		return storetest.Query[string](t, db, `SELECT format('column %s.%s %s null %s default %s', table_name, column_name, data_type, is_nullable, column_default)
				FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT IN (SELECT conname FROM pg_constraint)
			UNION ALL SELECT format('view %s %s', viewname, substr(definition, strpos(definition, ' FROM '))) FROM pg_views WHERE schemaname = 'public'`)
	}
	lines := storetest.Query[string](t, db, `SELECT format('column %s.%s %s not null %d default %s key %d', m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk)
			FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view')
		UNION ALL SELECT format('reference %s.%s %s.%s %s', m.name, f."from", f."table", f."to", f.on_delete)
			FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
		UNION ALL SELECT format('index %s %s unique %d %s', m.name, iif(x.origin = 'c', x.name, ''), x."unique", (SELECT group_concat(i.name) FROM pragma_index_info(x.name) i))
			FROM sqlite_master m, pragma_index_list(m.name) x WHERE m.type = 'table'`)
	for _, row := range storetest.Query[struct{ Type, Name, SQL string }](t, db, "SELECT type, name, sql FROM sqlite_master WHERE sql <> ''") {
		sql := space.ReplaceAllString(comment.ReplaceAllString(row.SQL, ""), " ")
		switch {
		case row.Type == "view":
			lines = append(lines, sql)
		case row.Type == "index" && strings.Contains(sql, " WHERE "):
			lines = append(lines, "partial index "+row.Name+sql[strings.Index(sql, " WHERE "):])
		}
		for _, check := range checks.FindAllString(sql, -1) {
			lines = append(lines, row.Name+" "+check)
		}
	}
	return lines
}

// TestUpgradeOfBackup: a backup of annotate b58bae9 is restored with the schema of this program.
func TestUpgradeOfBackup(t *testing.T) {
	cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "restored.db")}
	r := storetest.Must(store.Restore(t.Context(), cfg, oldFile(t).DSN, store.RestoreOptions{}))(t)
	if r.Backup.Campaigns != 1 || r.Backup.Sides != 2 || r.Backup.Ratings != 30 {
		t.Errorf("restored %+v", r.Backup)
	}
	if problems := storetest.ExamineFile(t, cfg.DSN, false); len(problems) != 0 {
		t.Errorf("the doctor says %q", problems)
	}
}

// TestOldSchemaIsRefused: a database that is older than that of annotate b58bae9, or has a migration that nobody
// knows, is refused by its number and stays as it is.
func TestOldSchemaIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, change string
		want         int64 // 0: the database is not finished
		words        string
	}{
		{"older", "DELETE FROM goose_db_version WHERE version_id = 90", 89, "open the database with annotate b58bae9 first"},
		{"incomplete", "DELETE FROM goose_db_version WHERE version_id = 55", 90, "open the database with annotate b58bae9 first"},
		{"unknown", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (91, TRUE)", 91, "has schema 91"},
		{"never released", "UPDATE goose_db_version SET version_id = 113 WHERE version_id = 90", 113, "cannot bring up to date"},
		{"states not computed", "UPDATE campaigns SET formed = FALSE", 0, "start its server once more"},
		{"sums not computed", "DELETE FROM campaign_tallies", 0, "start its server once more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := oldFile(t)
			st := storetest.Must(store.OpenUnmigrated(cfg))(t)
			storetest.Exec(t, &storetest.DB{Store: st}, c.change)
			before := rowsToKeep(t, st)
			storetest.Check(t, st.Close())
			_, err := store.Open(t.Context(), cfg)
			refused, ok := errors.AsType[*database.SchemaError](err)
			if ok != (c.want > 0) || ok && refused.Database != c.want || !strings.Contains(fmt.Sprint(err), c.words) {
				t.Errorf("open: %v", err)
			}
			st = storetest.Must(store.OpenUnmigrated(cfg))(t)
			defer st.Close()
			for table, rows := range rowsToKeep(t, st) {
				if !slices.Equal(rows, before[table]) {
					t.Errorf("%s has changed", table)
				}
			}
			if found := examine(t, &storetest.DB{Store: st}, false); len(found["schema"].Problems) == 0 {
				t.Errorf("the doctor says %v", found)
			}
		})
	}
}
