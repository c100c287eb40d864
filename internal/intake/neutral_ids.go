package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// neutralIDs replaces ids of error spans that tell a system. An annotator's own ratings, also
// imported ones, are sent to their browser with the ids of the spans, and annotators must not learn
// which system wrote a translation.
type neutralIDs struct {
	systems []string // names in lower case
}

func newNeutralIDs(systems map[string]string) neutralIDs {
	var n neutralIDs
	for name := range systems {
		n.systems = append(n.systems, strings.ToLower(name))
	}
	return n
}

// of returns the id that is stored for an id of a file, which is the id itself unless it has the name
// of a system in it: anywhere, or for names of less than 4 bytes as a word of its own. An id has
// the same replacement everywhere, so that links to it lead where they led.
func (n neutralIDs) of(id string) string {
	if id == "" || !n.tells(strings.ToLower(id)) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "span-" + hex.EncodeToString(sum[:8])
}

// tells says whether an id in lower case has the name of a system in it.
func (n neutralIDs) tells(id string) bool {
	words := strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(n.systems, func(name string) bool {
		return id == name || slices.Contains(words, name) || len(name) >= 4 && strings.Contains(id, name)
	})
}
