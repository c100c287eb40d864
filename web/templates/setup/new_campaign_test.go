package setup

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"annotate/web/templates/pagetest"
)

func TestNewCampaignSaysWhatIsAsked(t *testing.T) {
	doc, _ := pagetest.Written(t, NewCampaign(NewCampaignView{Page: pagetest.LeadPage(""), Protocols: pagetest.EveryProtocol(), Form: EmptyCampaignForm(pagetest.Sqm(t))}))
	for id, want := range map[string]string{
		"sqm": "Score: 0–4. No errors are marked.", "esa": "Score: 0–100. Errors: Minor and Major.",
		"terms": "Terms are marked, in 5 categories. No score is entered.", "culture": "Questions about each given term. No score is entered, and nothing is marked.",
		"mqm":    "No score is entered: it follows from the errors. Errors: Neutral, Minor and Major, in 8 categories.",
		"review": "Questions: “Can it serve as the reference?” and “The corrected reference”. They are about the segment; no translation is rated.",
		"rate":   "Scores: Accuracy 0–100 and Fluency 0–100. Errors: 1 Negligible, 2 Slight, 3 Moderate, 4 Serious and 5 Critical, in 11 categories.",
	} {
		got := pagetest.Words(doc.Find("label.pick:has(input[value=" + id + "])"))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", id, got, want)
		}
	}
	if got := pagetest.Words(doc.Find("#redundancy-help")); got != "Usual: 2; Reference and Review: 1. Agreement needs at least two." {
		t.Errorf("the usual number of annotators: %q", got)
	}
	if got := pagetest.Words(doc.Find("#gate-help")); !strings.HasSuffix(got, "Usual: SQM and Inspect: on; ESA, MQM, RATE and Culture: report; Reference and Review: off.") {
		t.Errorf("the usual gate: %q", got)
	}
}

// TestFileHelpNamesAPart: the part of the guide that the form of a new campaign names for the form of a
// protocol exists, and describes it.
func TestFileHelpNamesAPart(t *testing.T) {
	named := regexp.MustCompile(`as (docs/\S+) describes it under “([^”]+)”`).FindStringSubmatch(CampaignForm{}.fileHelp())
	if named == nil {
		t.Fatal("the help names no part of a guide")
	}
	guide, err := os.ReadFile("../../../" + named[1])
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(guide), "# "+named[2]+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	if !found || !strings.Contains(part, "A protocol of your own is a JSON file") {
		t.Errorf("%s does not describe the file of a protocol under %q", named[1], named[2])
	}
}
