package export_test

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// What a campaign without suggestions gives has no word of them.
func TestSuggestionsUnsaid(t *testing.T) {
	esa, _ := protocol.Lookup("esa")
	segment := campaign.Segment{DocID: "d", SegmentID: "s", Translations: []campaign.Translation{{System: "A", Ratings: []campaign.Rating{{
		Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 3}, Spans: []protocol.ErrorSpan{{Side: protocol.Target, End: 1, Text: "a", Severity: "minor"}}},
	}}}}}
	var ratings, table, none bytes.Buffer
	for _, err := range []error{alone(export.Ratings(&ratings, esa, values([]campaign.Segment{segment}))), alone(export.CSV(&table, esa, export.CSVOptions{}, values([]campaign.Segment{segment}))), export.Suggestions(&none, values([]campaign.Segment{segment}))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if none.Len() > 0 || bytes.Contains(ratings.Bytes(), []byte("suggest")) || bytes.Contains(table.Bytes(), []byte("suggest")) {
		t.Errorf("%s%s%s", none.String(), ratings.String(), table.String())
	}
}

func TestSuggestionsInTable(t *testing.T) {
	esa, _ := protocol.Lookup("esa")
	segment := campaign.Segment{DocID: "d", SegmentID: "s", Translations: []campaign.Translation{{System: "A", Ratings: []campaign.Rating{
		{Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 3}, Suggestions: []protocol.Outcome{{ID: "1", Became: protocol.Rejected}}}},
		{Annotator: "mara", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 4}}},
	}}}}
	var table bytes.Buffer
	if _, err := export.CSV(&table, esa, export.CSVOptions{Suggestions: true}, values([]campaign.Segment{segment})); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		got = append(got, row[10])
	}
	if want := []string{"suggestions", `[{"id":"1","became":"rejected"}]`, ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q in %q", got, want, rows)
	}
}
