package setup

import (
	"strings"
	"testing"
)

// TestSlugOf checks which slug a title gives: letters lose their marks, and other scripts give nothing.
func TestSlugOf(t *testing.T) {
	for title, want := range map[string]string{
		"Frühjahr 2026": "fruhjahr-2026", "Frühjahr": "fruhjahr", "Straße & Łódź": "strasse-lodz", "Đà Nẵng": "da-nang",
		"ﬁne №5": "fine-no5", "评测 WMT": "wmt", "评测": "", "İstanbul": "istanbul", "--": "", strings.Repeat("ü", 100): strings.Repeat("u", 63),
	} {
		if got := slugOf(title); got != want {
			t.Errorf("%q gives %q, want %q", title, got, want)
		}
	}
}
