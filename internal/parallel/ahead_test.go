package parallel

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// On one core and on two, with one reader and with two, Ahead yields all lists in order and then the error, stops
// where the caller stops, and hands a panic to the caller.
func TestAhead(t *testing.T) {
	broken := errors.New("broken")
	for _, cores := range []int{1, 2} {
		for _, readers := range [][]int{{1}, {1, 2}} {
			t.Run(fmt.Sprint(cores, readers), func(t *testing.T) {
				before := runtime.GOMAXPROCS(cores)
				defer runtime.GOMAXPROCS(before)
				ctx := t.Context()
				var running atomic.Int32
				lists := func(end, read func() error) func(int) (func() ([]int, error), error) {
					n := 0
					return func(int) (func() ([]int, error), error) {
						if n++; n > 30 {
							return nil, end()
						}
						list := []int{n, 10 * n}
						return func() ([]int, error) {
							running.Add(1)
							defer running.Add(-1)
							if list[0]%2 > 0 {
								runtime.Gosched() // the reader of the list after it may be faster
							}
							if list[0] < 30 {
								return list, nil
							}
							return list, read()
						}, nil
					}
				}
				fine := func() error { return nil }
				for _, c := range []struct {
					end, read error
					lists     int
				}{{nil, nil, 30}, {broken, nil, 30}, {nil, broken, 29}} {
					var got, want []int
					for n := range c.lists {
						want = append(want, n+1, 10*(n+1))
					}
					var err error
					for list, e := range Ahead(ctx, readers, lists(func() error { return c.end }, func() error { return c.read })) {
						if err = e; e == nil {
							got = append(got, list...)
						}
					}
					if !slices.Equal(got, want) || err != cmp.Or(c.end, c.read) {
						t.Errorf("%v, %v; want %v and the errors %v, %v", got, err, want, c.end, c.read)
					}
				}
				for range Ahead(ctx, readers, lists(fine, fine)) {
					break
				}
				if running.Load() > 0 {
					t.Error("a call is still under way after the end")
				}
				for _, where := range []string{"end", "read"} {
					oops := func(at string) func() error {
						return func() error {
							if at == where {
								panic("oops")
							}
							return nil
						}
					}
					func() {
						defer func() {
							if p := recover(); p == nil || fmt.Sprint(p)[:4] != "oops" {
								t.Errorf("the panic is %v", p)
							}
						}()
						for range Ahead(ctx, readers, lists(oops("end"), oops("read"))) {
						}
					}()
				}
			})
		}
	}
}
