package templates_test

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/account"
	"annotate/web/templates/pagetest"
)

// A page whose times are in a zone of its own names that zone.
func TestClockNamesItsZone(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		zone       *time.Location
		name, time string
	}{{nil, "UTC", "2026-11-20 22:30"}, {time.UTC, "UTC", "2026-11-20 22:30"}, {tokyo, "Asia/Tokyo", "2026-11-21 07:30"}} {
		clock := templates.Clock{Location: c.zone}
		doc, _ := pagetest.Written(t, account.Audit(account.AuditView{Page: templates.Page{Clock: clock}, Site: true, Entries: []readmodel.AuditEntry{{At: at, Login: "ann"}}}))
		text := doc.Find("main").Text()
		if !strings.Contains(text, "Times are in "+c.name+".") || !strings.Contains(text, c.time) {
			t.Errorf("with a clock of %s the page says %q", c.name, text)
		}
	}
}
