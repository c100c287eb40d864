package records

import "context"

// An Actor is the person who made a request over the web, or whose program did, and where it came from.
type Actor struct {
	UserID  string // empty if they are not signed in
	Session string // the token of the session; empty if a program asks
	Token   string // the id of the personal access token of a program; empty if a person asks
	Address string // the network address of the client
	Request string // the id of the request
}

type actorKey struct{}

// WithActor returns a context that carries the actor. A context without one is that of the
// command line.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor of a context; the zero Actor is the command line.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
