package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// A figure is one run.
type figure struct {
	perSecond     float64
	p50, p99, max time.Duration
	busy          time.Duration // processor time of the server for each request
}

// measure does the runs and prints the figures of each, and their minimum, median and maximum.
func measure(ctx context.Context, stdout io.Writer, s *site, crew []*annotator, o options) error {
	what := "saves"
	if o.submit {
		what = "submissions with the next page"
	}
	how := "each after the answer to the one before"
	if o.rate > 0 {
		how = fmt.Sprintf("%g a second offered", o.rate)
	}
	if err := each(crew, (*annotator).begin); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s of %d annotators, %s\n", what, len(crew), how)
	var figures []figure
	for range o.runs {
		f, err := once(ctx, s, crew, o)
		if err != nil {
			return err
		}
		figures = append(figures, f)
		line(stdout, "run", f)
	}
	if o.runs > 1 {
		for _, q := range []struct {
			name string
			at   int
		}{{"min", 0}, {"median", o.runs / 2}, {"max", o.runs - 1}} {
			line(stdout, q.name, figure{
				nth(figures, q.at, func(f figure) float64 { return f.perSecond }),
				nth(figures, q.at, func(f figure) time.Duration { return f.p50 }),
				nth(figures, q.at, func(f figure) time.Duration { return f.p99 }),
				nth(figures, q.at, func(f figure) time.Duration { return f.max }),
				nth(figures, q.at, func(f figure) time.Duration { return f.busy }),
			})
		}
	}
	return nil
}

// nth is the value at a place of the sorted values of a field.
func nth[V float64 | time.Duration](figures []figure, at int, of func(figure) V) V {
	values := make([]V, len(figures))
	for i, f := range figures {
		values[i] = of(f)
	}
	slices.Sort(values)
	return values[at]
}

func line(out io.Writer, name string, f figure) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(out, "%-6s %8.1f a second  p50 %8.2f ms  p99 %8.2f ms  longest %8.2f ms", name, f.perSecond, ms(f.p50), ms(f.p99), ms(f.max))
	if f.busy > 0 {
		fmt.Fprintf(out, "  server %.3f ms each", ms(f.busy))
	}
	fmt.Fprintln(out)
}

// each calls fn for all annotators at once.
func each(crew []*annotator, fn func(*annotator) error) error {
	errs := make([]error, len(crew))
	var all sync.WaitGroup
	for i, a := range crew {
		all.Go(func() { errs[i] = fn(a) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// once does one run. Of a submission, the saves of its cards are neither timed nor counted as requests, but the server's
// processor time includes them.
func once(ctx context.Context, s *site, crew []*annotator, o options) (figure, error) {
	var mu sync.Mutex
	var took []time.Duration
	turns := map[*annotator]int{}
	for i, a := range crew {
		turns[a] = i
	}
	if o.submit {
		if err := each(crew, (*annotator).fill); err != nil {
			return figure{}, err
		}
	}
	busy, begin := s.busy(), time.Now()
	err := each(crew, func(a *annotator) error {
		var mine []time.Duration
		defer func() {
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		}()
		for n := 0; ctx.Err() == nil; n++ {
			due := time.Now()
			if o.rate > 0 {
				due = begin.Add(time.Duration(float64(turns[a]+n*len(crew)) / o.rate * float64(time.Second)))
			}
			if due.Sub(begin) >= o.length {
				return nil
			}
			time.Sleep(time.Until(due))
			act := a.submit
			if !o.submit {
				act = func() error { return a.save(n % len(a.at.Cards)) }
			}
			if err := act(); err != nil {
				return err
			}
			mine = append(mine, time.Since(due))
			if o.submit {
				if err := a.fill(); err != nil {
					return err
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return figure{}, err
	}
	if len(took) == 0 {
		return figure{}, errors.New("nothing was answered in a run; a run must be longer, or the rate higher")
	}
	passed, busy := time.Since(begin), s.busy()-busy
	slices.Sort(took)
	at := func(p int) time.Duration { return took[(len(took)-1)*p/100] }
	return figure{float64(len(took)) / passed.Seconds(), at(50), at(99), at(100), busy / time.Duration(len(took))}, nil
}

// readBack compares what the server has with what it acknowledged.
func readBack(ctx context.Context, stdout io.Writer, s *site, crew []*annotator) error {
	var mu sync.Mutex
	var cards, submitted int
	var missing []error
	err := each(crew, func(a *annotator) error {
		a.forget()
		a.site = s
		for path, want := range a.given {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			got, err := a.open(path)
			if err != nil {
				return err
			}
			lost := want.lost(got)
			mu.Lock()
			missing = append(missing, lost...)
			cards += len(want.Cards)
			if want.Submitted {
				submitted++
			}
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d cards and %d submissions that were acknowledged are not there; the first: %w", len(missing), cards, submitted, missing[0])
	}
	fmt.Fprintf(stdout, "read back after a kill: %d cards, %d submissions; nothing that was acknowledged is missing\n", cards, submitted)
	return nil
}

// lost lists what was acknowledged of a page and is not on the page that the server sends. A page that was submitted and whose round is complete
// has the submitted ratings, without revisions.
func (w *work) lost(got *work) (missing []error) {
	if w.Submitted && !got.Submitted {
		missing = append(missing, fmt.Errorf("%s is not submitted", w.path))
	}
	for _, want := range w.Cards {
		i := slices.IndexFunc(got.Cards, func(c card) bool { return c.ID == want.ID })
		if i < 0 {
			missing = append(missing, fmt.Errorf("%s has no card %s", w.path, want.ID))
		} else if is := got.Cards[i]; got.Submitted && is.Revision == 0 && maps.Equal(is.Scores, want.Scores) {
			continue
		} else if is.Revision != want.Revision || !maps.Equal(is.Scores, want.Scores) {
			missing = append(missing, fmt.Errorf("card %s of %s has revision %d and scores %v instead of %d and %v",
				want.ID, w.path, is.Revision, is.Scores, want.Revision, want.Scores))
		}
	}
	return missing
}
