package mtme

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/spool"
)

// read reads the segments of a language pair. Scores and ratings are in another order than segments, so they
// are first copied to temporary files. Memory holds the documents of the segments, 16 bytes for each rating,
// and a few bytes for each score.
func read(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return exchange.Lines(func(yield func(campaign.SegmentLine, error) error) error {
		r := &reader{p: p, opt: opt, yield: yield, columns: map[string]*scores{}, entered: map[string]bool{}}
		return r.read(files)
	})
}

// A reader reads a directory.
type reader struct {
	d              *ingest.Directory
	source, target string
	p              *protocol.Protocol
	opt            ingest.Options
	yield          func(campaign.SegmentLine, error) error
	numbers, lines *spool.Spool       // scores, and lines of ratings
	columns        map[string]*scores // by system
	sheets         []*sheet
	raters         []string        // of a protocol without error spans, in byte order
	entered        map[string]bool // the names of the scores of raters, and of scores that follow from ratings
}

// scores has the columns of a system, by name.
type scores struct{ humans, metrics []*column }

// read returns the error that is the last value.
func (r *reader) read(files []exchange.File) (err error) {
	if r.d, r.source, r.target, err = open(files, r.opt); err != nil {
		return err
	}
	if err = r.d.Ready(); err != nil {
		return err
	}
	for _, s := range []**spool.Spool{&r.numbers, &r.lines} {
		if *s, err = spool.New(); err != nil {
			return err
		}
		defer (*s).Close()
	}
	for _, system := range r.d.Systems {
		r.columns[system] = &scores{}
	}
	ok := true
	for _, part := range []func() error{r.readScores, r.readRatings, r.checkSystemScores} {
		switch err := part(); {
		case isProblem(err):
			ok = false
			if err := r.yield(campaign.SegmentLine{}, err); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	if !ok {
		return nil
	}
	unread, err := r.d.Unread()
	if err != nil {
		return err
	}
	for _, file := range unread {
		r.opt.Notes.AddNamed("{file|files} with scores of systems, domains or documents left out, since a campaign has the scores of segments", file, file, 0)
	}
	return r.segments()
}

func isProblem(err error) bool {
	_, ok := errors.AsType[*campaign.Problem](err)
	return ok
}

// readScores puts the scores of segments into columns.
func (r *reader) readScores() error {
	for _, list := range []struct {
		human bool
		names []string
		of    func(*scores) *[]*column
	}{
		{true, r.d.Humans, func(s *scores) *[]*column { return &s.humans }},
		{false, r.d.Metrics, func(s *scores) *[]*column { return &s.metrics }},
	} {
		for _, name := range list.names {
			if !r.d.HasSegments(list.human, name) {
				continue
			}
			columns := map[string]*column{}
			err := r.d.EachScore(list.human, name, func(system string, _ int, score float64) error {
				c := columns[system]
				if c == nil {
					c = &column{name: name, from: -1}
					columns[system] = c
					to := list.of(r.columns[system])
					*to = append(*to, c)
				}
				return c.add(score, r.numbers)
			})
			if err != nil {
				return err
			}
			for _, system := range slices.Sorted(maps.Keys(columns)) {
				if err := columns[system].end(r.numbers); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkSystemScores returns the problem of a file of scores of systems.
func (r *reader) checkSystemScores() error {
	for _, name := range r.d.Metrics {
		if _, _, err := r.d.SystemScores(name); err != nil {
			return err
		}
	}
	return nil
}

// systemScores reads the scores of whole systems by metrics.
func systemScores(files []exchange.File, opt ingest.Options) iter.Seq2[campaign.MetricScore, error] {
	return func(yield func(campaign.MetricScore, error) bool) {
		d, _, _, err := open(files, opt)
		if err != nil {
			yield(campaign.MetricScore{}, err)
			return
		}
		for _, name := range d.Metrics {
			scores, file, err := d.SystemScores(name)
			if err != nil && !yield(campaign.MetricScore{}, err) {
				return
			}
			for _, system := range slices.Sorted(maps.Keys(scores)) {
				if !yield(campaign.MetricScore{Place: campaign.Place{File: file}, Metric: name, System: system, Score: scores[system]}, nil) {
					return
				}
			}
		}
	}
}

// segments yields the segments. All texts are read side by side.
func (r *reader) segments() error {
	texts := &texts{}
	defer texts.close()
	sources := texts.open(r.d.Sources())
	references, outputs := make([]*text, len(r.d.References)), make([]*text, len(r.d.Systems))
	for i, name := range r.d.References {
		references[i] = texts.open(r.d.Reference(name))
	}
	for i, name := range r.d.Systems {
		outputs[i] = texts.open(r.d.Output(name))
	}
	for n := range r.d.Segments {
		problems, err := texts.next()
		if err != nil {
			return err
		}
		line := campaign.SegmentLine{File: r.d.SourceFile(), Line: n + 1}
		s := &line.Segment
		s.SegmentID, s.SourceLang, s.TargetLang, s.Source = strconv.Itoa(n+1), r.source, r.target, sources.line
		if s.Domain, s.DocID, err = r.d.Document(n); err != nil {
			problems = append(problems, err)
		}
		if s.DocID == "" {
			s.DocID = s.SegmentID
		}
		if strings.TrimSpace(s.Source) == "" && len(problems) == 0 {
			r.opt.Notes.Add("{segment|segments} without a source text left out", line.File, line.Line)
			continue
		}
		for i, name := range r.d.References {
			if text := references[i].line; text != "" && text != ingest.NoTranslation {
				s.References = append(s.References, campaign.Reference{Name: name, Text: text})
			}
		}
		for i, name := range r.d.Systems {
			if outputs[i].line == ingest.NoTranslation {
				s.Absent = append(s.Absent, name)
				continue
			}
			t := campaign.Translation{System: name, Text: outputs[i].line}
			bad, err := r.judge(n, s.Source, &t)
			if err != nil {
				return err
			}
			problems = append(problems, bad...)
			s.Translations = append(s.Translations, t)
		}
		for _, problem := range problems {
			if err := r.yield(campaign.SegmentLine{}, problem); err != nil {
				return err
			}
		}
		if len(problems) == 0 {
			if err := r.yield(line, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge adds the scores and ratings of a translation of a segment, which has a number from 0.
func (r *reader) judge(n int, source string, t *campaign.Translation) ([]error, error) {
	columns := r.columns[t.System]
	for _, c := range columns.humans {
		if r.entered[c.name] {
			continue
		}
		score, err := c.at(n, r.numbers)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(score) {
			t.HumanScores = append(t.HumanScores, campaign.HumanScore{Name: c.name, Score: score})
		}
	}
	for _, c := range columns.metrics {
		score, err := c.at(n, r.numbers)
		if err != nil {
			return nil, err
		}
		t.Metrics = append(t.Metrics, campaign.MetricValue{Name: c.name, Score: score})
	}
	return r.rate(n, source, t)
}

// texts are files of texts that are read side by side.
type texts struct {
	list  []*text
	stops []func()
}

type text struct {
	pull func() (string, error, bool)
	line string
}

func (ts *texts) open(lines iter.Seq2[string, error]) *text {
	next, stop := iter.Pull2(lines)
	t := &text{pull: next}
	ts.list, ts.stops = append(ts.list, t), append(ts.stops, stop)
	return t
}

func (ts *texts) close() {
	for _, stop := range ts.stops {
		stop()
	}
}

// next reads the next line of each file. It returns a problem for each line that cannot be
// used.
func (ts *texts) next() (problems []error, err error) {
	for _, t := range ts.list {
		line, err, ok := t.pull()
		switch {
		case !ok:
			return nil, fmt.Errorf("a file of texts became shorter while it was read")
		case isProblem(err):
			problems = append(problems, err)
		case err != nil:
			return nil, err
		}
		t.line = line
	}
	return problems, nil
}
