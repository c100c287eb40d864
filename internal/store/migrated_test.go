package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/migrations"
)

// A database from before states followed from facts comes out as if they always had:
// the acts of leads and what they entered are kept, what was stored against the rules
// is decided anew, and the audit log says what changed.
func TestMigratedStates(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		t.Run("sqlite", func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "annotate.db")
			checkMigrated(t, database.Config{Driver: database.SQLite, DSN: path}, "sqlite", goose.DialectSQLite3)
		})
	})
	t.Run("postgres", func(t *testing.T) {
		checkMigrated(t, database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)}, "pgx", goose.DialectPostgres)
	})
}

// before is the schema of the last migration before that of acts.
const before = 16

func checkMigrated(t *testing.T, cfg database.Config, driver string, dialect goose.Dialect) {
	pool, err := sql.Open(driver, cfg.DSN)
	storetest.Check(t, err)
	old := &oldDatabase{t: t, pool: pool}
	provider, err := goose.NewProvider(dialect, pool, migrations.Files)
	storetest.Check(t, err)
	if _, err := provider.UpTo(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	old.fill()
	storetest.Check(t, pool.Close())

	if cfg.Driver == database.Postgres {
		st := storetest.Must(store.OpenUnmigrated(cfg))(t)
		storetest.Check(t, st.MigrateUp(t.Context()))
		storetest.Check(t, st.Close())
	}
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	defer st.Close()
	db := &storetest.DB{Store: st, Config: cfg}

	var got []string
	for _, slug := range []string{"gated", "reported"} {
		c := storetest.Must(st.Campaign(t.Context(), slug))(t)
		s := &storetest.Sample{Store: st, Campaign: c}
		for _, seg := range s.All(t) {
			gold := ""
			for _, x := range seg.Translations {
				if x.Gold != nil {
					gold += fmt.Sprint(" ", x.Gold.Score)
				}
			}
			got = append(got, fmt.Sprintf("%s %s in round %d, gold%s", seg.SegmentID, seg.Status, seg.Round, gold))
		}
	}
	want := []string{
		"entered adjudicated in round 2, gold 3 1.5 2", // the third has the mean of 4 and 0
		"discarded discarded in round 1, gold",
		"withdrawn withdrawn in round 1, gold",
		"reopened agreed in round 2, gold 0.5 2 4",
		"late reannotate in round 2, gold",
		"aside agreed in round 1, gold 0 2 4",
		"failed below_threshold in round 1, gold 2 2 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the segments are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	acts := storetest.Query[string](t, db, "SELECT g.segment_id || ': ' || c.kind FROM acts c JOIN segments g ON g.id = c.segment_id WHERE g.holding = c.id ORDER BY g.segment_id")
	if want := []string{"discarded: discard", "entered: adjudicate", "reopened: another look", "withdrawn: withdraw"}; !slices.Equal(acts, want) {
		t.Errorf("decided by %q, want %q", acts, want)
	}
	asked := storetest.Query[string](t, db, `SELECT u.login FROM assignments a JOIN segments g ON g.id = a.segment_id JOIN users u ON u.id = a.user_id
		WHERE g.segment_id = 'late' AND a.round = 2 AND a.work = 'asked' AND a.state = 'open' ORDER BY u.login`)
	if !slices.Equal(asked, []string{"ann1", "ann2", "ann3"}) {
		t.Errorf("%q are asked for the second look", asked)
	}
	if n := storetest.Count(t, db, "ratings"); n != old.ratings {
		t.Errorf("%d ratings, want all %d kept", n, old.ratings)
	}
	for slug, want := range map[string]string{
		"gated":    "decide by the rules of this version|2 of 6 segments change: 1 agreed -> reannotate, 1 reannotate -> agreed|the database was brought up to date",
		"reported": "decide by the rules of this version|1 of 1 segments change: 1 ungated -> below_threshold|the database was brought up to date",
	} {
		log := storetest.Query[string](t, db, "SELECT l.act || '|' || l.subject || '|' || l.reason FROM audit_log l WHERE l.campaign_id = ?", slug)
		if !slices.Equal(log, []string{want}) {
			t.Errorf("the audit log of %s has %q, want %q", slug, log, want)
		}
		c := storetest.Must(st.Campaign(t.Context(), slug))(t)
		if p := storetest.Must(storetest.FollowAll(t.Context(), st, c.ID))(t); p.Changed() != 0 {
			t.Errorf("of %s followed once more, %s", slug, p)
		}
	}
	for _, c := range storetest.Must(st.Campaigns(t.Context()))(t) {
		if differences := storetest.Must(st.CheckTallies(t.Context(), c.ID))(t); len(differences) > 0 {
			t.Errorf("%s: %q", c.Slug, differences)
		}
	}
	// Taken back, what the ratings say holds again.
	c := storetest.Must(st.Campaign(t.Context(), "gated"))(t)
	storetest.Check(t, st.RestoreSegments(t.Context(), c.ID, []string{"discarded"}, "a mistake", ""))
	if got := storetest.Query[string](t, db, "SELECT status FROM segments WHERE id = 'discarded'")[0]; got != string(campaign.Agreed) {
		t.Errorf("with the decision taken back it is %s", got)
	}
}

// An oldDatabase is one at the schema before, into which rows are written as the
// program of that time left them. Ids are names: those of segments their own, those
// of campaigns their slugs, those of users their logins.
type oldDatabase struct {
	t       *testing.T
	pool    *sql.DB
	ratings int
	at      int
}

func (o *oldDatabase) exec(format string, args ...any) {
	o.t.Helper()
	if _, err := o.pool.ExecContext(o.t.Context(), fmt.Sprintf(format, args...)); err != nil {
		o.t.Fatal(err)
	}
}

func (o *oldDatabase) fill() {
	for _, login := range []string{"ann1", "ann2", "ann3", "gone"} {
		o.exec("INSERT INTO users (id, login, name, role, password_hash, created_at) VALUES ('%s', '%s', '', 'member', 'x', 1)", login, login)
	}
	for slug, gate := range map[string]string{"gated": "on", "reported": "report"} {
		o.exec(`INSERT INTO campaigns (id, slug, title, protocol, state, settings, created_at) VALUES ('%s', '%s', 'Old', 'sqm', 'open', '{"gate":"%s","redundancy":"2","rounds":"2","threshold":"0.7","tolerance":"0.5"}', 1)`, slug, slug, gate)
		for _, login := range []string{"ann1", "ann2", "ann3", "gone"} {
			o.exec("INSERT INTO memberships (campaign_id, user_id, role, created_at, set_aside, set_aside_at) VALUES ('%s', '%s', 'annotator', 1, %v, %d)", slug, login, login == "gone", map[bool]int{true: 500}[login == "gone"])
		}
		o.exec("INSERT INTO documents (id, campaign_id, doc_id) VALUES ('%s-d', '%s', 'd')", slug, slug)
		for _, system := range []string{"a", "b", "c"} {
			o.exec("INSERT INTO systems (id, campaign_id, name) VALUES ('%s-%s', '%s', '%s')", slug, system, slug, system)
		}
	}

	o.segment("gated", "entered", "adjudicated", 2, "adjudicated", 0)
	o.exec("UPDATE translations SET adjudicated = 3 WHERE id = 'entered-a'")
	o.exec("UPDATE translations SET adjudicated = 1.5 WHERE id = 'entered-b'")
	for round, status := range []string{"reannotate", "discarded"} {
		o.rated("entered", "ann1", round+1, 0, 2, 4)
		o.rated("entered", "ann2", round+1, 4, 2, 0)
		o.decided("entered", round+1, false, status)
	}

	o.segment("gated", "discarded", "discarded", 1, "discarded", 0)
	o.agreed("discarded", 1)

	o.segment("gated", "withdrawn", "withdrawn", 1, "withdrawn", 0)
	o.rated("withdrawn", "ann1", 1, 0, 2, 4)
	o.assignment("withdrawn", "ann2", 1, "released", "")

	o.segment("gated", "reopened", "agreed", 2, "", 2)
	o.agreed("reopened", 1)
	o.rated("reopened", "ann1", 2, 0, 2, 4)
	o.rated("reopened", "ann2", 2, 1, 2, 4)
	o.decided("reopened", 2, true, "agreed")

	o.segment("gated", "late", "agreed", 1, "", 0)
	o.agreed("late", 1)
	o.rated("late", "ann3", 1, 4, 2, 0)
	o.exec("UPDATE assignments SET late = TRUE WHERE id = 'late-ann3-1'")

	// Sent back for what somebody gave whose work was set aside afterwards.
	o.segment("gated", "aside", "reannotate", 2, "", 0)
	o.rated("aside", "gone", 1, 4, 2, 0)
	o.exec("UPDATE assignments SET set_aside = 'submitted', state = 'released' WHERE id = 'aside-gone-1'")
	o.rated("aside", "ann1", 1, 0, 2, 4)
	o.decided("aside", 1, false, "reannotate")
	o.rated("aside", "ann2", 1, 0, 2, 4)
	o.assignment("aside", "ann1", 2, "open", "")

	o.segment("reported", "failed", "ungated", 1, "", 0)
	o.rated("failed", "ann1", 1, 0, 2, 4)
	o.rated("failed", "ann2", 1, 4, 2, 0)
	o.decided("failed", 1, false, "ungated")
}

func (o *oldDatabase) segment(slug, id, status string, round int, ruling string, reopened int) {
	o.at++
	o.exec(`INSERT INTO segments (id, campaign_id, document_id, segment_id, position, source, status, round, taken, ruling, reopened)
		VALUES ('%s', '%s', '%s-d', '%s', %d, 'text', '%s', %d, 2, '%s', %d)`, id, slug, slug, id, o.at, status, round, ruling, reopened)
	for _, system := range []string{"a", "b", "c"} {
		o.exec("INSERT INTO translations (id, segment_id, system_id, text) VALUES ('%s-%s', '%s', '%s-%s', 'text')", id, system, id, slug, system)
	}
}

func (o *oldDatabase) assignment(segment, login string, round int, state, aside string) string {
	o.at++
	id := fmt.Sprintf("%s-%s-%d", segment, login, round)
	o.exec(`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at, submitted_at, set_aside)
		SELECT '%s', campaign_id, id, '%s', %d, '%s', 1, %d, %d, %d, '%s' FROM segments WHERE id = '%s'`, id, login, round, state, o.at, o.at, map[bool]int{true: o.at}[state == "submitted"], aside, segment)
	return id
}

// rated is a turn that its annotator submitted, by system.
func (o *oldDatabase) rated(segment, login string, round int, scores ...float64) {
	id := o.assignment(segment, login, round, "submitted", "")
	o.exec("UPDATE assignments SET ratings = 3 WHERE id = '%s'", id)
	for i, system := range []string{"a", "b", "c"} {
		given := fmt.Sprintf(`{"sqm":%g}`, scores[i])
		o.exec("INSERT INTO drafts (assignment_id, translation_id, revision, scores, saved_at) VALUES ('%s', '%s-%s', 1, '%s', %d)", id, segment, system, given, o.at)
		o.exec("INSERT INTO ratings (id, assignment_id, translation_id, scores, gate_score, submitted_at) VALUES ('%s-%s', '%s', '%s-%s', '%s', %g, %d)", id, system, id, segment, system, given, scores[i], o.at)
		o.ratings++
	}
}

// agreed is a round in which two annotators gave the same.
func (o *oldDatabase) agreed(segment string, round int) {
	o.rated(segment, "ann1", round, 0, 2, 4)
	o.rated(segment, "ann2", round, 0, 2, 4)
	o.decided(segment, round, true, "agreed")
}

func (o *oldDatabase) decided(segment string, round int, passed bool, status string) {
	o.at++
	r, reason := -1, "below_threshold"
	if passed {
		r, reason = 1, "agreed"
	}
	o.exec(`INSERT INTO decisions (id, segment_id, round, passed, status, gate, threshold, tolerance, annotators, pairs, decided_at)
		VALUES ('%s-%d', '%s', %d, %v, '%s', 'on', 0.7, 0.5, 2, '[{"a":"ann1","b":"ann2","shared":3,"r":%d,"reason":"%s","passed":%v}]', %d)`,
		segment, round, segment, round, passed, status, r, reason, passed, o.at)
}
