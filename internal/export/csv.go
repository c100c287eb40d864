package export

import (
	"encoding/csv"
	"io"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// CSV writes one row for each submitted rating under p, in the format "csv".
// Derived scores have the sign of p, in which an error costs more than none.
//
// Texts are written as they are. A comment that begins with = or + looks like a
// formula to a spreadsheet; it is left alone, since a guard before it would
// change the data. Open such files by import, with the column as text.
func CSV(w io.Writer, p *protocol.Protocol, segments Source) error {
	return writeCSV(w, p, false, segments)
}

// CSVWithSuggestions is [CSV] for a campaign that has suggestions, with a column of
// what became of them.
func CSVWithSuggestions(w io.Writer, p *protocol.Protocol, segments Source) error {
	return writeCSV(w, p, true, segments)
}

func writeCSV(w io.Writer, p *protocol.Protocol, suggested bool, segments Source) error {
	out := lines{w: w}
	table := csv.NewWriter(&out)
	header := []string{"doc_id", "segment_id", "domain", "system", "annotator", "round", "status"}
	for _, s := range p.Scores {
		header = append(header, s.Name)
	}
	for _, d := range p.Derived {
		header = append(header, d.Name)
	}
	header = append(header, "spans")
	if suggested {
		header = append(header, "suggestions")
	}
	header = append(header, "comment", "seconds", "submitted_at")
	table.Write(header) // errors of table come from out, which has none
	table.Flush()
	row := make([]string, 0, len(header))
	return out.each(segments, func(buf []byte, s campaign.Segment) ([]byte, error) {
		for _, t := range bySystem(s.Translations) {
			for _, r := range byRound(t.Ratings) {
				row = append(row[:0], s.DocID, s.SegmentID, s.Domain, t.System, r.Annotator, strconv.Itoa(r.Round), string(s.Status))
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
				spans, err := spansJSON(r.Spans)
				if err != nil {
					return buf, err
				}
				row = append(row, spans)
				if suggested {
					became, err := outcomesJSON(r.Suggestions)
					if err != nil {
						return buf, err
					}
					row = append(row, became)
				}
				at := ""
				if !r.SubmittedAt.IsZero() {
					at = timeText(r.SubmittedAt)
				}
				table.Write(append(row, r.Comment, number(r.Seconds), at))
			}
		}
		table.Flush()
		return out.buf, table.Error()
	})
}
