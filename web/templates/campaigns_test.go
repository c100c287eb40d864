package templates

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFileHelpNamesAPart: the part of the README that the form of a new campaign names for the form of a
// protocol exists, and describes it.
func TestFileHelpNamesAPart(t *testing.T) {
	named := regexp.MustCompile(`README describes it under “([^”]+)”`).FindStringSubmatch(CampaignForm{}.fileHelp())
	if named == nil {
		t.Fatal("the help names no part of the README")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(readme), "\n## "+named[1]+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	if !found || !strings.Contains(part, "A protocol of your own is a JSON file") {
		t.Errorf("the README does not describe the file of a protocol under %q", named[1])
	}
}
