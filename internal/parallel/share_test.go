package parallel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// All uses are given all items of a source that is read once, on one core and on several. A use may stop early or not
// begin. Errors and panics of the source and of each use end the whole.
func TestShare(t *testing.T) {
	broken := errors.New("broken")
	const n = 20*listSize + 7
	for _, cores := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(cores), func(t *testing.T) {
			before := runtime.GOMAXPROCS(cores)
			defer runtime.GOMAXPROCS(before)
			read := 0
			source := func(end func() error) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					for i := range n {
						read++
						if !yield(i, nil) {
							return
						}
					}
					if err := end(); err != nil {
						yield(0, err)
					}
				}
			}
			fine := func() error { return nil }
			all := func(got *[]int) func(iter.Seq2[int, error]) error {
				*got = nil
				return func(items iter.Seq2[int, error]) error {
					for i, err := range items {
						if err != nil {
							return err
						}
						*got = append(*got, i)
					}
					return nil
				}
			}
			some := func(stop error) func(iter.Seq2[int, error]) error {
				return func(items iter.Seq2[int, error]) error {
					for i := range items {
						if i == listSize+3 {
							break
						}
					}
					return stop
				}
			}
			none := func(iter.Seq2[int, error]) error { return nil }
			var want, first, last []int
			for i := range n {
				want = append(want, i)
			}
			uses := []func(iter.Seq2[int, error]) error{all(&first), some(nil), none, all(&last)}
			if err := Share(t.Context(), source(fine), uses); err != nil || !slices.Equal(first, want) || !slices.Equal(last, want) || read != n {
				t.Errorf("%v; %d and %d items, %d read; want %d", err, len(first), len(last), read, n)
			}
			uses = []func(iter.Seq2[int, error]) error{all(&first), all(&last)}
			if err := Share(t.Context(), source(func() error { return broken }), uses); !errors.Is(err, broken) || len(first) != n-n%listSize {
				t.Errorf("the source fails: %v, after %d items", err, len(first))
			}
			uses = []func(iter.Seq2[int, error]) error{all(&first), some(broken), none}
			if err := Share(t.Context(), source(fine), uses); !errors.Is(err, broken) || len(first) == n {
				t.Errorf("a use fails: %v, and another is given %d items", err, len(first))
			}
			if read = 0; Share(t.Context(), source(fine), []func(iter.Seq2[int, error]) error{some(nil), none}) != nil || read == n {
				t.Errorf("%d items are read after the end of all uses", read)
			}
			gone, leave := context.WithCancel(t.Context())
			leave()
			if err := Share(gone, source(fine), uses[:1]); !errors.Is(err, context.Canceled) {
				t.Errorf("the context is done: %v", err)
			}
			for _, bad := range []struct {
				end func() error
				use func(iter.Seq2[int, error]) error
			}{{func() error { panic("oops") }, none}, {fine, func(iter.Seq2[int, error]) error { panic("oops") }}} {
				func() {
					defer func() {
						if p := recover(); !strings.HasPrefix(fmt.Sprint(p), "oops") {
							t.Errorf("the panic is %v", p)
						}
					}()
					_ = Share(t.Context(), source(bad.end), []func(iter.Seq2[int, error]) error{all(&first), bad.use})
				}()
			}
		})
	}
}
