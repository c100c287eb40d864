package parallel

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// patience is how long [GiveWay] waits at most, so that work in the background goes on while
// requests never stop.
const patience = 50 * time.Millisecond

// Requests counts the requests that people wait for. Work in the background gives way to them.
// The zero value counts none and can be used. Its methods may be called at the same time.
type Requests struct {
	mu   sync.Mutex
	n    int
	over chan struct{} // closed when n becomes 0; nil if n is 0
}

// Begin counts a request until the returned function is called.
func (r *Requests) Begin() (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.n == 1 {
		r.over = make(chan struct{})
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.n--; r.n == 0 {
			close(r.over)
			r.over = nil
		}
	}
}

// underWay returns a channel that is closed when no request is under way; nil if none is now.
func (r *Requests) underWay() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

type background struct{}

// Background returns a context for work that runs beside requests: it leaves one core free and
// gives way to them.
func Background(ctx context.Context, r *Requests) context.Context {
	return context.WithValue(ctx, background{}, r)
}

// Cores returns the number of goroutines in which work with ctx runs at a time, at least 1: the
// number of cores, less one for work in the background.
func Cores(ctx context.Context) int {
	cores := runtime.GOMAXPROCS(0)
	if ctx.Value(background{}) != nil {
		cores--
	}
	return max(1, cores)
}

// GiveWay waits until the requests that are under way are over, at most 50 ms. It returns at once
// if ctx is done or is not for work in the background. Long work calls it between two steps.
func GiveWay(ctx context.Context) {
	r, _ := ctx.Value(background{}).(*Requests)
	if r == nil {
		return
	}
	over := r.underWay()
	if over == nil {
		return
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-over:
	case <-limit.C:
	case <-ctx.Done():
	}
}
