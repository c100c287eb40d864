package database

import (
	"strings"

	"annotate/internal/campaign"
)

// CheckText refuses a text that PostgreSQL can't store, also on SQLite. The error names the
// field.
func CheckText(field, text string) error {
	if text != Storable(text) {
		return campaign.Invalid(field, "must be UTF-8 without the character U+0000")
	}
	return nil
}

// Storable replaces the characters of a text that PostgreSQL can't store. It is for texts that
// need not be refused, such as the name of a file or of a browser.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
