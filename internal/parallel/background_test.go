package parallel

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestCores(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	if n := Cores(t.Context()); n != all {
		t.Errorf("%d of %d cores", n, all)
	}
	if n := Cores(Background(t.Context(), new(Requests))); n != max(1, all-1) {
		t.Errorf("work in the background uses %d of %d cores", n, all)
	}
}

func TestGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Requests
		ctx := Background(t.Context(), &r)
		waits := func(ctx context.Context) time.Duration {
			began := time.Now()
			GiveWay(ctx)
			return time.Since(began)
		}
		if w := waits(ctx); w != 0 {
			t.Errorf("it waits %v where no request is under way", w)
		}

		first, second := r.Begin(), r.Begin()
		time.AfterFunc(10*time.Millisecond, first)
		time.AfterFunc(30*time.Millisecond, second)
		if w := waits(ctx); w != 30*time.Millisecond {
			t.Errorf("it waits %v for the later of two requests, which takes 30ms", w)
		}
		if w := waits(ctx); w != 0 {
			t.Errorf("it waits %v after both requests", w)
		}

		end := r.Begin()
		if w := waits(ctx); w != patience {
			t.Errorf("it waits %v for a request that does not end", w)
		}
		if w := waits(t.Context()); w != 0 {
			t.Errorf("work that is not in the background waits %v", w)
		}
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		if w := waits(stopped); w != 0 {
			t.Errorf("work that is cancelled waits %v", w)
		}
		end()
	})
}
