// Package migrations embeds the SQL that builds the database and describes it: a file for each
// subject, with what every table and column means. The same files run on SQLite and PostgreSQL:
// ids are text made by the store, moments are microseconds since 1970 UTC, and the types stay
// within TEXT, INTEGER, BIGINT, DOUBLE PRECISION and BOOLEAN. A file is never edited once it is
// merged, but for its comments: a change is a file of its own. Triggers are made by [Access]
// and [Places].
package migrations

import "embed"

// Files holds the migrations, named NNNNN_what.sql for goose.
//
//go:embed *.sql
var Files embed.FS
