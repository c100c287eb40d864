package intake

import (
	"context"
	"errors"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// An importOnSegments stages rows about segments that the campaign has.
type importOnSegments struct {
	ctx      context.Context
	s        *Store
	st       *stagedImport
	db       *gorm.DB // for queries between the steps
	c        campaign.Campaign
	problems campaign.Problems
	report   readmodel.ImportReport
}

// importOnSegments runs work, which reads what is imported and publishes it. If work fails, nothing
// of the import is left.
func (s *Store) importOnSegments(ctx context.Context, campaignID string, work func(im *importOnSegments) error) (readmodel.ImportReport, error) {
	st, c, err := s.stage(ctx, campaignID, stageOnSegments)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	im := &importOnSegments{ctx: ctx, s: s, st: st, db: s.db.Read(ctx), c: c}
	if err := st.Run(ctx, func() error { return work(im) }); err != nil {
		return readmodel.ImportReport{}, err
	}
	return im.report, nil
}

// refuse adds a problem with a line.
func (im *importOnSegments) refuse(at campaign.Place, field, msg string) {
	im.problems.Add(at.Problem(field, msg))
}

// replace stages rows of a table in a step. They replace the rows of earlier imports with the given ids in a column as soon as
// the import is visible.
func (im *importOnSegments) replace(table, column string, ids []string, pending *database.Rows) error {
	replaced := int64(0)
	err := im.st.Step(im.ctx, func(tx *database.Tx) error {
		// The condition on the length of replaced_by keeps SQLite from reading all rows that nothing replaces.
		res := tx.Exec("UPDATE "+table+" SET replaced_by = ? WHERE "+column+" IN ? AND length(replaced_by) = 0", im.st.ID, ids)
		if res.Error != nil {
			return res.Error
		}
		replaced = res.RowsAffected
		copied := *pending // for a transaction that is tried again
		return copied.Insert(tx)
	})
	im.report.Replaced += int(replaced)
	return err
}

// eachLine adds the lines of an input. One that is a problem is told and left out;
// any other error, also that of ctx, ends it.
func eachLine[T any](ctx context.Context, lines iter.Seq2[T, error], problem func(*campaign.Problem), add func(T) error) error {
	for line, err := range lines {
		if p, ok := errors.AsType[*campaign.Problem](err); ok {
			problem(p)
			continue
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := add(line); err != nil {
			return err
		}
	}
	return nil
}

// ImportOptions name the import for the audit log, and say whether to keep it.
type ImportOptions struct {
	File  string // names of the files
	ByID  string // the user who imports, for the audit log; empty: the command line
	Check bool   // find every problem, store nothing
	// Placed is told after each step how many of the ratings of a large import count
	// so far, and how many there are. It may be nil.
	Placed func(done, all int)
	// Merge adds the ratings of segments that are in the campaign already instead
	// of refusing them, and takes segments without a translation by every system.
	Merge bool
	// Follows reports, once the input is read, whether another import of the same files follows. The list of imports says
	// so until that import is there. If Follows is nil, no import follows.
	Follows func() bool

	kind string // in the list of imports; empty: segments
}
