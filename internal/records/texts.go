package records

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// CheckReason checks the reason that a person gives for an act. The error is an InvalidError of the
// field. It says missing if the reason has nothing but blanks.
func CheckReason(field, reason, missing string) error {
	if strings.TrimSpace(reason) == "" {
		return campaign.Invalid(field, missing)
	}
	if n := utf8.RuneCountInString(reason); n > campaign.MaxReason {
		return campaign.Invalid(field, fmt.Sprintf("the reason has %d characters; use at most %d", n, campaign.MaxReason))
	}
	return database.CheckText(field, reason)
}

// CleanMessage returns the text of a message in its stored form, which has no blanks around it and
// whose lines end in "\n". The error is an InvalidError of the field if the text is empty, longer
// than [campaign.MaxMessage], or can't be stored.
func CleanMessage(field, text string) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", campaign.Invalid(field, "write something first")
	case n > campaign.MaxMessage:
		return "", campaign.Invalid(field, fmt.Sprintf("the text has %d characters; use at most %d", n, campaign.MaxMessage))
	}
	return text, database.CheckText(field, text)
}
