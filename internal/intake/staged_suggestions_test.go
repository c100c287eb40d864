package intake_test

import (
	"slices"
	"strings"
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
	storetest.WantProblems(t, err, `1 segment_id an annotator has begun or rated segment "s1"`)
	if now := allOf(t, s); now != before {
		t.Errorf("afterwards %s", now)
	}
}

// The list of imports says that more of the same files is to come until it is there, so that a lead sees which import
// a killed program left alone.
func TestImportThatAnotherFollows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := stagedSample(t, db.Store)
		unfinished := func() (list []bool) {
			for _, i := range storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t) {
				if i.Kind == "suggestions" {
					list = append(list, strings.Contains(i.Brought, "still to be imported"))
				}
			}
			return list
		}
		for _, step := range []struct {
			file    string
			follows bool
			want    []bool
		}{{"a.zip", true, []bool{true, false}}, {"b.zip", false, []bool{false, true, false}}, {"a.zip", false, []bool{false, false, false, false}}} {
			_, err := db.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, newSuggestions(stagedSegments, s.Systems[0]), intake.ImportOptions{File: step.file, Follows: func() bool { return step.follows }})
			storetest.Check(t, err)
			if got := unfinished(); !slices.Equal(got, step.want) {
				t.Errorf("after %s: unfinished %v, want %v", step.file, got, step.want)
			}
		}
	})
}
