package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ChangeKeys are the keys of everything that a lead can change of a campaign: title,
// source_lang, target_lang, state, and the settings of [SettingList].
var ChangeKeys = func() []string {
	keys := []string{"title", "source_lang", "target_lang", "state"}
	for _, k := range SettingList {
		keys = append(keys, k.Key)
	}
	return keys
}()

// IsSetting reports whether a key is in [SettingList].
func IsSetting(key string) bool {
	return slices.ContainsFunc(SettingList, func(k Setting) bool { return k.Key == key })
}

// Value is the campaign's value of one of the [ChangeKeys]; empty for any other key.
func (c Campaign) Value(key string) string {
	switch key {
	case "title":
		return c.Title
	case "source_lang":
		return c.SourceLang
	case "target_lang":
		return c.TargetLang
	case "state":
		return string(c.State)
	}
	for _, k := range SettingList {
		if k.Key == key {
			return k.Get(c.Settings)
		}
	}
	return ""
}

// ChangesTo lists the values that differ between c and after, in the order of
// [ChangeKeys]. At and By are not set.
func (c Campaign) ChangesTo(after Campaign) []SettingChange {
	var out []SettingChange
	for _, key := range ChangeKeys {
		if from, to := c.Value(key), after.Value(key); from != to {
			out = append(out, SettingChange{Key: key, From: from, To: to})
		}
	}
	return out
}

// A Collision is a value that two people changed, both starting from the same one.
type Collision struct {
	Key    string // one of ChangeKeys
	Was    string // the value that both started from
	Theirs string // the value that holds now
	Yours  string
	By     string // login of the person who changed it last; empty: the command line
	At     time.Time
}

// Collide finds the changes in yours, made from an older version of the settings, that
// would undo what others have changed since. since lists the changes of the others, the
// earliest first. From in yours is the value that holds now. A value that others changed
// and changed back does not collide.
func Collide(since, yours []SettingChange) []Collision {
	var out []Collision
	for _, y := range yours {
		x := Collision{Key: y.Key, Theirs: y.From, Yours: y.To}
		found := false
		for _, s := range since {
			if s.Key != y.Key {
				continue
			}
			if !found {
				x.Was, found = s.From, true
			}
			x.By, x.At = s.By, s.At
		}
		if found && x.Was != x.Theirs {
			out = append(out, x)
		}
	}
	return out
}

// A CollisionError refuses a change that was made from an older version of the
// settings and would undo changes of others. It is an [ErrConflict].
type CollisionError struct {
	From, Now  int // versions of the settings
	Collisions []Collision
}

func (e *CollisionError) Error() string {
	lines := make([]string, len(e.Collisions))
	for i, c := range e.Collisions {
		by := c.By
		by = cmp.Or(by, "the command line")
		lines[i] = fmt.Sprintf("\n  %s: %q in version %d, %q now (by %s), %q in this change", c.Key, c.Was, e.From, c.Theirs, by, c.Yours)
	}
	return fmt.Sprintf(
		"nothing was changed, because others have changed the same settings since version %d:%s\nto change them all the same, start from version %d",
		e.From, strings.Join(lines, ""), e.Now,
	)
}

// Is reports that the error is an [ErrConflict].
func (e *CollisionError) Is(target error) bool { return target == ErrConflict }
