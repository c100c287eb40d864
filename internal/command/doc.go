// Package command holds what every command of the command line needs: its streams and its configuration
// ([App]), opening the database, finding a campaign, errors with their exit codes, tables and JSON on
// standard output, files that appear when they are complete, and progress. It also has the largest commands:
// agreement, metaeval, plan and score. The others are in cmd/annotate, which puts all together.
//
// Only the command line imports it.
//
// The configuration is read from annotate.ini and the environment. [Options] lists all options. The file has
// sections and options:
//
//	[database]
//	driver = postgres
//	dsn = postgres://annotate@localhost/annotate
//
//	[server]
//	addr = 127.0.0.1:8080
//
// Each option also has an environment variable, such as ANNOTATE_DATABASE_DSN, which overrides the file.
// An empty option or variable counts as not set. A line that begins with # or ; is a comment. The value
// is everything after the first = up to the end of the line. #, ; and % have no special meaning in it,
// and quotes are not removed.
package command
