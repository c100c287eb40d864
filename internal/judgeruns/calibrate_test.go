package judgeruns_test

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/store/storetest"
)

// himateModel is a model that finds a spelling error in every translation. logProbs returns the
// log-probabilities of the model's answer to a comparison. If it returns nil, the answer has none.
func himateModel(logProbs func(provider.Chat) []float64, discussions *atomic.Int64) provider.Script {
	return func(c provider.Chat) provider.Answer {
		switch last := c.Last(); {
		case c.LogProbs:
			return provider.Answer{Text: `{"corrected": true}`, LogProbs: logProbs(c)}
		case strings.Contains(last, "Correct this error"):
			return provider.Answer{Text: "corrected"}
		case strings.Contains(last, "give your opinion"):
			discussions.Add(1)
			return provider.Answer{Text: `{"error": true, "severity": "Minor", "opinion": "yes"}`}
		case strings.Contains(last, "Say whether you agree"):
			return provider.Answer{Text: `{"agree": true}`}
		case strings.Contains(last, "The type of error is Spelling"):
			return provider.Answer{Text: `{"error": true, "severity": "Minor", "span": "Translation", "explanation": "x"}`}
		}
		return provider.Answer{Text: `{"error": false}`}
	}
}

// A run of himate finds and stores its threshold before the first judgement, with segments that it does not
// judge, and repeats no call. If
// the model gives no log-probabilities, this run and the next discuss every finding.
func TestCalibrate(t *testing.T) {
	const translations, judged, calls = 12, 10, 19 + 2 // calls for each: every subtype, and the check of the finding
	for name, tt := range map[string]struct {
		logProb     []float64
		threshold   float64
		discussions int64
	}{
		"log-probabilities": {[]float64{-0.5, -0.25}, -0.75, 0}, // all confidences equal the threshold, so none is below it
		"none":              {nil, 1, translations},
	} {
		t.Run(name, func(t *testing.T) {
			var discussions atomic.Int64
			s := newSite(t, storetest.Open(t), himateModel(sure(tt.logProb...), &discussions), storetest.Segments(6), storetest.Systems(2))
			p := s.run(t, options(t, "himate"))
			run := s.stored(t)
			if p.State != judgeruns.JudgeDone || p.Judged != judged || p.All != judged || run.Reason != "2 translations left out, since the threshold was found with them" || run.Settings.Threshold == nil || *run.Settings.Threshold != tt.threshold {
				t.Fatalf("it ended %+v; stored is %+v", p, run)
			}
			if n := discussions.Load(); n != tt.discussions || s.Repeats() != 0 || int64(s.Asked()) != translations*calls+2*tt.discussions {
				t.Errorf("%d discussions and %d calls, %d of them again", n, s.Asked(), s.Repeats())
			}
			apart := storetest.Query[string](t, s.db, "SELECT g.segment_id FROM judge_calibrations k JOIN segments g ON g.id = k.segment_id")
			if named := storetest.Must(s.Store.Records.CalibrationSegments(t.Context(), run.JudgeID))(t); len(named) != 1 || !strings.HasSuffix(named[0], "/"+apart[0]) {
				t.Errorf("%q are named, want %q", named, apart)
			}
			if found := storetest.Must(s.Store.Records.Judges(t.Context(), s.Campaign.ID))(t)[0]; len(apart) != 1 || found.Left != 0 || !strings.HasSuffix(found.About, " from 1 segment that the judge does not judge") {
				t.Errorf("%q are left out; the judge is %+v", apart, found)
			}
			for _, line := range s.lines(t) {
				if line.SegmentID == apart[0] {
					t.Errorf("the judge judged %s, which its threshold comes from", apart[0])
				}
				if line.Score == nil || *line.Score != -1 {
					t.Fatalf("%+v", line)
				}
			}
		})
	}
}

func sure(logProbs ...float64) func(provider.Chat) []float64 {
	return func(provider.Chat) []float64 { return logProbs }
}

// The threshold is the 60th percentile of the confidences in a tenth of the segments, which the
// seed draws. The run discusses the findings below the threshold and no others. A resumed run keeps
// the threshold.
func TestThreshold(t *testing.T) {
	const translations = 11 // a tenth, rounded up, is two
	given := -0.5
	calibrated := func(t *testing.T, seed uint64, threshold *float64) (drawn []string) {
		var mu sync.Mutex
		var asked []string
		var confidences []float64 // in the order of asked
		var discussions atomic.Int64
		s := newSite(t, storetest.Open(t), himateModel(func(c provider.Chat) []float64 {
			mu.Lock()
			defer mu.Unlock()
			h := fnv.New32a()
			h.Write([]byte(c.Last()))
			x := -float64(h.Sum32()%1000) / 1000
			asked, confidences = append(asked, c.Last()), append(confidences, x)
			return []float64{x}
		}, &discussions), storetest.Segments(translations), storetest.Systems(1))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := options(t, "himate")
		o.Seed, o.Threshold, o.Concurrency = seed, threshold, 1 // no other call is under way when the run is cancelled
		o.Progress = func(p judgeruns.Progress) {
			if p.Judged == 5 {
				cancel()
			}
		}
		if p, err := s.Store.JudgeRuns.Run(ctx, s.Campaign, s.provider, o); err != nil || p.State != judgeruns.JudgeStopped {
			t.Fatalf("it ended %+v, %v", p, err)
		}
		o.Progress = nil
		left := 2
		if threshold != nil {
			left = 0
		}
		if p := s.run(t, o); p.State != judgeruns.JudgeDone || p.Judged != translations-left || s.Repeats() != 0 || len(asked) != translations {
			t.Fatalf("resumed it ended %+v after %d comparisons, with %d calls again", p, len(asked), s.Repeats())
		}
		want := given
		if threshold == nil {
			low, high := min(confidences[0], confidences[1]), max(confidences[0], confidences[1])
			want = low + 0.6*(high-low)
		}
		if got := *s.stored(t).Settings.Threshold; math.Abs(got-want) > 1e-12 {
			t.Errorf("the threshold is %v, want %v of %v", got, want, confidences)
		}
		below := int64(0)
		for _, x := range confidences[left:] {
			if x < want {
				below++
			}
		}
		if n := discussions.Load(); n != below || below == 0 || below == translations {
			t.Errorf("%d findings were discussed, want %d, which are less certain than %v", n, below, want)
		}
		return slices.Sorted(slices.Values(asked[:2]))
	}
	first, again, other := calibrated(t, 4, nil), calibrated(t, 4, nil), calibrated(t, 5, nil)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("the seed 4 drew %q and %q, the seed 5 %q", first, again, other)
	}
	calibrated(t, 4, &given)
}

// A run judges no translation before it knows the threshold, because judgements with different
// thresholds can't be compared.
func TestCalibrationFails(t *testing.T) {
	var discussions, down atomic.Int64
	works := himateModel(sure(-0.5), &discussions)
	s := newSite(t, storetest.Open(t), func(c provider.Chat) provider.Answer {
		if c.LogProbs && down.Load() == 0 {
			return provider.Answer{Status: 503, Text: "down"}
		}
		return works(c)
	}, storetest.Segments(5), storetest.Systems(2))
	p := s.run(t, options(t, "himate"))
	if p.State != judgeruns.JudgeStopped || p.Judged != 0 || p.Failed != 2 || !strings.Contains(p.Reason, "the calls for 2 translations failed; run the judge again") || s.stored(t).Settings.Threshold != nil {
		t.Errorf("it ended %+v; stored is %+v", p, s.stored(t))
	}
	down.Store(1)
	if p := s.run(t, options(t, "himate")); p.State != judgeruns.JudgeDone || p.Judged != 8 || *s.stored(t).Settings.Threshold != -0.5 {
		t.Errorf("the second run ended %+v", p)
	}
}
