package judgeruns

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/provider"
	"annotate/internal/readmodel"
)

// forecastSample is the number of tasks whose first prompts a forecast measures.
const forecastSample = 50

// Predict estimates the calls and tokens of a run of a judge. It calls no model. The error is a
// *campaign.InvalidError if the judge can't run with the options.
func (s *Store) Predict(ctx context.Context, c campaign.Campaign, o Options) (readmodel.JudgeForecast, error) {
	f := readmodel.JudgeForecast{Judge: o.JudgeName(), Object: o.Method.Object()}
	if err := check(c, o); err != nil {
		return f, err
	}
	calls, err := o.Method.Forecast(o.Variant)
	if err != nil {
		return f, err
	}
	if err := s.CheckJudge(ctx, c, o.spec()); err != nil {
		return f, err
	}
	_, open, err := s.Unjudged(ctx, c.ID, f.Judge)
	if err != nil {
		return f, err
	}
	judged, _, err := s.judgedSoFar(ctx, c, f.Judge)
	if err != nil {
		return f, err
	}
	if err := askable(o, open, judged); err != nil {
		return f, err
	}
	runs, err := s.JudgeRuns(ctx, c.ID)
	if err != nil {
		return f, err
	}
	r := &runner{c: c, o: o, ctx: ctx, running: &RunningJudge{s: s, campaignID: c.ID}}
	for _, run := range runs {
		if run.Name == f.Judge {
			r.running.JudgeRun, r.fresh = run, run.Settings.Fresh
		}
	}
	keeps, err := r.running.keepsReplies(ctx)
	if err != nil {
		return f, err
	}
	sum := forecastSum{JudgeForecast: &f, calls: calls, r: r, stored: keeps && !o.Fresh}
	var failed error
	err = r.eachBatch(func(batch []JudgeUnit) {
		if failed == nil {
			failed = sum.add(batch)
		}
	})
	if err := cmp.Or(failed, err, ctx.Err()); err != nil {
		return f, err
	}
	run := r.running
	switch {
	case run.Calls > 0:
		f.Measured = true
		f.InputTokens, f.OutputTokens = int64(f.Usual)*run.InputTokens/run.Calls, int64(f.Usual)*run.OutputTokens/run.Calls
	case sum.sampled > 0:
		f.InputTokens = int64(f.Usual) * int64(sum.tokens) / int64(sum.sampled)
		f.OutputTokens = int64(f.Usual) * readmodel.AssumedOutput
	}
	return f, nil
}

// A forecastSum adds tasks to a forecast.
type forecastSum struct {
	*readmodel.JudgeForecast
	calls           judge.Forecast // of one translation
	r               *runner
	stored          bool   // replies are stored that the run may use
	segment         string // of the last task
	tokens, sampled int    // tokens of the first prompts, and how many tasks they are of
}

// A forecastTask is a task as far as stored replies take it.
type forecastTask struct {
	machine      *judge.Machine
	translations int
	kept         int          // calls whose replies are stored, without retries
	open         []judge.Call // the next calls, none of whose replies are stored
	ids          []string     // of the next calls
}

// add adds the tasks of a batch.
func (f *forecastSum) add(batch []JudgeUnit) error {
	var tasks []*forecastTask
	for _, u := range batch {
		m, err := f.r.o.Method.Begin(f.r.task(u, f.threshold()))
		if need, lacks := errors.AsType[*judge.NeedsError](err); lacks {
			f.Skipped += len(u.Translations)
			f.Lacks = need.Field
			continue
		}
		if err != nil {
			return err
		}
		f.Translations += len(u.Translations)
		if u.SegmentID != f.segment {
			f.segment = u.SegmentID
			f.Segments++
		}
		if f.sampled < forecastSample {
			f.tokens += firstTokens(m)
			f.sampled++
		}
		tasks = append(tasks, &forecastTask{machine: m, translations: len(u.Translations)})
	}
	if f.stored {
		if err := f.r.replay(slices.Clone(tasks)); err != nil {
			return err
		}
	}
	before, looked := f.Kept, f.stored
	for _, t := range tasks {
		if f.Kept += t.kept; looked && len(t.open) == 0 {
			continue
		}
		left := func(each int) int { return max(each*t.translations-t.kept, len(t.open)) }
		f.Least, f.Usual, f.Most = f.Least+left(f.calls.Least), f.Usual+left(f.calls.Usual), f.Most+left(f.calls.Most)
	}
	// Runs take the queue in its order, so no later batch has replies after one that has none.
	f.stored = f.stored && (len(tasks) == 0 || f.Kept > before)
	return nil
}

// threshold returns the threshold that the run was given or has found.
func (f *forecastSum) threshold() *float64 {
	if found := f.r.running.Settings.Threshold; found != nil {
		return found
	}
	return f.r.o.Threshold
}

// replay gives tasks the stored replies to their calls, until every next call has none. It uses up the
// slice.
func (r *runner) replay(tasks []*forecastTask) error {
	for len(tasks) > 0 {
		var ids []string
		for _, t := range tasks {
			t.open, _ = t.machine.Next()
			t.ids = t.ids[:0]
			for _, call := range t.open {
				t.ids = append(t.ids, r.callID(call))
			}
			ids = append(ids, t.ids...)
		}
		kept, err := r.running.keptReplies(r.ctx, ids)
		if err != nil {
			return err
		}
		tasks = slices.DeleteFunc(tasks, func(t *forecastTask) bool {
			var open []judge.Call
			for i, call := range t.open {
				reply, ok := kept[t.ids[i]]
				if !ok {
					open = append(open, call)
					continue
				}
				t.machine.Answer(call, reply.toJudge())
				if call.Attempt == 0 {
					t.kept++
				}
			}
			done := len(open) == len(t.open)
			t.open = open
			return done
		})
	}
	return nil
}

// firstTokens estimates the tokens of the first prompt of a task.
func firstTokens(m *judge.Machine) (n int) {
	calls, _ := m.Next()
	for _, call := range calls[:min(1, len(calls))] {
		for _, message := range call.Messages {
			n += provider.EstimateTokens(message.Content)
		}
	}
	return n
}
