package parallel

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// patience is the longest time that [GiveWay] waits. Work in the background therefore goes on even if
// there is always a request.
const patience = 50 * time.Millisecond

// Requests counts the requests that people wait for. Work in the background gives way to them.
// The zero value is ready to use. Several goroutines may call its methods at a time.
type Requests struct {
	mu   sync.Mutex
	n    int
	over chan struct{} // closed when n becomes 0; nil if n is 0
}

// Begin adds a request to the count until the caller calls end.
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

// underWay returns a channel that is closed when no request is under way any more. It returns nil if
// no request is under way.
func (r *Requests) underWay() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

type background struct{}

// Background returns a context for work in the background. Such work leaves one core free ([Cores])
// and gives way to requests ([GiveWay]).
func Background(ctx context.Context, r *Requests) context.Context {
	return context.WithValue(ctx, background{}, r)
}

// Cores returns the number of goroutines in which work with ctx runs. It is the number of cores, less
// one for work in the background, and at least 1.
func Cores(ctx context.Context) int {
	cores := runtime.GOMAXPROCS(0)
	if ctx.Value(background{}) != nil {
		cores--
	}
	return max(1, cores)
}

// GiveWay waits until no request is under way, but at most 50 ms. It returns at once if ctx is done or
// is not a context of [Background]. Long work calls it between its steps.
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
