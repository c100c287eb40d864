package parallel

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
)

// Ahead yields the lists that are read, in their order. next is called with one of the readers, once at a time. It
// returns a function that reads the next list with the same reader, or nil after the last list. An error of either is
// yielded last, without a list.
//
// If ctx leaves Ahead a second core, each reader has a goroutine of its own, and they read while the caller works on
// the lists before: at most two lists for each reader. Otherwise only the first reader is used. When Ahead ends, no
// call is under way.
func Ahead[R, T any](ctx context.Context, readers []R, next func(R) (read func() ([]T, error), err error)) iter.Seq2[[]T, error] {
	if Cores(ctx) == 1 {
		return func(yield func([]T, error) bool) {
			for {
				read, err := next(readers[0])
				if err == nil && read == nil {
					return
				}
				var list []T
				if err == nil {
					list, err = read()
				}
				if !yield(list, err) || err != nil {
					return
				}
			}
		}
	}
	return func(yield func([]T, error) bool) {
		q := &queue[R, T]{next: next, places: make(chan chan result[T], len(readers)), stop: make(chan struct{})}
		var group sync.WaitGroup
		for _, r := range readers {
			group.Go(func() { q.work(r) })
		}
		go func() {
			group.Wait()
			close(q.places)
		}()
		defer func() {
			close(q.stop)
			for range q.places { // wait for the end of the readers
			}
		}()
		for place := range q.places {
			r := <-place
			if r.panicked != nil {
				panic(r.panicked)
			}
			if !yield(r.list, r.err) || r.err != nil {
				return
			}
		}
	}
}

// A result is what a call gave.
type result[T any] struct {
	list     []T
	err      error
	panicked any // with the stack
}

// resultOf makes a call.
func resultOf[T any](call func() ([]T, error)) (r result[T]) {
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
		}
	}()
	r.list, r.err = call()
	return r
}

// A queue holds places for lists in their order, while several readers fill them.
type queue[R, T any] struct {
	next   func(R) (func() ([]T, error), error)
	places chan chan result[T]
	stop   chan struct{} // closed when nobody wants more
	mu     sync.Mutex
	over   bool // next is not called again
}

// work reads lists until there are no more.
func (q *queue[R, T]) work(r R) {
	for read, place := q.begin(r); read != nil; read, place = q.begin(r) {
		place <- resultOf(read)
	}
}

// begin takes the next list and its place. read is nil if there is none.
func (q *queue[R, T]) begin(r R) (read func() ([]T, error), place chan result[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return nil, nil
	}
	begun := resultOf(func() (none []T, err error) {
		read, err = q.next(r)
		return nil, err
	})
	failed := begun.err != nil || begun.panicked != nil
	if q.over = failed || read == nil; q.over && !failed {
		return nil, nil
	}
	place = make(chan result[T], 1)
	select {
	case q.places <- place:
	case <-q.stop:
		q.over = true
		return nil, nil
	}
	if failed {
		place <- begun
		return nil, nil
	}
	return read, place
}
