package database_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// A copy of the main file that was made while a program was saving lacks the latest saves. The
// doctor and the program that opens the copy report this. They report nothing about the
// original, whether its program was killed or closed it.
func TestCopyUnderLoad(t *testing.T) {
	if path := os.Getenv(crashFile); path != "" {
		saveForEver(t, path)
		return
	}
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(crashAnnotators), storetest.Systems(crashCards),
		storetest.Annotators(crashAnnotators), storetest.Set("redundancy=1", "release_hours=0"))
	for i := range crashAnnotators {
		s.Next(t, i)
	}
	storetest.Check(t, db.Close())
	path := db.Config.DSN

	child := exec.Command(os.Args[0], "-test.run=^TestCopyUnderLoad$")
	child.Env = append(os.Environ(), crashFile+"="+path)
	child.Stderr = os.Stderr
	out := storetest.Must(child.StdoutPipe())(t)
	storetest.Check(t, child.Start())
	var copied string
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		switch n {
		case 300:
			copied = storetest.CopyOf(t, path)
		case 400:
			storetest.Check(t, child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}

	saved := func(path string) int {
		st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: path}))(t)
		defer st.Close()
		return storetest.Query[int](t, &storetest.DB{Store: st}, "SELECT coalesce(sum(revision), 0) FROM drafts")[0]
	}
	if whole, part := saved(path), saved(copied); part >= whole-100 {
		t.Fatalf("the copy has %d of %d saves, so that this test shows nothing", part, whole)
	}
	const words = "was copied while a program was writing to it"
	for range 2 { // looking at it changes nothing
		if problems := storetest.ExamineFile(t, copied, false); len(problems) != 1 || !strings.Contains(problems[0], words) {
			t.Errorf("the doctor says of the copy: %q", problems)
		}
	}
	open := func(path string) (notices []string) {
		st, err := store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path, Notice: func(text string) { notices = append(notices, text) }})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Check(t, st.Close())
		return notices
	}
	if notices := open(copied); len(notices) != 1 || !strings.Contains(notices[0], words) {
		t.Errorf("opening the copy says %q", notices)
	}
	// The program that opened it has accepted it, and so does the doctor.
	if problems := storetest.ExamineFile(t, copied, false); len(problems) != 0 {
		t.Errorf("after it was opened, the doctor says of the copy: %q", problems)
	}

	// The database is opened twice: it is first recovered and then closed.
	for range 2 {
		if problems := storetest.ExamineFile(t, path, false); len(problems) != 0 {
			t.Errorf("the doctor says of the original: %q", problems)
		}
		if notices := open(path); len(notices) != 0 {
			t.Errorf("opening the original says %q", notices)
		}
	}
	if problems := storetest.ExamineFile(t, storetest.CopyOf(t, path), false); len(problems) != 0 {
		t.Errorf("the doctor says of a copy of the closed original: %q", problems)
	}
}

// The copied database is so new that all of it may still be in its log. The doctor can accept it, too.
func TestCopyOfANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "annotate.db")
	st := storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
	defer st.Close()
	storetest.Must(st.Accounts.AddUser(t.Context(), "mia", "", accounts.Member))(t)
	copied := storetest.CopyOf(t, path)
	if problems := storetest.ExamineFile(t, copied, false); len(problems) == 0 || !strings.Contains(problems[0], "was copied while") {
		t.Errorf("the doctor says %q", problems)
	}
	storetest.ExamineFile(t, copied, true)
	if problems := storetest.ExamineFile(t, copied, false); len(problems) > 0 && strings.Contains(problems[0], "was copied while") {
		t.Errorf("after it was accepted, the doctor says %q", problems)
	}
}

// Several programs have a database open, and close it in any order.
func TestUseMarkOfSeveralPrograms(t *testing.T) {
	db := storetest.Open(t)
	path := db.Config.DSN
	isMarked := func() bool { return len(storetest.ExamineFile(t, storetest.CopyOf(t, path), false)) > 0 }
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		storetest.Check(t, db.Close())
		if isMarked() {
			t.Fatal("the file is marked before it is opened")
		}
		var open []*store.Store
		for range order {
			open = append(open, storetest.Must(store.Open(t.Context(), db.Config))(t))
			if !isMarked() {
				t.Error("the file is not marked although it is open")
			}
		}
		for n, i := range order {
			if _, err := open[i].Accounts.AddUser(t.Context(), fmt.Sprintf("user%d%d", order[0], n), "", accounts.Member); err != nil {
				t.Fatal(err)
			}
			storetest.Check(t, open[i].Close())
			if last := n == len(order)-1; isMarked() == last {
				t.Errorf("order %v: after %d of 3 were closed, marked is %v", order, n+1, !last)
			}
		}
		if _, err := os.Stat(path + "-wal"); err == nil {
			t.Error("the log is left after everybody closed the database")
		}
	}
}

// The connection that holds the mark does not keep SQLite from reusing the log.
func TestUseMarkLetsTheLogBeReused(t *testing.T) {
	db := storetest.Open(t)
	for range 200 {
		err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
			return tx.Exec("INSERT INTO application_values (name, value) VALUES ('long', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", strings.Repeat("long", 25_000)).Error
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// SQLite begins anew after 1,000 pages of 4 KB; what was written is 20 MB.
	if info := storetest.Must(os.Stat(db.Config.DSN + "-wal"))(t); info.Size() > 8<<20 {
		t.Errorf("the log has %d bytes", info.Size())
	}
}
