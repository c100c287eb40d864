package exchange

import (
	"slices"

	"annotate/internal/protocol"
)

// Decided says what became of each suggestion. It is rejected unless an error has its id or its place.
func Decided(suggested protocol.Suggestions, r protocol.Rating) protocol.Rating {
	came := map[string]bool{}
	for i := range r.Spans {
		s := &r.Spans[i]
		at := slices.IndexFunc(suggested.Spans, func(o protocol.ErrorSpan) bool { return o.ID == s.Suggestion && !came[o.ID] })
		if at < 0 {
			at = slices.IndexFunc(suggested.Spans, func(o protocol.ErrorSpan) bool { return o.Start == s.Start && o.End == s.End && !came[o.ID] })
		}
		s.Suggestion = ""
		if at >= 0 {
			s.Suggestion = suggested.Spans[at].ID
			came[s.Suggestion] = true
		}
	}
	r.Suggestions = nil
	for _, o := range suggested.Spans {
		r.Suggestions = append(r.Suggestions, protocol.Outcome{ID: o.ID, Became: protocol.Rejected})
	}
	r, _ = protocol.Decide(suggested.Spans, r)
	return r
}

// Suggestible returns the spans that can be suggested to annotators under p, and the reason why the first
// other span can't.
func Suggestible(p *protocol.Protocol, spans []protocol.ErrorSpan, t protocol.Texts) (can []protocol.ErrorSpan, why string) {
	for _, s := range spans {
		wrong := p.CheckSuggestions([]protocol.ErrorSpan{s}, t)
		if len(wrong) == 0 {
			can = append(can, s)
		} else if why == "" {
			why = wrong[0].Msg
		}
	}
	return can, why
}
