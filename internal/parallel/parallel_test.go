package parallel

import (
	"runtime"
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

func TestCores(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	if n := Cores(t.Context()); n != all {
		t.Errorf("%d of %d cores", n, all)
	}
	if n := Cores(Sparing(t.Context())); n != max(1, all-1) {
		t.Errorf("%d of %d cores are used where one is left free", n, all)
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
