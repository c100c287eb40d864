package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/evaluation"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, of Go, and the platform it was built for.",
		Example: "  annotate version",
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			return a.Printf("%s, %s, %s/%s\n", evaluation.Program(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
