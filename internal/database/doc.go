// Package database opens SQLite or PostgreSQL and runs every read and write. No other package
// knows drivers and migrations.
//
// A write is one transaction ([DB.Write], tx.go). The transaction records which segments it
// touches, and brings the sums that pages read up to date before it commits. On SQLite one
// goroutine runs all writes. It commits the writes that are waiting together (write.go), so
// that they share a flush to the disk. Readers never wait for writers.
package database
