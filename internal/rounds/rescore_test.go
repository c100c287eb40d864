package rounds_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// gates are the stored gate scores of a campaign's ratings, by segment, system and
// annotator.
func gates(t *testing.T, db *storetest.DB, s *storetest.Sample) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, r := range storetest.Query[struct {
		Key       string
		GateScore float64
	}](t, db, `SELECT g.segment_id || ' ' || y.name || ' ' || u.login AS key, r.gate_score FROM ratings r JOIN assignments a ON a.id = r.assignment_id
		JOIN users u ON u.id = a.user_id JOIN translations t ON t.id = r.translation_id JOIN systems y ON y.id = t.system_id
		JOIN segments g ON g.id = a.segment_id WHERE a.campaign_id = ?`, s.Campaign.ID) {
		out[r.Key] = r.GateScore
	}
	return out
}

func lastAudits(t *testing.T, db *storetest.DB, s *storetest.Sample, n int) []string {
	t.Helper()
	log := storetest.AuditLines(t, db, s)
	return log[len(log)-n:]
}

// Source errors begin to cost what their severity does, and stop again; with the
// gate only reporting every status stays, and other campaigns are left alone.
func TestSourceErrorsChangeScores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const segments = 210 // more than are looked at at once
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(segments), storetest.PerDocument(segments), storetest.Systems(2))
		other := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug("other"))
		sourceError := protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 1, Severity: "major", Category: "Source error"}
		minor := storetest.Span(0, 1, "", "minor", "Style/Awkward")
		var file []campaign.RatingLine
		for i := range segments {
			file = append(file, storetest.MarkedRating(fmt.Sprint("s", i+1), "sys-001", sourceError, minor, minor), storetest.MarkedRating(fmt.Sprint("s", i+1), "sys-002", minor))
		}
		file = append(file, storetest.MarkedRating("s1", "sys-001"))
		file[len(file)-1].Annotator = "y"
		storetest.ImportRatings(t, s, file...)
		storetest.ImportRatings(t, other, storetest.MarkedRating("s1", "sys-001", sourceError))
		before := gates(t, db, s)
		if before["s1 sys-001 x"] != -2 || before["s1 sys-002 x"] != -1 || before["s1 sys-001 y"] != 0 || len(before) != 2*segments+1 {
			t.Fatalf("scores %v before", before)
		}
		statuses := s.All(t)[0].Status

		s.Change(t, "source_error=severity")
		after := gates(t, db, s)
		for key, gate := range after {
			want := before[key]
			if strings.HasSuffix(key, "sys-001 x") {
				want = -7
			}
			if gate != want {
				t.Errorf("%s scores %v, want %v", key, gate, want)
			}
		}
		storetest.WantLogged(t, db, s, "lead set source_error zero -> severity", "lead recompute scores 210 of 420 ratings with errors have another score")
		if got := gates(t, db, other)["s1 sys-001 x"]; got != 0 {
			t.Errorf("the other campaign's score is %v", got)
		}
		seg := s.All(t)[0]
		if seg.Status != statuses || seg.Translations[0].Gold.Score != -3.5 {
			t.Errorf("the segment is %s with gold %v, want it %s with -3.5", seg.Status, seg.Translations[0].Gold.Score, statuses)
		}
		// A later import weighs as the rest.
		r := storetest.MarkedRating("s2", "sys-001", sourceError)
		r.Annotator = "z"
		storetest.ImportRatings(t, s, r)
		if got := gates(t, db, s)["s2 sys-001 z"]; got != -5 {
			t.Errorf("imported after the change: %v, want -5", got)
		}
		s.Change(t, "source_error=zero")
		after = gates(t, db, s)
		delete(after, "s2 sys-001 z")
		if !maps.Equal(after, before) {
			t.Error("the scores did not come back")
		}
	})
}

// Nothing is read again where no score depends on it.
func TestSettingsThatWeighNothing(t *testing.T) {
	db := storetest.Open(t)
	for _, tt := range []struct {
		protocol string
		settings []string
	}{
		{"esa", []string{"source_error=severity", "critical=yes"}}, {"sqm", []string{"critical=yes"}},
		{"mqm", []string{"threshold=0.5", "max_errors=3", "redundancy=1"}}, {"rate", []string{"source_error=severity"}},
	} {
		s := storetest.Campaign(t, db.Store, storetest.Protocol(tt.protocol), storetest.Slug(tt.protocol))
		s.Change(t, tt.settings...)
		for _, l := range storetest.AuditLines(t, db, s) {
			if strings.Contains(l, "recompute") {
				t.Errorf("%s: logged %q", tt.protocol, l)
			}
		}
	}
	// Turned on with nothing there to weigh.
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug("empty"))
	s.Change(t, "critical=yes")
	storetest.WantLogged(t, db, s, "lead recompute scores 0 of 0 ratings with errors have another score")
}
