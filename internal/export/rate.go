package export

import (
	"fmt"
	"io"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Rate writes one line for each rating under the protocol RATE, in the format "rate".
// Any other protocol is refused.
//
// Only the last complete round of each segment (see [campaign.CompleteRound]), or its
// adjudication with "adjudicated":true, is written: the format has no field for the
// round, so two lines of an annotator for the same translation would contradict each
// other. The formats "ratings" and "csv" contain all rounds. The notes list the losses,
// with a line for each kind.
func Rate(w io.Writer, p *protocol.Protocol, segments Source) (notes []string, err error) {
	if p.ID != "rate" {
		return nil, campaign.Invalid(
			"format", fmt.Sprintf("rate holds accuracy, fluency and errors, and this campaign's protocol is %s; export ratings or csv", p.Name),
		)
	}
	out, documents, lost := lines{w: w}, places{}, losses{}
	err = out.each(segments, func(s campaign.Segment) {
		document, line := documents.next(s.DocID)
		for _, t := range bySystem(s.Translations) {
			ratings := settled(s, t)
			lost.unsettled(s, t)
			lost.add(lossComments, withComment(ratings), s, t.System)
			for _, r := range ratings {
				r = lost.linked(r, true, s, t.System)
				o := out.object()
				o.text("annotator", r.Annotator)
				if t.Adjudication != nil {
					o.bool("adjudicated", true)
				}
				o.text("doc_id", s.DocID)
				o.number("doc_num", float64(document))
				o.number("line_id", float64(line))
				o.text("domain", s.Domain)
				o.text("system", t.System)
				o.text("source", s.Source)
				o.text("translation", t.Text)
				for _, score := range p.Scores {
					if x, ok := r.Scores[score.Name]; ok {
						o.number("score_"+score.Name, x)
					}
				}
				o.spans(r.Spans)
				for _, d := range p.Derived {
					if x, ok := d.Value(r.Rating); ok {
						o.number(d.Name, x)
					}
				}
				o.line()
			}
		}
	})
	return lost.notes(), err
}

// places numbers the documents of a campaign and the segments of each document, both from
// 1, in the order of import.
type places map[string]*place

type place struct{ document, segment int }

// next returns the number of a document and the number of its next segment.
func (p places) next(docID string) (document, segment int) {
	at := p[docID]
	if at == nil {
		at = &place{document: len(p) + 1}
		p[docID] = at
	}
	at.segment++
	return at.document, at.segment
}
