package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// MaxGuide is the longest guide of a campaign's own, in bytes.
const MaxGuide = 100 << 10

// CleanGuide is a guide as it is stored: lines end in a line feed, as forms and
// files of some systems do not have it, and white space alone is no guide. It is
// Invalid where it is longer than [MaxGuide].
func CleanGuide(text string) (string, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if len(text) > MaxGuide {
		return "", Invalid("guide", fmt.Sprintf("it has %d bytes; use at most %d", len(text), MaxGuide))
	}
	return text, nil
}

// GuideVersion tells two guides apart, in a few characters.
func GuideVersion(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
