package database

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slow is the duration from which a statement is logged.
const slow = 500 * time.Millisecond

// A slowLog logs statements that fail or are slow, without their texts and answers. A statement that is cancelled does not fail: a reader
// left, or the program ends. GORM's own log writes out every statement before it decides whether to log it.
type slowLog struct{ logger.Interface }

func newSlowLog(log *slog.Logger) slowLog {
	return slowLog{logger.NewSlogLogger(log, logger.Config{SlowThreshold: slow, LogLevel: logger.Warn, IgnoreRecordNotFoundError: true})}
}

// Trace implements [logger.Interface].
func (l slowLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	if err != nil || time.Since(begin) > slow {
		l.Interface.Trace(ctx, begin, statement, err)
	}
}

// ParamsFilter implements [gorm.ParamsFilter]: texts and answers are never logged.
func (slowLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) { return sql, nil }

var _ gorm.ParamsFilter = slowLog{}
