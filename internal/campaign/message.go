package campaign

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the largest length of a message between a lead and an annotator, in code points.
const MaxMessage = 4000

// MaxReason is the largest length of the reason that a person gives for an act, in code points.
const MaxReason = 1000

// CleanMessage returns the text of a message in its stored form, which has no blanks around it and
// whose lines end in "\n". The error is an [InvalidError] of the field if the text is empty or longer
// than [MaxMessage].
func CleanMessage(field, text string) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", Invalid(field, "write something first")
	case n > MaxMessage:
		return "", Invalid(field, fmt.Sprintf("the text has %d characters; use at most %d", n, MaxMessage))
	}
	return text, nil
}
