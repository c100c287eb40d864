package judge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/codepoint"
)

// The sides that an error can lie on. They are those of the ratings format.
const (
	SideSource = "source"
	SideTarget = "target"
)

// A Place is where an error stands: the code points [Start, End) of the source or the translation.
type Place struct {
	Side       string // SideSource or SideTarget; SideTarget also for an error without a place
	Start, End int
	Placed     bool // false if the quoted words stand nowhere; Start and End then mean nothing
}

// A hint is what a step says about the place of an error, besides the quoted words.
type hint struct {
	sourceFirst bool   // the words are looked for in the source before the translation
	source      string // words of the source that the error is about, for an error that quotes nothing
}

// A placer places the errors of one judgement, in order.
type placer struct {
	source, translation string
	taken               []Place
}

// place returns an error with its place. Words that stand in several places take the first place that
// no earlier error shares a character with, or the first place if there is none. They are looked for
// in the translation, then in the source; a hint can turn that round. A non-translation takes the
// whole translation. Words are compared exactly.
func (p *placer) place(e Error, h hint) Error {
	e.Place = p.find(e, h)
	if e.Placed {
		p.taken = append(p.taken, e.Place)
	}
	return e
}

func (p *placer) find(e Error, h hint) Place {
	if isNonTranslation(e.Category) {
		return Place{SideTarget, 0, codepoint.Len(p.translation), true}
	}
	sides := []string{SideTarget, SideSource}
	if h.sourceFirst {
		slices.Reverse(sides)
	}
	words := e.Text
	if words == "" {
		sides, words = []string{SideSource}, h.source
	}
	for _, side := range sides {
		places := p.places(side, words)
		if i := slices.IndexFunc(places, p.free); i >= 0 {
			return places[i]
		}
		if len(places) > 0 {
			return places[0]
		}
	}
	return Place{Side: SideTarget}
}

// places returns all places of words on a side.
func (p *placer) places(side, words string) (places []Place) {
	text := p.translation
	if side == SideSource {
		text = p.source
	}
	if words == "" {
		return nil
	}
	n, start := codepoint.Len(words), 0
	for {
		i := strings.Index(text, words)
		if i < 0 {
			return places
		}
		start += codepoint.Len(text[:i])
		places = append(places, Place{side, start, start + n, true})
		_, size := utf8.DecodeRuneInString(text[i:])
		text, start = text[i+size:], start+1
	}
}

// free says that no placed error shares a character with the place.
func (p *placer) free(at Place) bool {
	return !slices.ContainsFunc(p.taken, func(t Place) bool {
		return t.Side == at.Side && t.Start < at.End && at.Start < t.End
	})
}

// isNonTranslation says that a category means that the text is no translation of the source at all.
func isNonTranslation(category string) bool {
	return strings.Contains(letters(category), "nontranslation")
}

// letters are the ASCII letters of a text in lower case, for comparing names that are written with
// blanks, hyphens or underscores.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
