// Package judgeruns runs judges over campaigns. It reads the segments that a judge has not judged from
// the store, makes the calls of a method of package judge to a provider, and stores every reply and
// every judgement when it arrives. A run that was interrupted, even by kill -9, resumes without
// repeating a call whose reply is stored.
//
// Start at [Store.Run]. [Store.Predict] estimates the calls and tokens of a run.
package judgeruns

import (
	"context"
	"crypto/rand"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/provider"
	"annotate/internal/records"
)

// Defaults of a run.
const (
	DefaultConcurrency = 4
	DefaultRetries     = 2
	DefaultSeed        = 4
)

// The limits of a run.
const (
	mostAtOnce  = 256 // calls at a time
	mostRetries = 20  // of a call whose answer can't be read
)

// A Searcher is a search engine for methods that can search, such as rate.
type Searcher interface {
	// Search returns the results of a query as a text for the model, mostly short excerpts of
	// pages. If there are no results, the text says so. Several goroutines call Search at a time.
	// Search limits its time and the length of the text, and repeats requests that failed for a
	// passing reason.
	//
	// An error ends the search but not the judgement. The model reads that the search failed. The
	// text of the error is in the prompt and in the trace, so it must not contain a key.
	Search(ctx context.Context, query string) (string, error)
}

// Options say how a judge runs.
type Options struct {
	Name        string       // of the judge; empty: method-model, or method-variant-model
	Method      judge.Method // with its own prompts, or with those that [judge.Method.ReadPrompts] read
	Variant     string       // a variant of the method; empty: the default
	Server      string       // address of the model's server, as [provider.Server] writes it
	Model       string
	Concurrency int      // largest number of calls at a time
	Retries     int      // how often a call is repeated if its answer can't be parsed
	MaxTokens   int64    // the run stops when all runs of the judge together have used this number; 0: no limit
	Threshold   *float64 // for methods that have one; nil: the run finds it
	Seed        uint64
	Fresh       bool     // the run uses no reply that is stored already; later runs of the judge use those of this one
	ByID        string   // id of the user who runs the judge, for the audit log; empty: the command line
	Searcher    Searcher // nil: no search; the command line and the pages set none
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

// spec returns the judge and its settings in the form of the store.
func (o Options) spec() JudgeSpec {
	fresh := ""
	if o.Fresh {
		fresh = rand.Text()
	}
	return JudgeSpec{
		Name: o.JudgeName(), Method: o.Method.Name, Model: o.Model, MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(),
		Settings: records.JudgeSettings{
			Server:      o.Server,
			PromptFile:  o.Method.PromptFile,
			Variant:     o.Variant,
			Search:      o.Searcher != nil,
			Fresh:       fresh,
			Retries:     o.Retries,
			Seed:        o.Seed,
			Threshold:   o.Threshold,
			Concurrency: o.Concurrency,
			MaxTokens:   o.MaxTokens,
		},
	}
}

// Progress says how far a run has come. Judged, All, Unparsable, Failed and Skipped count
// translations.
type Progress struct {
	Judged, All int   // translations with a judgement, and all that the judge is to judge
	Unparsable  int   // of those with a judgement, the answers could not be parsed
	Failed      int   // a call failed; they stay in the queue
	Skipped     int   // the method can't judge them, because their segment lacks something
	Left        int   // the run found its threshold with them, so they are not judged
	Calls       int64 // replies received in all runs of the judge together
	Tokens      int64 // tokens used in all runs of the judge together
	State       JudgeState
	Reason      string // why the run stopped
}

// Run runs a judge until every translation of the campaign has a judgement, ctx is cancelled,
// somebody stops the judge, or a limit is reached. In all of these cases the result says how far the
// run has come, and the error is nil. A further call of Run resumes the run. The error is a
// *campaign.InvalidError if the judge can't run with the options, an ErrConflict if another program
// runs the judge, or an error of the database.
func (s *Store) Run(ctx context.Context, c campaign.Campaign, p provider.Provider, o Options) (Progress, error) {
	b, err := s.Begin(ctx, c, p, o)
	if err != nil {
		return Progress{}, err
	}
	return b.Run(ctx)
}

// A Begun run has the state running in the store. The caller must call [Begun.Run] at once, because
// other programs take over a run that does not change for a while.
type Begun struct{ r *runner }

// Begin begins a run. It returns the same errors as [Store.Run].
func (s *Store) Begin(ctx context.Context, c campaign.Campaign, p provider.Provider, o Options) (*Begun, error) {
	if err := check(c, o); err != nil {
		return nil, err
	}
	_, open, err := s.Unjudged(ctx, c.ID, o.JudgeName())
	if err != nil {
		return nil, err
	}
	judged, unparsable, err := s.judgedSoFar(ctx, c, o.JudgeName())
	if err != nil {
		return nil, err
	}
	if err := askable(o, open, judged); err != nil {
		return nil, err
	}
	running, err := s.BeginJudge(ctx, c, o.spec(), o.ByID)
	if err != nil {
		return nil, err
	}
	return &Begun{
		&runner{
			c:        c,
			o:        o,
			provider: p,
			running:  running,
			fresh:    running.Settings.Fresh,
			progress: Progress{Judged: judged, Unparsable: unparsable, All: judged + open, Calls: running.Calls, Tokens: running.Tokens(), State: JudgeRunning},
		},
	}, nil
}

// Run works on the run as the function [Store.Run] does. If ctx is done already, it stores that the run was
// interrupted.
func (b *Begun) Run(ctx context.Context) (Progress, error) {
	r := b.r
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	return r.run(ctx)
}

// askable returns a *campaign.InvalidError if a run is to ask again but has nothing to ask.
func askable(o Options, open, judged int) error {
	if o.Fresh && open == 0 && judged > 0 {
		return campaign.Invalid(
			"as",
			fmt.Sprintf(
				"the judge %q has judged every %s, and its judgements stay; to ask again, give the judge that you run another name",
				o.JudgeName(), o.Method.Object(),
			),
		)
	}
	return nil
}

// judgedSoFar counts the judgements of a judge, and those of them that could not be read.
func (s *Store) judgedSoFar(ctx context.Context, c campaign.Campaign, name string) (all, unparsable int, err error) {
	judges, err := s.records.Judges(ctx, c.ID)
	for _, j := range judges {
		if j.Name == name {
			return j.OK + j.Unparsable, j.Unparsable, err
		}
	}
	return 0, 0, err
}

// check returns a *campaign.InvalidError if the judge can't run on the campaign with the options.
func check(c campaign.Campaign, o Options) error {
	_, bad := o.Method.Forecast(o.Variant)
	switch {
	case bad != nil:
		return campaign.Invalid("variant", bad.Error())
	case o.Method.OfSource && !c.Rules.OfSegments():
		return campaign.Invalid("method", fmt.Sprintf("%s judges sources; run it in a campaign whose protocol has cards for sources, such as inspect", o.Method.Name))
	case !o.Method.OfSource && c.Rules.OfSegments():
		return campaign.Invalid("method", fmt.Sprintf("%s judges translations, and the protocol %s has none to judge; use a method that judges sources, such as difficulty", o.Method.Name, c.Rules.Name))
	case o.Method.OfSource && c.SourceLang == "":
		return campaign.Invalid("languages", "judges of sources need the source language of the campaign; name it in its settings")
	case !o.Method.OfSource && c.LanguagePair() == "":
		return campaign.Invalid("languages", "judges need the languages of the campaign; name them in its settings")
	case o.Model == "":
		return campaign.Invalid("model", "name the model to ask")
	case o.Concurrency < 1:
		return campaign.Invalid("concurrency", "use a number of 1 or more")
	case o.Concurrency > mostAtOnce:
		return campaign.Invalid("concurrency", fmt.Sprintf("use a number of at most %d", mostAtOnce))
	case o.Retries < 0 || o.Retries > mostRetries:
		return campaign.Invalid("retries", fmt.Sprintf("use a number from 0 to %d", mostRetries))
	case o.MaxTokens < 0:
		return campaign.Invalid("max-tokens", "must not be negative; leave it out for no limit")
	case o.Threshold != nil && !o.Method.Needs.LogProbs:
		return campaign.Invalid("threshold", "the method "+o.Method.Name+" has no threshold; leave it out")
	}
	return nil
}
