package database

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
)

// Before the schema had a file for each subject, it had a migration for each change, with numbers up
// to 96. This file brings databases of annotate b58bae9, which had the migrations up to 90, to the
// schema of subjects, and those of its successors, which had 94 and 96. It can be deleted once no such
// database is left, with its test and testdata (internal/store/upgrade_test.go).

// oldSchemaHelp says what to do with a database that is too old.
const oldSchemaHelp = "it can do that with schema 90, which annotate b58bae9 has, and with its successors up to 96; open the database with annotate b58bae9 first (on PostgreSQL run its annotate migrate up), then with this program"

// oldVersions are the migrations of annotate b58bae9.
var oldVersions = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 30, 31, 32, 40, 45, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	64, 65, 66, 67, 68, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 87, 88, 89, 90}

// upgradeSteps lead from schema 90 to that of the files up to lastOfSubjects. A step is left out if
// its migration was applied.
var upgradeSteps = []struct {
	version int64
	sql     string
}{
	{94, `CREATE TABLE invitations (
	campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
	user_id     TEXT NOT NULL REFERENCES users (id),
	role        TEXT NOT NULL,
	adjudicates BOOLEAN NOT NULL DEFAULT FALSE,
	by_id       TEXT NOT NULL REFERENCES users (id),
	at          BIGINT NOT NULL,
	token_hash  TEXT NOT NULL DEFAULT '',
	expires_at  BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (campaign_id, user_id)
);
CREATE INDEX invitations_user ON invitations (user_id);
CREATE INDEX invitations_token ON invitations (token_hash);
CREATE TABLE invitation_holders (
	campaign_id TEXT NOT NULL,
	user_id     TEXT NOT NULL,
	holder_id   TEXT NOT NULL REFERENCES users (id),
	PRIMARY KEY (campaign_id, user_id, holder_id),
	FOREIGN KEY (campaign_id, user_id) REFERENCES invitations (campaign_id, user_id) ON DELETE CASCADE
)`},
	{96, `ALTER TABLE all_judges ADD COLUMN about TEXT NOT NULL DEFAULT '';
DROP VIEW judges;
CREATE VIEW judges AS SELECT j.id, j.campaign_id, j.name, j.method, j.model, j.made_at, j.about FROM all_judges j
    WHERE j.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = j.import_id);
CREATE TABLE judge_calibrations (
	judge_id   TEXT NOT NULL REFERENCES all_judges (id) ON DELETE CASCADE,
	segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
	PRIMARY KEY (judge_id, segment_id)
);
CREATE INDEX judge_calibrations_segment ON judge_calibrations (segment_id)`},
	{0, "ALTER TABLE campaigns DROP COLUMN formed"},
	// Old changes of settings have both values in one text, such as "0.7 -> 0.9".
	{0, `UPDATE settings_changes SET was = substr(became, 1, strpos(became, ' -> ') - 1), became = substr(became, strpos(became, ' -> ') + 4)
	WHERE was = '' AND became LIKE '% -> %'`},
	{0, `CREATE TABLE jobs (
	id          TEXT PRIMARY KEY,
	kind        TEXT NOT NULL CHECK (kind IN ('act', 'settings', 'member')),
	campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
	user_id     TEXT REFERENCES users (id) ON DELETE CASCADE,
	position    INTEGER NOT NULL DEFAULT 0,
	done        INTEGER NOT NULL DEFAULT 0,
	total       INTEGER NOT NULL DEFAULT 0,
	beat        BIGINT NOT NULL DEFAULT 0,
	state       TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX jobs_campaign ON jobs (campaign_id);
INSERT INTO jobs (id, kind, campaign_id, beat) SELECT batch, 'act', campaign_id, beat FROM batches_under_way;
INSERT INTO jobs (id, kind, campaign_id, user_id, position, done, total, state)
	SELECT campaign_id, 'settings', campaign_id, by_id, position, followed, segments, effect FROM settings_effects WHERE NOT done;
INSERT INTO jobs (id, kind, campaign_id, user_id) SELECT campaign_id || '/' || user_id, 'member', campaign_id, user_id FROM member_changes;
DROP TABLE batches_under_way;
DROP TABLE settings_effects;
DROP TABLE member_changes`},
	{0, `DROP VIEW segments;
DROP VIEW segment_tallies;
ALTER TABLE staged_imports DROP COLUMN until_position;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position)`},
}

// lastOfSubjects is the last file of the schema that upgradeSteps lead to.
const lastOfSubjects = 213

// canUpgrade reports whether a database has an old schema that upgradeSteps know.
func canUpgrade(applied map[int64]bool) bool {
	for _, version := range oldVersions {
		if !applied[version] {
			return false
		}
	}
	for version := range applied {
		if version != 94 && version != 96 && !slices.Contains(oldVersions, version) {
			return false
		}
	}
	return true
}

// upgrade brings a database with an old schema to the schema of subjects, in one transaction. It
// does nothing with other databases.
func (d *DB) upgrade(ctx context.Context, m *goose.Provider) error {
	pool, err := d.Conn.DB()
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if d.Dialect == Postgres {
		if _, err := tx.ExecContext(ctx, "LOCK TABLE goose_db_version IN EXCLUSIVE MODE"); err != nil {
			return err
		}
	}
	applied, err := appliedVersions(ctx, tx)
	if err != nil || !canUpgrade(applied) {
		return err
	}
	// What annotate b58bae9 computes after its migrations, it must have computed, and no import may be
	// half undone.
	var unfinished int
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM staged_imports) + count(*) FROM campaigns c WHERE NOT c.deleted AND (NOT c.formed OR EXISTS (SELECT 1 FROM all_segments s WHERE s.campaign_id = c.id)
		AND NOT EXISTS (SELECT 1 FROM campaign_tallies k WHERE k.campaign_id = c.id))`).
		Scan(&unfinished)
	if err != nil {
		return err
	}
	if unfinished > 0 {
		return fmt.Errorf(
			"annotate b58bae9 was stopped while it brought the database up to date or imported: start its server once more, then open the database with this program",
		)
	}
	var statements []string
	for _, step := range upgradeSteps {
		if !applied[step.version] {
			sql := step.sql
			if d.Dialect == SQLite {
				sql = strings.ReplaceAll(sql, "strpos(", "instr(")
			}
			statements = append(statements, sql)
		}
	}
	statements = append(statements, "DELETE FROM goose_db_version WHERE version_id > 0")
	for _, file := range m.ListSources() {
		if file.Version <= lastOfSubjects {
			statements = append(statements, fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, TRUE)", file.Version))
		}
	}
	if _, err := tx.ExecContext(ctx, strings.Join(statements, ";\n")); err != nil {
		return fmt.Errorf("bring the database over from schema 90: %w", err)
	}
	return tx.Commit()
}
