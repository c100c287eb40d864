package intake_test

import (
	"testing"

	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// A segment that somebody begins while suggestions for it are imported is refused, so
// that nobody's suggestions change while they work.
func TestImportSuggestionsWhileASegmentIsBegun(t *testing.T) {
	db := storetest.Open(t)
	s := stagedSample(t, db.Store)
	before := allOf(t, s)
	_, err := db.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, during(newSuggestions(stagedSegments, s.Systems[0]), stagedSegments, func() { s.Next(t, 0) }), intake.ImportOptions{})
	storetest.WantProblems(t, err, `1 segment_id somebody has begun or rated segment "s1"`)
	if now := allOf(t, s); now != before {
		t.Errorf("afterwards %s", now)
	}
}
