package main

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
	"annotate/internal/transfer"
)

// Careful annotators are flagged seldom under every protocol and with systems of every standard, and annotators who
// give one rating to everything are found.
func TestCrowd(t *testing.T) {
	k := crowd{Of: 8, Segments: 200, Systems: 4, Redundancy: 3, Rate: 0.05, Seed: 1}
	rows := run(k, 1)
	accused, careful, found := 0, 0, 0
	for _, r := range rows {
		alone, among := r.Flagged["alone"], r.Flagged["careful"]
		if alone.All != 40 || among.All != 8 {
			t.Errorf("%s with %s systems has %d and %d careful annotators", r.Protocol, r.Standard, alone.All, among.All)
		}
		accused, careful = accused+alone.N+among.N, careful+alone.All+among.All
		if alone.N+among.N > 2 { // with a chance of 5 %, 2.4 of 48 are
			t.Errorf("%s with %s systems: %d careful annotators are flagged", r.Protocol, r.Standard, alone.N+among.N)
		}
		found += r.Flagged["constant"].N
		for kind, least := range map[campaign.CheckKind]int{campaign.DegradedCheck: 60, campaign.RepeatCheck: 40} { // see campaign.JudgeChecks
			if passed := r.Passed[kind]; passed.All < 10 || 100*passed.N < least*passed.All {
				t.Errorf("%s with %s systems: careful annotators pass %d of %d documents of the kind %s", r.Protocol, r.Standard, passed.N, passed.All, kind)
			}
		}
	}
	if len(rows) != 12 || accused*100 > careful*2 || found < 48 {
		t.Errorf("%d rows: %d of %d careful annotators and %d of 96 constant ones are flagged", len(rows), accused, careful, found)
	}
	if text := table(rows); strings.Count(text, "\n") != 2+12 || !strings.Contains(text, "| mqm | poor |") {
		t.Errorf("the table is\n%s", text)
	}
	k.Protocol, k.Standard = rows[0].Protocol, standards[0]
	var again row
	again.simulate(k)
	if *again.Flagged["random"] != *rows[0].Flagged["random"] || *again.Flagged["careless"] != *rows[0].Flagged["careless"] {
		t.Errorf("a second run differs: %+v", again)
	}
}

// A crowd in a database: annotators who do not read are flagged, annotators who read are not, and no export but that of
// checks has a text of a check.
func TestStoredCrowd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s, err := newStored(t.Context(), db.Store, 70, 2, 1, "redundancy=2", "check_rate=0.5", "repeat_after=3")
		storetest.Check(t, err)
		storetest.Check(t, s.run(t.Context()))
		flagged, taken, err := s.flagged(t.Context())
		storetest.Check(t, err)
		if flagged["careful"] > 0 || flagged["constant"] != 1 || flagged["copying"] != 1 || taken[campaign.DegradedCheck] < 40 || taken[campaign.RepeatCheck] < 40 {
			t.Errorf("flagged are %v, by %v checks", flagged, taken)
		}
		checks := storetest.Must(db.Desk.Checks(t.Context(), s.c))(t)
		for _, format := range transfer.Formats(s.c) {
			var b strings.Builder
			_, err := transfer.Export(t.Context(), db.Store, s.c, format, &b)
			storetest.Check(t, err)
			has := 0
			for _, k := range checks {
				if k.Kind == campaign.DegradedCheck && strings.Contains(b.String(), fmt.Sprintf("%q", k.Text)) {
					has++
				}
			}
			if format != "checks" && has > 0 || format == "checks" && (has == 0 || strings.Count(b.String(), "\n") != len(checks)) {
				t.Errorf("%s has %d texts of %d checks", format, has, len(checks))
			}
		}
	})
}

// A crowd of 30 and 2,000 segments in a database.
func TestSoakCrowd(t *testing.T) {
	testenv.SoakTime(t)
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s, err := newStored(t.Context(), db.Store, 2000, 4, 6, "redundancy=3", "check_rate=0.05", "repeat_after=20")
		storetest.Check(t, err)
		storetest.Check(t, s.run(t.Context()))
		flagged, taken, err := s.flagged(t.Context())
		storetest.Check(t, err)
		t.Log(flagged, taken)
		if flagged["careful"] > 1 || flagged["constant"] < 3 || flagged["copying"] < 3 {
			t.Errorf("of 6 of each kind, these are flagged: %v", flagged)
		}
	})
}
