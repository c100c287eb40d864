package store

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// maxKeys is how many keys one person may have changed of a protocol. The page has
// some thirty acts; a protocol with many severities has more.
const maxKeys = 100

var (
	actForm = regexp.MustCompile(`^[a-z]{1,20}(:[^\x00-\x1f]{1,100})?$`)
	keyForm = regexp.MustCompile(`^(Ctrl\+)?(Shift\+)?(Enter|Delete|Backspace|[^\s\p{C}])$`)
)

// Keys are the keys that a person has changed on the annotate page under a
// protocol, from the act to the key: {"severity:major": "Shift+q"}; empty if none.
func (s *Store) Keys(ctx context.Context, userID, protocol string) (map[string]string, error) {
	var text string
	err := scan(s.read(ctx).Raw("SELECT COALESCE(max(bindings), '{}') FROM user_keys WHERE user_id = ? AND protocol = ?", userID, protocol), &text)
	if err != nil {
		return nil, translate(err)
	}
	keys := map[string]string{}
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return nil, fmt.Errorf("keys of user %s: %w", userID, err)
	}
	return keys, nil
}

// SetKeys replaces the keys that a person has changed under a protocol; without any
// all are as they come with the program. Whether an act exists the page knows alone:
// what it does not know it leaves aside. Two acts can't have the same key
// (InvalidError).
func (s *Store) SetKeys(ctx context.Context, userID, protocol string, keys map[string]string) error {
	if protocol == "" || len(protocol) > 200 {
		return campaign.Invalid("protocol", "name the protocol whose keys are changed")
	}
	if err := checkText("protocol", protocol); err != nil {
		return err
	}
	if len(keys) > maxKeys {
		return campaign.Invalid("keys", fmt.Sprintf("at most %d keys can be changed", maxKeys))
	}
	taken := map[string]string{}
	for act, key := range keys {
		if err := checkText("keys", act+key); err != nil {
			return err
		}
		if !actForm.MatchString(act) {
			return campaign.Invalid("keys", fmt.Sprintf("%q is no act", act))
		}
		if !keyForm.MatchString(key) {
			return campaign.Invalid("keys", fmt.Sprintf("%q is no key; give a character, Enter, Delete or Backspace, with Ctrl+ and Shift+ before it", key))
		}
		if other, ok := taken[key]; ok {
			return campaign.Invalid("keys", fmt.Sprintf("%s and %s can't both have the key %s", min(act, other), max(act, other), key))
		}
		taken[key] = act
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *gorm.DB) error {
		if len(keys) == 0 {
			return tx.Exec("DELETE FROM user_keys WHERE user_id = ? AND protocol = ?", userID, protocol).Error
		}
		return tx.Exec(`INSERT INTO user_keys (user_id, protocol, bindings) VALUES (?, ?, ?)
			ON CONFLICT (user_id, protocol) DO UPDATE SET bindings = excluded.bindings`, userID, protocol, string(text)).Error
	})
}
