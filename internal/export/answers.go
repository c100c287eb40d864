package export

import (
	"encoding/csv"
	"fmt"
	"io"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
)

// Answers writes one row for each answer of each submitted rating to a question of p that is no number, in the
// format "answers", and one for each gold answer ([campaign.GoldAnswer]). Several answers have ; between them. The round
// of an adjudication is "adjudicated", and that of a gold answer "gold", without an annotator and a time. A text
// that a spreadsheet would run as a formula gets an apostrophe before it, see [spreadsheet.Escape].
//
// If p asks questions of terms, a row has a span, too: the side and the place of the term, such as "source 4-9", or nothing
// if the answer is about the translation or the segment. The gold of these answers is that of [campaign.GoldTerms], or of
// [campaign.RenderedTerms] if the terms are given.
func Answers(w io.Writer, p *protocol.Protocol, segments Source) error {
	out, text := lines{w: w}, spreadsheet.Escape
	table := csv.NewWriter(&out)
	asksTerms := p.Spans != nil && len(p.Spans.Questions) > 0
	write := func(s campaign.Segment, t campaign.Translation, span string, rest ...string) {
		line := []string{text(s.DocID), text(s.SegmentID), text(s.Domain), text(t.System)}
		if asksTerms {
			line = append(line, span)
		}
		table.Write(append(line, rest...))
	}
	head := []string{"doc_id", "segment_id", "domain", "system"}
	if asksTerms {
		head = append(head, "span")
	}
	table.Write(append(head, "question", "annotator", "round", "value", "submitted_at")) // out never returns an error
	table.Flush()
	return out.each(segments, func(s campaign.Segment) {
		for _, t := range bySystem(s.Translations) {
			row := func(q protocol.Question, answers map[string]protocol.Answer, annotator, round, at string) {
				if _, given := answers[q.Name]; given {
					write(s, t, "", q.Name, text(annotator), round, text(answerCell(answers, q)), at)
				}
			}
			for _, q := range p.Asks() {
				for _, r := range judgements(t) {
					row(q, r.Answers, r.Annotator, roundCell(r), submittedCell(r))
				}
				if gold, ok := campaign.GoldAnswer(p, q, s, t); ok {
					row(q, map[string]protocol.Answer{q.Name: gold}, "", "gold", "")
				}
			}
			if !asksTerms {
				continue
			}
			of := func(term protocol.ErrorSpan, answers map[string]string, annotator, round, at string) {
				span := fmt.Sprintf("%s %d-%d", term.Side, term.Start, term.End)
				for _, q := range p.Spans.Questions {
					if a, given := answers[q.Name]; given {
						write(s, t, span, q.Name, text(annotator), round, text(a), at)
					}
				}
			}
			for _, r := range judgements(t) {
				for _, term := range r.Spans {
					of(term, term.Answers, r.Annotator, roundCell(r), submittedCell(r))
				}
			}
			for _, term := range goldAnswers(p, s, t) {
				of(term.Term, term.Answers, "", "gold", "")
			}
		}
		table.Flush()
	})
}

// goldAnswers are the gold answers to the questions that p asks of terms.
func goldAnswers(p *protocol.Protocol, s campaign.Segment, t campaign.Translation) (out []campaign.RenderedTerm) {
	if p.Given != "" {
		return campaign.RenderedTerms(p, s, t)
	}
	for _, term := range campaign.GoldTerms(s) {
		out = append(out, campaign.RenderedTerm{Term: term, Answers: term.Answers})
	}
	return out
}

// submittedCell is when a rating was submitted; empty if that is not known.
func submittedCell(r campaign.Rating) string {
	if r.SubmittedAt.IsZero() {
		return ""
	}
	return timeText(r.SubmittedAt)
}
