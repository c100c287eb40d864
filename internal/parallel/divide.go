package parallel

import (
	"context"
	"sync/atomic"
)

// Each calls do with 0 to n-1 on all cores that ctx leaves it, in any order. It stops
// early when ctx is done and then returns the error of ctx.
func Each(ctx context.Context, n int, do func(i int)) error {
	return EachWith(ctx, n, func() func(int) { return do })
}

// EachWith is like Each, for work that needs its own buffers: it calls worker once per
// core, and the function that worker returns does the work on that core.
func EachWith(ctx context.Context, n int, worker func() func(i int)) error {
	workers := min(Cores(ctx), n)
	if workers <= 1 {
		do := worker()
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	Workers(workers, func() {
		do := worker()
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			do(i)
		}
	})
	return ctx.Err()
}
