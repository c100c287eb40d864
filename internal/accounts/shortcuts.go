package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// maxKeys is the largest number of shortcut keys that a person can change. The page has about
// thirty commands, and more under a protocol with many severities.
const maxKeys = 100

var (
	actForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{1,20}(:[^\x00-\x1f]{1,100})?$`) })
	keyForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(Ctrl\+)?(Shift\+)?(Enter|Delete|Backspace|[^\s\p{C}])$`)
	})
)

// everyProtocol is the value of the column protocol for keys that apply under every protocol.
// Older versions of the program stored keys for single protocols.
const everyProtocol = "*"

// Keys returns the shortcut keys that a person has changed on the annotate page, by command:
// {"severity:major": "Shift+q"}. They apply under every protocol. Keys that an older version of
// the program stored for the given protocol alone are included if they do not clash with these.
func (s *Store) Keys(ctx context.Context, userID, protocol string) (map[string]string, error) {
	keys, taken := map[string]string{}, map[string]bool{}
	for _, of := range []string{everyProtocol, protocol} {
		var text string
		err := database.Scan(s.db.Read(ctx).Raw("SELECT COALESCE(max(bindings), '{}') FROM user_keys WHERE user_id = ? AND protocol = ?", userID, of), &text)
		if err != nil {
			return nil, err
		}
		more := map[string]string{}
		if err := json.Unmarshal([]byte(text), &more); err != nil {
			return nil, fmt.Errorf("keys of user %s: %w", userID, err)
		}
		for act, key := range more {
			if _, ok := keys[act]; !ok && !taken[key] {
				keys[act] = key
			}
		}
		for _, key := range keys {
			taken[key] = true
		}
	}
	return keys, nil
}

// SetKeys replaces the shortcut keys that a person has changed. Without keys, all commands have
// their default keys again. The keys apply under every protocol; protocol is the one under which
// they were changed. keys must include the keys of commands that this protocol does not have, as
// [Store.Keys] returned them. Whether a command exists and its key is free is decided by the page
// alone, which ignores keys that do not fit. Two commands with the same key are an InvalidError.
func (s *Store) SetKeys(ctx context.Context, userID, protocol string, keys map[string]string) error {
	if protocol == "" || len(protocol) > 200 {
		return campaign.Invalid("protocol", "name the protocol whose keys are changed")
	}
	if err := database.CheckText("protocol", protocol); err != nil {
		return err
	}
	if len(keys) > maxKeys {
		return campaign.Invalid("keys", fmt.Sprintf("at most %d keys can be changed", maxKeys))
	}
	taken := map[string]string{}
	for act, key := range keys {
		if err := database.CheckText("keys", act+key); err != nil {
			return err
		}
		if !actForm().MatchString(act) {
			return campaign.Invalid("keys", fmt.Sprintf("%q is no act that has a key; reload the page", act))
		}
		if !keyForm().MatchString(key) {
			return campaign.Invalid("keys", fmt.Sprintf("%q is no key; give a character, Enter, Delete or Backspace, with Ctrl+ and Shift+ before it", key))
		}
		if other, ok := taken[key]; ok {
			return campaign.Invalid(
				"keys",
				fmt.Sprintf("%s and %s can't both have the key %s; choose another key for one of them", min(act, other), max(act, other), key),
			)
		}
		taken[key] = act
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := tx.Exec("DELETE FROM user_keys WHERE user_id = ? AND protocol IN (?, ?)", userID, protocol, everyProtocol).Error; err != nil ||
			len(keys) == 0 {
			return err
		}
		return tx.Exec(`INSERT INTO user_keys (user_id, protocol, bindings) VALUES (?, ?, ?)
			ON CONFLICT (user_id, protocol) DO UPDATE SET bindings = excluded.bindings`, userID, everyProtocol, string(text)).Error
	})
}
