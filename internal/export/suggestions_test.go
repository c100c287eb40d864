package export_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// suggested adds suggestions to segments, and ratings that say what became of them.
func (g generator) suggested(segments []campaign.Segment) {
	for i := range segments {
		for k := range segments[i].Translations {
			t := &segments[i].Translations[k]
			t.Ratings = nil
			if g.IntN(3) == 0 {
				continue
			}
			of := &protocol.Suggestions{Origin: g.pick("", "xcomet", "a \u2028\"b\"")}
			r := campaign.Rating{Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": float64(g.IntN(101))}}}
			for n := range g.IntN(4) {
				s := protocol.ErrorSpan{ID: fmt.Sprint("q", n), Side: protocol.Target, Start: n, End: n + 1, Text: g.pick("é", "🙂", "\u2029"), Severity: "minor", Comment: g.pick("", "<b>\n")}
				of.Spans = append(of.Spans, s)
				mark := s
				mark.ID, mark.Suggestion = fmt.Sprint("m", n), s.ID
				switch g.IntN(3) {
				case 0:
					r.Spans, r.Suggestions = append(r.Spans, mark), append(r.Suggestions, protocol.Outcome{ID: s.ID, Became: protocol.Accepted})
				case 1:
					mark.Severity = "major"
					r.Spans, r.Suggestions = append(r.Spans, mark), append(r.Suggestions, protocol.Outcome{ID: s.ID, Became: protocol.Changed})
				case 2:
					r.Suggestions = append(r.Suggestions, protocol.Outcome{ID: s.ID, Became: protocol.Rejected})
				}
			}
			t.Suggested, t.Ratings = of, []campaign.Rating{r}
		}
	}
}

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func TestSuggestionsRoundTrip(t *testing.T) {
	esa, _ := protocol.Lookup("esa")
	for seed := range uint64(200) {
		g := newGenerator(seed)
		segments := g.segments(1+g.IntN(4), g.names(1+g.IntN(3)))
		g.suggested(segments)
		want, ratings := map[string]protocol.Suggestions{}, map[string]protocol.Rating{}
		for _, s := range segments {
			for _, tr := range s.Translations {
				if tr.Suggested != nil {
					key := fmt.Sprintf("%q %q %q", s.DocID, s.SegmentID, tr.System)
					want[key], ratings[key] = *tr.Suggested, tr.Ratings[0].Rating
				}
			}
		}
		var file, rated bytes.Buffer
		if err := export.Suggestions(&file, values(segments)); err != nil {
			t.Fatal(err)
		}
		checkLines(t, file.Bytes(), len(want))
		if len(want) == 0 {
			continue
		}
		for line, err := range ingest.Suggestions(bytes.NewReader(file.Bytes()), esa, ingest.Options{}) {
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			of := line.Suggestion
			key := fmt.Sprintf("%q %q %q", of.DocID, of.SegmentID, of.System)
			if !reflect.DeepEqual(of.Suggestions, want[key]) {
				t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, of.Suggestions, want[key])
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: %v are not in the file", seed, want)
		}
		if _, err := export.Ratings(&rated, esa, values(segments)); err != nil {
			t.Fatal(err)
		}
		for line, err := range ingest.Ratings(bytes.NewReader(rated.Bytes()), esa, ingest.Options{}) {
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			of := line.Rating
			if got, want := of.Rating.Rating, ratings[fmt.Sprintf("%q %q %q", of.DocID, of.SegmentID, of.System)]; !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, got, want)
			}
		}
	}
}

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
