package account

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/internal/store"
)

// TestLimiter: failures are counted by key and forgiven in time, successes are not
// counted, and attempts under way count as failures.
func TestLimiter(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(10*time.Second, 3, func() time.Time { return now })
	for range 100 {
		if !l.begin("a") {
			t.Fatal("successes are counted")
		}
		l.succeed("a")
	}
	for range 3 {
		if !l.begin("a") {
			t.Fatal("fewer failures than allowed")
		}
	}
	if l.begin("a") {
		t.Error("a fourth attempt was let through")
	}
	if !l.begin("b") {
		t.Error("another key was refused")
	}
	if now = now.Add(10 * time.Second); !l.begin("a") || l.begin("a") {
		t.Error("after ten seconds one attempt is allowed")
	}
	now = now.Add(time.Hour)
	l.begin("c")
	if len(l.keys) != 1 {
		t.Errorf("%d keys are remembered, want 1", len(l.keys))
	}
}

// TestSuccessesAreNotCounted: as many people as you like sign in from one address, and
// one person as often, while none gives a wrong password.
func TestSuccessesAreNotCounted(t *testing.T) {
	shared, err := site.New(site.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := New(shared, &store.Store{})
	c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/sign-in", nil), httptest.NewRecorder())
	for i := range 1000 {
		success, ok := h.attempt(c, "lead")
		if !ok {
			t.Fatalf("attempt %d was refused", i+1)
		}
		success()
	}
}

// TestAddressKey checks which addresses count as one for failures to sign in.
func TestAddressKey(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3", true},
		{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{"fe80::1%eth0", "fe80::2%eth1", true},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"", "192.0.2.2", false},
	} {
		if (addressKey(tt.a) == addressKey(tt.b)) != tt.same {
			t.Errorf("%s and %s: %q, %q", tt.a, tt.b, addressKey(tt.a), addressKey(tt.b))
		}
	}
}
