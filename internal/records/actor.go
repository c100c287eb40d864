package records

import (
	"context"
)

// An Actor is who asks for something over the web, and from where.
type Actor struct {
	UserID  string // empty: not signed in
	Session string // the token of the session
	Address string // of the network
	Request string // id of the request
}

type actorKey struct{}

// WithActor returns a context in which a acts. Without one, the command line does.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf is whoever acts in a context; the zero Actor is the command line.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
