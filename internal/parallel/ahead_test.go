package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// On one core and on two, Ahead yields all lists in order and then the error, stops where the caller stops,
// and hands a panic to the caller.
func TestAhead(t *testing.T) {
	broken := errors.New("broken")
	for _, cores := range []int{1, 2} {
		t.Run(fmt.Sprint(cores), func(t *testing.T) {
			before := runtime.GOMAXPROCS(cores)
			defer runtime.GOMAXPROCS(before)
			ctx := t.Context()
			lists := func(end func() ([]int, error)) func() ([]int, error) {
				n := 0
				return func() ([]int, error) {
					if n++; n > 3 {
						return end()
					}
					return []int{n, 10 * n}, nil
				}
			}
			for _, want := range []error{nil, broken} {
				var got []int
				var err error
				for list, e := range Ahead(ctx, lists(func() ([]int, error) { return nil, want })) {
					got, err = append(got, list...), e
				}
				if !slices.Equal(got, []int{1, 10, 2, 20, 3, 30}) || err != want {
					t.Errorf("%v, %v; want the error %v", got, err, want)
				}
			}
			running := false
			for range Ahead(ctx, func() ([]int, error) { running = true; defer func() { running = false }(); return []int{1}, nil }) {
				break
			}
			if running {
				t.Error("a call is still under way after the end")
			}
			defer func() {
				if p := recover(); p == nil || fmt.Sprint(p)[:4] != "oops" {
					t.Errorf("the panic is %v", p)
				}
			}()
			for range Ahead(ctx, lists(func() ([]int, error) { panic("oops") })) {
			}
		})
	}
}
