package judgeruns

import (
	"fmt"

	"annotate/internal/campaign"
)

// traceOf returns the trace of the judgement at a place among of judgements of a task. Judgements of
// one task share its calls, which only the trace of the first one has.
func (f finished) traceOf(place, of int) []campaign.TraceCall {
	if place > 0 && of > 1 {
		return []campaign.TraceCall{
			{
				Step:   "shared",
				Role:   "note",
				Prompt: "The translations of this source were judged together.",
				Reply:  "The calls are in the trace of the translation whose text is the first in byte order.",
			},
		}
	}
	out := make([]campaign.TraceCall, len(f.calls))
	for i, a := range f.calls {
		prompt := a.Search
		for _, m := range a.Messages {
			if prompt != "" {
				prompt += "\n\n"
			}
			prompt += "[" + m.Role + "]\n" + m.Content
		}
		step := a.Step
		if a.Attempt > 0 {
			step += fmt.Sprintf(" (attempt %d)", a.Attempt+1)
		}
		out[i] = campaign.TraceCall{
			Step:         step,
			Role:         a.Role,
			Prompt:       prompt,
			Reply:        a.reply.Text,
			InputTokens:  a.reply.InputTokens,
			OutputTokens: a.reply.OutputTokens,
			Seconds:      a.reply.Seconds,
		}
	}
	return out
}
