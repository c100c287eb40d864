package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
)

// AccessVersion is the name of the row of application_values whose value rises, on SQLite, with every change of a table in
// accessTables. A change by another program raises it, too.
const AccessVersion = "access_version"

// accessTables say who is signed in, and what people may do in a campaign.
var accessTables = []string{"users", "sessions", "second_factors", "memberships", "campaigns"}

// Access makes the triggers that raise [AccessVersion]. PostgreSQL has no use for them: there a change of that row would make
// everybody who signs in wait for everybody else who does.
func Access(dialect goose.Dialect) *goose.Migration {
	up := &goose.GoFunc{}
	if dialect == goose.DialectSQLite3 {
		up.RunTx = func(ctx context.Context, tx *sql.Tx) error {
			for _, table := range accessTables {
				for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
					_, err := tx.ExecContext(ctx, fmt.Sprintf(`CREATE TRIGGER access_%s_%s AFTER %s ON %s BEGIN
	INSERT INTO application_values (name, value) VALUES ('%s', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END`, table, strings.ToLower(event), event, table, AccessVersion))
					if err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	m := goose.NewGoMigration(276, up, nil)
	m.Source = "00276_access.go"
	return m
}
