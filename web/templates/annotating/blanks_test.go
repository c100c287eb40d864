package annotating

import (
	"testing"

	"annotate/web/templates"
)

func TestBlanks(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"The old ferry.":        "",
		"The  old   ferry.":     "2 × double space",
		" The ferry ":           "space at the start, space at the end",
		"Vraiment\u00a0? Non.":  "no-break space",
		"Ka\u00adpi\u00adtän":   "2 × soft hyphen",
		"a\u202fb\u200bc\td":    "narrow no-break space, tab, zero-width space",
		"  \n ":                 "nothing but white space, 4 characters",
		"line one\nline two":    "",
		"emoji 👨\u200d👩 joined": "",
	} {
		if got := templates.Blanks(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
