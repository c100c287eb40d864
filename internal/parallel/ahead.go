package parallel

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
)

// Ahead yields the lists that next returns, until it returns an empty one. An error of next is yielded last,
// without a list. If ctx leaves Ahead a second core, next is called in a goroutine of its own, and reads a
// list while the caller works on the one before. When Ahead ends, no call of next is under way.
func Ahead[T any](ctx context.Context, next func() ([]T, error)) iter.Seq2[[]T, error] {
	if Cores(ctx) == 1 {
		return func(yield func([]T, error) bool) {
			for list, err := next(); err != nil || len(list) > 0; list, err = next() {
				if !yield(list, err) || err != nil {
					return
				}
			}
		}
	}
	return func(yield func([]T, error) bool) {
		type result struct {
			list []T
			err  error
		}
		results, stop := make(chan result), make(chan struct{})
		var panicked any
		go func() {
			defer close(results)
			defer func() {
				if p := recover(); p != nil {
					panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
				}
			}()
			for list, err := next(); err != nil || len(list) > 0; list, err = next() {
				select {
				case results <- result{list, err}:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range results { // wait for the end of the goroutine
			}
			if panicked != nil {
				panic(panicked)
			}
		}()
		for r := range results {
			if !yield(r.list, r.err) {
				return
			}
		}
	}
}
