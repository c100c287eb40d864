package exchange

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// Every name becomes a login, and different names become different ones.
func TestLogin(t *testing.T) {
	logins := map[string]string{}
	for _, name := range []string{"lin", "squealing-hit-488", "", " ", "a b", "a_b", "a\tb", "-a", "é", "😀😀", "a/b", "a#b", "\u0301", strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("中", 99) + " "} {
		login, changed := Login(name)
		if err := campaign.CheckLogin(login); err != nil {
			t.Errorf("%q is %q: %v", name, login, err)
		}
		if changed != (login != name) {
			t.Errorf("%q is %q, changed %v", name, login, changed)
		}
		if other, twice := logins[login]; twice {
			t.Errorf("%q and %q are both %q", name, other, login)
		}
		logins[login] = name
	}
	if login, _ := Login("native speaker"); !strings.HasPrefix(login, "native_speaker-") {
		t.Errorf("got %q", login)
	}
}
