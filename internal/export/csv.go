package export

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
)

// CSVOptions are the options of [CSV].
type CSVOptions struct {
	Suggestions bool // adds a column with the outcomes of suggestions
	// Exact writes unchanged texts. Otherwise a text that a spreadsheet would run as a
	// formula gets an apostrophe before it, see [spreadsheet.Escape].
	Exact bool
}

// CSV writes one row for each submitted rating under p, in the format "csv". The round of an adjudication is
// "adjudicated". The column in_gold says whether gold follows from the rating, see [campaign.ContributingRatings]. A
// question that is no number has a column with its answers. Derived scores have the sign of p, in which errors have
// positive costs. A link to an error that the file does not contain is left out; the notes say where.
func CSV(w io.Writer, p *protocol.Protocol, opt CSVOptions, segments Source) (notes []string, err error) {
	text := spreadsheet.Escape
	if opt.Exact {
		text = func(s string) string { return s }
	}
	out, lost := lines{w: w}, losses{}
	table := csv.NewWriter(&out)
	header := []string{"doc_id", "segment_id", "domain", "system", "annotator", "round", "status"}
	for _, s := range p.Scores {
		header = append(header, s.Name)
	}
	for _, d := range p.Derived {
		header = append(header, d.Name)
	}
	for _, q := range p.Asks() {
		header = append(header, q.Name)
	}
	header = append(header, "spans")
	if opt.Suggestions {
		header = append(header, "suggestions")
	}
	header = append(header, "comment", "seconds", "submitted_at", "in_gold")
	table.Write(header) // out never returns an error
	table.Flush()
	row := make([]string, 0, len(header))
	err = out.each(segments, func(s campaign.Segment) {
		for _, t := range bySystem(s.Translations) {
			gold := campaign.ContributingRatings(p, s, t)
			for _, r := range judgements(t) {
				inGold := slices.ContainsFunc(gold, func(g campaign.Rating) bool { return g.Annotator == r.Annotator && g.Round == r.Round })
				r = lost.linked(r, false, s, t.System)
				row = append(row[:0], text(s.DocID), text(s.SegmentID), text(s.Domain), text(t.System), text(r.Annotator), roundCell(r),
					string(s.Status))
				for _, score := range p.Scores {
					cell := ""
					if x, ok := r.Scores[score.Name]; ok {
						cell = number(x)
					}
					row = append(row, cell)
				}
				for _, derived := range p.Derived {
					cell := ""
					if x, ok := derived.Value(r.Rating); ok {
						cell = number(x)
					}
					row = append(row, cell)
				}
				for _, q := range p.Asks() {
					row = append(row, text(answerCell(r.Answers, q)))
				}
				spans, err := spansJSON(r.Spans)
				out.fail(err)
				row = append(row, spans)
				if opt.Suggestions {
					outcomes, err := outcomesJSON(r.Suggestions)
					out.fail(err)
					row = append(row, outcomes)
				}
				at := ""
				if !r.SubmittedAt.IsZero() {
					at = timeText(r.SubmittedAt)
				}
				table.Write(append(row, text(r.Comment), number(r.Seconds), at, yesNo[inGold]))
			}
		}
		table.Flush()
	})
	return lost.notes(), err
}

// answerCell is the answer to a question as a cell has it: several answers have ; between them. It is empty
// if there is none.
func answerCell(answers map[string]protocol.Answer, q protocol.Question) string {
	a := answers[q.Name]
	if a.Several != nil {
		return strings.Join(a.Several, ";")
	}
	return a.Text
}

var yesNo = map[bool]string{true: "yes", false: "no"}

// roundCell returns the round of a rating, or "adjudicated".
func roundCell(r campaign.Rating) string {
	if r.Round == 0 {
		return "adjudicated"
	}
	return strconv.Itoa(r.Round)
}
