// Package judging runs judges over campaigns: it takes units from the queue of the store,
// drives the machines of package judge, asks a provider, and stores every reply and every
// judgement as it comes. A run that is interrupted, even by kill -9, is resumed without asking
// again for what is stored.
//
// Start at [Run]. [Predict] says before what a run will take.
package judging

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/provider"
	"annotate/internal/runs"
	"annotate/internal/store"
)

// Defaults of a run.
const (
	DefaultConcurrency = 4
	DefaultRetries     = 2
	DefaultSeed        = 4
)

// mostAtOnce is the largest number of calls at a time.
const mostAtOnce = 256

// A Searcher is a search engine for methods that can search, such as rate.
type Searcher interface {
	// Search returns what is found for a query, in the words that the model shall read; mostly
	// short excerpts of pages. If nothing is found it says so in words. Several goroutines call
	// it at once. It sets its own limits of time and length, and repeats what failed in passing.
	//
	// An error ends the search and not the judgement: the model is told that the search failed.
	// The text of the error stands in the prompt and the trace, so it must not contain a key.
	Search(ctx context.Context, query string) (string, error)
}

// Options say how a judge runs.
type Options struct {
	Name        string       // of the judge; empty: method-model, or method-variant-model
	Method      judge.Method // with other prompts than its own after [judge.Method.ReadPrompts]
	Variant     string       // one of the method's; empty: the usual way
	Model       string
	Concurrency int      // calls at a time
	Retries     int      // how often an answer that can't be read is asked for again
	MaxTokens   int64    // the run stops when the judge has used as many, in all its runs together; 0: no limit
	Threshold   *float64 // of methods that have one; nil: the run finds it
	Seed        uint64
	ByID        string   // who runs it, for the audit log; empty: the command line
	Searcher    Searcher // nil: no search; the command line and the pages have none
	// Progress, if set, is called after each judgement and each failure, by one goroutine at
	// a time.
	Progress func(Progress)
}

// JudgeName returns the name of the judge.
func (o Options) JudgeName() string {
	if o.Name != "" {
		return o.Name
	}
	if o.Variant != "" {
		return o.Method.Name + "-" + o.Variant + "-" + o.Model
	}
	return o.Method.Name + "-" + o.Model
}

// spec is the judge that runs.
func (o Options) spec() runs.JudgeSpec {
	return runs.JudgeSpec{
		Name: o.JudgeName(), Method: o.Method.Name, Model: o.Model, MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(),
		Settings: runs.JudgeSettings{Variant: o.Variant, Search: o.Searcher != nil, Retries: o.Retries, Seed: o.Seed, Threshold: o.Threshold, Concurrency: o.Concurrency, MaxTokens: o.MaxTokens},
	}
}

// Progress says how far a run is.
type Progress struct {
	Judged, All int   // translations: that have a judgement now, and that the judge shall judge
	Unparsable  int   // of those judged by this run
	Failed      int   // translations whose calls failed; they stay in the queue
	Skipped     int   // translations that the method can't judge, since their segment lacks something
	Calls       int64 // replies received, in all runs of the judge together
	Tokens      int64 // likewise
	State       runs.JudgeState
	Reason      string // why it stopped
}

// Run runs a judge until every translation of the campaign has a judgement, ctx is cancelled,
// somebody stops the judge, or a limit is reached. All of these end it in good order: the
// result says how far it came, and the error is nil. Running it again goes on. The error is a
// *campaign.InvalidError if the judge can't run as asked, an ErrConflict if another program
// runs it, or that of the database.
func Run(ctx context.Context, st *store.Store, c campaign.Campaign, p provider.Provider, o Options) (Progress, error) {
	b, err := Begin(ctx, st, c, p, o)
	if err != nil {
		return Progress{}, err
	}
	return b.Run(ctx)
}

// A Begun run is stored as running. It must be worked on at once, since other programs take
// over a run that shows no sign of life.
type Begun struct{ r *runner }

// Begin begins a run. The errors are those of [Run].
func Begin(ctx context.Context, st *store.Store, c campaign.Campaign, p provider.Provider, o Options) (*Begun, error) {
	if err := check(c, o); err != nil {
		return nil, err
	}
	_, open, err := st.Unjudged(ctx, c.ID, o.JudgeName())
	if err != nil {
		return nil, err
	}
	judged, err := judgedSoFar(ctx, st, c, o.JudgeName())
	if err != nil {
		return nil, err
	}
	running, err := st.BeginJudge(ctx, c, o.spec(), o.ByID)
	if err != nil {
		return nil, err
	}
	return &Begun{&runner{c: c, o: o, provider: p, running: running, progress: Progress{Judged: judged, All: judged + open, Calls: running.Calls, Tokens: running.Tokens(), State: runs.JudgeRunning}}}, nil
}

// Run works on the run, as the function [Run] does. If ctx is done already, the run is stored
// as interrupted.
func (b *Begun) Run(ctx context.Context) (Progress, error) {
	r := b.r
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	return r.run(ctx)
}

func judgedSoFar(ctx context.Context, st *store.Store, c campaign.Campaign, name string) (int, error) {
	judges, err := st.Judges(ctx, c.ID)
	for _, j := range judges {
		if j.Name == name {
			return j.OK + j.Unparsable, err
		}
	}
	return 0, err
}

// check returns an error if a judge can't run on a campaign at all.
func check(c campaign.Campaign, o Options) error {
	_, bad := o.Method.Forecast(o.Variant)
	switch {
	case bad != nil:
		return campaign.Invalid("variant", bad.Error())
	case c.LanguagePair() == "":
		return campaign.Invalid("languages", "the campaign does not know its languages, which judges are told; name them in its settings")
	case o.Model == "":
		return campaign.Invalid("model", "name the model to ask")
	case o.Concurrency < 1:
		return campaign.Invalid("concurrency", "use a number of 1 or more")
	case o.Concurrency > mostAtOnce:
		return campaign.Invalid("concurrency", fmt.Sprintf("use a number of at most %d", mostAtOnce))
	case o.Retries < 0:
		return campaign.Invalid("retries", "must not be negative")
	case o.MaxTokens < 0:
		return campaign.Invalid("max-tokens", "must not be negative; leave it out for no limit")
	case o.Threshold != nil && !o.Method.Needs.LogProbs:
		return campaign.Invalid("threshold", "the method "+o.Method.Name+" has no threshold; leave it out")
	}
	return nil
}
