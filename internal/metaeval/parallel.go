package metaeval

import (
	"context"
	"runtime"
	"sync/atomic"

	"annotate/internal/parallel"
)

// each calls do with 0 to n-1 on all cores, and stops early when ctx is done.
// Calls must not depend on each other's order.
func each(ctx context.Context, n int, do func(i int)) error {
	return eachWith(ctx, n, func() func(int) { return do })
}

// eachWith is each for work that needs space of its own: worker is called once
// a core and returns what does a piece of work there.
func eachWith(ctx context.Context, n int, worker func() func(i int)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
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
	parallel.Workers(workers, func() {
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
