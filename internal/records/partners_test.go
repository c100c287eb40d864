package records_test

import (
	"fmt"
	"maps"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// The partner of an error is the submitted one of the same annotator on the same system in the
// same document and round, and is settled if its round is the one that settled its segment.
func TestPartners(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("rate"), storetest.PerDocument(3), storetest.Systems(2), storetest.Set("gate=on"))
	var lines []campaign.RatingLine
	rate := func(segment, system, annotator string, round int, accuracy float64, links ...string) {
		r := storetest.MarkedRating(segment, system)
		for i, link := range links {
			r.Spans = append(r.Spans, protocol.ErrorSpan{ID: fmt.Sprintf("%s-%d", segment, i), Side: protocol.Target, End: 1, Severity: "2", Category: "Inconsistency", Comment: "to " + link})
		}
		r.Scores = map[string]float64{"accuracy": accuracy, "fluency": accuracy}
		r.DocID, r.Annotator, r.Round = "d1", annotator, round
		if segment == "s4" {
			r.DocID = "d2"
		}
		lines = append(lines, r)
	}
	a, b := s.Systems[0], s.Systems[1]
	for _, segment := range []string{"s1", "s2", "s3", "s4"} {
		rate(segment, b, "ann1", 1, 50, "", "")
		rate(segment, b, "ann2", 1, 50)
	}
	rate("s1", a, "ann1", 1, 50, "s2-0", "s3-0", "s4-0", "s1-0", "s2-9")
	rate("s1", a, "ann2", 1, 50, "s3-0", "s2-0")
	rate("s2", a, "ann1", 1, 10, "") // does not agree
	rate("s2", a, "ann2", 1, 90)
	rate("s2", a, "ann1", 2, 50, "s1-0")
	rate("s2", a, "ann2", 2, 50, "")
	rate("s2", b, "ann1", 2, 50)
	rate("s2", b, "ann2", 2, 50)
	rate("s3", a, "ann1", 1, 50, "s1-4")
	rate("s3", a, "ann2", 1, 50)
	rate("s4", a, "ann1", 1, 50, "")
	rate("s4", a, "ann2", 1, 50)
	storetest.ImportRatings(t, s, lines...)
	// An import refuses links that lead nowhere, so they are stored afterwards.
	storetest.Exec(t, db, `UPDATE ratings SET spans = replace(replace(spans, ',"comment":"to "', ''), '"comment":"to ', '"link":"')`)
	s.Reload(t)
	got := map[string]map[string]campaign.Partner{}
	for _, seg := range s.All(t) {
		for _, tr := range seg.Translations {
			for _, r := range tr.Ratings {
				if r.Partners != nil {
					got[fmt.Sprint(seg.SegmentID, " ", tr.System, " ", r.Annotator, " ", r.Round)] = r.Partners
				}
			}
		}
	}
	want := map[string]map[string]campaign.Partner{
		"s1 " + a + " ann1 1": {"s2-0": {}, "s3-0": {Settled: true}},
		"s3 " + a + " ann1 1": {"s1-4": {Settled: true}},
	}
	if !maps.EqualFunc(got, want, maps.Equal) {
		t.Errorf("partners %v, want %v", got, want)
	}
}
