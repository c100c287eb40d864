package judgeruns

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/judge"
	"annotate/internal/protocol"
	"annotate/internal/provider"
	"annotate/internal/wording"
)

// The causes that stop a run without an error.
var (
	errStopped = errors.New("stopped on the page of judges")
	errTokens  = errors.New("the limit on tokens is reached")
)

// A refusedError is an error of the provider after which every further request would fail.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }

func (e *refusedError) Unwrap() error { return e.err }

// An unreadableError says that no answer of a run could be read.
type unreadableError struct {
	n      int
	object string // what was judged
}

func (e *unreadableError) Error() string {
	return fmt.Sprintf("no answer could be read for %s; the traces of the judgements show the answers", wording.Counted(e.n, e.object))
}

// mostUnreadable is how many translations a run judges without a readable answer before it stops.
const mostUnreadable = 20

// mostFailures is how many units may fail one after the other before a run stops.
const mostFailures = 10

// A runner runs a judge.
type runner struct {
	c        campaign.Campaign
	o        Options
	provider provider.Provider
	running  *RunningJudge
	fresh    string // of the judge's settings
	ctx      context.Context
	stop     context.CancelCauseFunc

	mu       sync.Mutex
	progress Progress
	failures int    // number of units that failed since the last judgement
	lacks    string // name of the field that the segments of skipped translations lack
	tokens   atomic.Int64
	read     int // number of translations of this run whose answers could be read
	unread   int // and could not
}

func (r *runner) run(ctx context.Context) (Progress, error) {
	r.tokens.Store(r.progress.Tokens)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		r.beat()
	}()
	err := r.calibrate()
	if err == nil && r.progress.Failed == 0 { // a run with failed calls has no threshold
		err = r.eachUnit(r.judge)
	}
	cause := context.Cause(r.ctx)
	r.stop(nil)
	<-beating
	state, reason := JudgeDone, ""
	refused, isRefused := errors.AsType[*refusedError](cause)
	unreadable, isUnreadable := errors.AsType[*unreadableError](cause)
	switch {
	case cause == nil && err != nil:
		state, reason = JudgeStopped, reasonOf(err)
	case isRefused:
		state, reason, err = JudgeStopped, refused.Error(), nil
	case isUnreadable:
		state, reason, err = JudgeStopped, unreadable.Error(), nil
	case errors.Is(cause, errStopped), errors.Is(cause, errTokens):
		state, reason, err = JudgeStopped, cause.Error(), nil
	case errors.Is(cause, context.Canceled):
		state, reason, err = JudgeStopped, JudgeInterrupted, nil
	case cause != nil:
		state, reason, err = JudgeStopped, reasonOf(cause), cause
	case r.progress.Failed > 0:
		state, reason = JudgeStopped, fmt.Sprintf("the calls for %s failed; run the judge again",
			wording.Counted(r.progress.Failed, r.o.Method.Object()))
	default:
		reason = r.endWords()
	}
	r.progress.State, r.progress.Reason = state, reason
	if ended := r.running.End(context.WithoutCancel(ctx), state, reason); err == nil {
		err = ended
	}
	return r.progress, err
}

// endWords says what a run that came to its end left out. It is empty if nothing.
func (r *runner) endWords() string {
	var parts []string
	if n := r.progress.Unparsable; n > 0 {
		parts = append(
			parts,
			fmt.Sprintf(
				"the answers for %s of %s could not be read, so they have no score", wording.Count(n),
				wording.Counted(r.progress.Judged, r.o.Method.Object()),
			),
		)
	}
	if n := r.progress.Left; n > 0 {
		parts = append(parts, fmt.Sprintf("%s left out, since the threshold was found with them", wording.Counted(n, r.o.Method.Object())))
	}
	if r.progress.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%s skipped, since their segments have no %s", wording.Counted(r.progress.Skipped, r.o.Method.Object()), r.lacks))
	}
	return strings.Join(parts, "; ")
}

// reasonOf returns the reason why a run stopped, in words for its page. It hides errors within the
// program, which belong in its log.
func reasonOf(err error) string {
	for _, known := range []error{campaign.ErrConflict, campaign.ErrBusy, database.ErrDiskFull} {
		if errors.Is(err, known) {
			return err.Error()
		}
	}
	return "something went wrong in the program that ran the judge; its log has the error"
}

// guarded calls do and turns a panic into an error, so that a panic ends the run and not the program.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// beatEvery is the time between two signs of life of a run. With each sign, the run checks whether
// somebody asked it to stop.
const beatEvery = 2 * time.Second

func (r *runner) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
			stop, err := r.running.Beat(r.ctx)
			switch {
			case errors.Is(err, campaign.ErrConflict):
				r.stop(err)
			case err == nil && stop:
				r.stop(errStopped)
			}
		}
	}
}

// judge judges a unit and stores its judgements. An error ends the run.
func (r *runner) judge(u JudgeUnit) error {
	done, err := r.drive(r.task(u, r.running.Settings.Threshold))
	if need, ok := errors.AsType[*judge.NeedsError](err); ok {
		r.say(func(p *Progress) { p.Skipped += len(u.Translations); r.lacks = need.Field })
		return nil
	}
	if err != nil {
		return r.failed(err, len(u.Translations))
	}
	kept := make([]KeptJudgement, len(u.Translations))
	unparsable := 0
	for i, j := range done.judgements {
		texts := protocol.Texts{Source: u.Source, Translation: u.Translations[i].Text}
		kept[i] = KeptJudgement{
			TranslationID: u.Translations[i].ID,
			Judgement:     judgementOf(r.o, r.c.Rules, j, texts),
			Trace:         done.traceOf(i, len(done.judgements)),
		}
		if j.Status != judge.OK {
			unparsable++
		}
	}
	// The judgements are stored even if the run is being stopped.
	stop, err := r.running.Keep(context.WithoutCancel(r.ctx), kept, done.unread(unparsable > 0, r.o.Retries))
	if err != nil {
		return err
	}
	r.say(func(p *Progress) { r.failures = 0; p.Judged += len(kept); p.Unparsable += unparsable })
	r.count(len(kept)-unparsable, unparsable)
	if stop {
		r.stop(errStopped)
	}
	return nil
}

// count counts translations whose answers could be read and could not. It stops a run that could read
// none of its first answers.
func (r *runner) count(read, unread int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read, r.unread = r.read+read, r.unread+unread
	if r.read == 0 && r.unread >= mostUnreadable {
		r.stop(&unreadableError{r.unread, r.o.Method.Object()})
	}
}

// failed handles the error of a unit's calls. If the provider was unavailable, it counts the
// translations as failed, and stops the run after [mostFailures] units. Any other error stops the run.
// An error that failed returns ends the run.
func (r *runner) failed(err error, translations int) error {
	if _, refused := errors.AsType[*refusedError](err); refused {
		r.stop(err)
		return nil
	}
	if r.ctx.Err() != nil {
		return nil
	}
	if !provider.Unavailable(err) {
		r.stop(err)
		return nil
	}
	many := false
	r.say(func(p *Progress) { p.Failed += translations; r.failures++; many = r.failures >= mostFailures })
	if many {
		r.stop(&refusedError{fmt.Errorf("%d requests failed one after the other; the last error: %w", mostFailures, err)})
	}
	return r.running.Fail(context.WithoutCancel(r.ctx), translations)
}

// say changes the progress and reports it.
func (r *runner) say(change func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
	if r.o.Progress != nil {
		r.o.Progress(r.progress)
	}
}
