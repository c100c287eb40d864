package account

import (
	"strings"
	"testing"

	"annotate/web/templates/pagetest"
)

func TestUsersActions(t *testing.T) {
	doc, _ := pagetest.Written(t, Users(UsersView{Page: pagetest.LeadPage(""), Users: []UserRow{{Login: "lin", Admin: true}, {Login: "mara"}, {Login: "ben", Disabled: true}}}))
	for _, tt := range []struct {
		action string
		want   int
	}{
		{"/users/lin/link", 1}, {"/users/lin/disable", 0}, {"/users/lin/role", 0},
		{"/users/mara/link", 1}, {"/users/mara/disable", 1}, {"/users/mara/role", 1}, {"/users/mara/enable", 0},
		{"/users/ben/enable", 1}, {"/users/ben/link", 0},
	} {
		if got := doc.Find(`form[action="` + tt.action + `"]`).Length(); got != tt.want {
			t.Errorf("%s: %d forms, want %d", tt.action, got, tt.want)
		}
	}
}

// Whoever has signed in was seen, though no session is left that keeps the time.
func TestUsersWithoutSession(t *testing.T) {
	doc, _ := pagetest.Written(t, Users(UsersView{Page: pagetest.LeadPage(""), Users: []UserRow{{Login: "mara"}, {Login: "ben", SignedIn: true, Disabled: true}}}))
	for i, want := range []string{"never", "signed out"} {
		if got := doc.Find("tbody tr").Eq(i).Find("td").Eq(3).Text(); strings.TrimSpace(got) != want {
			t.Errorf("row %d says %q, want %q", i+1, got, want)
		}
	}
}
