package export

import (
	"io"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Terms writes the terms of segments in the format "terms", with a line for each: the given ones, or the gold of
// those that annotators marked, with all that they said of them ([campaign.TermsToGive]). They are in the order of
// the text, those of the source first. Their ids, to which links refer, are t1, t2 and so on in each segment.
func Terms(w io.Writer, segments Source) error {
	out := lines{w: w}
	return out.each(segments, func(s campaign.Segment) {
		terms := campaign.TermsToGive(s)
		ids := map[string]string{"": ""}
		terms = slices.SortedStableFunc(slices.Values(terms), protocol.InOrder)
		for i, t := range terms {
			ids[t.ID] = "t" + strconv.Itoa(i+1)
		}
		for _, t := range terms {
			o := out.object()
			o.text("doc_id", s.DocID)
			o.text("segment_id", s.SegmentID)
			o.text("id", ids[t.ID])
			o.text("side", string(t.Side))
			o.number("start", float64(t.Start))
			o.number("end", float64(t.End))
			o.text("text", t.Text)
			o.optional("category", t.Category)
			o.optional("explication", t.Answers[campaign.Explication])
			o.optional("equivalent", t.Answers[campaign.Equivalent])
			o.optional("link", ids[t.Link])
			o.line()
		}
	})
}
