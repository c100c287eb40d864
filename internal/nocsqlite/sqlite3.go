// Package sqlite3 is empty. It stands in the place of the SQLite driver in C that GORM's SQLite package
// imports and that annotate never opens, because compiling that driver takes a minute of processor
// time. The go.mod of annotate replaces the driver by this package. annotate opens SQLite with
// modernc.org/sqlite, which is Go.
package sqlite3
