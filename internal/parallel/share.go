package parallel

import (
	"context"
	"iter"
	"sync/atomic"
)

// A list that a use of [Share] is given has listSize items. At most listsAhead of them wait for it.
const listSize, listsAhead = 50, 2

// Share reads source once, and gives its items to all uses, which run at the same time. A use ranges over the items at
// most once. It may stop early, or not begin.
//
// An error of source is yielded last to each use. When a use fails, the others are given its error, and Share returns it
// once all of them have returned. As many goroutines work at a time as ctx has [Cores].
func Share[T any](ctx context.Context, source iter.Seq2[T, error], uses []func(iter.Seq2[T, error]) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s := &sharing[T]{turns: make(chan struct{}, Cores(ctx)), feeds: make([]feed[T], len(uses))}
	for i := range s.feeds {
		s.feeds[i] = feed[T]{lists: make(chan []T, listsAhead), over: make(chan struct{})}
	}
	var next atomic.Int64
	Workers(1+len(uses), func() {
		s.turns <- struct{}{}
		defer func() { <-s.turns }()
		i := int(next.Add(1)) - 1
		if i == len(uses) {
			s.read(ctx, source)
			return
		}
		defer close(s.feeds[i].over)
		if err := uses[i](s.items(s.feeds[i])); err != nil {
			fail(err)
		}
	})
	return context.Cause(ctx)
}

// A feed is what one use is given.
type feed[T any] struct {
	lists chan []T      // closed after the last
	over  chan struct{} // closed when the use has returned
}

// A sharing is a source that several uses read.
type sharing[T any] struct {
	turns chan struct{} // holds one element for each goroutine that works
	feeds []feed[T]
	err   error // what the source, or a use, failed with; set before the lists are closed
}

// read hands all items to the feeds.
func (s *sharing[T]) read(ctx context.Context, source iter.Seq2[T, error]) {
	defer func() {
		for _, f := range s.feeds {
			close(f.lists)
		}
	}()
	var list []T
	for item, err := range source {
		if err != nil {
			s.err = err
			break
		}
		if list = append(list, item); len(list) < listSize {
			continue
		}
		if !s.handOver(ctx, list) {
			break
		}
		list = nil
	}
	if s.err == nil {
		s.handOver(ctx, list)
		s.err = context.Cause(ctx)
	}
}

// handOver gives a list to each use that has not returned. It reports whether there is any, and ctx is not done.
func (s *sharing[T]) handOver(ctx context.Context, list []T) bool {
	taken := false
	<-s.turns
	for _, f := range s.feeds {
		select {
		case f.lists <- list:
			taken = true
		case <-f.over:
		}
	}
	s.turns <- struct{}{}
	return taken && ctx.Err() == nil
}

// items yields the items of a feed.
func (s *sharing[T]) items(f feed[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			<-s.turns
			list, more := <-f.lists
			s.turns <- struct{}{}
			if !more {
				break
			}
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
		}
		if s.err != nil {
			var none T
			yield(none, s.err)
		}
	}
}
