// Command annotate is a web application for the human evaluation of machine
// translation, with a command line. See annotate --help.
//
// It exits 0 on success, 1 on failure and 2 on bad usage or bad input. Results
// go to standard output, progress and errors to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // for the time zones of campaigns, in case the system has none

	"annotate/internal/campaign"
	"annotate/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "annotate: "+message(err))
	}
	os.Exit(exitCode(err))
}

// A usageError says that a command line or an input has to be changed.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// exitCode returns 2 if the caller has to change something: the command, the
// configuration, an input or a name. It returns 1 for all other errors, including a
// change that collides with another person's change.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
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

// message returns the text of an error as it is printed. It removes the kind of the
// error from the end.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	for _, kind := range []error{campaign.ErrConflict, campaign.ErrForbidden} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return text
}
