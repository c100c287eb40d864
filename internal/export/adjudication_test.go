package export_test

import (
	"iter"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// adjudicatedSegment is a segment that two annotators rated and an adjudicator decided.
func adjudicatedSegment() iter.Seq2[campaign.Segment, error] {
	rating := func(login string, round int, score float64, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"score": score}, Spans: spans}}
	}
	judged := rating("judge", 0, 90, protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 3, Text: "One", Severity: "minor"})
	seg := campaign.Segment{
		DocID: "d", SegmentID: "s1", Source: "source", Status: campaign.Adjudicated, Round: 1, Complete: 1,
		Translations: []campaign.Translation{{
			System: "A", Text: "One two", Ratings: []campaign.Rating{rating("ann1", 1, 10), rating("ann2", 1, 20)},
			Adjudication: &judged, Gold: &campaign.Gold{Score: 90, Adjudicated: true, Entered: true},
		}},
	}
	return func(yield func(campaign.Segment, error) bool) { yield(seg, nil) }
}

// An adjudication is marked in formats that have all ratings, and stands alone in the
// table that has one round.
func TestAdjudications(t *testing.T) {
	p, _ := protocol.Lookup("esa")
	var ratings, table, mqm strings.Builder
	if err := export.Ratings(&ratings, p, adjudicatedSegment()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(ratings.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], `"annotator":"judge","adjudicated":true,"scores":{"score":90}`) ||
		strings.Contains(lines[2], `"round"`) || strings.Contains(lines[0], "adjudicated") || !strings.Contains(lines[2], `"severity":"minor"`) {
		t.Errorf("ratings:\n%s", ratings.String())
	}
	if err := export.CSV(&table, p, export.CSVOptions{}, adjudicatedSegment()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), ",judge,adjudicated,adjudicated,90,") {
		t.Errorf("csv:\n%s", table.String())
	}
	notes, err := export.MQM(&mqm, p, adjudicatedSegment())
	if err != nil {
		t.Fatal(err)
	}
	if got := mqm.String(); !strings.Contains(got, "\tjudge\t") || strings.Contains(got, "ann1") || !strings.Contains(got, "<v>One</v>") {
		t.Errorf("mqm-tsv:\n%s", got)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "2 ratings") {
		t.Errorf("the notes are %q", notes)
	}
}
