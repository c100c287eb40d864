package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/command"
)

// An app adds the commands of this package to what all commands share.
type app struct{ *command.App }

// run executes a command line. args does not include the program's name.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a := &app{&command.App{Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr}}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.Started {
		return &command.UsageError{Err: err}
	}
	return err
}

func (a *app) root() *cobra.Command {
	cobra.EnableCommandSorting = false // the help lists commands in the order below
	root := a.Group(
		&cobra.Command{
			Use:   "annotate",
			Short: "Human evaluation of machine translation",
			Long: `annotate is a web application in which linguists score machine translations, a
lead watches their agreement, and a researcher exports the gold scores.

Try it out with: annotate demo`,
			SilenceErrors:     true,
			SilenceUsage:      true,
			CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
			PersistentPreRun:  func(*cobra.Command, []string) { a.Started = true },
		},
		a.serveCommand(), a.demoCommand(), a.migrateCommand(), a.migrateDataCommand(), a.userCommand(), a.tokenCommand(), a.webhookCommand(),
		a.mailCommand(), a.protocolCommand(), a.campaignCommand(), a.memberCommand(), a.PlanCommand(), a.importCommand(), a.exportCommand(),
		a.convertCommand(), a.AgreementCommand(), a.MetaevalCommand(), a.reportCommand(), a.ScoreCommand(), a.judgeCommand(), a.backupCommand(),
		a.restoreCommand(), a.doctorCommand(), a.versionCommand(),
	)
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "", "configuration `FILE` (default annotate.ini where it exists)")
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return command.Usage("%w; see: %s --help", err, cmd.CommandPath())
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return command.Usage("there is no command %q; see: annotate --help", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			about.InheritedFlags() // also adds them to the help
			return about.Help()
		},
	})
	return root
}

// usageTemplate is cobra's template without the parts that this program does not use.
const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}

Flags:
{{.Flags.FlagUsages | trimTrailingWhitespaces}}
{{- if .HasAvailableSubCommands}}

More about a command: {{.CommandPath}} COMMAND --help{{end}}
`
