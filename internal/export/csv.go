package export

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"

	"annotate/internal/protocol"
)

// CSV writes one row for each submitted rating under p, in the format "csv".
//
// Texts are written as they are. A comment that begins with = or + looks like a
// formula to a spreadsheet; it is left alone, since a guard before it would
// change the data. Open such files by import, with the column as text.
func CSV(w io.Writer, p *protocol.Protocol, segments Source) error {
	buf := bufio.NewWriterSize(w, pieceSize)
	table := csv.NewWriter(buf)
	header := []string{"doc_id", "segment_id", "domain", "system", "annotator", "round", "status"}
	for _, s := range p.Scores {
		header = append(header, s.Name)
	}
	if err := table.Write(append(header, "spans", "comment", "seconds", "submitted_at")); err != nil {
		return err
	}
	for s, err := range segments {
		if err != nil {
			return err
		}
		for _, t := range bySystem(s.Translations) {
			for _, r := range byRound(t.Ratings) {
				row := []string{s.DocID, s.SegmentID, s.Domain, t.System, r.Annotator, strconv.Itoa(r.Round), string(s.Status)}
				for _, score := range p.Scores {
					cell := ""
					if x, ok := r.Scores[score.Name]; ok {
						cell = number(x)
					}
					row = append(row, cell)
				}
				at := ""
				if !r.SubmittedAt.IsZero() {
					at = timeText(r.SubmittedAt)
				}
				if err := table.Write(append(row, "[]", r.Comment, number(r.Seconds), at)); err != nil {
					return err
				}
			}
		}
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return err
	}
	return buf.Flush()
}
