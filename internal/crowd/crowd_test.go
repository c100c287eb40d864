package main

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/check"
	"annotate/internal/soak"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// small is a crowd that has many checks for its size.
var small = crowd{Segments: 50, Systems: 2, Of: 1, Rate: 0.5, Redundancy: 2, RepeatAfter: 3, Seed: 3}

// A small crowd: annotators who do not read are flagged, annotators who read are not, and no export but that of checks has a text
// of a check.
func TestCrowd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s, err := newSimulation(t.Context(), db.Store, small)
		storetest.Check(t, err)
		storetest.Check(t, s.run(t.Context()))
		rows := storetest.Must(s.rows(t.Context()))(t)
		for _, r := range rows {
			if want := r.Kind != "careful"; r.Taken[check.Degraded] == 0 || r.Taken[check.Repeat] == 0 || r.TooFew > 0 || want != (r.Flagged == 1) {
				t.Errorf("%+v", r)
			}
		}
		if text := table(rows); strings.Count(text, "\n") != 2+len(kinds) {
			t.Errorf("the table is\n%s", text)
		}
		checks := storetest.Must(db.Checks(t.Context(), s.c))(t)
		for _, format := range transfer.Formats(s.c) {
			var b strings.Builder
			_, err := transfer.Export(t.Context(), db.Store, s.c, format, &b)
			storetest.Check(t, err)
			has := 0
			for _, k := range checks {
				if k.Kind == check.Degraded && strings.Contains(b.String(), fmt.Sprintf("%q", k.Text)) {
					has++
				}
			}
			if format != "checks" && has > 0 || format == "checks" && (has == 0 || strings.Count(b.String(), "\n") != len(checks)) {
				t.Errorf("%s has %d texts of %d checks", format, has, len(checks))
			}
		}
	})
}

// A crowd of 30 and 2,000 segments.
func TestSoakCrowd(t *testing.T) {
	soak.Time(t)
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s, err := newSimulation(t.Context(), db.Store, crowd{Segments: 2000, Systems: 4, Of: 6, Rate: 0.05, Redundancy: 3, RepeatAfter: 20, Seed: 1})
		storetest.Check(t, err)
		storetest.Check(t, s.run(t.Context()))
		rows := storetest.Must(s.rows(t.Context()))(t)
		t.Log("\n" + table(rows))
		for _, r := range rows {
			switch r.Kind {
			case "careful":
				if r.Flagged > 1 {
					t.Errorf("%d of %d careful annotators are flagged", r.Flagged, r.Annotators)
				}
			case "careless": // annotators who read a part are found less often
				if r.Flagged < r.Annotators/2-1 {
					t.Errorf("%d of %d careless annotators are flagged", r.Flagged, r.Annotators)
				}
			default:
				if r.Flagged < r.Annotators-2 {
					t.Errorf("%d of %d %s annotators are flagged", r.Flagged, r.Annotators, r.Kind)
				}
			}
		}
	})
}
