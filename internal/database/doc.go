// Package database opens SQLite or PostgreSQL and makes every read and write. It is
// the only place that knows drivers and migrations.
//
// A write is one transaction ([DB.Write], tx.go). The transaction notes what it touches,
// and brings the sums that pages read up to date before it commits. On SQLite one
// goroutine runs all writes and commits those that wait together (write.go), so that they
// share a flush to the disk. Readers never wait.
package database
