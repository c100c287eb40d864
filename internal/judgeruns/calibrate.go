package judgeruns

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"annotate/internal/judge"
)

// discussAll is the threshold of a run if no finding in its sample has a log-probability. A
// log-probability is at most 0, so every finding is discussed.
const discussAll = 1

// calibrate finds the threshold of a method that needs one, from a tenth of the segments, drawn with the
// seed. As in the paper (Zhang et al. 2025, appendix D), these are none of those that are judged: the judge leaves them
// out from then on. calibrate stores them and the threshold before the first judgement, so that all
// judgements of a judge have the same threshold. If a call fails, it stores nothing but the replies, so
// that the next run draws the same segments and does not make the same calls again. A single segment is
// judged; its findings are all discussed.
func (r *runner) calibrate() error {
	if !r.o.Method.Needs.LogProbs || r.running.Settings.Threshold != nil {
		return nil
	}
	var all []JudgeUnit
	if err := r.eachBatch(func(batch []JudgeUnit) { all = append(all, batch...) }); err != nil {
		return err
	}
	var segments []string // in the order of import
	for _, u := range all {
		if n := len(segments); n == 0 || segments[n-1] != u.SegmentID {
			segments = append(segments, u.SegmentID)
		}
	}
	random := rand.New(rand.NewPCG(r.o.Seed, 0))
	random.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	if len(segments) > 1 {
		segments = segments[:(len(segments)+9)/10]
	} else {
		segments = nil
	}
	drawn := map[string]bool{}
	for _, id := range segments {
		drawn[id] = true
	}
	tenth := slices.DeleteFunc(all, func(u JudgeUnit) bool { return !drawn[u.SegmentID] })

	var mu sync.Mutex
	var confidences []float64
	nothing := math.Inf(-1) // a threshold below which no finding lies, so that none is discussed
	err := r.several(func(units chan<- JudgeUnit) error {
		r.send(units, tenth)
		return nil
	}, func(u JudgeUnit) error {
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
	threshold := judge.ConfidenceThreshold(confidences)
	if math.IsNaN(threshold) {
		threshold = discussAll
	}
	if err := r.running.KeepThreshold(r.ctx, threshold, segments); err != nil {
		return err
	}
	r.say(func(p *Progress) {
		for _, u := range tenth {
			p.All -= len(u.Translations)
			p.Left += len(u.Translations)
		}
	})
	return nil
}
