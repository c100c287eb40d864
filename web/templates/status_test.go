package templates

import (
	"os"
	"slices"
	"strings"
	"testing"

	"annotate/internal/readmodel"

	"annotate/internal/campaign"
)

// Every status has a meaning, a place in bars, and a colour of its own there.
func TestEveryStatusIsShown(t *testing.T) {
	css, err := os.ReadFile("../static/css/lead.css")
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]campaign.Status{}
	for _, status := range campaign.Statuses {
		if StatusMeaning(status) == "" || !slices.Contains(progressOrder, status) {
			t.Errorf("%s has no meaning or no place in bars", status)
		}
		if !strings.Contains(string(css), ".bar-"+string(status)+" { fill: var(--st-"+string(status)+"); background: var(--st-"+string(status)+"); }") {
			t.Errorf("%s has no part of a bar", status)
		}
		_, rest, _ := strings.Cut(string(css), "--st-"+string(status)+": ")
		colour, _, found := strings.Cut(rest, ";")
		if was := colours[colour]; !found || was != "" {
			t.Errorf("%s has the colour %q, also that of %q", status, colour, was)
		}
		colours[colour] = status
	}
	if StatusKind("below_threshold") == StatusKind("agreed") || StatusKind("below_threshold") == StatusKind("withdrawn") {
		t.Error("a segment below the threshold looks like one that agreed, or that is out")
	}
}

func TestSlices(t *testing.T) {
	got := slicesOf(readmodel.Counts{campaign.Agreed: 1, campaign.Pending: 3})
	want := []slice{{campaign.Agreed, "0.00%", "25.00%"}, {campaign.Pending, "25.00%", "75.00%"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, s := range slicesOf(readmodel.Counts{campaign.Discarded: 1, campaign.Pending: 100_000}) {
		if s.Width == "0.00%" {
			t.Error("one among many can't be seen")
		}
	}
	if slicesOf(readmodel.Counts{}) != nil {
		t.Error("a bar of nothing has parts")
	}
}
