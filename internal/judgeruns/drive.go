package judgeruns

import (
	"errors"
	"sync"

	"annotate/internal/judge"
	"annotate/internal/provider"
)

// A finished task has its judgements and the calls that led to them.
type finished struct {
	judgements []judge.Judgement
	calls      []asked
}

// drive makes the calls of a task until the task has its judgements. It makes calls that do not
// depend on each other at the same time.
func (r *runner) drive(t judge.Task) (finished, error) {
	m, err := r.o.Method.Begin(t)
	if err != nil {
		return finished{}, err
	}
	var out finished
	for {
		calls, done := m.Next()
		if done {
			out.judgements = m.Judgements()
			return out, nil
		}
		replies := make([]asked, len(calls))
		errs := make([]error, len(calls))
		var group sync.WaitGroup
		for i, call := range calls {
			group.Go(func() {
				errs[i] = guarded(func() (err error) { replies[i], err = r.ask(call); return err })
			})
		}
		group.Wait()
		for i, call := range calls {
			switch {
			case errs[i] == nil:
				out.calls = append(out.calls, replies[i])
				m.Answer(call, replies[i].reply.toJudge())
			case rejected(errs[i]):
				out.calls = append(out.calls, asked{Call: call, reply: storedReply{Text: "(no reply: " + errs[i].Error() + ")"}})
				m.Answer(call, judge.Reply{Err: errs[i]})
			default:
				return out, errors.Join(errs[i:]...)
			}
		}
	}
}

// rejected reports whether an error concerns one search, or one request that would be rejected
// again, such as a text that is too long for the model. The method gets such an error as the answer
// to its call.
func rejected(err error) bool {
	if _, searched := errors.AsType[*searchError](err); searched {
		return true
	}
	if _, refused := errors.AsType[*refusedError](err); refused {
		return false
	}
	_, ok := errors.AsType[*provider.Error](err)
	return ok && !provider.Unavailable(err)
}

// unread returns the ids of the stored replies that could not be parsed. These are the replies to
// calls that were made again and, if a judgement is unparsable, the replies to last attempts.
func (f finished) unread(unparsable bool, retries int) (ids []string) {
	for _, a := range f.calls {
		again := false
		for _, b := range f.calls {
			again = again || b.Step == a.Step && b.Attempt > a.Attempt
		}
		if a.id != "" && (again || unparsable && a.Attempt == retries) {
			ids = append(ids, a.id)
		}
	}
	return ids
}
