// Package command holds what every command of the command line needs: its streams and its
// configuration ([App]), opening the database, finding a campaign, errors with their exit
// codes, tables and JSON on standard output, files that appear when they are complete, and
// progress. It also has the commands with much of their own: agreement, metaeval, plan and
// score. The others are in cmd/annotate, which puts all of them together.
//
// Only the command line imports it.
package command
