package database

// A Growth renews PostgreSQL's statistics of tables while an import fills them. PostgreSQL
// renews them by itself, but only minutes later. Until then it uses plans for empty tables,
// so that statements and checks of foreign keys read a whole table for every row.
type Growth struct {
	Tables string // names of the tables, separated by commas
	next   int    // number of rows at which the statistics are renewed next
}

// growthFrom is the number of rows at which the statistics are renewed first. They are renewed
// again each time the number has grown fourfold.
const growthFrom = 1000

// Note renews the statistics of the tables if they have grown enough. rows is the number of
// rows that the transaction has written so far. On SQLite it does nothing.
func (g *Growth) Note(tx *Tx, rows int) error {
	if tx.Name() != Postgres || rows < max(g.next, growthFrom) {
		return nil
	}
	g.next = 4 * rows
	return tx.Exec("ANALYZE " + g.Tables).Error
}
