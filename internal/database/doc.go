// Package database opens SQLite or PostgreSQL and makes every read and write. It is
// the only place that knows drivers and migrations.
//
// A write is one transaction ([DB.Write]). What it touches is noted (touched.go), and
// the sums that pages read are brought up to date before it commits. On SQLite all
// writes pass through one goroutine that commits those waiting together (write.go), so
// that they share a flush to the disk; readers never wait.
package database
