package account

import "testing"

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
