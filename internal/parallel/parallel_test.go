package parallel

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestWorkers(t *testing.T) {
	var n atomic.Int64
	Workers(4, func() { n.Add(1) })
	if n.Load() != 4 {
		t.Errorf("%d workers worked", n.Load())
	}
}

func TestEachIsDoneOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		times := make([]atomic.Int64, n)
		if err := Each(t.Context(), n, func(i int) { times[i].Add(1) }); err != nil {
			t.Error(err)
		}
		for i := range times {
			if got := times[i].Load(); got != 1 {
				t.Errorf("piece %d of %d is done %d times", i, n, got)
			}
		}
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	var n atomic.Int64
	defer func() {
		p, _ := recover().(string)
		if !strings.HasPrefix(p, "worker 2 has no data\n") || !strings.Contains(p, "parallel_test.go") {
			t.Errorf("recovered %q", p)
		}
		if n.Load() != 3 {
			t.Errorf("%d workers worked; the others go on after a panic", n.Load())
		}
	}()
	Workers(3, func() {
		if n.Add(1) == 2 {
			panic("worker 2 has no data")
		}
	})
	t.Error("no panic")
}
