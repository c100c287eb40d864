package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/evaluation"
	"annotate/internal/report"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web"
)

func (a *app) reportCommand() *cobra.Command {
	var out, systems string
	cmd := &cobra.Command{
		Use:   "report CAMPAIGN",
		Short: "Write the report of a campaign",
		Long: `Write the report of a campaign: the annotated data, the agreement of annotators, the
ranks and clusters of systems, the evaluation of metrics, and the analysis of errors.

--out FILE.html writes the report as a single page that needs no other file. Without
--out the page goes to standard output. --out FILE.zip and --out DIR also write gold,
ratings, scores and texts, each table as LaTeX, Markdown and CSV, each figure as SVG, PDF and
PNG, and a README.md, to be published with a paper. An existing file is replaced. An
existing folder is refused.

--beside CAMPAIGN adds the metrics of another campaign. If the same translations are
rated in both, the report compares the campaigns over them: ranks and clusters of systems,
correlation of scores, agreement of annotators, overlap of errors, time.

--only shows the named sections (data, chain, agreement, systems, beside, metrics, errors, methods), tables and
figures of the page. Archives and folders always have all tables and figures.

--systems reads a table about the systems. The report shows it, and compares the scores of the classes
of systems, and the metrics among the systems of each class.

--price-hour and --price-word add the cost of the annotators' work.

If the report on the campaign's page is up to date, it is used. Otherwise the report is
computed, and the page shows it too.`,
		Example: `  annotate report gold-zh-en --out report.html
  annotate report gold-zh-en --significance --beside gold-en-zh --out paper.zip`,
		Args: command.Takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := chosen(cmd.Flags())
			if systems != "" {
				file, err := os.ReadFile(systems)
				if err != nil {
					return command.Usage("--systems: %w", err)
				}
				about, err := report.ReadSystems(file, systems)
				if err != nil {
					return err
				}
				q.Set("about-systems", report.SystemsCSV(about))
			}
			choices, err := evaluation.ParseChoices(q)
			if err != nil {
				return command.Usage("--%w", err)
			}
			if slices.Contains(choices.Beside, args[0]) {
				return command.Usage("--beside: %s is the campaign of the report; name another campaign", args[0])
			}
			if err := checkReportOut(out); err != nil {
				return err
			}
			return a.InCampaign(func(r command.Run) error {
				return a.report(r, choices, out)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "`FILE` .html or .zip, or folder to write (default the page on standard output)")
	f.String("human", "", "`NAME` of the human score to judge metrics by (default that of the protocol)")
	f.String("preset", "", "statistics of the meta score: `PRESET` ment, wmt23 or wmt24 (default ment for SQM campaigns, else wmt23)")
	f.Bool("significance", false, "test differences between metrics; ranks are clusters")
	f.Bool("intervals", false, "give 95 % intervals of the statistics of metrics, by resampling documents")
	f.Bool("sensitivity", false, "rank the metrics also by other presets, by other human scores, and without each system")
	f.Bool("gold", false, "compare annotators only over segments in gold")
	f.StringArray("exclude-system", nil, "`NAME` of a system to leave out when metrics are judged; may be repeated")
	f.String("reference", "", "`NAME` of the standard reference of the metrics (default the first in byte order)")
	f.StringArray("include-reference", nil, "`NAME` of a reference to judge as a system; may be repeated")
	f.Bool("all-references", false, "judge the metrics of all references")
	f.String("pseudonyms", "", "name people by pseudonyms: `yes` or no (default the campaign's setting)")
	f.Bool("by-group", false, "divide the table of metrics by their groups")
	f.StringArray("beside", nil, "`CAMPAIGN` to compare with this one (see above); may be repeated")
	f.StringArray("only", nil, "`ID` of a section, table or figure to show on the page; may be repeated (default all)")
	f.String("price-hour", "", "`PRICE` of an hour of active time")
	f.String("price-word", "", "`PRICE` of a word of the source, for each rating")
	f.StringVar(&systems, "systems", "", "`FILE` about the systems (CSV, TSV or XLSX): the columns system, class, size, release and open")
	f.String("currency", "", "`CURRENCY` of the prices, such as EUR")
	return cmd
}

// chosen returns the flags that are given, as [evaluation.ParseChoices] reads them from an address.
func chosen(flags *pflag.FlagSet) url.Values {
	q := url.Values{}
	flags.Visit(func(f *pflag.Flag) {
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			q[f.Name] = v.GetSlice()
		default:
			if q.Set(f.Name, v.String()); v.Type() == "bool" && v.String() == "true" {
				q.Set(f.Name, "yes")
			}
		}
	})
	return q
}

// checkReportOut returns an error if out is an existing folder.
func checkReportOut(out string) error {
	if out == "" || out == "-" || isFile(out) {
		return nil
	}
	if _, err := os.Stat(out); err == nil {
		return command.Usage("--out: %s exists already; name a new folder, or a file that ends in .html or .zip", out)
	}
	return nil
}

// isFile reports whether out is the name of a file, not of a folder.
func isFile(out string) bool {
	ext := strings.ToLower(filepath.Ext(out))
	return ext == ".html" || ext == ".htm" || ext == ".zip"
}

func (a *app) report(r command.Run, choices evaluation.Choices, out string) error {
	var beside []campaign.Campaign
	for _, slug := range choices.Beside {
		other, err := command.FindCampaign(r.Ctx, r.Store, slug)
		if err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
		beside = append(beside, other)
	}
	current, err := a.currentReport(r, beside, choices.For(r.Campaign))
	if err != nil {
		return err
	}
	shown, unknown := current.Only(choices.Only)
	if len(unknown) > 0 {
		return command.Usage("--only: the report has no section, table or figure %s; it has %s", wording.List(unknown),
			wording.List(current.IDs()))
	}
	var html bytes.Buffer
	if err := web.WriteReport(r.Ctx, &html, shown); err != nil {
		return err
	}
	if out == "" || out == "-" {
		_, err := a.Stdout.Write(html.Bytes())
		return err
	}
	archive := &transfer.Archive{Campaign: r.Campaign, Report: current, Page: html.Bytes(), State: func(ctx context.Context) (string, error) {
		return evaluation.ReportState(ctx, r.Store, r.Campaign, beside)
	}}
	switch {
	case !isFile(out):
		return a.writeFolder(out, checkReportOut, func(tree *directory) ([]string, error) { return nil, archive.Write(r.Ctx, r.Store, tree) })
	case strings.EqualFold(filepath.Ext(out), ".zip"):
		err = command.WriteFile(out, func(f *command.NewFile) error {
			z := transfer.NewZipTree(f, current.Stamp.ComputedAt)
			if err := archive.Write(r.Ctx, r.Store, z); err != nil {
				return err
			}
			return z.Close()
		})
	default:
		err = command.WriteFile(out, func(f *command.NewFile) error { _, err := f.Write(html.Bytes()); return err })
	}
	if err == nil {
		fmt.Fprintln(a.Stderr, "wrote", out)
	}
	return err
}

// currentReport returns the stored report if it is up to date. Otherwise it computes a
// report and stores it. While another program writes for long, the report is not stored, and
// the next one is computed again.
func (a *app) currentReport(r command.Run, beside []campaign.Campaign, choices evaluation.Choices) (report.Report, error) {
	kept, err := evaluation.KeptReport(r.Ctx, r.Store, r.Campaign, choices)
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return kept, err
	}
	if err == nil && kept.Stamp.Program == evaluation.Program() {
		state, err := evaluation.ReportState(r.Ctx, r.Store, r.Campaign, beside)
		if err != nil || state == kept.Stamp.State {
			return kept, err
		}
	}
	p := a.NewProgress()
	// The scores of a large campaign are most of the memory. The program takes an eighth less with a smaller heap, for hardly more time.
	defer debug.SetGCPercent(debug.SetGCPercent(60))
	computed, err := evaluation.ComputeReport(
		r.Ctx,
		r.Store,
		&evaluation.ReportTask{Campaign: r.Campaign, Beside: beside, Choices: choices, Progress: func(words string, share float64) {
			p.Say("%.0f %%: %s", 100*share, words)
		}},
	)
	p.Clear()
	if err != nil {
		return computed, err
	}
	if err := evaluation.KeepReport(r.Ctx, r.Store, r.Campaign, choices, computed); !errors.Is(err, campaign.ErrBusy) {
		return computed, err
	}
	return computed, nil
}
