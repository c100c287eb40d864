// Command annotate is a web application for the human evaluation of machine
// translation, and the command line around it: annotate --help.
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
	_ "time/tzdata" // campaigns have time zones, also where the system has none

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

// A usageError is a command line that can't be carried out as it was written.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// exitCode is 2 where the caller has to change something: the command, the
// configuration, an input, or the name of a thing. It is 1 where a change collides with
// one of somebody else.
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

// message is an error as a person reads it: without the kind of error at its
// end where the text says enough.
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
