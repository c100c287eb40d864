package database

// A Growth tells PostgreSQL while an import fills tables how large they have
// become. It would notice by itself, but minutes later: until then the statements
// and the checks of foreign keys that it has planned for empty tables read all of
// a table for each row.
type Growth struct {
	Tables string
	next   int // rows
}

// growthFrom is how many rows are worth the first look at the tables; each next
// look comes after four times as many.
const growthFrom = 1000

// Note counts rows that a transaction has written, and renews the statistics of the
// tables where PostgreSQL would plan by old ones.
func (g *Growth) Note(tx *Tx, rows int) error {
	if tx.Name() != Postgres || rows < max(g.next, growthFrom) {
		return nil
	}
	g.next = 4 * rows
	return tx.Exec("ANALYZE " + g.Tables).Error
}
