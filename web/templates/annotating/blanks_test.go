package annotating

import (
	"strings"
	"testing"

	"annotate/web/templates"
	"annotate/web/templates/pagetest"
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

// TestBlankCard: a card says which blanks it has, and that it has nothing else.
func TestBlankCard(t *testing.T) {
	v := segment(t)
	for i := range v.Cards {
		v.Cards[i].Text = "plain"
	}
	v.Cards[0].Text = "   "
	doc, _ := pagetest.Written(t, Annotate(v))
	if got := doc.Find(".card-blanks").First().Text(); !strings.Contains(got, "nothing but white space, 3 characters") {
		t.Errorf("a blank card says %q", got)
	}
	if n := doc.Find(".card-blanks").Length(); n != 1 {
		t.Errorf("%d cards speak of blanks", n)
	}
}
