package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store"
)

// Query reads the rows of a statement.
func Query[T any](t testing.TB, db *DB, sql string, args ...any) []T {
	t.Helper()
	var out []T
	if err := Conn(db.Store).WithContext(t.Context()).Raw(sql, args...).Scan(&out).Error; err != nil {
		t.Fatal(err)
	}
	return out
}

// Count counts the rows of "table WHERE condition".
func Count(t testing.TB, db *DB, from string, args ...any) int {
	t.Helper()
	return Query[int](t, db, "SELECT count(*) FROM "+from, args...)[0]
}

// Tables lists the tables of the schema.
func Tables(t testing.TB, db *DB) []string {
	t.Helper()
	if db.Driver() == database.Postgres {
		return Query[string](t, db, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	}
	return Query[string](t, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
}

// Exec changes rows that no method changes.
func Exec(t testing.TB, db *DB, sql string, args ...any) {
	t.Helper()
	if err := Conn(db.Store).Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

// undone has the statements that undo the newest migrations, the newest first.
var undone = [][]string{
	{"DROP INDEX documents_changes", "ALTER TABLE campaign_tallies DROP COLUMN resets"},
	{"DROP INDEX decisions_segment", "CREATE INDEX decisions_segment ON decisions (segment_id, round)"},
	{
		"DROP TRIGGER assignments_placed",
		"DROP FUNCTION place_assignment() CASCADE",
		"DROP INDEX assignments_of_user",
		"CREATE INDEX assignments_of_user ON assignments (campaign_id, state, user_id, submitted_at, id, segment_id, round, work, ratings, seconds)",
		"ALTER TABLE assignments DROP COLUMN in_document",
		"ALTER TABLE assignments DROP COLUMN at_position",
	},
	{"DROP INDEX segments_imported"},
	dropped("users", "sessions", "second_factors", "memberships", "campaigns"),
	{
		"DROP INDEX assignments_of_user",
		"CREATE INDEX assignments_of_user ON assignments (campaign_id, state, user_id, submitted_at, round, ratings, seconds, touched_at)",
	},
	{},
	{"ALTER TABLE acts DROP COLUMN brought_before", "ALTER TABLE acts DROP COLUMN text_before"},
	{"ALTER TABLE documents DROP COLUMN changes"},
	{
		"DROP INDEX metric_segment_scores_metric",
		"CREATE INDEX metric_segment_scores_metric ON metric_segment_scores (metric_id)",
		"ALTER TABLE metric_segment_scores DROP COLUMN mean",
		"DROP INDEX lineage_of_campaign",
		"ALTER TABLE lineage DROP COLUMN campaign_id",
	},
	{
		"DROP INDEX segment_tallies_settled",
		"DROP VIEW segment_tallies",
		"ALTER TABLE all_segment_tallies DROP COLUMN settled",
		`CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
			WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position)`,
		"DROP TABLE settled_answers",
	},
	{"ALTER TABLE web_imports DROP COLUMN outcome"},
	{"DROP TABLE program_results", "DROP TABLE program_jobs"},
	{
		"DROP INDEX deliveries_mails",
		"DROP TABLE reminders",
		"DROP TABLE mail_holders",
		"ALTER TABLE users DROP COLUMN mail_off",
		"ALTER TABLE users DROP COLUMN mail",
	},
	{"DROP TABLE import_candidates", "DROP TABLE untranslated"},
	{"DROP TABLE subjects"},
	{"DROP TABLE recovery_codes", "DROP TABLE second_factors", "ALTER TABLE sessions DROP COLUMN awaits_code"},
	{"DROP TABLE deliveries", "DROP TABLE webhooks"},
	{"DROP VIEW given_terms", "DROP TABLE all_terms"},
	{"DROP VIEW kept_apart", "DROP TABLE aparts", "DROP TABLE lineage", "DROP TABLE follows"},
	{"DROP TABLE undecided"},
	{"DROP TABLE job_leases", "DROP TABLE sign_in_failures"},
	{
		"DROP TABLE candidates",
		"ALTER TABLE drafts DROP COLUMN answers",
		"ALTER TABLE ratings DROP COLUMN answers",
		"ALTER TABLE adjudicated DROP COLUMN answers",
		"ALTER TABLE staged_ratings DROP COLUMN answers",
	},
	{"DROP TABLE token_holders", "DROP TABLE token_campaigns", "DROP TABLE tokens"},
	{
		"DROP TABLE metric_segment_scores",
		"ALTER TABLE metrics DROP COLUMN systems",
		`CREATE TABLE metric_scores (
			metric_id      TEXT NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
			translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
			score          DOUBLE PRECISION NOT NULL,
			PRIMARY KEY (translation_id, metric_id)
		)`,
	},
}

// Older undoes the newest migration, so that the database is that of an older program.
func Older(t testing.TB, db *DB) { undo(t, db, undone[0]) }

// OlderThan undoes a migration, by its number, and the newer ones.
func OlderThan(t testing.TB, db *DB, migration int) {
	t.Helper()
	for _, statements := range undone {
		if Query[int](t, db, "SELECT max(version_id) FROM goose_db_version")[0] < migration {
			return
		}
		undo(t, db, statements)
	}
}

// dropped returns the statements that drop the triggers of tables that say who may do what.
func dropped(tables ...string) (statements []string) {
	for _, table := range tables {
		for _, event := range []string{"insert", "update", "delete"} {
			statements = append(statements, fmt.Sprintf("DROP TRIGGER access_%s_%s", table, event))
		}
	}
	return statements
}

// undo runs the statements that undo the newest migration.
func undo(t testing.TB, db *DB, statements []string) {
	t.Helper()
	for _, sql := range statements {
		other := "DROP FUNCTION" // takes its trigger along; SQLite has none
		if db.DB.Dialect == database.Postgres {
			other = "DROP TRIGGER"
		}
		if !strings.HasPrefix(sql, other) {
			Exec(t, db, sql)
		}
	}
	Exec(t, db, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
}

// Put writes a row without meaning.
func Put(tx *database.Tx, name string) error {
	return tx.Exec("INSERT INTO application_values (name, value) VALUES (?, '')", name).Error
}

// Places returns the number of taken places of a segment.
func Places(t *testing.T, db *DB, segment string) int {
	t.Helper()
	return Query[int](t, db, "SELECT taken FROM segments WHERE segment_id = ?", segment)[0]
}

// States lists the states of the assignments of a segment, by login and round.
func States(t *testing.T, db *DB, segment string) []string {
	t.Helper()
	rows := Query[struct {
		Login, State string
		Round        int
	}](t, db, `SELECT u.login, a.state, a.round FROM assignments a JOIN users u ON u.id = a.user_id JOIN segments s ON s.id = a.segment_id
		WHERE s.segment_id = ? ORDER BY a.round, u.login`, segment)
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s/%d %s", r.Login, r.Round, r.State))
	}
	return out
}

// Conn returns the database of a store, for tests that read rows.
func Conn(s *store.Store) *gorm.DB { return s.DB.Conn }

// Write runs a change as the methods of a store do.
func Write(ctx context.Context, s *store.Store, fn func(tx *database.Tx) error) error {
	return s.DB.Write(ctx, fn)
}

// FollowAll follows every segment of a campaign from its facts and returns what that
// changed. It changes nothing if every change before it followed its segments.
func FollowAll(ctx context.Context, s *store.Store, campaignID string) (readmodel.SettingsPreview, error) {
	var effect readmodel.SettingsPreview
	err := s.DB.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		f := s.Rounds.NewFollowing(tx, c)
		err = f.All()
		effect = f.Effect
		return err
	})
	return effect, err
}

// Follow changes rows that the state of segments follows from, and then follows these
// segments.
func Follow(ctx context.Context, s *store.Store, campaignID string, segmentRowIDs []string, change func(tx *database.Tx) error) error {
	return s.DB.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if err := records.LockSegments(tx, segmentRowIDs...); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		tx.TouchSegments(segmentRowIDs...)
		return s.Rounds.Follow(tx, c, segmentRowIDs...)
	})
}

// AuditLines gives the audit log as "login act subject", the oldest first.
func AuditLines(t *testing.T, db *DB, s *Sample) []string {
	t.Helper()
	entries, total, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if total != len(entries) {
		t.Errorf("%d entries of %d", len(entries), total)
	}
	var lines []string
	for _, e := range slices.Backward(entries) {
		line := e.Login + " " + e.Act + " " + e.Subject
		if e.Reason != "" {
			line += ": " + e.Reason
		}
		lines = append(lines, line)
	}
	return lines
}

// Rated returns what agreement is computed from in a segment that was read with its
// ratings, without decisions. Ratings without a gate score are left out.
func Rated(p *protocol.Protocol, s campaign.Segment) campaign.Rated {
	out := campaign.Rated{DocID: s.DocID, SegmentID: s.SegmentID, Status: s.Status, Round: s.Round}
	for _, t := range s.Translations {
		for _, r := range t.Ratings {
			if score, ok := p.GateScore(r.Rating); ok {
				out.Given = append(
					out.Given,
					campaign.Given{
						System:    t.System,
						Annotator: r.Annotator,
						Round:     r.Round,
						Score:     score,
						Spans:     campaign.AgreementSpans(r.Spans),
						At:        r.SubmittedAt,
					},
				)
			}
		}
	}
	return out
}
