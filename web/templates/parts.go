package templates

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"annotate/internal/campaign"
	"annotate/internal/textdiff"
	"annotate/internal/wording"
)

// Either is the first error of several names that a field may go by.
func Either(errors map[string]string, names ...string) string {
	for _, name := range names {
		if errors[name] != "" {
			return errors[name]
		}
	}
	return ""
}

// DescribedAttributes join a control with its help and its error. The first control with an error gets the focus, since it may lie
// far below the top of the page.
func DescribedAttributes(id, help, err string) templ.Attributes {
	attrs := templ.Attributes{}
	if d := describedBy(id, help, err); d != "" {
		attrs["aria-describedby"] = d
	}
	if err != "" {
		attrs["aria-invalid"], attrs["autofocus"] = "true", true
	}
	return attrs
}

// place is a line or column number; 0 is not known.
func place(n int) string {
	if n == 0 {
		return "–"
	}
	return wording.Count(n)
}

// First is the first line of a text, cut after n characters.
func First(text string, n int) string {
	text, _, more := strings.Cut(text, "\n")
	runes := []rune(text)
	if len(runes) > n {
		return string(runes[:n]) + "…"
	}
	if more {
		return text + "…"
	}
	return text
}

// Isolated keeps a name that is written from right to left from turning around
// what stands beside it in a sentence (U+2068, U+2069); other names stay.
func Isolated(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFEFC || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
	}) {
		return "\u2068" + name + "\u2069"
	}
	return name
}

func AttemptOf(s campaign.Standing) string {
	return "attempt " + strconv.Itoa(s.Attempt) + " of " + strconv.Itoa(max(s.Of, s.Attempt))
}

// A changedPart is a part of a text that was changed.
type changedPart struct {
	text           string
	removed, added bool // neither: it is in both versions
}

// changedParts compares two versions of a text by words.
func changedParts(from, to string) (out []changedPart) {
	for _, c := range textdiff.Words(from, to) {
		if c.From == c.To {
			out = append(out, changedPart{text: c.From})
			continue
		}
		if c.From != "" {
			out = append(out, changedPart{c.From, true, false})
		}
		if c.To != "" {
			out = append(out, changedPart{c.To, false, true})
		}
	}
	return out
}
