package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// keptFor is how long a runner remembers a job that is over.
const keptFor = time.Hour

// A Say reports the progress of a job: what it is doing now, in words, and the share of the work
// that is done, from 0 to 1.
type Say func(words string, share float64)

// A Func is the work of a job. It must return early if ctx is cancelled. ctx is a context of
// [Background].
type Func[T any] func(ctx context.Context, say Say) (T, error)

// A Claim takes a job for this process, which may have to wait for another process. progress returns what the job says of itself;
// say replaces it during the wait. The work is done with the returned context, and release is called after it.
type Claim func(ctx context.Context, key string, progress func() (string, float64), say Say) (claimed context.Context, release func(), err error)

// A PanicError is the error of a job that panicked.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// A Runner runs long work in the background: reports, archives, exports and imports. A person who
// started the work can leave the page and come back for its result. A Runner runs a limited number
// of jobs at a time, and one at a time for each key. A panic in a job fails that job; the program
// and the other jobs go on. The results are of type T. Make it with [NewRunner].
type Runner[T any] struct {
	// Claim is called with each job before the job waits for its turn. It is nil if no other process does such jobs. It must
	// not change once a job was started.
	Claim Claim

	now   func() time.Time
	ctx   context.Context
	stop  context.CancelFunc
	slots chan struct{}
	group sync.WaitGroup

	mu   sync.Mutex
	jobs map[string]*Job[T] // by key
	shut bool
}

// NewRunner returns a runner that runs at most atOnce jobs at a time, in the background of
// requests. now is its clock.
func NewRunner[T any](atOnce int, now func() time.Time, requests *Requests) *Runner[T] {
	ctx, stop := context.WithCancel(Background(context.Background(), requests))
	return &Runner[T]{now: now, ctx: ctx, stop: stop, slots: make(chan struct{}, atOnce), jobs: map[string]*Job[T]{}}
}

// A Job is a piece of work that is waiting, under way or over.
type Job[T any] struct {
	key  string
	done chan struct{}

	mu     sync.Mutex
	words  string
	share  float64
	ended  time.Time
	result T
	err    error
}

// Start starts a job with a key. If the key has a job that is not over, Start returns that job
// and starts nothing. If the job fails, each of failed is called with its error before the job
// is over.
func (r *Runner[T]) Start(key string, work Func[T], failed ...func(error)) *Job[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j := r.jobs[key]; j != nil && !j.Over() {
		return j
	}
	j := &Job[T]{key: key, done: make(chan struct{}), words: "waiting for other work to end"}
	if r.shut {
		j.err, j.ended = context.Canceled, r.now()
		close(j.done)
		return j
	}
	r.forgetOld()
	r.jobs[key] = j
	r.group.Go(func() {
		result, err := r.run(j, work)
		if err != nil {
			for _, tell := range failed {
				tell(err)
			}
		}
		j.mu.Lock()
		j.result, j.err, j.ended = result, err, r.now()
		j.mu.Unlock()
		close(j.done)
	})
	return j
}

// run waits for a free slot and does the work there.
func (r *Runner[T]) run(j *Job[T], work Func[T]) (result T, err error) {
	ctx := r.ctx
	if r.Claim != nil {
		claimed, release, err := r.Claim(ctx, j.key, j.Progress, j.say)
		if err != nil {
			return result, err
		}
		defer release()
		ctx = claimed
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return result, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, string(debug.Stack())}
		}
	}()
	j.say("beginning", 0)
	return work(ctx, j.say)
}

// forgetOld forgets the jobs that have been over for keptFor.
func (r *Runner[T]) forgetOld() {
	for key, j := range r.jobs {
		if j.Over() && r.now().Sub(j.Ended()) >= keptFor {
			delete(r.jobs, key)
		}
	}
}

// Find returns the latest job with a key; nil if the runner remembers none.
func (r *Runner[T]) Find(key string) *Job[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs[key]
}

// UnderWay returns the number of jobs that are waiting or under way.
func (r *Runner[T]) UnderWay() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		if !j.Over() {
			n++
		}
	}
	return n
}

// Forget makes the runner forget a job that is over. A later job with the same key stays.
func (r *Runner[T]) Forget(j *Job[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs[j.key] == j && j.Over() {
		delete(r.jobs, j.key)
	}
}

// Stop cancels every job and waits until all are over. Jobs that are started later fail at once.
func (r *Runner[T]) Stop() {
	r.mu.Lock()
	r.shut = true
	r.mu.Unlock()
	r.stop()
	r.group.Wait()
}

func (j *Job[T]) say(words string, share float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.words, j.share = words, share
}

// Progress returns the progress that the work reported last.
func (j *Job[T]) Progress() (words string, share float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.words, j.share
}

// Done is closed when the job is over.
func (j *Job[T]) Done() <-chan struct{} { return j.done }

// Over reports whether the job is over.
func (j *Job[T]) Over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// Ended is when the job was over; the zero time if it is not over.
func (j *Job[T]) Ended() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended
}

// Result is what the work returned. It is valid once the job is over. The error is a
// *[PanicError] if the work panicked, and [context.Canceled] if the runner was stopped.
func (j *Job[T]) Result() (T, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.result, j.err
}
