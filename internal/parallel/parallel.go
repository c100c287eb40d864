// Package parallel runs work on several cores, and jobs in the background that give way to requests.
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
)

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
