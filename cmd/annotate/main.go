// Command annotate is a web application for the human evaluation of machine
// translation, with a command line. See annotate --help.
//
// It exits 0 on success, 1 on failure and 2 on bad usage or bad input. Results
// go to standard output, progress and errors to standard error.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for the time zones of campaigns, in case the system has none

	"annotate/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "annotate: "+command.Message(err))
	}
	os.Exit(command.ExitCode(err))
}
