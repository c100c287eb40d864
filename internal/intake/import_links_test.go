package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// linkedRating is a line of a file with a span "ID>LINK" for each text.
func linkedRating(doc, segment, system, annotator string, round int, spans ...[2]string) campaign.RatingLine {
	r := storetest.MarkedRating(segment, system)
	r.DocID, r.Annotator, r.Round = doc, annotator, round
	r.Scores = map[string]float64{"accuracy": 50, "fluency": 50}
	for _, s := range spans {
		r.Spans = append(r.Spans, protocol.ErrorSpan{ID: s[0], Side: protocol.Target, End: 1, Severity: "2", Category: "Style", Link: s[1]})
	}
	return r
}

// A link leads to a span of the same annotator on the same system, document and round, on any
// line of the file or stored before. One that leads nowhere is a problem of its line.
func TestImportLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Segments(6), storetest.PerDocument(3), storetest.Systems(2))
		a, b := s.Systems[0], s.Systems[1]
		storetest.ImportRatings(t, s, linkedRating("d1", "s1", a, "x", 1, [2]string{"stored", ""}))
		lines := []campaign.RatingLine{
			linkedRating("d1", "s2", a, "x", 1, [2]string{"m", "later"}, [2]string{"n", "stored"}, [2]string{"o", "m"}),
			linkedRating("d1", "s3", a, "x", 1, [2]string{"later", "m"}),
			linkedRating("d1", "s2", b, "x", 1, [2]string{"p", "stored"}),                     // another system's
			linkedRating("d1", "s2", a, "y", 1, [2]string{"q", ""}, [2]string{"r", "stored"}), // another annotator's
			linkedRating("d2", "s4", a, "x", 1, [2]string{"s", "later"}),                      // another document's
			linkedRating("d1", "s2", a, "x", 2, [2]string{"t", "stored"}),                     // another round's
			linkedRating("d1", "s3", b, "x", 1, [2]string{"u", "nowhere"}),
		}
		_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(lines...), intake.ImportOptions{})
		none := func(line, span int, id, doc string) string {
			return fmt.Sprintf("%d spans[%d].link there is no error with the id %q by the same annotator on this system in document %q in the same round", line, span, id, doc)
		}
		storetest.WantProblems(t, err, none(3, 0, "stored", "d1"), none(4, 1, "stored", "d1"), none(5, 0, "later", "d2"), none(6, 0, "stored", "d1"), none(7, 0, "nowhere", "d1"))
		storetest.ImportRatings(t, s, lines[:2]...)

		// Adjudications are a scope of their own.
		judged := func(segment, system string, spans ...[2]string) campaign.RatingLine {
			r := linkedRating("d2", segment, system, "judge", 0, spans...)
			r.Adjudicated = true
			return r
		}
		lines = []campaign.RatingLine{
			linkedRating("d2", "s4", a, "judge", 1, [2]string{"given", ""}),
			judged("s5", a, [2]string{"v", "given"}), judged("s5", b), judged("s6", a), judged("s6", b),
		}
		_, err = db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(lines[1:]...), intake.ImportOptions{})
		storetest.WantProblems(t, err, none(1, 0, "given", "d2"))
		lines[3].Spans = []protocol.ErrorSpan{{ID: "given", Side: protocol.Target, End: 1, Severity: "2", Category: "Style", Link: "v"}}
		storetest.ImportRatings(t, s, lines[1:]...)
		storetest.ImportRatings(t, s, func() []campaign.RatingLine {
			one := judged("s4", a, [2]string{"w", "given"})
			return []campaign.RatingLine{one, judged("s4", b)}
		}()...)
		for _, seg := range s.All(t) {
			for _, tr := range seg.Translations {
				if tr.Adjudication != nil && len(tr.Adjudication.Spans) > 0 && len(tr.Adjudication.Partners) != 1 {
					t.Errorf("%s: the adjudication has %+v", seg.SegmentID, tr.Adjudication)
				}
			}
		}
	})
}

// Annotators' browsers get the ids of their own spans, so an import replaces an id that contains the
// name of a system. Links to the span still lead to it, even from a later file.
func TestImportedIDsTellNoSystem(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("rate"), storetest.Segments(0))
	s.Systems = []string{"Aquila", "M2"}
	storetest.Must(db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(storetest.Segment(1, 1, s.Systems), storetest.Segment(2, 1, s.Systems)), intake.ImportOptions{}))(t)
	storetest.ImportRatings(t, s,
		linkedRating("d1", "s1", "Aquila", "x", 1, [2]string{"wmt-AQUILA7", ""}, [2]string{"1", "wmt-AQUILA7"}),
		linkedRating("d1", "s1", "M2", "x", 1, [2]string{"m2/1", ""}, [2]string{"M20", "m2/1"}))
	storetest.ImportRatings(t, s, linkedRating("d1", "s2", "Aquila", "x", 1, [2]string{"2", "wmt-AQUILA7"}))
	var spans []protocol.ErrorSpan
	for _, stored := range storetest.Query[string](t, db, "SELECT spans FROM ratings") {
		if low := strings.ToLower(stored); strings.Contains(low, "aquila") || strings.Contains(low, "m2/") {
			t.Errorf("stored: %s", stored)
		}
		spans = append(spans, records.DecodeSpans(stored)...)
	}
	links := 0
	for _, span := range spans {
		if span.Link != "" {
			links++
			if !slices.ContainsFunc(spans, func(o protocol.ErrorSpan) bool { return o.ID == span.Link }) {
				t.Errorf("the link %q leads nowhere", span.Link)
			}
		}
	}
	kept := func(id string) bool {
		return slices.ContainsFunc(spans, func(o protocol.ErrorSpan) bool { return o.ID == id })
	}
	if links != 3 || !kept("1") || !kept("2") || !kept("M20") {
		t.Errorf("%d links; the spans are %v", links, spans)
	}
}
