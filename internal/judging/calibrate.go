package judging

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"

	"annotate/internal/judge"
	"annotate/internal/runs"
)

// discussAll is the threshold of a run whose tenth tells none, since no finding in it has a
// log-probability. A log-probability is at most 0, so every finding is discussed.
const discussAll = 1

// calibrate finds the threshold of a method that needs one, from a tenth of the tasks, drawn with
// the seed. It stores the threshold before anything is judged, so that all judgements of a judge
// have the same. If calls fail, it stores none. The replies are stored, so that the same calls are
// not made again later.
func (r *runner) calibrate() error {
	if !r.o.Method.Needs.LogProbs || r.running.Settings.Threshold != nil {
		return nil
	}
	var all []runs.JudgeUnit
	if err := r.eachBatch(func(batch []runs.JudgeUnit) { all = append(all, batch...) }); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(r.o.Seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tenth := all[:(len(all)+9)/10]

	var mu sync.Mutex
	var confidences []float64
	nothing := math.Inf(-1) // as the threshold: nothing is discussed
	err := r.several(func(units chan<- runs.JudgeUnit) error {
		r.send(units, tenth)
		return nil
	}, func(u runs.JudgeUnit) error {
		done, err := r.drive(r.task(u, &nothing))
		if _, lacks := errors.AsType[*judge.NeedsError](err); lacks {
			return nil
		}
		if err != nil {
			return r.failed(err, len(u.Translations))
		}
		mu.Lock()
		defer mu.Unlock()
		for _, j := range done.judgements {
			confidences = append(confidences, j.Confidences...)
		}
		return nil
	})
	if err != nil || r.ctx.Err() != nil || r.progress.Failed > 0 {
		return err
	}
	threshold, ok := judge.ConfidenceThreshold(confidences)
	if !ok {
		threshold = discussAll
	}
	return r.running.KeepThreshold(r.ctx, threshold)
}
