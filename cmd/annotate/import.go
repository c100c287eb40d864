package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/readmodel"
	"annotate/internal/transfer"
	"annotate/internal/wording"
)

func (a *app) importCommand() *cobra.Command {
	var chosen, pair string
	var leaveOut, columns []string
	var table ingest.TableOptions
	var lower bool
	var group string
	var check, json bool
	cmd := &cobra.Command{
		Use:   "import CAMPAIGN PATH…",
		Short: "Read files into a campaign, all or nothing",
		Long: `Read files into a campaign. If there is a problem in any file, nothing is imported.
PATH - is standard input. Files that are compressed with gzip are unpacked. Without
--format the program recognises the format and names it. All problems are listed, with file,
line and column. --check finds problems without importing. annotate import undo undoes an import while nobody has
worked on the data that it brought.

` + formatHelp(format.Inputs(nil), func(f format.Format) string { return f.Input.Help }) + `
Some wrong data can be left out instead: --leave-out contradictions leaves out the
translations of an mqm-tsv whose rows contradict each other, and --leave-out systems
the scores of systems that the campaign does not have. The output names what is left
out.

In a table, --column says what a column is: --column source=Deutsch, --column system="Model A"
or --column ignore=Remarks, with its name or its letter. If --column names a system, no other
column is a system. --header-row is the row with the names of the columns, and --sheet the sheet of
a workbook.

If finished ratings have severities or categories that the protocol lacks, these are
added to the campaign. The output names them.`,
		Example: `  annotate import gold-zh-en segments.jsonl
  annotate import ment-zh-en --format ment --language-pair zh-en MENT.jsonl
  annotate import wmt-en-de --format mqm-tsv mqm.tsv
  annotate import pilot --format table --sheet Texts --column source=Deutsch texts.xlsx
  annotate import gold-zh-en ratings.jsonl.gz
  annotate import gold-zh-en --format scores metric-scores/zh-en/*.score`,
		Args: command.Takes("CAMPAIGN", "PATH…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if chosen != "" {
				if err = command.CheckFormat(chosen, format.IDs(format.Inputs(nil))); err != nil {
					return err
				}
			}
			if table.Roles, err = ingest.RolesOf(columns); err != nil {
				return command.Usage("--column %w", err)
			}
			var fits bool
			if chosen, fits = transfer.ForTable(chosen, table); !fits {
				return command.Usage("--sheet, --header-row and --column are for --format table")
			}
			return a.InCampaign(func(r command.Run) error {
				return a.importFiles(
					r, r.Args[1:],
					transfer.Request{Format: chosen, Table: table, LanguagePair: pair, LeaveOut: leaveOut, LowerIsBetter: lower, Group: group,
						Check: check},
					json,
				)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&chosen, "format", "", "`FORMAT`: "+strings.Join(format.IDs(format.Inputs(nil)), ", ")+" (default the one that the files show)")
	cmd.Flags().BoolVar(&check, "check", false, "list all problems and what would be imported, but store nothing")
	cmd.Flags().BoolVar(&json, "json", false, "print what was imported as JSON")
	cmd.Flags().BoolVar(&lower, "lower-is-better", false, "declare that lower scores of the metrics are better, as of TER; for scores")
	cmd.Flags().StringVar(&group, "group", "", "`GROUP` of the metrics, such as judge, neural or surface; for scores")
	cmd.Flags().
		StringArrayVar(&leaveOut, "leave-out", nil, "leave out `WHAT` instead of refusing it: "+strings.Join(transfer.LeaveOuts(), ", ")+"; may be repeated")
	cmd.Flags().StringVar(&pair, "language-pair", "", "read only the lines of this `PAIR`, such as zh-en")
	cmd.Flags().StringVar(&table.Sheet, "sheet", "", "`NAME` of the sheet of a workbook; for table")
	cmd.Flags().IntVar(&table.Header, "header-row", 0, "number `N` of the row with the names of the columns; for table")
	cmd.Flags().StringArrayVar(&columns, "column", nil, "what a column is, as `ROLE=NAME`; for table; may be repeated")
	cmd.AddCommand(a.importListCommand(), a.importUndoCommand())
	return cmd
}

// importFiles imports files and prints what they brought, or all problems in them.
func (a *app) importFiles(r command.Run, paths []string, req transfer.Request, json bool) error {
	p := a.NewProgress()
	files, closeAll, err := a.openInputs(p, paths)
	if err != nil {
		return err
	}
	defer closeAll()
	req.Files = files
	req.Placed = func(done, all int) {
		p.Say("everything is read, and %s of %s ratings count", wording.Count(done), wording.Count(all))
	}
	report, err := transfer.Import(r.Ctx, r.Store, r.Campaign, req)
	closeAll()
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		fmt.Fprintln(a.Stderr, problems)
		return &refusedError{problems, "nothing was imported"}
	}
	if err != nil {
		return err
	}
	if json {
		return api.WriteJSON(a.Stdout, api.ImportReportOf(report, req.Check))
	}
	return a.importSummary(r.Campaign, report, req.Check)
}

// formatHelp lists formats with their help texts, indented and at most 80 characters
// wide.
func formatHelp(formats []format.Format, help func(format.Format) string) string {
	var b strings.Builder
	for _, f := range formats {
		line := fmt.Sprintf("  %-11s", f.ID)
		for word := range strings.FieldsSeq(help(f)) {
			if len(line)+1+len(word) > 80 {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", 13)
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// A refusedError counts the problems that have been printed.
type refusedError struct {
	problems *campaign.Problems
	so       string // what follows
}

func (e *refusedError) Error() string {
	return wording.Counted(e.problems.Count(), "problem") + "; " + e.so
}

func (e *refusedError) Unwrap() error { return e.problems }

// openInputs opens all paths before anything is read, so that a wrong path is reported
// at once. Reading from the files shows progress p.
func (a *app) openInputs(p *command.Progress, paths []string) (files []transfer.File, closeAll func(), err error) {
	var opened []*os.File
	var temporary string // the name of the copy of standard input
	closeAll = func() {
		for _, f := range opened {
			f.Close()
		}
		if temporary != "" {
			os.Remove(temporary)
		}
		p.Clear()
	}
	stdin := false
	for _, path := range paths {
		if path == "-" {
			if stdin {
				return nil, nil, command.Usage("standard input can be read only once; give - once")
			}
			stdin = true
			f, err := spool(a.Stdin)
			if err != nil {
				closeAll()
				return nil, nil, fmt.Errorf("read standard input: %w", err)
			}
			opened, temporary = append(opened, f), f.Name()
			files = append(files, transfer.File{Name: "stdin", Reader: p.Watch("stdin", f)})
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			closeAll()
			return nil, nil, command.Usage("%w", err)
		}
		opened = append(opened, f)
		if info, err := f.Stat(); err == nil && info.IsDir() {
			files = append(files, transfer.File{Name: path, Folder: path})
			continue
		}
		files = append(files, transfer.File{Name: path, Reader: p.Watch(path, f)})
	}
	return files, closeAll, nil
}

// spool copies standard input to a temporary file. An import blocks other writes while
// it reads, and a pipe may be slow.
func spool(r io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "annotate-stdin-*")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// importSummary prints what was imported. It leaves out counts that are 0.
func (a *app) importSummary(c campaign.Campaign, r readmodel.ImportReport, checked bool) error {
	said := "imported into %s\n"
	if checked {
		said = "no problem found; nothing was stored in %s; an import would bring:\n"
	}
	fmt.Fprintf(a.Stdout, said, c.Slug)
	return a.Table(func(row func(...any)) {
		count := func(what string, n int) {
			if n > 0 {
				row("  "+what, n)
			}
		}
		count("segments", r.Segments)
		count("known segments", r.Known)
		count("translations", r.Translations)
		if len(r.Systems) > 0 {
			row("  systems", fmt.Sprintf("%d: %s", len(r.Systems), strings.Join(r.Systems, ", ")))
		}
		count("references", r.References)
		count("human scores", r.HumanScores)
		count("ratings", r.Ratings)
		count("metric scores", r.MetricScores)
		count("judgements", r.Judgements)
		if len(r.Judges) > 0 {
			row("  judges", fmt.Sprintf("%d: %s", len(r.Judges), strings.Join(r.Judges, ", ")))
		}
		count("terms", r.Terms)
		count("suggestions", r.Suggestions)
		count("  for translations", r.SuggestedTo)
		count("  replaced", r.Replaced)
		if len(r.Metrics) > 0 {
			row("  metrics", fmt.Sprintf("%d: %s", len(r.Metrics), strings.Join(r.Metrics, ", ")))
		}
		for _, s := range campaign.Statuses {
			if n := r.Decided[s]; n > 0 {
				row("  decided "+string(s), n)
			}
		}
		list := func(what string, names []string) {
			if len(names) > 0 {
				row("  "+what, strings.Join(names, ", "))
			}
		}
		list("new annotators", r.NewAnnotators)
		list("new severities", r.OwnSeverities)
		list("new categories", r.OwnCategories)
		for _, note := range r.Notes {
			row("  note", note)
		}
	})
}
