package main

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
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
