package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"annotate/internal/command"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, of Go, and the platform it was built for.",
		Example: "  annotate version",
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			return a.Printf("annotate %s, %s, %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// version returns the version that Go recorded when it built the program: the tag, or
// "(devel)" and the commit if it is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
