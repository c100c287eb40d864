package records

import (
	"context"
	"log/slog"
)

// LogRequests returns a handler that adds the id of the request, as the attribute id, to each record whose context has
// an [Actor] with one.
func LogRequests(h slog.Handler) slog.Handler { return requestLog{h} }

type requestLog struct{ slog.Handler }

// Handle implements [slog.Handler].
func (l requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id := ActorOf(ctx).Request; id != "" {
		r.AddAttrs(slog.String("id", id))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (l requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }
