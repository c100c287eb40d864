package judgeruns

import (
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"annotate/internal/judge"
)

// unitsAtOnce is the number of segments that are read from the queue at a time.
const unitsAtOnce = 200

// eachUnit calls do for each unit of the queue in the order of import, for several units at a time. An
// error of do ends the run.
func (r *runner) eachUnit(do func(JudgeUnit) error) error {
	return r.several(r.feed, do)
}

// several calls do for each unit that feed sends, for several units at a time. An error or a panic of
// do ends the run. several returns the error of feed.
func (r *runner) several(feed func(chan<- JudgeUnit) error, do func(JudgeUnit) error) error {
	units := make(chan JudgeUnit)
	var group sync.WaitGroup
	for range r.o.Concurrency {
		group.Go(func() {
			for u := range units {
				if err := guarded(func() error { return do(u) }); err != nil && r.ctx.Err() == nil {
					r.stop(err)
				}
			}
		})
	}
	err := feed(units)
	close(units)
	group.Wait()
	return err
}

// feed sends the units of the queue until the queue is empty or the run stops.
func (r *runner) feed(units chan<- JudgeUnit) error {
	return r.eachBatch(func(batch []JudgeUnit) { r.send(units, batch) })
}

// send sends units until the run stops.
func (r *runner) send(to chan<- JudgeUnit, units []JudgeUnit) {
	for _, u := range units {
		select {
		case to <- u:
		case <-r.ctx.Done():
			return
		}
	}
}

// eachBatch reads the queue in batches in the order of import and calls do with the tasks of each
// batch, until the queue is empty or the run stops.
func (r *runner) eachBatch(do func([]JudgeUnit)) error {
	for after := 0; r.ctx.Err() == nil; {
		segments, err := r.running.Units(r.ctx, after, unitsAtOnce)
		if r.ctx.Err() != nil {
			return nil
		}
		if err != nil || len(segments) == 0 {
			return err
		}
		after = segments[len(segments)-1].Position
		var batch []JudgeUnit
		for _, u := range segments {
			batch = append(batch, r.split(u)...)
		}
		do(batch)
	}
	return nil
}

// split divides the translations of a segment into tasks. A task has one translation, or all of them
// if the method judges all translations of a source together.
func (r *runner) split(u JudgeUnit) []JudgeUnit {
	if r.o.Method.PerSource {
		return []JudgeUnit{u}
	}
	out := make([]JudgeUnit, len(u.Translations))
	for i := range u.Translations {
		out[i] = u
		out[i].Translations = u.Translations[i : i+1]
	}
	return out
}

// task returns the task of a unit.
func (r *runner) task(u JudgeUnit, threshold *float64) judge.Task {
	t := judge.Task{
		SourceLang: LanguageName(
			r.c.SourceLang,
		), TargetLang: LanguageName(r.c.TargetLang), Source: u.Source, Reference: u.Reference, Term: u.Term, Explication: u.Explication,
		Variant: r.o.Variant, Retries: r.o.Retries, Threshold: threshold, Search: r.o.Searcher != nil,
	}
	for _, x := range u.Translations {
		t.Translations = append(t.Translations, x.Text)
	}
	return t
}

// LanguageName returns the English name of the language with a tag such as "pt-BR". If the tag has no
// name, it returns the tag.
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
