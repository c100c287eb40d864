package judging

import (
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judge"
)

// unitsAtOnce is how many units are read from the queue at once.
const unitsAtOnce = 200

// eachUnit calls do for each unit of the queue, several at a time, in the order of import. A
// failed call of do ends it.
func (r *runner) eachUnit(do func(intake.JudgeUnit) error) error {
	units := make(chan intake.JudgeUnit)
	var group sync.WaitGroup
	for range r.o.Concurrency {
		group.Go(func() {
			for u := range units {
				if err := do(u); err != nil && r.ctx.Err() == nil {
					r.stop(err)
				}
			}
		})
	}
	err := r.feed(units)
	close(units)
	group.Wait()
	return err
}

// feed sends the units of the queue until there are none, or the run stops.
func (r *runner) feed(units chan<- intake.JudgeUnit) error {
	for after := 0; ; {
		batch, err := r.running.Units(r.ctx, after, unitsAtOnce)
		if r.ctx.Err() != nil {
			return nil
		}
		if err != nil || len(batch) == 0 {
			return err
		}
		after = batch[len(batch)-1].Position
		for _, u := range batch {
			for _, part := range r.split(u) {
				select {
				case units <- part:
				case <-r.ctx.Done():
					return nil
				}
			}
		}
	}
}

// split divides what the queue has of a segment into the tasks of the method.
func (r *runner) split(u intake.JudgeUnit) []intake.JudgeUnit {
	if r.o.Method.PerSource {
		return []intake.JudgeUnit{u}
	}
	out := make([]intake.JudgeUnit, len(u.Translations))
	for i := range u.Translations {
		out[i] = u
		out[i].Translations = u.Translations[i : i+1]
	}
	return out
}

// task is the task of a unit.
func (r *runner) task(u intake.JudgeUnit, threshold *float64) judge.Task {
	return taskOf(r.c, r.o, u, threshold)
}

func taskOf(c campaign.Campaign, o Options, u intake.JudgeUnit, threshold *float64) judge.Task {
	t := judge.Task{
		SourceLang: LanguageName(c.SourceLang), TargetLang: LanguageName(c.TargetLang), Source: u.Source, Reference: u.Reference, Term: u.Term, Explication: u.Explication,
		Retries: o.Retries, Threshold: threshold, Search: o.Searcher != nil,
	}
	for _, x := range u.Translations {
		t.Translations = append(t.Translations, x.Text)
	}
	return t
}

// LanguageName returns the English name of a language that a tag such as "pt-BR" names.
func LanguageName(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.English.Tags().Name(t); name != "" {
		return name
	}
	return tag
}
