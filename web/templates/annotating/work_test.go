package annotating

import (
	"testing"

	"annotate/web/templates"
)

func TestWords(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 47.6: "48 s", 200: "3 min 20 s", 3900: "1 h 5 min"} {
		if got := duration(s); got != want {
			t.Errorf("duration(%v) = %q, want %q", s, got, want)
		}
	}
	for text, want := range map[string]string{"text": "text", "这波操作真绝了": "这波操作…", "a\nb": "a…"} {
		if got := templates.First(text, 4); got != want {
			t.Errorf("first(%q) = %q, want %q", text, got, want)
		}
	}
}
