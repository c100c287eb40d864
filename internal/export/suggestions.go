package export

import (
	"io"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Suggestions writes suggested error spans in the format "suggestions", with a line for
// each translation that the import named, including those with an empty list.
func Suggestions(w io.Writer, segments Source) error {
	out := lines{w: w}
	return out.each(segments, func(s campaign.Segment) {
		for _, t := range bySystem(s.Translations) {
			if t.Suggested == nil {
				continue
			}
			o := out.object()
			o.text("doc_id", s.DocID)
			o.text("segment_id", s.SegmentID)
			o.text("system", t.System)
			o.spans(t.Suggested.Spans)
			o.optional("origin", t.Suggested.Origin)
			o.line()
		}
	})
}

// outcomes writes the outcomes of the suggestions for a translation, if it had any.
func (o *object) outcomes(key string, outcomes []protocol.Outcome) {
	if len(outcomes) > 0 {
		o.key(key)
		o.outcomeList(outcomes)
	}
}

func (o *object) outcomeList(outcomes []protocol.Outcome) {
	o.objects(len(outcomes), func(i int) {
		o.text("id", outcomes[i].ID)
		o.text("became", string(outcomes[i].Became))
	})
}

// outcomesJSON returns the array of the outcomes. It is empty if there are none.
func outcomesJSON(outcomes []protocol.Outcome) (string, error) {
	if len(outcomes) == 0 {
		return "", nil
	}
	var o object
	o.outcomeList(outcomes)
	return string(o.buf), o.err
}
