package templates

import (
	"fmt"
	"strings"

	"annotate/internal/wording"
)

// blankNames are the characters that a reader can't see or tell from a plain space,
// and that make a difference in a translation.
var blankNames = []struct{ text, name string }{
	{"\u00a0", "no-break space"},
	{"\u202f", "narrow no-break space"},
	{"\u3000", "ideographic space"},
	{"\u2003", "em space"},
	{"\u2009", "thin space"},
	{"\t", "tab"},
	{"\u00ad", "soft hyphen"},
	{"\u200b", "zero-width space"},
	{"\ufeff", "byte order mark"},
}

// Blanks says which blanks of a text can't be seen as what they are, with how many
// there are: "double space, 2 × soft hyphen". It is empty for a text without any.
func Blanks(text string) string {
	if text == "" {
		return ""
	}
	var out []string
	add := func(n int, name string) {
		switch {
		case n == 1:
			out = append(out, name)
		case n > 1:
			out = append(out, fmt.Sprintf("%d × %s", n, name))
		}
	}
	if strings.TrimSpace(text) == "" {
		return fmt.Sprintf("nothing but white space, %s", wording.Counted(len([]rune(text)), "character"))
	}
	if strings.HasPrefix(text, " ") {
		add(1, "space at the start")
	}
	if strings.HasSuffix(text, " ") {
		add(1, "space at the end")
	}
	runs := 0
	for i, width := 0, 0; i <= len(text); i++ {
		if i < len(text) && text[i] == ' ' {
			width++
			continue
		}
		if width > 1 {
			runs++
		}
		width = 0
	}
	add(runs, "double space")
	for _, b := range blankNames {
		add(strings.Count(text, b.text), b.name)
	}
	return strings.Join(out, ", ")
}
