package parallel

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newRunner(t *testing.T, atOnce int) (*Runner[int], *clock) {
	c := &clock{time.Date(2025, 3, 3, 9, 0, 0, 0, time.UTC)}
	r := NewRunner[int](atOnce, c.now, nil)
	t.Cleanup(r.Stop)
	return r, c
}

// held is work that waits until release is closed.
func held(release <-chan struct{}, result int) Func[int] {
	return func(ctx context.Context, _ Say) (int, error) {
		select {
		case <-release:
			return result, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func TestResult(t *testing.T) {
	r, _ := newRunner(t, 1)
	j := r.Start("a", func(_ context.Context, say Say) (int, error) {
		say("adding", .5)
		return 7, nil
	})
	<-j.Done()
	if n, err := j.Result(); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if words, share := j.Progress(); words != "adding" || share != .5 {
		t.Errorf("progress is %q, %g", words, share)
	}
	if r.Find("a") != j {
		t.Error("a job that is over is not found")
	}
}

func TestPanicFailsTheJobAlone(t *testing.T) {
	r, _ := newRunner(t, 1)
	j := r.Start("a", func(context.Context, Say) (int, error) { panic("no such number") })
	<-j.Done()
	_, err := j.Result()
	p, ok := errors.AsType[*PanicError](err)
	if !ok || p.Value != "no such number" || !strings.Contains(p.Stack, "TestPanicFailsTheJobAlone") {
		t.Errorf("got %v", err)
	}
	next := r.Start("a", func(context.Context, Say) (int, error) { return 1, nil })
	<-next.Done()
	if n, err := next.Result(); n != 1 || err != nil {
		t.Errorf("the job after it: %d, %v", n, err)
	}
}

func TestOneJobForEachKey(t *testing.T) {
	r, _ := newRunner(t, 2)
	release := make(chan struct{})
	j := r.Start("a", held(release, 1))
	if again := r.Start("a", held(release, 2)); again != j {
		t.Error("a second job began for the same key")
	}
	if other := r.Start("b", held(release, 3)); other == j {
		t.Error("another key has the same job")
	}
	close(release)
	<-j.Done()
	if newer := r.Start("a", held(release, 4)); newer == j {
		t.Error("no job begins after the first is over")
	}
}

func TestForgetKeepsANewerJob(t *testing.T) {
	r, _ := newRunner(t, 1)
	release := make(chan struct{})
	close(release)
	old := r.Start("a", held(release, 1))
	<-old.Done()
	newer := r.Start("a", held(release, 2))
	r.Forget(old)
	if r.Find("a") != newer {
		t.Error("an older job took the newer one with it")
	}
	<-newer.Done()
	r.Forget(newer)
	if r.Find("a") != nil {
		t.Error("a job that was forgotten is found")
	}
}

func TestForgetLeavesAJobUnderWay(t *testing.T) {
	r, _ := newRunner(t, 1)
	j := r.Start("a", held(make(chan struct{}), 1))
	r.Forget(j)
	if r.Find("a") != j {
		t.Error("a job under way was forgotten")
	}
}

func TestJobsAtOnce(t *testing.T) {
	r, _ := newRunner(t, 1)
	release, begun := make(chan struct{}), make(chan struct{})
	first := r.Start("a", func(ctx context.Context, say Say) (int, error) {
		close(begun)
		return held(release, 1)(ctx, say)
	})
	<-begun
	second := r.Start("b", held(release, 2))
	if words, _ := second.Progress(); words != "waiting for other work to end" {
		t.Errorf("the second job is %q", words)
	}
	close(release)
	<-first.Done()
	<-second.Done()
	if n, err := second.Result(); n != 2 || err != nil {
		t.Errorf("the second job: %d, %v", n, err)
	}
}

func TestOldJobsAreForgotten(t *testing.T) {
	r, c := newRunner(t, 1)
	fail := func(context.Context, Say) (int, error) { return 0, errors.New("no") }
	<-r.Start("a", fail).Done()
	c.at = c.at.Add(keptFor - time.Second)
	<-r.Start("b", fail).Done()
	if r.Find("a") == nil {
		t.Error("a failed job was forgotten too early")
	}
	c.at = c.at.Add(time.Second)
	<-r.Start("c", fail).Done()
	if r.Find("a") != nil || r.Find("b") == nil {
		t.Error("the failed job of an hour ago is remembered, or a later one is not")
	}
}

func TestStop(t *testing.T) {
	r, _ := newRunner(t, 1)
	begun := make(chan struct{})
	running := r.Start("a", func(ctx context.Context, say Say) (int, error) {
		close(begun)
		return held(nil, 1)(ctx, say)
	})
	<-begun
	waiting := r.Start("b", held(nil, 1))
	r.Stop()
	late := r.Start("c", held(nil, 1))
	for name, j := range map[string]*Job[int]{"running": running, "waiting": waiting, "late": late} {
		if _, err := j.Result(); !j.Over() || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: over %t, %v", name, j.Over(), err)
		}
	}
}
