package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/judge"
	"annotate/internal/wording"
)

func (a *app) judgeCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "judge",
		Short: "Judge translations with a language model",
	}, a.judgeMethodsCommand(), a.judgeRunCommand(), a.judgeListCommand(), a.judgeImportCommand(), a.judgeExportCommand(),
		a.judgeReplayCommand(), a.judgePromptsCommand())
}

func (a *app) judgeReplayCommand() *cobra.Command {
	var method string
	cmd := &cobra.Command{
		Use:   "replay --method METHOD FILE",
		Short: "Score saved replies of a model again",
		Long: `Judge translations by the saved replies of a model, without a database or a network.
Methods: ` + strings.Join(judge.Names(), ", ") + `.

FILE has a JSON object on each line: "name", "source", "translation" (for rate also
"translations", a list), "source_lang", "target_lang", and "replies", the model's texts
in the order of the calls. A reply may be {"text": …, "logprob": …}. Further keys:
"reference", "term", "explication", "weights" (acre), "threshold" (himate), "max_rounds"
(rate), "variant" (eaprompt, gemba-da), "finish_reasons". FILE - is standard input.

The output has a JSON object for each line: "name", "status" (ok or unparsable), "score"
(null without one) and "spans". Offsets count code points. A span whose words are
not in the text has none. A line with "translations" gives "name" and "candidates".`,
		Example: `  annotate judge replay --method gemba-mqm replies.jsonl > judgements.jsonl`,
		Args:    command.Takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := lookupMethod(method)
			if err != nil {
				return err
			}
			return a.replay(cmd.Context(), m, args[0])
		},
	}
	cmd.Flags().StringVar(&method, "method", "", "`METHOD`: "+strings.Join(judge.Names(), ", "))
	return cmd
}

func (a *app) judgePromptsCommand() *cobra.Command {
	var method string
	cmd := &cobra.Command{
		Use:   "prompts --method METHOD",
		Short: "Print the prompts of a method",
		Long: `Print the prompts of a method as a file to edit. They are this program's wording of the
published method that annotate judge methods names. A line "-- NAME --" stands before each
prompt. Prompts are templates of Go's text/template; the prompt "examples" is a JSON list.`,
		Example: `  annotate judge prompts --method rate > prompts.txt`,
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			m, err := lookupMethod(method)
			if err != nil {
				return err
			}
			return m.WritePrompts(a.Stdout)
		},
	}
	cmd.Flags().StringVar(&method, "method", "", "`METHOD`: "+strings.Join(judge.Names(), ", "))
	return cmd
}

// lookupMethod returns the method that --method names.
func lookupMethod(name string) (judge.Method, error) {
	if name == "" {
		return judge.Method{}, command.Usage("name the method: --method %s", strings.Join(judge.Names(), "|"))
	}
	m, err := judge.Lookup(name)
	if err != nil {
		return m, command.Usage("--method: %w", err)
	}
	return m, nil
}

// replay judges every line of a file. It writes all results, or none if a line is wrong.
func (a *app) replay(ctx context.Context, m judge.Method, path string) error {
	name, r := command.InputName(path), a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return command.Usage("%w", err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return command.Usage("%s is a folder; name a file in it", path)
		}
		r = f
	}
	progress := a.NewProgress()
	defer progress.Clear()
	var out bytes.Buffer
	problems := &campaign.Problems{}
	cases, unused := 0, 0
	lines := bufio.NewReader(progress.Watch(name, r))
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			if first := bytes.TrimSpace(line); bytes.HasPrefix(first, []byte("[")) {
				return command.Usage("%s:1: the file is a JSON list; write each case on a line of its own", name)
			}
		}
		if len(bytes.TrimSpace(line)) > 0 {
			cases++
			left, err := replayLine(m, line, number, &out)
			if left > 0 {
				unused++
			}
			if err != nil {
				problems.Add(&campaign.Problem{File: name, Line: number, Msg: err.Error()})
			}
		}
		if err == io.EOF {
			break
		}
	}
	progress.Clear()
	switch {
	case cases == 0:
		return command.Usage("%s is empty; check that it is the file you mean", name)
	case problems.Count() > 0:
		return problems
	}
	if _, err := a.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if unused > 0 {
		_, err := fmt.Fprintf(
			a.Stderr, "annotate: %s more replies than the method asked for; those were not used\n",
			wording.Counted(unused, "case has", "cases have"),
		)
		return err
	}
	return nil
}

// replayLine judges a line and appends the result to out. It returns the number of replies that were
// not used.
func replayLine(m judge.Method, line []byte, number int, out *bytes.Buffer) (unused int, err error) {
	if !utf8.Valid(line) {
		return 0, errors.New("the line is not UTF-8; save the file as UTF-8")
	}
	c, err := judge.ReadCase(line)
	if err != nil {
		return 0, err
	}
	if c.Name == "" {
		c.Name = strconv.Itoa(number)
	}
	judgements, unused, err := m.Replay(c)
	if err != nil {
		return 0, err
	}
	return unused, judge.WriteResult(out, c, judgements)
}
