package judging

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"

	"annotate/internal/judge"
	"annotate/internal/runs"
)

// discussAll is the threshold of a run if no finding in its sample has a log-probability. A
// log-probability is at most 0, so every finding is discussed.
const discussAll = 1

// calibrate finds the threshold of a method that needs one, from a sample of a tenth of the tasks,
// drawn with the seed. It stores the threshold before the first judgement, so that all judgements of
// a judge have the same threshold. If a call fails, it stores no threshold. It stores the replies, so
// that the run does not make the same calls again.
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
	nothing := math.Inf(-1) // a threshold below which no finding lies, so that none is discussed
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
			if j.Status == judge.OK {
				r.count(1, 0)
			} else {
				r.count(0, 1)
			}
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
