package judging

import (
	"math"
	"math/rand/v2"
	"sync"

	"annotate/internal/intake"
	"annotate/internal/judge"
)

// calibrate finds the threshold of a method that needs one, from a tenth of the translations.
// What is asked for that is not asked again later.
func (r *runner) calibrate() error {
	if !r.o.Method.Needs.LogProbs || r.running.Settings.Threshold != nil {
		return nil
	}
	var all []intake.JudgeUnit
	for after := 0; ; {
		batch, err := r.running.Units(r.ctx, after, unitsAtOnce)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		after = batch[len(batch)-1].Position
		for _, u := range batch {
			all = append(all, r.split(u)...)
		}
	}
	random := rand.New(rand.NewPCG(r.o.Seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var mu sync.Mutex
	var confidences []float64
	none := math.Inf(-1) // nothing is less certain, so nothing is discussed
	units := make(chan intake.JudgeUnit)
	var group sync.WaitGroup
	for range r.o.Concurrency {
		group.Go(func() {
			for u := range units {
				done, err := r.drive(r.task(u, &none))
				if err != nil {
					r.failed(err, len(u.Translations))
					continue
				}
				mu.Lock()
				for _, j := range done.judgements {
					confidences = append(confidences, j.Confidences...)
				}
				mu.Unlock()
			}
		})
	}
	for _, u := range all[:(len(all)+9)/10] {
		select {
		case units <- u:
		case <-r.ctx.Done():
		}
	}
	close(units)
	group.Wait()
	threshold, ok := judge.ConfidenceThreshold(confidences)
	if r.ctx.Err() != nil || r.progress.Failed > 0 || !ok {
		return nil
	}
	return r.running.KeepThreshold(r.ctx, threshold)
}
