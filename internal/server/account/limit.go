package account

import (
	"sync"
	"time"
)

// A limiter counts failures by key. A key may fail burst times at once, and once more
// whenever the time every has passed. An attempt under way counts as a failure until
// it succeeds, so that many at the same time do not slip through.
type limiter struct {
	every time.Duration
	burst int
	now   func() time.Time

	mu    sync.Mutex
	keys  map[string]failures
	swept time.Time
}

// failures are those of a key that are not forgiven yet, at a moment.
type failures struct {
	n  float64
	at time.Time
}

func newLimiter(every time.Duration, burst int, now func() time.Time) *limiter {
	return &limiter{every: every, burst: burst, now: now, keys: map[string]failures{}}
}

// begin counts an attempt as a failure; false if there were too many, and the attempt
// must not be made.
func (l *limiter) begin(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	n := l.left(key)
	if n+1 > float64(l.burst) {
		return false
	}
	l.keys[key] = failures{n + 1, l.now()}
	return true
}

// succeed takes back what begin counted.
func (l *limiter) succeed(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.left(key) - 1; n > 0 {
		l.keys[key] = failures{n, l.now()}
	} else {
		delete(l.keys, key)
	}
}

// left is how many failures of a key are not forgiven.
func (l *limiter) left(key string) float64 {
	f := l.keys[key]
	return max(0, f.n-l.now().Sub(f.at).Seconds()/l.every.Seconds())
}

// sweep forgets, now and then, the keys whose failures are all forgiven.
func (l *limiter) sweep() {
	if now := l.now(); now.Sub(l.swept) >= time.Minute {
		l.swept = now
		for key := range l.keys {
			if l.left(key) == 0 {
				delete(l.keys, key)
			}
		}
	}
}
