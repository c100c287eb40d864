package migrations

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// Places gives each assignment the document and the position of its segment, which never change, so that lists of an annotator's
// segments are put in order without reading the segments. A trigger fills them in.
func Places(dialect goose.Dialect) *goose.Migration {
	statements := []string{
		"ALTER TABLE assignments ADD COLUMN in_document TEXT NOT NULL DEFAULT ''",   // id of the document of its segment
		"ALTER TABLE assignments ADD COLUMN at_position INTEGER NOT NULL DEFAULT 0", // position of its segment
		"UPDATE assignments SET in_document = g.document_id, at_position = g.position FROM all_segments g WHERE g.id = assignments.segment_id",
		"DROP INDEX assignments_of_user",
		`CREATE INDEX assignments_of_user ON assignments
			(campaign_id, state, user_id, submitted_at, id, segment_id, round, work, ratings, seconds, in_document, at_position)`,
	}
	if dialect == goose.DialectPostgres {
		statements = append(statements,
			`CREATE FUNCTION place_assignment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	SELECT g.document_id, g.position INTO NEW.in_document, NEW.at_position FROM all_segments g WHERE g.id = NEW.segment_id;
	RETURN NEW;
END $$`,
			"CREATE TRIGGER assignments_placed BEFORE INSERT ON assignments FOR EACH ROW WHEN (NEW.in_document = '') EXECUTE FUNCTION place_assignment()")
	} else {
		statements = append(statements, `CREATE TRIGGER assignments_placed AFTER INSERT ON assignments WHEN NEW.in_document = '' BEGIN
	UPDATE assignments SET in_document = g.document_id, at_position = g.position FROM all_segments g WHERE g.id = NEW.segment_id AND assignments.id = NEW.id;
END`)
	}
	m := goose.NewGoMigration(278, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}}, nil)
	m.Source = "00278_places.go"
	return m
}
