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
