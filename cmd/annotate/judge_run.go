package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/command"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/provider"
	"annotate/internal/readmodel"
	"annotate/internal/transfer"
	"annotate/internal/wording"
)

func (a *app) judgeMethodsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "methods",
		Short: "List the methods of judges",
		Long: `List the methods of judges. A method follows the published one that it names: its steps,
its reading of replies and its score. Its prompts and examples are this program's own.
annotate judge run --prompts takes the original wording from a file.`,
		Args: command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			err := a.Table(func(row func(...any)) {
				row("method", "of", "calls for each", "scores", "errors", "variants")
				for _, m := range judge.Methods() {
					calls := fmt.Sprint(m.Calls.Usual)
					if m.Calls.Least != m.Calls.Most {
						calls = fmt.Sprintf("%d to %d, usually %d", m.Calls.Least, m.Calls.Most, m.Calls.Usual)
					}
					scale := fmt.Sprintf("%g to %g", m.Scale.Lowest, m.Scale.Highest)
					if math.IsInf(m.Scale.Lowest, -1) {
						scale = fmt.Sprintf("%g and below", m.Scale.Highest)
					}
					row(m.Name, m.Object(), calls, scale, map[bool]string{true: "yes", false: "no"}[m.Spans],
						command.Dash(strings.Join(m.VariantNames(), ", ")))
				}
			})
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout)
			for _, m := range judge.Methods() {
				fmt.Fprintln(a.Stdout, m.Asks(""))
			}
			return nil
		},
	}
}

func (a *app) judgeRunCommand() *cobra.Command {
	var method, variant, prompts, model, as, baseURL string
	var concurrency, retries int
	var maxTokens int64
	var threshold float64
	var seed uint64
	var fresh, dryRun bool
	cmd := &cobra.Command{
		Use:   "run CAMPAIGN --method METHOD",
		Short: "Let a language model judge a campaign",
		Long: `Let a language model judge every translation of a campaign that it has not judged, or every
source with a method of sources, such as difficulty. The
server must speak the OpenAI chat-completions protocol. The section [judge] of the
configuration has its address, its key and the default model. Put the key into the
environment variable ANNOTATE_JUDGE_API_KEY, so that no file contains it.

The command stores each reply and each judgement when it arrives. The same command
resumes a run that was stopped or killed, and repeats no call whose reply is stored. A
reply is stored for one server, model, prompt, set of parameters and seed. --fresh makes
every call again. Ctrl+C stops the run. --dry-run prints a forecast of calls and tokens,
and makes no calls.

The prompts of a method are this program's wording of the published method.
--prompts names a file with prompts that replace them, such as the original ones. Prompts
that the file does not name stay. annotate judge
prompts prints the method's prompts as such a file.

The judge has the name METHOD-MODEL or METHOD-VARIANT-MODEL, unless --as names it. All
runs of a judge must have the same variant, prompts, server and model; the command
refuses others. The judge's score is a metric of the group judge. Annotators never see its
judgements.`,
		Example: `  annotate judge run gold-zh-en --method gemba-mqm --model gpt-4o --dry-run
  annotate judge run gold-zh-en --method gemba-mqm --base-url http://127.0.0.1:8000/v1 --max-tokens 2000000
  annotate judge run gold-zh-en --method eaprompt --variant reference --model gpt-4o
  annotate judge run raw-zh --method difficulty --as difficulty --model gpt-4o
  annotate judge run gold-zh-en --method rate --prompts prompts.txt --as rate-short --model gpt-4o`,
		Args: command.Takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := lookupMethod(method)
			if err != nil {
				return err
			}
			if _, err := m.Forecast(variant); err != nil {
				return command.Usage("--variant: %w", err)
			}
			if m, err = withPrompts(m, prompts); err != nil {
				return err
			}
			o := judgeruns.Options{
				Name:        as,
				Method:      m,
				Variant:     variant,
				Model:       model,
				Concurrency: concurrency,
				Retries:     retries,
				MaxTokens:   maxTokens,
				Seed:        seed,
				Fresh:       fresh,
			}
			if cmd.Flags().Changed("threshold") {
				o.Threshold = &threshold
			}
			return a.InCampaign(func(r command.Run) error {
				if o.Model == "" {
					o.Model = r.Config.Judge.Model
				}
				if baseURL == "" {
					baseURL = r.Config.Judge.BaseURL
				}
				o.Server = provider.Server(baseURL)
				if dryRun {
					return a.forecastJudge(r, o)
				}
				if baseURL == "" {
					return command.Usage("no model's server is configured; use --base-url, or set base_url in the section [judge] of the configuration")
				}
				p, err := provider.NewOpenAI(provider.Options{BaseURL: baseURL, Key: r.Config.Judge.APIKey.Reveal(), Concurrency: concurrency})
				if err != nil {
					return command.Usage("--base-url: %w", err)
				}
				return a.runJudge(r, p, o)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&method, "method", "", "`METHOD`: annotate judge methods lists them")
	f.StringVar(&variant, "variant", "", "`VARIANT` of the method: annotate judge methods lists them (default none)")
	f.StringVar(&prompts, "prompts", "", "`FILE` of prompts (default the method's own)")
	f.StringVar(&model, "model", "", "`NAME` of the model (default that of the configuration)")
	f.StringVar(&as, "as", "", "`NAME` of the judge (default METHOD-MODEL, or METHOD-VARIANT-MODEL)")
	f.StringVar(&baseURL, "base-url", "", "`URL` of the server, such as http://127.0.0.1:8000/v1 (default that of the configuration)")
	f.IntVar(&concurrency, "concurrency", judgeruns.DefaultConcurrency, "`NUMBER` of calls at a time")
	f.IntVar(&retries, "retries", judgeruns.DefaultRetries, "`NUMBER` of times that a call is repeated if its answer can't be read")
	f.Int64Var(
		&maxTokens, "max-tokens", 0,
		"stop when the judge has used this `NUMBER` of tokens in all its runs; calls under way are completed (default no limit)",
	)
	f.Float64Var(
		&threshold, "threshold", 0,
		"confidence below which himate discusses an error (default found with a tenth of the segments, which the judge then leaves out)",
	)
	f.Uint64Var(&seed, "seed", judgeruns.DefaultSeed, "`SEED` of random choices")
	f.BoolVar(&fresh, "fresh", false, "make every call, also those whose reply is stored; leave it out to resume the run")
	f.BoolVar(&dryRun, "dry-run", false, "print a forecast and make no calls")
	return cmd
}

// withPrompts returns a method with the prompts of a file in place of its own. If the path is empty, it
// returns the method as it is.
func withPrompts(m judge.Method, path string) (judge.Method, error) {
	if path == "" {
		return m, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return m, command.Usage("--prompts: %w", err)
	}
	if !utf8.Valid(data) {
		return m, command.Usage("--prompts: %s is not UTF-8; save the file as UTF-8", path)
	}
	if m, err = m.ReadPrompts(data); err != nil {
		return m, command.Usage("--prompts: %s: %w", path, err)
	}
	return m, nil
}

func (a *app) forecastJudge(r command.Run, o judgeruns.Options) error {
	f, err := r.JudgeRuns.Predict(r.Ctx, r.Campaign, o)
	if err != nil {
		return err
	}
	return a.Table(func(row func(...any)) {
		row("judge", f.Judge)
		row("method", o.Method.Asks(o.Variant))
		row(f.Object+"s to judge", wording.Count(f.Translations))
		if !o.Method.OfSource {
			row("of segments", wording.Count(f.Segments))
		}
		row("calls", wording.Count(f.Usual))
		if f.Least != f.Most {
			row("  at least", wording.Count(f.Least))
			row("  at most", wording.Count(f.Most))
		}
		if f.Kept > 0 {
			row("  not asked again", wording.Count(f.Kept), "calls whose replies are stored")
		}
		input, output := "from the length of the first prompts", "if each reply has "+wording.Counted(readmodel.AssumedOutput, "token")
		if f.Measured {
			input, output = "from the judge's calls so far", "from the judge's replies so far"
		}
		row("input tokens, about", wording.Count(int(f.InputTokens)), input)
		row("output tokens, about", wording.Count(int(f.OutputTokens)), output)
		if f.Skipped > 0 {
			row("not judged", wording.Count(f.Skipped), f.Object+"s of segments without "+f.Lacks)
		}
	})
}

func (a *app) runJudge(r command.Run, p provider.Provider, o judgeruns.Options) error {
	shown := a.NewProgress()
	o.Progress = func(p judgeruns.Progress) {
		shown.Say(
			"%s of %s judged, %s tokens, %s unparsable", wording.Count(p.Judged), wording.Count(p.All), wording.Count(int(p.Tokens)),
			wording.Count(p.Unparsable),
		)
	}
	got, err := r.JudgeRuns.Run(r.Ctx, r.Campaign, p, o)
	shown.Clear()
	if err != nil {
		return err
	}
	judges, err := r.Records.JudgesAbout(r.Ctx, r.Campaign.ID)
	if err != nil {
		return err
	}
	err = a.Table(func(row func(...any)) {
		row("judge", o.JudgeName())
		for _, j := range judges {
			if j.Judge == o.JudgeName() {
				row("about", j.About)
			}
		}
		row("state", got.State.Words(got.Unparsable))
		row("judged", fmt.Sprintf("%s of %s", wording.Count(got.Judged), wording.Count(got.All)))
		for _, n := range []struct {
			what string
			n    int
		}{{"unparsable", got.Unparsable}, {"failed", got.Failed}, {"skipped", got.Skipped}} {
			if n.n > 0 {
				row(n.what, wording.Count(n.n))
			}
		}
		row("calls", wording.Count(int(got.Calls)))
		row("tokens", wording.Count(int(got.Tokens)))
		if got.Reason != "" {
			row("note", got.Reason)
		}
	})
	if err == nil && got.State != judgeruns.JudgeDone {
		err = fmt.Errorf("the judge %s stopped: %s; the same command resumes it", o.JudgeName(), got.Reason)
	}
	if err == nil && got.Judged > 0 && got.Unparsable == got.Judged {
		err = fmt.Errorf("the judge %s has no score: %s", o.JudgeName(), got.Reason)
	}
	return err
}

func (a *app) judgeListCommand() *cobra.Command {
	return command.WithJSON(&cobra.Command{
		Use:   "list CAMPAIGN",
		Short: "List the judges of a campaign",
		Args:  command.Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r command.Run) error {
			list, err := api.ReadJudges(r.Ctx, r.Store, r.Campaign)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, list)
			}
			err = a.Table(func(row func(...any)) {
				row("judge", "method", "model", "judged", "unparsable", "tokens", "state")
				for _, j := range list.Judges {
					tokens, state := "-", j.State
					if j.Since != nil {
						tokens = wording.Count(int(j.Tokens()))
						state = judgeruns.JudgeState(j.State).Words(j.Unparsable)
					}
					row(
						j.Name, command.Dash(strings.TrimSpace(j.Method+" "+j.Variant)), command.Dash(j.Model), wording.Count(j.Judged),
						wording.Count(j.Unparsable), tokens, state,
					)
				}
			})
			if err != nil {
				return err
			}
			for _, j := range list.Judges {
				if _, err := fmt.Fprintf(a.Stdout, "\n%s: %s\n", j.Name, j.About); err != nil {
					return err
				}
				if len(j.LeftOut) > 0 {
					fmt.Fprintln(a.Stdout, "  left out:", strings.Join(j.LeftOut, ", "))
				}
			}
			return nil
		}),
	})
}

func (a *app) judgeImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import CAMPAIGN FILE…",
		Short: "Import judgements",
		Long: `Import judgements as JSON lines, all or nothing. annotate import CAMPAIGN --format
judgements FILE does the same.`,
		Args: command.Takes("CAMPAIGN", "FILE…"),
		RunE: a.InCampaign(func(r command.Run) error {
			return a.importFiles(r, r.Args[1:], transfer.Request{Format: "judgements"}, false)
		}),
	}
}

func (a *app) judgeExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export CAMPAIGN",
		Short: "Write all judgements with their traces",
		Long: `Write the judgements of a campaign as JSON lines, with the traces of all calls:
annotate export CAMPAIGN --format judgements does the same.`,
		Args: command.Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r command.Run) error {
			if out == "" || out == "-" {
				_, err := transfer.Export(r.Ctx, r.Store, r.Campaign, "judgements", a.Stdout)
				return err
			}
			return command.WriteFile(out, func(f *command.NewFile) error {
				_, err := transfer.Export(r.Ctx, r.Store, r.Campaign, "judgements", f)
				return err
			})
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write (default standard output)")
	return cmd
}
