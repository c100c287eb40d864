package database

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// CloseAlone counts the rows of a SQLite database ([Backup.Count]) and leaves it as a single
// file without a log. It fails if another connection has the database open.
func (b *Backup) CloseAlone(ctx context.Context, path string) error {
	m, err := holdMark(path, copiedInUse(ctx, path))
	if err != nil {
		return err
	}
	if err = m.lockAlone(ctx); err == nil {
		var db *gorm.DB
		if db, err = gorm.Open(sqliteDialector(m.conn), &gorm.Config{Logger: logger.Discard}); err == nil {
			err = b.Count(db.WithContext(ctx))
		}
	}
	return errors.Join(err, m.release())
}
