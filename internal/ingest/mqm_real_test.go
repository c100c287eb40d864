package ingest

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// TestMQMRealTables: peculiarities of published tables.
func TestMQMRealTables(t *testing.T) {
	nine := strings.Replace(olderHeader, "\tcomment", "", 1)
	span := func(start, end int, text, comment string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: text, Severity: "minor", Category: "Other", Comment: comment}
	}
	for _, tt := range []struct {
		name, data, source, target string
		ratings                    []campaign.Rating
		notes                      []string
	}{
		{"a blank at the end of a mark, below", nine + rows("A|d|1|1|r|s|Good day.|No-error|No-error", "A|d|1|1|q|s|<v>Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 9, "Good day.", "")), mqmRating("r")}, []string{noteOf(1, noteEnds, 3)}},
		{"blanks at both ends of a mark, above", nine + rows("A|d|1|1|q|s |<v>\u3000 Good</v> day.|Other|Minor", "A|d|1|1|r|s|Good <v>day.</v>|Other|Minor", "A|d|1|1|q|s|<v>  Good day. </v>|Other|Minor"),
			"s", "Good day.", []campaign.Rating{mqmRating("q", span(0, 4, "Good", ""), span(0, 9, "Good day.", "")), mqmRating("r", span(5, 9, "day.", ""))}, []string{noteOf(2, noteEnds, 3)}},
		{"a mark around nothing but a blank", nine + rows("A|d|1|1|q|s|day.<v> </v>|Other|Minor", "A|d|1|1|r|s|day.|No-error|No-error"),
			"s", "day.", []campaign.Rating{mqmRating("q", span(4, 4, "", "")), mqmRating("r")}, []string{noteOf(1, noteEnds, 3)}},
		{"blanks that all rows have", nine + rows("A|d|1|1|q| s|<v> a</v> |Other|Minor", "A|d|1|1|r| s| a |No-error|No-error"),
			" s", " a ", []campaign.Rating{mqmRating("q", span(0, 2, " a", "")), mqmRating("r")}, nil},
		{"a quotation mark inside a mark", nine + rows(`A|d|1|1|q|s|<v>"He</v> said ""hi"""|Other|Minor`, `A|d|1|1|r|s|"He said ""hi"""|No-error|No-error`),
			"s", `He said "hi"`, []campaign.Rating{mqmRating("q", span(0, 2, "He", "")), mqmRating("r")}, []string{noteOf(2, noteQuoted, 2)}},
		{"a tenth cell under nine names", nine + rows("A|d|1|1|q|s|<v>a</v>|Other|Minor|why?", `A|d|1|1|r|s|<v>a</v>|Other|Minor|{"note":"n"}`, "A|d|1|1|r|s|a|No-error|No-error|"),
			"s", "a", []campaign.Rating{mqmRating("q", span(0, 1, "a", "why?")), mqmRating("r", span(0, 1, "a", "n"))}, []string{noteOf(2, noteTenth, 2), noteOf(1, noteNoErrorToo, 4)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := mqmTableOf(t, "mqm", tt.data, Options{File: "f"})
			diff(t, got, []campaign.SegmentLine{{Line: 2, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: tt.source, Translations: []campaign.Translation{{System: "A", Text: tt.target, Ratings: tt.ratings}}}}})
			diff(t, noted(notes), tt.notes)
		})
	}
}
