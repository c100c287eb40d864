package records

import (
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// maxReason is the largest size of a reason that a person gives for an act, in bytes.
const maxReason = 1000

// CheckReason checks the reason of an act. The error is an InvalidError of the field reason. missing is
// its text if the reason is empty.
func CheckReason(reason, missing string) error {
	if reason == "" {
		return campaign.Invalid("reason", missing)
	}
	if len(reason) > maxReason {
		return campaign.Invalid("reason", fmt.Sprintf("use at most %d bytes", maxReason))
	}
	return database.CheckText("reason", reason)
}
