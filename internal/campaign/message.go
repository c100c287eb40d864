package campaign

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the largest length of a message between a lead and an annotator, in code points.
const MaxMessage = 4000

// CleanMessage returns the text of a message as it is stored: without blanks around it, and with
// lines that end in "\n". A text that is empty or longer than [MaxMessage] is an [InvalidError] of
// the field.
func CleanMessage(field, text string) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", Invalid(field, "write something first")
	case n > MaxMessage:
		return "", Invalid(field, fmt.Sprintf("it has %d characters; use at most %d", n, MaxMessage))
	}
	return text, nil
}
