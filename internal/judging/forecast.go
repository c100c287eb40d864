package judging

import (
	"context"
	"errors"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/provider"
)

// A Forecast estimates the calls and tokens of a run.
type Forecast struct {
	Judge                  string
	Segments, Translations int // that the judge has not judged
	Skipped                int // number of translations in the sample that the method can't judge
	// Least, Usual and Most are numbers of calls to the model, without retries.
	Least, Usual, Most int
	// InputTokens and OutputTokens are estimates for the usual number of calls. They come
	// from the judge's calls so far if there are any. Otherwise the input is estimated from
	// the length of the first prompts, and each reply is assumed to have AssumedOutput tokens.
	InputTokens, OutputTokens int64
	// Measured reports whether the estimates come from the judge's calls so far.
	Measured bool
}

// AssumedOutput is the number of tokens that a forecast assumes for a reply of a judge that has none.
const AssumedOutput = 200

// forecastSample is the largest number of segments in the sample of a forecast.
const forecastSample = 50

// Predict estimates the calls and tokens of a run of a judge. It calls no model. The error is a
// *campaign.InvalidError if the judge can't run with the options.
func (s *Store) Predict(ctx context.Context, c campaign.Campaign, o Options) (Forecast, error) {
	f := Forecast{Judge: o.JudgeName()}
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
	if f.Segments, f.Translations, err = s.Unjudged(ctx, c.ID, f.Judge); err != nil {
		return f, err
	}
	judged, _, err := s.judgedSoFar(ctx, c, f.Judge)
	if err != nil {
		return f, err
	}
	if err := askable(o, f.Translations, judged); err != nil {
		return f, err
	}
	f.Least, f.Usual, f.Most = calls.Least*f.Translations, calls.Usual*f.Translations, calls.Most*f.Translations
	runs, err := s.JudgeRuns(ctx, c.ID)
	if err != nil {
		return f, err
	}
	for _, r := range runs {
		if r.Name == f.Judge && r.Calls > 0 {
			f.Measured = true
			f.InputTokens, f.OutputTokens = int64(f.Usual)*r.InputTokens/r.Calls, int64(f.Usual)*r.OutputTokens/r.Calls
			return f, nil
		}
	}
	units, err := s.OpenUnits(ctx, c.ID, f.Judge, forecastSample)
	if err != nil {
		return f, err
	}
	tokens, sampled := 0, 0
	r := &runner{c: c, o: o}
	for _, u := range units {
		for _, part := range r.split(u) {
			n, err := firstTokens(o, taskOf(c, o, part, o.Threshold))
			if _, lacks := errors.AsType[*judge.NeedsError](err); lacks {
				f.Skipped += len(part.Translations)
				continue
			}
			if err != nil {
				return f, err
			}
			tokens += n
			sampled++
		}
	}
	if sampled > 0 {
		f.InputTokens = int64(f.Usual) * int64(tokens) / int64(sampled)
		f.OutputTokens = int64(f.Usual) * AssumedOutput
	}
	return f, nil
}

// firstTokens estimates the tokens of the first prompt of a task.
func firstTokens(o Options, t judge.Task) (n int, err error) {
	m, err := o.Method.Begin(t)
	if err != nil {
		return 0, err
	}
	calls, _ := m.Next()
	for _, call := range calls[:min(1, len(calls))] {
		for _, message := range call.Messages {
			n += provider.EstimateTokens(message.Content)
		}
	}
	return n, nil
}
