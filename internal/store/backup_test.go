package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// folder lists the files of a folder.
func folder(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range storetest.Must(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	return names
}

// A backup is made while 20 annotators save. Restored elsewhere it holds every save
// that was acknowledged before it began, and the doctor finds nothing wrong.
func TestBackupUnderLoad(t *testing.T) {
	const annotators = 20
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(annotators), storetest.Annotators(annotators), storetest.Set("redundancy=1", "release_hours=0"))
	assignments, acknowledged := make([]string, annotators), make([]atomic.Int64, annotators)
	stop := make(chan struct{})
	var everybodySaves, done sync.WaitGroup
	everybodySaves.Add(annotators)
	for i, u := range s.Annotators {
		assignments[i] = s.Next(t, i)
		card := s.Work(t, i, assignments[i]).Cards[0].ID
		done.Go(func() {
			started := sync.OnceFunc(everybodySaves.Done)
			defer started()
			for n := 0; ; n++ {
				if n == 5 {
					started()
				}
				select {
				case <-stop:
					return
				default:
				}
				saved, err := db.Work.SaveCard(t.Context(), s.Campaign, u.ID, work.CardSave{AssignmentID: assignments[i], CardID: card, Revision: n, Rating: storetest.Rating(float64(n % 5))})
				if err != nil {
					t.Errorf("annotator %d: %v", i, err)
					return
				}
				acknowledged[i].Store(int64(saved.Revision))
			}
		})
	}
	everybodySaves.Wait()
	var before []int64
	for i := range acknowledged {
		before = append(before, acknowledged[i].Load())
	}
	file := filepath.Join(t.TempDir(), "backup.db")
	b, err := db.DB.Backup(t.Context(), file)
	close(stop)
	done.Wait()
	storetest.Check(t, err)
	if b.Campaigns == 0 || b.Users != annotators+2 || b.Segments < annotators || b.Bytes == 0 || !b.At.Equal(storetest.Start) {
		t.Errorf("the backup holds %+v", b)
	}
	if info := storetest.Must(os.Stat(file))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has the mode %v", info.Mode())
	}
	if names := folder(t, filepath.Dir(file)); len(names) != 1 {
		t.Errorf("beside the backup there is %q", names)
	}

	elsewhere := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "annotate.db"), Now: db.Clock.Now}
	restored := storetest.Must(store.Restore(t.Context(), elsewhere, file, store.RestoreOptions{}))(t)
	if restored.Aside != "" || restored.Backup != b {
		t.Errorf("restored %+v of %+v", restored, b)
	}
	if problems := storetest.ExamineFile(t, elsewhere.DSN, false); len(problems) != 0 {
		t.Errorf("the doctor says %q", problems)
	}
	there := storetest.Must(store.Open(t.Context(), elsewhere))(t)
	defer there.Close()
	for i, a := range assignments {
		w := storetest.Must(there.Work.LoadWork(t.Context(), s.Campaign, a, s.Annotators[i].ID))(t)
		if got := w.Cards[0].Revision; int64(got) < before[i] {
			t.Errorf("annotator %d: the backup has revision %d, and %d was acknowledged before it began", i, got, before[i])
		}
	}
}

func TestBackupReplacesNothing(t *testing.T) {
	db := storetest.Open(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "there")
	storetest.Check(t, os.WriteFile(file, []byte("mine"), 0o600))
	_, err := db.DB.Backup(t.Context(), file)
	storetest.WantErr(t, err, fs.ErrExist)
	_, err = db.DB.Backup(t.Context(), db.Config.DSN)
	storetest.WantErr(t, err, fs.ErrExist)
	defer storetest.SetDiskFree(1000)()
	if _, err := db.DB.Backup(t.Context(), filepath.Join(dir, "full")); err == nil || !strings.Contains(err.Error(), "make room first") {
		t.Errorf("with a full disk: %v", err)
	}
	if text := storetest.Must(os.ReadFile(file))(t); string(text) != "mine" {
		t.Errorf("the file holds %q", text)
	}
	if names := folder(t, dir); len(names) != 1 {
		t.Errorf("the folder has %q", names)
	}
}

func TestRestore(t *testing.T) {
	db := storetest.Open(t)
	storetest.FourSegments(t, db)
	dir := t.TempDir()
	file := filepath.Join(dir, "backup.db")
	storetest.Must(db.DB.Backup(t.Context(), file))(t)
	before := storetest.Must(os.ReadFile(file))(t)

	// A database that somebody has open is not replaced, whatever is wanted.
	_, err := store.Restore(t.Context(), db.Config, file, store.RestoreOptions{Replace: true})
	if err == nil || !strings.Contains(err.Error(), "stop the server first") {
		t.Errorf("over a database in use: %v", err)
	}
	if err := db.Accounts.AddMember(t.Context(), storetest.Must(db.Records.Campaign(t.Context(), "sample"))(t).ID, "lead", campaign.Lead, ""); err != nil && !errors.Is(err, campaign.ErrConflict) {
		t.Errorf("the database in use no longer works: %v", err)
	}

	// Wrong sums in a backup are counted again; contradictions need leave.
	edit := func(from, change string) string {
		path := storetest.CopyOf(t, from)
		st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: path}))(t)
		storetest.Check(t, storetest.Conn(st).Exec(change).Error)
		storetest.Check(t, st.Close())
		return path
	}
	target := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "annotate.db"), Now: db.Clock.Now}
	for _, c := range []struct {
		what, change string
		opt          store.RestoreOptions
		want         error
	}{
		{"contradictions", "UPDATE assignments SET ratings = 9 WHERE round = 1 AND state = 'submitted'", store.RestoreOptions{}, store.ErrBackupProblems},
		{"accepted contradictions", "UPDATE assignments SET ratings = 9 WHERE round = 1 AND state = 'submitted'", store.RestoreOptions{AcceptProblems: true}, nil},
		{"not empty by now", "UPDATE tallies SET n = n + 1 WHERE kind = 'status'", store.RestoreOptions{}, store.ErrNotEmpty},
		{"wrong sums", "UPDATE tallies SET n = n + 1 WHERE kind = 'status'", store.RestoreOptions{Replace: true}, nil},
		{"another count", "DELETE FROM drafts", store.RestoreOptions{Replace: true}, store.ErrOtherCounts},
		{"a row that is missing", "PRAGMA foreign_keys = 0; DELETE FROM documents", store.RestoreOptions{Replace: true, AcceptProblems: true}, store.ErrDamaged},
	} {
		_, err := store.Restore(t.Context(), target, edit(file, c.change), c.opt)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	if problems := storetest.ExamineFile(t, target.DSN, false); len(problems) != 0 {
		t.Errorf("after the sums were counted again: %q", problems)
	}
	names := folder(t, filepath.Dir(target.DSN))
	if len(names) != 2 || names[0] != "annotate.db" || !strings.HasPrefix(names[1], "annotate.db.before-restore-") {
		t.Errorf("beside the database there is %q", names)
	}

	// A file that was used is no backup any more.
	used := storetest.CopyOf(t, file)
	storetest.Check(t, storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: used}))(t).Close())
	if _, err := store.Restore(t.Context(), target, used, store.RestoreOptions{Replace: true}); err == nil || !strings.Contains(err.Error(), "no finished backup") {
		t.Errorf("of a file that was used: %v", err)
	}
	if after := storetest.Must(os.ReadFile(file))(t); string(after) != string(before) {
		t.Error("restoring changed the backup")
	}
	if names := folder(t, dir); len(names) != 1 {
		t.Errorf("beside the backup there is %q", names)
	}
}

// TestRestoreRemovesAbandoned: a restore removes the files of restores that were killed, and not those of
// one that is under way, nor others.
func TestRestoreRemovesAbandoned(t *testing.T) {
	db := storetest.Open(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	storetest.Must(db.DB.Backup(t.Context(), file))(t)
	dir := t.TempDir()
	for _, name := range []string{"annotate.db.unfinished-1", "annotate.db.unfinished-1-wal", "annotate.db.unfinished-2", "other.db.unfinished-3"} {
		storetest.Check(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	release, held := database.HoldFile(filepath.Join(dir, "annotate.db.unfinished-2"))
	if !held { // see database.HoldFile
		t.Skip("only Linux and macOS can tell that another program has a file open, so that a restore elsewhere removes no file")
	}
	defer release()
	storetest.Must(store.Restore(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(dir, "annotate.db")}, file, store.RestoreOptions{}))(t)
	if names := folder(t, dir); !slices.Equal(names, []string{"annotate.db", "annotate.db.unfinished-2", "other.db.unfinished-3"}) {
		t.Errorf("the folder has %q", names)
	}
}

// TestBackupCountsCampaigns: training sets and checks are no campaigns, and a backup that counts them as
// such, as older ones do, can be restored.
func TestBackupCountsCampaigns(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	s.MakeTraining(t, 1)
	s.MakeSide(t, campaign.Checks, 1)
	file := filepath.Join(t.TempDir(), "backup.db")
	if b := storetest.Must(db.DB.Backup(t.Context(), file))(t); b.Campaigns != 1 || b.Sides != 2 {
		t.Errorf("the backup holds %+v", b)
	}
	st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: file}))(t)
	storetest.Check(t, storetest.Conn(st).Exec(`UPDATE application_values SET value = json_set(json_remove(value, '$.sides'), '$.campaigns', 3) WHERE name = 'backup'`).Error)
	storetest.Check(t, st.Close())
	var checks []string
	target := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "annotate.db")}
	r := storetest.Must(store.Restore(t.Context(), target, file, store.RestoreOptions{Report: func(f store.Finding) { checks = append(checks, f.Check) }}))(t)
	if r.Backup.Campaigns != 1 || r.Backup.Sides != 2 {
		t.Errorf("restored %+v", r.Backup)
	}
	if !slices.Contains(checks, `campaign "sample": places`) || !slices.Contains(checks, `training set of campaign "sample": places`) || !slices.Contains(checks, `checks of campaign "sample": places`) {
		t.Errorf("the checks are %q", checks)
	}
}

// A damaged database can be replaced, and is kept.
func TestRestoreOverDamage(t *testing.T) {
	db := storetest.Open(t)
	storetest.Campaign(t, db.Store)
	file := filepath.Join(t.TempDir(), "backup.db")
	storetest.Must(db.DB.Backup(t.Context(), file))(t)
	path := filepath.Join(t.TempDir(), "annotate.db")
	storetest.Check(t, os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600))
	storetest.Check(t, os.WriteFile(path+"-wal", []byte("its log"), 0o600))
	storetest.Check(t, os.Chmod(path, 0o640))
	cfg := database.Config{Driver: database.SQLite, DSN: path, Now: db.Clock.Now}
	_, err := store.Restore(t.Context(), cfg, file, store.RestoreOptions{})
	storetest.WantErr(t, err, store.ErrNotEmpty)
	r := storetest.Must(store.Restore(t.Context(), cfg, file, store.RestoreOptions{Replace: true}))(t)
	if text := storetest.Must(os.ReadFile(r.Aside))(t); !strings.HasPrefix(string(text), "no database") {
		t.Errorf("%s holds something else", r.Aside)
	}
	if text := storetest.Must(os.ReadFile(r.Aside + "-wal"))(t); string(text) != "its log" {
		t.Errorf("%s-wal holds something else", r.Aside)
	}
	if info := storetest.Must(os.Stat(path))(t); info.Mode().Perm() != 0o640 {
		t.Errorf("the restored database has the mode %v, want that of the old one", info.Mode())
	}
	if problems := storetest.ExamineFile(t, path, false); len(problems) != 0 {
		t.Errorf("the restored database: %q", problems)
	}
}

// The restored database says in its site log that it was restored, from which file and
// as of when. The backup itself stays as it was written.
func TestRestoreIsLogged(t *testing.T) {
	db := storetest.Open(t)
	storetest.Campaign(t, db.Store)
	file := filepath.Join(t.TempDir(), "backup.db")
	b := storetest.Must(db.DB.Backup(t.Context(), file))(t)
	cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "annotate.db"), Now: db.Clock.Now}
	for range 2 {
		storetest.Must(store.Restore(t.Context(), cfg, file, store.RestoreOptions{Replace: true}))(t)
		st := storetest.Must(store.Open(t.Context(), cfg))(t)
		log, n, err := st.Records.FindAudit(t.Context(), "", records.AuditFilter{Text: "restore", Limit: 10})
		if err != nil || n != 1 || log[0].Act != "restore backup" || log[0].Subject != "backup.db" || log[0].Reason != "as of "+b.At.UTC().Format(time.RFC3339) {
			t.Errorf("%d lines, %+v, %v", n, log, err)
		}
		storetest.Check(t, st.Close())
	}
}

// A database that a newer program has migrated is refused by name.
func TestNewerSchemaIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		db.Rows = true
		storetest.Exec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)")
		_, err := store.Open(t.Context(), db.Config)
		newer, ok := errors.AsType[*database.SchemaError](err)
		if !ok || newer.Database != 99999 || newer.Program >= 99999 || newer.Program < 213 {
			t.Errorf("open: %v", err)
		}
		if err := db.DB.MigrateUp(t.Context()); !strings.Contains(fmt.Sprint(err), "newer annotate") {
			t.Errorf("migrate up: %v", err)
		}
		if found := examine(t, db, false); len(found) != 1 || !strings.Contains(fmt.Sprint(found["schema"]), "newer annotate") {
			t.Errorf("the doctor says %v", found)
		}
		if db.Driver() == database.SQLite {
			file := filepath.Join(t.TempDir(), "b")
			if _, err := db.DB.Backup(t.Context(), file); err == nil {
				t.Error("a backup of it was made")
			}
			storetest.Exec(t, db, "DELETE FROM goose_db_version WHERE version_id = 99999")
			storetest.Must(db.DB.Backup(t.Context(), file))(t)
			st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: file}))(t)
			storetest.Exec(t, &storetest.DB{Store: st}, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)")
			storetest.Exec(t, &storetest.DB{Store: st}, "UPDATE application_values SET value = replace(value, '\"schema\":', '\"schema\":99999,\"was\":') WHERE name = 'backup'")
			storetest.Check(t, st.Close())
			_, err := store.Restore(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "a")}, file, store.RestoreOptions{})
			if _, ok := errors.AsType[*database.SchemaError](err); !ok {
				t.Errorf("restoring a newer backup: %v", err)
			}
		}
	})
}

// Before its schema changes a SQLite file is copied; where there is no room for the
// copy, the schema stays.
func TestMigrationKeepsACopy(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	s.RateNext(t, 0, 1, 2, 3)
	dir := filepath.Dir(db.Config.DSN)
	storetest.Older(t, db)
	full := storetest.SetDiskFree(1000)
	_, err := store.Open(t.Context(), db.Config)
	full()
	if err == nil || !strings.Contains(err.Error(), "make room first") {
		t.Errorf("with a full disk: %v", err)
	}
	var notices []string
	cfg := db.Config
	cfg.Notice = func(text string) { notices = append(notices, text) }
	storetest.Check(t, storetest.Must(store.Open(t.Context(), cfg))(t).Close())
	all := storetest.Must(db.DB.Migrations(t.Context()))(t)
	file := fmt.Sprintf("%s.before-migration-%d", db.Config.DSN, all[len(all)-1].Version)
	if len(notices) != 1 || !strings.Contains(notices[0], file) {
		t.Errorf("opening says %q", notices)
	}
	st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: file}))(t)
	for i, m := range storetest.Must(st.DB.Migrations(t.Context()))(t) {
		if last := i == len(all)-1; m.AppliedAt.IsZero() != last {
			t.Errorf("the copy has %s applied: %v", m.Name, last)
		}
	}
	if n := storetest.Count(t, &storetest.DB{Store: st}, "ratings"); n != 3 {
		t.Errorf("the copy has %d ratings", n)
	}
	storetest.Check(t, st.Close())
	// The copy is a finished backup, which this program can bring up to date.
	restored := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "restored.db"), Now: db.Clock.Now}
	storetest.Must(store.Restore(t.Context(), restored, file, store.RestoreOptions{}))(t)
	if problems := storetest.ExamineFile(t, restored.DSN, false); len(problems) != 0 {
		t.Errorf("restored from the copy: %q", problems)
	}
	// Another time it gets another name, and opening without anything to do makes none.
	for _, older := range []bool{true, false} {
		if older {
			storetest.Older(t, db)
		}
		storetest.Check(t, storetest.Must(store.Open(t.Context(), db.Config))(t).Close())
	}
	copies := 0
	for _, name := range folder(t, dir) {
		if strings.Contains(name, ".before-migration-") {
			copies++
		}
		if strings.Contains(name, "unfinished") {
			t.Errorf("%s is left", name)
		}
	}
	if copies != 2 {
		t.Errorf("there are %d copies, want 2", copies)
	}
}
