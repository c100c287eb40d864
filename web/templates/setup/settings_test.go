package setup

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

// More annotators a segment reopen segments: the preview says how many, not only that they
// leave gold.
func TestPreviewCountsReopenedSegments(t *testing.T) {
	p := SettingsPreview{SettingsPreview: readmodel.SettingsPreview{OutOfGold: 3, Moves: []readmodel.StatusMove{{From: campaign.Agreed, To: campaign.Pending, N: 3}, {From: campaign.Reannotate, To: campaign.Pending, N: 1}, {From: campaign.Pending, To: campaign.Agreed, N: 5}}}}
	if got := strings.Join(p.effects(), " "); got != "4 segments would wait for further annotators. 3 segments would leave gold." {
		t.Errorf("got %q", got)
	}
}

func TestSettingsFields(t *testing.T) {
	mqm, _ := protocol.Lookup("mqm")
	fields := SettingFields(mqm, campaign.DefaultSettings(mqm), map[string]string{"threshold": "7"})
	doc, _ := pagetest.Written(t, Settings(SettingsView{Page: pagetest.LeadPage("lead"), Name: "MENT", SourceLocked: true, TargetLocked: true, Settings: fields, Errors: map[string]string{"threshold": "too much"}}))
	for _, k := range campaign.SettingList {
		want := 1
		if !mqm.Heeds(k.Key) {
			want = 0
		}
		if n := doc.Find("form.settings [name=" + k.Key + "]").Length(); n != want {
			t.Errorf("%d controls for %s, want %d", n, k.Key, want)
		}
	}
	if got := doc.Find("[autofocus]").AttrOr("name", ""); got != "threshold" {
		t.Errorf("the focus is on %q, want the field that is wrong", got)
	}
}
