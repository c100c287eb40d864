package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"annotate/internal/codepoint"
	"annotate/internal/metric"
	"annotate/internal/wording"
)

// A scoring holds the flags of annotate score.
type scoring struct {
	metric, tokenize  string
	translations      string   // a file
	references        []string // files
	level, format     string
	tokenizeWasChosen bool
}

// ScoreCommand makes the command score.
func (a *App) ScoreCommand() *cobra.Command {
	var s scoring
	cmd := &cobra.Command{
		Use:   "score --metric METRIC --hyp FILE --ref FILE",
		Short: "Score translations against references: BLEU, chrF, chrF++",
		Long: `Score a system's translations against references. Scores equal those of sacreBLEU.
All files are UTF-8 and have one segment a line, in the same order. With several
references, each segment needs a line that is not empty in at least one of them. FILE -
is standard input.

Scores are in [0, 100]. At segment level each line has a score, and BLEU uses the
effective order. At system level all lines together have one score. Text has six
decimals, JSON all digits. The signature names all settings: cite it with the score.`,
		Example: `  annotate score --metric bleu --hyp system.de --ref reference.de
  annotate score --metric bleu --tokenize zh --hyp system.zh --ref refA.zh --ref refB.zh
  annotate score --metric chrf++ --level segment --format json --hyp system.de --ref reference.de`,
		Args: Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tokenizeWasChosen = cmd.Flags().Changed("tokenize")
			return a.score(cmd.Context(), s)
		},
	}
	cmd.Flags().StringVar(&s.metric, "metric", "", "`METRIC`: "+strings.Join(scoreMetrics, ", "))
	cmd.Flags().
		StringVar(&s.tokenize, "tokenize", string(metric.Tok13a), "`TOKENIZER` of bleu: "+strings.Join(tokenizerNames(), ", ")+"; zh for Chinese, char for Japanese and Thai")
	cmd.Flags().StringVar(&s.translations, "hyp", "", "`FILE` of the system's translations")
	cmd.Flags().StringArrayVar(&s.references, "ref", nil, "`FILE` of references; may be repeated")
	cmd.Flags().StringVar(&s.level, "level", string(metric.SystemLevel), "`LEVEL`: "+strings.Join(scoreLevels, ", "))
	cmd.Flags().StringVar(&s.format, "format", "text", "`FORMAT`: "+strings.Join(scoreFormats, ", "))
	return cmd
}

var (
	scoreMetrics = []string{"bleu", "chrf", "chrf++"}
	scoreLevels  = []string{string(metric.SegmentLevel), string(metric.SystemLevel)}
	scoreFormats = []string{"text", "json"}
)

func tokenizerNames() []string {
	var names []string
	for _, t := range metric.Tokenizers() {
		names = append(names, string(t))
	}
	return names
}

func (a *App) score(ctx context.Context, s scoring) error {
	m, err := s.check()
	if err != nil {
		return err
	}
	translations, references, err := a.readSegments(s)
	if err != nil {
		return err
	}
	watched, stop := watchScoring(a.NewProgress(), m, len(translations))
	result, err := metric.Score(ctx, watched, metric.Level(s.level), translations, references...)
	stop()
	if err != nil {
		return err
	}
	if s.format == "json" {
		return a.printScoreJSON(s, result)
	}
	return a.printScore(s, m, result)
}

// check checks the flags and returns the metric.
func (s scoring) check() (metric.Metric, error) {
	for _, f := range []struct {
		flag, value string
		known       []string
	}{
		{"--metric", s.metric, scoreMetrics},
		{"--tokenize", s.tokenize, tokenizerNames()},
		{"--level", s.level, scoreLevels},
		{"--format", s.format, scoreFormats},
	} {
		switch known := strings.Join(f.known, "|"); {
		case f.value == "":
			return nil, Usage("name the %s: %s %s", strings.TrimPrefix(f.flag, "--"), f.flag, known)
		case !slices.Contains(f.known, f.value):
			return nil, Usage("unknown %s %q; use %s %s", strings.TrimPrefix(f.flag, "--"), f.value, f.flag, known)
		}
	}
	switch {
	case s.translations == "":
		return nil, Usage("name the file of translations: --hyp FILE")
	case len(s.references) == 0 || slices.Contains(s.references, ""):
		return nil, Usage("name the file of references: --ref FILE")
	case s.tokenizeWasChosen && s.metric != "bleu":
		return nil, Usage("--tokenize works only with bleu; %s has no tokenizer", s.metric)
	}
	switch s.metric {
	case "chrf":
		return metric.CHRF{}, nil
	case "chrf++":
		return metric.CHRF{WordOrder: 2}, nil
	}
	return metric.BLEU{Tokenizer: metric.Tokenizer(s.tokenize)}, nil
}

// readSegments reads all files and checks that they have the same number of lines.
func (a *App) readSegments(s scoring) (translations []string, references [][]string, err error) {
	files := append([]string{s.translations}, s.references...)
	stdin := 0
	for _, f := range files {
		if f == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, nil, Usage("standard input can be read only once; give - once")
	}
	progress := a.NewProgress()
	defer progress.Clear()
	texts := make([][]string, len(files))
	for i, f := range files {
		if texts[i], err = a.readSegmentFile(progress, f); err != nil {
			return nil, nil, err
		}
	}
	translations, references = texts[0], texts[1:]
	for i, lines := range references {
		if err := sameLength(s.translations, translations, s.references[i], lines); err != nil {
			return nil, nil, err
		}
	}
	if len(translations) == 0 {
		return nil, nil, Usage("%s is empty; check that it is the file you mean", InputName(s.translations))
	}
	return translations, references, haveReference(s.references, references)
}

func (a *App) readSegmentFile(p *Progress, path string) ([]string, error) {
	name := InputName(path)
	r := a.Stdin
	var b strings.Builder
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, Usage("%w", err)
		}
		defer f.Close()
		switch info, err := f.Stat(); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, Usage("%s is a folder; name a file in it", path)
		case info.Mode().IsRegular():
			b.Grow(int(info.Size())) // avoids copies of a growing text
		}
		r = f
	}
	if _, err := io.Copy(&b, p.Watch(name, r)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return segmentLines(name, b.String())
}

// segmentLines returns the lines of a text without their line breaks, LF or CRLF. It
// returns an error if the text is not UTF-8. A byte order mark stays part of the first
// word, as in sacreBLEU.
func segmentLines(name, text string) ([]string, error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return nil, Usage("%s:1:1: the file is UTF-16; save it as UTF-8", name)
	}
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if !utf8.ValidString(line) {
			at := codepoint.Invalid([]byte(line))
			return nil, Usage("%s:%d:%d: byte 0x%02X is not UTF-8; save the file as UTF-8", name, i+1, utf8.RuneCountInString(line[:at])+1, line[at])
		}
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines, nil
}

// sameLength returns an error if a file of references has another number of lines than
// the translations.
func sameLength(file string, translations []string, refFile string, references []string) error {
	t, r := len(translations), len(references)
	if t == r {
		return nil
	}
	longer := InputName(file)
	if r > t {
		longer = InputName(refFile)
	}
	return Usage("%s has %s, %s %d: line %d of %s has no counterpart; both files need the same segments, one a line",
		InputName(file), wording.Counted(t, "line"), InputName(refFile), r, min(t, r)+1, longer)
}

// haveReference returns an error if a segment has no reference. A line of white space
// counts as empty.
func haveReference(files []string, references [][]string) error {
	for i := range references[0] {
		empty := true
		for _, lines := range references {
			if strings.TrimSpace(lines[i]) == "" {
				lines[i] = ""
			}
			empty = empty && lines[i] == ""
		}
		if !empty {
			continue
		}
		if len(files) == 1 {
			return Usage("%s:%d: the reference is empty; leave its segment out of all files, or give another --ref", InputName(files[0]), i+1)
		}
		return Usage("%s:%d: the segment has no reference in any of the %d files; leave it out of all files", InputName(files[0]), i+1,
			len(files))
	}
	return nil
}

// watchScoring wraps the metric so that it shows the progress of scoring n translations
// on a terminal, until stop is called.
func watchScoring(progress *Progress, m metric.Metric, n int) (watched metric.Metric, stop func()) {
	if !progress.Visible() {
		return m, func() {}
	}
	done := new(atomic.Int64)
	over := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				progress.Say("%s: %d of %s", m.Name(), done.Load(), wording.Counted(n, "segment"))
			case <-over:
				progress.Clear()
				return
			}
		}
	}()
	return countedMetric{m, done}, func() { close(over); <-stopped }
}

// A countedMetric counts the segments that it scores.
type countedMetric struct {
	metric.Metric
	done *atomic.Int64
}

func (m countedMetric) Against(references ...string) (metric.Comparison, error) {
	m.done.Add(1)
	return m.Metric.Against(references...)
}

// printScore prints a line for each score. Segment scores are printed alone, so that
// line n is segment n, and their signature goes to standard error.
func (a *App) printScore(s scoring, m metric.Metric, r metric.Result) error {
	if s.level == string(metric.SystemLevel) {
		return a.Printf("%s|%s = %.6f\n", m.Name(), r.Signature, r.Score)
	}
	fmt.Fprintf(a.Stderr, "annotate: %s|%s\n", m.Name(), r.Signature)
	w := bufio.NewWriter(a.Stdout)
	for _, score := range r.Scores {
		fmt.Fprintf(w, "%.6f\n", score)
	}
	return w.Flush()
}

func (a *App) printScoreJSON(s scoring, r metric.Result) error {
	out := struct {
		Metric    string    `json:"metric"`
		Signature string    `json:"signature"`
		Level     string    `json:"level"`
		Score     *float64  `json:"score,omitempty"`
		Scores    []float64 `json:"scores,omitempty"`
	}{Metric: s.metric, Signature: r.Signature, Level: s.level, Scores: r.Scores}
	if s.level == string(metric.SystemLevel) {
		out.Score = &r.Score
	}
	return json.NewEncoder(a.Stdout).Encode(out)
}
