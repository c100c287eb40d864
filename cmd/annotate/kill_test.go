package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
	"annotate/internal/work"
)

// Commands are killed at any moment beside annotators who save. No acknowledged save is lost, what was killed is done or not done,
// never half, and what was not done can be done again.
func TestKilledCommands(t *testing.T) {
	kills := newKills(t, 1)
	for _, act := range slices.Sorted(maps.Keys(kills.acts)) {
		kills.one(act)
	}
	kills.check()
	kills.log()
}

func TestSoakKilledCommands(t *testing.T) {
	until := time.Now().Add(testenv.SoakTime(t))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	kills := newKills(t, seed)
	acts := slices.Sorted(maps.Keys(kills.acts))
	for n := 0; time.Now().Before(until) && !t.Failed(); n++ {
		kills.one(acts[n%len(acts)])
	}
	kills.check()
	kills.log()
}

// importedSegments is how many segments a killed import brings.
const importedSegments = 800

// kills runs the program in a folder and kills it.
type kills struct {
	t      *testing.T
	rand   *rand.Rand
	dir    string
	db     *storetest.DB
	sample *storetest.Sample
	acts   map[string]func(kill bool)
	takes  map[string]time.Duration // by act, when its command last ended by itself
	killed map[string]int
	late   int // acts that had ended before they were killed
	n      int // acts so far, for names of their own
	export []byte

	stop         chan struct{}
	savers       sync.WaitGroup
	mu           sync.Mutex
	acknowledged []int // last revision by annotator
}

func newKills(t *testing.T, seed uint64) *kills {
	db := storetest.Open(t)
	k := &kills{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), dir: filepath.Dir(db.Config.DSN), db: db,
		takes: map[string]time.Duration{}, killed: map[string]int{}, stop: make(chan struct{}),
	}
	k.sample = storetest.Campaign(t, db.Store, storetest.Segments(30), storetest.Annotators(4), storetest.Set("redundancy=2", "gate=report", "release_hours=0"))
	for range 10 {
		k.sample.RateNext(t, 0, 0, 2, 4)
		k.sample.RateNext(t, 1, 1, 2, 3)
	}
	storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Segments(0))
	db.DB.DeadAfter = 50 * time.Millisecond // nobody else uses the database while it drops what was killed
	k.acts = map[string]func(bool){"import": k.imports, "export": k.exports, "report": k.reports, "backup": k.backups}
	for name := range killedImports {
		k.acts[name] = k.importKind(name)
	}
	for _, name := range killedUndos {
		k.acts["undo "+name] = k.undoKind(name)
	}
	k.save()
	for _, act := range []string{"import", "export", "report", "backup"} {
		k.acts[act](false)
	}
	for act := range k.acts {
		if k.takes[act] == 0 { // a first guess
			k.takes[act] = k.takes["import"]
		}
	}
	return k
}

// save has the annotators save for ever, at the pace of several hundred people. If they saved
// without a pause, the commands would wait for the database longer than they work.
func (k *kills) save() {
	k.acknowledged = make([]int, len(k.sample.Annotators))
	pace := time.NewTicker(2 * time.Millisecond)
	k.t.Cleanup(pace.Stop)
	for i, u := range k.sample.Annotators {
		assignment := k.sample.Next(k.t, i)
		card := k.sample.Work(k.t, i, assignment).Cards[0].ID
		k.savers.Go(func() {
			for n := 0; ; {
				select {
				case <-k.stop:
					return
				case <-pace.C:
				}
				saved, err := k.db.Work.SaveCard(k.t.Context(), k.sample.Campaign, u.ID, work.CardSave{
					AssignmentID: assignment, CardID: card, Revision: n, Rating: storetest.Rating(float64(n % 5)),
				})
				if errors.Is(err, campaign.ErrBusy) {
					continue
				}
				if err != nil {
					k.t.Errorf("annotator %d: %v", i, err)
					return
				}
				n = saved.Revision
				k.mu.Lock()
				k.acknowledged[i] = n
				k.mu.Unlock()
			}
		})
	}
	k.t.Cleanup(func() { k.end() })
}

func (k *kills) saves() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, revision := range k.acknowledged {
		n += revision
	}
	return n
}

func (k *kills) end() {
	select {
	case <-k.stop:
	default:
		close(k.stop)
	}
	k.savers.Wait()
}

// log says what was tried.
func (k *kills) log() {
	k.t.Logf("killed %v, too late for %d, beside %d acknowledged saves", k.killed, k.late, k.saves())
}

func (k *kills) one(act string) { k.acts[act](true) }

// run runs a command of the program, kills it after a part of the time that it
// takes, and reports whether it had ended before.
func (k *kills) run(kill bool, args ...string) (ended bool) {
	k.t.Helper()
	return k.runAs(args[0], kill, args...)
}

// runAs is run for an act whose time is not that of all commands of its name.
func (k *kills) runAs(act string, kill bool, args ...string) (ended bool) {
	k.t.Helper()
	cmd := exec.Command("annotate", args...)
	cmd.Dir = k.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	if kill {
		takes := k.takes[act]
		timer := time.AfterFunc(time.Duration(k.rand.Int64N(int64(takes)+1)), func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	switch {
	case err == nil:
		k.takes[act] = time.Since(begin)
		if kill {
			k.late++
		}
		return true
	case !kill || cmd.ProcessState.Exited():
		k.t.Fatalf("annotate %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	if strings.Contains(stderr.String(), "was copied") {
		k.t.Errorf("a false alarm: %s", &stderr)
	}
	k.killed[act]++
	return false
}

func (k *kills) imports(kill bool) {
	k.n++
	var lines strings.Builder
	for i := range importedSegments {
		fmt.Fprintf(&lines, `{"doc_id":"%d","segment_id":"%d-%d","source":"a","translations":{"x":"b","y":"c"}}`+"\n", k.n, k.n, i)
	}
	file := filepath.Join(k.dir, "import.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		k.t.Fatal(err)
	}
	before := k.segments()
	ended := k.run(kill, "import", "other", "--format", "jsonl", file)
	switch n := k.segments() - before; {
	case n == importedSegments, n == 0 && !ended:
	default:
		k.t.Errorf("an import (ended: %v) brought %d of %d segments", ended, n, importedSegments)
	}
}

func (k *kills) segments() int {
	other, err := k.db.Records.Campaign(k.t.Context(), "other")
	if err != nil {
		k.t.Fatal(err)
	}
	p, err := k.db.Desk.Standing(k.t.Context(), other)
	if err != nil {
		k.t.Fatal(err)
	}
	return p.Segments.Total()
}

// output reads what a command has written to a file of its own; nil if there is no
// file, which there must be after the command ended.
func (k *kills) output(kill bool, args ...string) []byte {
	k.t.Helper()
	k.n++
	file := filepath.Join(k.dir, fmt.Sprintf("out%d.html", k.n))
	ended := k.run(kill, append(args, file)...)
	text, err := os.ReadFile(file)
	if err != nil && (ended || !os.IsNotExist(err)) {
		k.t.Errorf("annotate %s: %v", strings.Join(args, " "), err)
	}
	_ = os.Remove(file)
	return text
}

func (k *kills) exports(kill bool) {
	got := k.output(kill, "export", "sample", "--format", "jsonl", "--out")
	if !kill {
		k.export = got
	}
	if got != nil && !bytes.Equal(got, k.export) {
		k.t.Errorf("an export has %d bytes, want %d", len(got), len(k.export))
	}
}

func (k *kills) reports(kill bool) {
	if got := k.output(kill, "report", "sample", "--out"); got != nil && !bytes.HasSuffix(bytes.TrimSpace(got), []byte("</html>")) {
		k.t.Errorf("a report ends in the middle, after %d bytes", len(got))
	}
}

func (k *kills) backups(kill bool) {
	k.mu.Lock()
	before := slices.Clone(k.acknowledged)
	k.mu.Unlock()
	k.n++
	file := filepath.Join(k.dir, fmt.Sprintf("backup%d.db", k.n))
	ended := k.run(kill, "backup", file)
	if _, err := os.Stat(file); err != nil {
		if ended {
			k.t.Errorf("a backup that ended: %v", err)
		}
		return
	}
	restored := database.Config{Driver: database.SQLite, DSN: filepath.Join(k.t.TempDir(), "annotate.db")}
	_, err := store.Restore(k.t.Context(), restored, file, store.RestoreOptions{Report: func(f store.Finding) {
		if len(f.Problems) > 0 {
			k.t.Errorf("a backup: %s: %v", f.Check, f.Problems)
		}
	}})
	if err != nil {
		k.t.Errorf("a backup: %v", err)
		return
	}
	k.hold(restored, before)
	_ = os.Remove(file)
}

// hold fails the test if a database lacks saves or its opening raises an alarm.
func (k *kills) hold(cfg database.Config, revisions []int) {
	k.t.Helper()
	cfg.Notice = func(text string) { k.t.Errorf("a false alarm: %s", text) }
	st, err := store.Open(k.t.Context(), cfg)
	if err != nil {
		k.t.Fatal(err)
	}
	defer st.Close()
	at := &storetest.Sample{Store: st, Campaign: k.sample.Campaign, Annotators: k.sample.Annotators}
	for i, want := range revisions {
		if got := at.Work(k.t, i, at.Next(k.t, i)).Cards[0].Revision; got < want {
			k.t.Errorf("annotator %d: revision %d is stored, %d was acknowledged", i, got, want)
		}
	}
}

// check looks at the database after all of it.
func (k *kills) check() {
	k.t.Helper()
	k.end()
	if err := k.db.Intake.DropDead(k.t.Context()); err != nil {
		k.t.Error(err)
	}
	k.nothingStaged()
	err := k.db.Doctor(k.t.Context(), false, func(f store.Finding) {
		if len(f.Problems) > 0 {
			k.t.Errorf("%s: %v", f.Check, f.Problems)
		}
	})
	if err != nil {
		k.t.Error(err)
	}
	if err := k.db.Close(); err != nil {
		k.t.Error(err)
	}
	k.hold(k.db.Config, k.acknowledged)
}
