// Package parallel runs one piece of work on several cores.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

type sparing struct{}

// Sparing returns a context whose work leaves one core free, so that a server can answer
// requests beside it.
func Sparing(ctx context.Context) context.Context { return context.WithValue(ctx, sparing{}, true) }

// Cores returns the number of goroutines in which work with ctx runs at a time, at least 1: the
// number of cores, less one under [Sparing].
func Cores(ctx context.Context) int {
	cores := runtime.GOMAXPROCS(0)
	if ctx.Value(sparing{}) != nil {
		cores--
	}
	return max(1, cores)
}

// Workers calls work in n goroutines and waits for all of them. A panic in one of them becomes
// a panic of the caller, who can recover from it. A panic in a goroutine would end the program.
func Workers(n int, work func()) {
	var group sync.WaitGroup
	var once sync.Once
	var panicked any
	for range n {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack()) })
				}
			}()
			work()
		})
	}
	group.Wait()
	if panicked != nil {
		panic(panicked)
	}
}
