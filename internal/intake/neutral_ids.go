package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// neutralIDs replaces ids of error spans that contain the name of a system. The server sends
// annotators their own ratings with the ids of spans, including imported ratings, and annotators must
// not learn which system wrote a translation.
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

// of returns the id to store for an id of a file. It replaces an id that contains the name of a
// system. A name of less than 4 bytes must be a word of its own in the id. The replacement of an id is
// always the same, so that links to the id still work.
func (n neutralIDs) of(id string) string {
	if id == "" || !n.tells(strings.ToLower(id)) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "span-" + hex.EncodeToString(sum[:8])
}

// tells reports whether an id in lower case contains the name of a system.
func (n neutralIDs) tells(id string) bool {
	words := strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(n.systems, func(name string) bool {
		return id == name || slices.Contains(words, name) || len(name) >= 4 && strings.Contains(id, name)
	})
}
