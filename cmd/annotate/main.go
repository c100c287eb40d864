// Command annotate is a web application for the human evaluation of machine
// translation, with a command line. See annotate --help.
//
// It exits 0 on success, 1 on failure and 2 on bad usage or bad input. Results
// go to standard output, progress and errors to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for the time zones of campaigns, in case the system has none

	"annotate/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(program(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// program runs a command line, prints its error, and returns the exit status.
func program(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := run(ctx, args, environ, stdin, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "annotate: "+command.Message(err))
	}
	return command.ExitCode(err)
}
