package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// MaxGuide is the largest size of a campaign's own guide, in bytes.
const MaxGuide = 100 << 10

// CleanGuide returns the text of a guide as it is stored: lines end in "\n" instead of
// "\r\n", a byte order mark is removed, and white space alone becomes the empty text. A
// text longer than [MaxGuide] is an [InvalidError].
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

// GuideVersion is a hash of a guide, as 16 hexadecimal digits.
func GuideVersion(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
