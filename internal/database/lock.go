package database

import (
	"slices"

	"gorm.io/gorm/clause"
)

// lockTimeout is how long a write waits for a lock on PostgreSQL. The write holds a
// connection while it waits. If writes waited longer behind an import, they would soon
// hold all connections, and pages would find none.
const lockTimeout = "3s"

// Alone reports whether no other transaction can write before this one ends. So it is on SQLite.
func (tx *Tx) Alone() bool { return tx.Name() != Postgres }

// Lock locks rows of a table by their ids until the transaction ends, in the order of the
// ids. It ignores ids that do not exist. Other transactions may still insert rows that refer
// to the locked ones. A stronger lock could be a deadlock: one transaction would lock a
// campaign and wait for a segment, while another holds that segment and waits for the
// campaign.
//
// If the transaction is alone, it does nothing.
func (tx *Tx) Lock(table string, ids ...string) error {
	if tx.Alone() {
		return nil
	}
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), MaxParameters) {
		var locked []string
		err := tx.Table(table).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select("id").Where("id IN ?", part).Order("id").Scan(&locked).Error
		if err != nil {
			return err
		}
	}
	return nil
}
