package command

import (
	"log/slog"
)

// A Secret is a value that is never printed. In formats and logs it becomes [secret].
type Secret string

// String implements [fmt.Stringer].
func (Secret) String() string { return "[secret]" }

// GoString implements [fmt.GoStringer].
func (Secret) GoString() string { return "[secret]" }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }

// MarshalText implements [encoding.TextMarshaler].
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }
