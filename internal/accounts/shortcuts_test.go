package accounts_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/store/storetest"
)

func TestKeys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		ctx := t.Context()
		mia := storetest.Must(db.Accounts.AddUser(ctx, "mia", "", accounts.Member))(t)
		leo := storetest.Must(db.Accounts.AddUser(ctx, "leo", "", accounts.Member))(t)
		want := func(what, user, protocol string, want map[string]string) {
			t.Helper()
			if got := storetest.Must(db.Accounts.Keys(ctx, user, protocol))(t); !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		set := func(user, protocol string, keys map[string]string) {
			t.Helper()
			storetest.Check(t, db.Accounts.SetKeys(ctx, user, protocol, keys))
		}
		want("nothing is changed", mia.ID, "esa", map[string]string{})
		esa := map[string]string{"severity:major": "Shift+q", "mark": "Enter", "undo": "Ctrl+y", "pick:1": "é", "side": "\""}
		set(mia.ID, "esa", esa)
		set(leo.ID, "esa", map[string]string{"mark": "Delete"})
		want("changed", mia.ID, "esa", esa)
		want("under another protocol", mia.ID, "mqm", esa)
		want("of another person", leo.ID, "esa", map[string]string{"mark": "Delete"})
		set(mia.ID, "mqm", map[string]string{"mark": "e"})
		want("replaced as a whole", mia.ID, "esa", map[string]string{"mark": "e"})
		// Keys of a single protocol, as they were kept before, stay where they don't clash.
		if err := storetest.Write(ctx, db.Store, func(tx *database.Tx) error {
			return tx.Exec("INSERT INTO user_keys (user_id, protocol, bindings) VALUES (?, 'mqm', ?)", mia.ID, `{"mark": "w", "side": "e", "gap": "o"}`).Error
		}); err != nil {
			t.Fatal(err)
		}
		want("with those of the protocol", mia.ID, "mqm", map[string]string{"mark": "e", "gap": "o"})
		set(mia.ID, "mqm", map[string]string{"mark": "e", "gap": "o"})
		want("which hold under all from then on", mia.ID, "esa", map[string]string{"mark": "e", "gap": "o"})
		set(mia.ID, "esa", nil)
		want("as they were", mia.ID, "esa", map[string]string{})
		want("under every protocol", mia.ID, "mqm", map[string]string{})
		want("and not those of others", leo.ID, "mqm", map[string]string{"mark": "Delete"})

		many := map[string]string{}
		for i := range 101 {
			many[fmt.Sprintf("severity:%d", i)] = string(rune('一' + i))
		}
		for _, bad := range []struct {
			protocol string
			keys     map[string]string
			field    string
		}{
			{"", nil, "protocol"},
			{strings.Repeat("x", 201), nil, "protocol"},
			{"a\x00b", nil, "protocol"},
			{"esa", many, "keys"},
			{"esa", map[string]string{"": "a"}, "keys"},
			{"esa", map[string]string{"Mark": "a"}, "keys"},
			{"esa", map[string]string{"severity:a\nb": "a"}, "keys"},
			{"esa", map[string]string{"severity:" + strings.Repeat("x", 101): "a"}, "keys"},
			{"esa", map[string]string{"mark": ""}, "keys"},
			{"esa", map[string]string{"mark": " "}, "keys"},
			{"esa", map[string]string{"mark": "ab"}, "keys"},
			{"esa", map[string]string{"mark": "Tab"}, "keys"},
			{"esa", map[string]string{"mark": "Shift+Ctrl+a"}, "keys"},
			{"esa", map[string]string{"mark": "a\x00"}, "keys"},
			{"esa", map[string]string{"mark": "\xff"}, "keys"},
			{"esa", map[string]string{"mark": "a", "side": "a"}, "keys"},
		} {
			storetest.WantInvalid(t, db.Accounts.SetKeys(ctx, mia.ID, bad.protocol, bad.keys), bad.field)
		}
		want("nothing of what was refused", mia.ID, "esa", map[string]string{})
	})
}
