package export

import (
	"encoding/csv"
	"io"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
)

// Answers writes one row for each answer of each submitted rating to a question of p that is no number, in the
// format "answers", and one for each gold answer ([campaign.GoldAnswer]). Several answers have ; between them. The round
// of an adjudication is "adjudicated", and that of a gold answer "gold", without an annotator and a time. A text
// that a spreadsheet would run as a formula gets an apostrophe before it, see [spreadsheet.Escape].
func Answers(w io.Writer, p *protocol.Protocol, segments Source) error {
	out, text := lines{w: w}, spreadsheet.Escape
	table := csv.NewWriter(&out)
	table.Write([]string{"doc_id", "segment_id", "domain", "system", "question", "annotator", "round", "value", "submitted_at"}) // out never returns an error
	table.Flush()
	return out.each(segments, func(buf []byte, s campaign.Segment) ([]byte, error) {
		for _, t := range bySystem(s.Translations) {
			row := func(q protocol.Question, answers map[string]protocol.Answer, annotator, round, at string) {
				if _, given := answers[q.Name]; given {
					table.Write([]string{text(s.DocID), text(s.SegmentID), text(s.Domain), text(t.System), q.Name, text(annotator), round, text(answerCell(answers, q)), at})
				}
			}
			for _, q := range p.Asks() {
				for _, r := range judgements(t) {
					at := ""
					if !r.SubmittedAt.IsZero() {
						at = timeText(r.SubmittedAt)
					}
					row(q, r.Answers, r.Annotator, roundCell(r), at)
				}
				if gold, ok := campaign.GoldAnswer(p, q, s, t); ok {
					row(q, map[string]protocol.Answer{q.Name: gold}, "", "gold", "")
				}
			}
		}
		table.Flush()
		return out.buf, table.Error()
	})
}
