package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"annotate/internal/campaign"
)

// A UsageError says that a command line or an input has to be changed.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

func Usage(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// ExitCode returns 2 if the caller has to change something: the command, the
// configuration, an input or a name. It returns 1 for all other errors, including a
// change that collides with another person's change.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*ConfigError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*campaign.Problems](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*campaign.CollisionError](err); ok {
		return 1
	}
	for _, kind := range []error{campaign.ErrNotFound, campaign.ErrConflict, campaign.ErrForbidden} {
		if errors.Is(err, kind) {
			return 2
		}
	}
	return 1
}

// Message returns the text of an error as it is printed. It removes the kind of the
// error from the end.
func Message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	for _, kind := range []error{campaign.ErrConflict, campaign.ErrForbidden} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return text
}
