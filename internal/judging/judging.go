// Package judging runs judges over campaigns: it takes units from the queue of the store,
// drives the machines of package judge, asks a provider, and stores every reply and every
// judgement as it comes. A run that is interrupted, even by kill -9, is resumed without asking
// again for what is stored.
//
// Start at [Run]. [Forecast] says before what a run will take.
package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/judge"
	"annotate/internal/protocol"
	"annotate/internal/provider"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// Defaults of a run.
const (
	DefaultConcurrency = 4
	DefaultRetries     = 2
	DefaultSeed        = 4
)

// A Searcher answers queries of methods that can search.
type Searcher interface {
	Search(ctx context.Context, query string) (string, error)
}

// Options say how a judge runs.
type Options struct {
	Name        string // of the judge; empty: method-model
	Method      judge.Method
	Model       string
	Concurrency int      // calls at a time; 0: DefaultConcurrency
	Retries     int      // how often an answer that can't be read is asked for again
	MaxTokens   int64    // the run stops when the judge has used as many, in all its runs together; 0: no limit
	Threshold   *float64 // of methods that have one; nil: the run finds it
	Seed        uint64
	ByID        string   // who runs it, for the audit log; empty: the command line
	Searcher    Searcher // nil: no search
	// Progress, if set, is called after each judgement and each failure, by one goroutine at
	// a time.
	Progress func(Progress)
}

// JudgeName returns the name of the judge.
func (o Options) JudgeName() string {
	if o.Name != "" {
		return o.Name
	}
	return o.Method.Name + "-" + o.Model
}

// Progress says how far a run is.
type Progress struct {
	Judged, All int   // translations: that have a judgement now, and that the judge shall judge
	Unparsable  int   // of those judged by this run
	Failed      int   // translations whose calls failed; they stay in the queue
	Skipped     int   // translations that the method can't judge, since their segment lacks something
	Calls       int64 // replies received, in all runs of the judge together
	Tokens      int64 // likewise
	State       intake.JudgeState
	Reason      string // why it stopped
}

// Run runs a judge until every translation of the campaign has a judgement, ctx is cancelled,
// somebody stops the judge, or a limit is reached. All of these end it in good order: the
// result says how far it came, and the error is nil. Running it again goes on. The error is a
// *campaign.InvalidError if the judge can't run as asked, an ErrConflict if another program
// runs it, or that of the database.
func Run(ctx context.Context, st *store.Store, c campaign.Campaign, p provider.Provider, o Options) (Progress, error) {
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	if err := check(c, o); err != nil {
		return Progress{}, err
	}
	_, open, err := st.Unjudged(ctx, c.ID, o.JudgeName())
	if err != nil {
		return Progress{}, err
	}
	running, err := st.BeginJudge(ctx, c, intake.JudgeSpec{
		Name: o.JudgeName(), Method: o.Method.Name, Model: o.Model, MethodVersion: o.Method.Version, PromptHash: o.Method.PromptHash(),
		Settings: intake.JudgeSettings{Retries: o.Retries, Seed: o.Seed, Threshold: o.Threshold},
	}, o.ByID)
	if err != nil {
		return Progress{}, err
	}
	judged, err := judgedSoFar(ctx, st, c, o.JudgeName())
	if err != nil {
		return Progress{}, err
	}
	r := &runner{c: c, o: o, provider: p, running: running, progress: Progress{Judged: judged, All: judged + open, Calls: running.Calls, Tokens: running.Tokens(), State: intake.JudgeRunning}}
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
	switch {
	case c.LanguagePair() == "":
		return campaign.Invalid("languages", "the campaign does not know its languages, which judges are told; name them in its settings")
	case o.Model == "":
		return campaign.Invalid("model", "name the model to ask")
	case o.Retries < 0:
		return campaign.Invalid("retries", "must not be negative")
	case o.MaxTokens < 0:
		return campaign.Invalid("max-tokens", "must not be negative; leave it out for no limit")
	case o.Threshold != nil && !o.Method.Needs.LogProbs:
		return campaign.Invalid("threshold", "the method "+o.Method.Name+" has no threshold; leave it out")
	}
	return nil
}

// The causes that end a run in good order.
var (
	errStopped = errors.New("stopped by a lead")
	errTokens  = errors.New("the limit on tokens is reached")
)

// A refusedError is an error of the provider after which every further request would fail.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// mostFailures is how many units may fail one after the other before a run stops.
const mostFailures = 10

// A runner runs a judge.
type runner struct {
	c        campaign.Campaign
	o        Options
	provider provider.Provider
	running  *intake.RunningJudge
	ctx      context.Context
	stop     context.CancelCauseFunc

	mu       sync.Mutex
	progress Progress
	failures int    // units that failed one after the other
	lacks    string // what the segments of skipped translations lack
	tokens   atomic.Int64
}

func (r *runner) run(ctx context.Context) (Progress, error) {
	r.tokens.Store(r.progress.Tokens)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		r.beat()
	}()
	err := r.calibrate()
	if err == nil {
		err = r.eachUnit(r.judge)
	}
	cause := context.Cause(r.ctx)
	r.stop(nil)
	<-beating
	state, reason := intake.JudgeDone, ""
	switch refused, isRefused := errors.AsType[*refusedError](cause); {
	case cause == nil && err != nil:
		state, reason = intake.JudgeStopped, err.Error()
	case isRefused:
		state, reason, err = intake.JudgeStopped, refused.Error(), nil
	case errors.Is(cause, errStopped), errors.Is(cause, errTokens):
		state, reason, err = intake.JudgeStopped, cause.Error(), nil
	case errors.Is(cause, context.Canceled):
		state, reason, err = intake.JudgeStopped, "interrupted", nil
	case cause != nil:
		state, reason, err = intake.JudgeStopped, cause.Error(), cause
	case r.progress.Failed > 0:
		state, reason = intake.JudgeStopped, fmt.Sprintf("the calls for %s failed; run the judge again", wording.Counted(r.progress.Failed, "translation"))
	case r.progress.Skipped > 0:
		reason = fmt.Sprintf("%s skipped, since their segments have no %s", wording.Counted(r.progress.Skipped, "translation"), r.lacks)
	}
	r.progress.State, r.progress.Reason = state, reason
	if ended := r.running.End(context.WithoutCancel(ctx), state, reason); err == nil {
		err = ended
	}
	return r.progress, err
}

// beatEvery is how often a run shows that it is alive, and looks whether it shall stop.
const beatEvery = 2 * time.Second

func (r *runner) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
			stop, err := r.running.Beat(r.ctx)
			switch {
			case errors.Is(err, campaign.ErrConflict):
				r.stop(err)
			case err == nil && stop:
				r.stop(errStopped)
			}
		}
	}
}

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

// calibrate finds the threshold of a method that needs one, from a tenth of the translations.
// What is asked for that is not asked again later.
func (r *runner) calibrate() error {
	if !r.o.Method.Needs.LogProbs || r.running.Settings.Threshold != nil {
		return nil
	}
	var all []intake.JudgeUnit
	for after := 0; ; {
		batch, err := r.running.Units(r.ctx, after, unitsAtOnce)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		after = batch[len(batch)-1].Position
		for _, u := range batch {
			all = append(all, r.split(u)...)
		}
	}
	random := rand.New(rand.NewPCG(r.o.Seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var mu sync.Mutex
	var confidences []float64
	none := math.Inf(-1) // nothing is less certain, so nothing is discussed
	units := make(chan intake.JudgeUnit)
	var group sync.WaitGroup
	for range r.o.Concurrency {
		group.Go(func() {
			for u := range units {
				done, err := r.drive(r.task(u, &none))
				if err != nil {
					r.failed(err, len(u.Translations))
					continue
				}
				mu.Lock()
				for _, j := range done.judgements {
					confidences = append(confidences, j.Confidences...)
				}
				mu.Unlock()
			}
		})
	}
	for _, u := range all[:(len(all)+9)/10] {
		select {
		case units <- u:
		case <-r.ctx.Done():
		}
	}
	close(units)
	group.Wait()
	threshold, ok := judge.ConfidenceThreshold(confidences)
	if r.ctx.Err() != nil || r.progress.Failed > 0 || !ok {
		return nil
	}
	return r.running.KeepThreshold(r.ctx, threshold)
}

// judge judges a unit and stores its judgements. The error ends the run.
func (r *runner) judge(u intake.JudgeUnit) error {
	done, err := r.drive(r.task(u, r.running.Settings.Threshold))
	if need, ok := errors.AsType[*judge.NeedsError](err); ok {
		r.say(func(p *Progress) { p.Skipped += len(u.Translations); r.lacks = need.Field })
		return nil
	}
	if err != nil {
		return r.failed(err, len(u.Translations))
	}
	kept := make([]intake.KeptJudgement, len(u.Translations))
	unparsable := 0
	for i, j := range done.judgements {
		texts := protocol.Texts{Source: u.Source, Translation: u.Translations[i].Text}
		kept[i] = intake.KeptJudgement{TranslationID: u.Translations[i].ID, Judgement: judgementOf(r.o, r.c.Rules, j, texts), Trace: done.traceOf(i, len(done.judgements))}
		if j.Status != judge.OK {
			unparsable++
		}
	}
	// The replies are there, so a run that is being stopped still stores what they say.
	stop, err := r.running.Keep(context.WithoutCancel(r.ctx), kept, done.unread(unparsable > 0, r.o.Retries))
	if err != nil {
		return err
	}
	r.say(func(p *Progress) { r.failures = 0; p.Judged += len(kept); p.Unparsable += unparsable })
	if stop {
		r.stop(errStopped)
	}
	return nil
}

// failed notes a unit without judgements. The error ends the run.
func (r *runner) failed(err error, translations int) error {
	if _, refused := errors.AsType[*refusedError](err); refused {
		r.stop(err)
		return nil
	}
	if r.ctx.Err() != nil {
		return nil
	}
	if !provider.Unavailable(err) {
		r.stop(err)
		return nil
	}
	many := false
	r.say(func(p *Progress) { p.Failed += translations; r.failures++; many = r.failures >= mostFailures })
	if many {
		r.stop(&refusedError{fmt.Errorf("%d requests failed one after the other, the last since %w", mostFailures, err)})
	}
	return r.running.Fail(context.WithoutCancel(r.ctx), translations)
}

// say changes the progress and tells of it.
func (r *runner) say(change func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
	if r.o.Progress != nil {
		r.o.Progress(r.progress)
	}
}

// judgementOf turns what a method says into what is stored. Texts are what its errors stand
// in.
func judgementOf(o Options, rules *protocol.Protocol, j judge.Judgement, texts protocol.Texts) campaign.Judgement {
	out := campaign.Judgement{Status: campaign.JudgementOK, Score: j.Score, Scores: j.Scores, Why: database.Storable(j.Why)}
	if j.Status != judge.OK {
		out.Status, out.Score = campaign.JudgementUnparsable, nil
	}
	if o.Method.Spans && (j.Status == judge.OK || len(j.Errors) > 0) {
		out.Spans = []protocol.ErrorSpan{}
	}
	for i, e := range j.Errors {
		s := spelt(rules, protocol.ErrorSpan{ID: fmt.Sprint(i + 1), Side: protocol.Side(e.Side), Severity: database.Storable(e.Severity),
			Category: database.Storable(e.Category), Comment: database.Storable(e.Comment)})
		if e.Placed {
			s.Start, s.End = e.Start, e.End
			if placed, bad := texts.Place(s); bad == nil {
				out.Spans = append(out.Spans, placed)
				continue
			}
		}
		s.Start, s.End, s.Text, s.Side = 0, 0, database.Storable(e.Text), protocol.Target
		if s.Text == "" {
			s.Text = "(no words)"
		}
		out.Unplaced = append(out.Unplaced, s)
	}
	return out
}

// spelt spells the severity and the category of a judge's error as the protocol does, where it
// has them. Methods write a subcategory after a slash or a dash.
func spelt(rules *protocol.Protocol, s protocol.ErrorSpan) protocol.ErrorSpan {
	if rules.Spans == nil {
		return s
	}
	for _, c := range rules.Spans.Categories {
		n := len(c.Name)
		if len(s.Category) > n && strings.EqualFold(s.Category[:n], c.Name) && s.Category[n] == '-' {
			s.Category = s.Category[:n] + "/" + s.Category[n+1:]
		}
	}
	return rules.Canonical(s)
}

// An asked call is a call with its reply.
type asked struct {
	judge.Call
	id    string // under which the reply is stored
	reply storedReply
}

// A storedReply is a reply as it is stored.
type storedReply struct {
	Text         string   `json:"text"`
	FinishReason string   `json:"finish_reason,omitempty"`
	LogProb      *float64 `json:"logprob,omitempty"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Seconds      float64  `json:"seconds"`
}

// A finished task has judgements and the calls that led to them.
type finished struct {
	judgements []judge.Judgement
	calls      []asked
}

// drive works on a task to its end. Calls that can be made at once are.
func (r *runner) drive(t judge.Task) (finished, error) {
	m, err := r.o.Method.Begin(t)
	if err != nil {
		return finished{}, err
	}
	var out finished
	for {
		calls, done := m.Next()
		if done {
			out.judgements = m.Judgements()
			return out, nil
		}
		replies := make([]asked, len(calls))
		errs := make([]error, len(calls))
		var group sync.WaitGroup
		for i, call := range calls {
			group.Go(func() { replies[i], errs[i] = r.ask(call) })
		}
		group.Wait()
		for i, call := range calls {
			switch {
			case errs[i] == nil:
				out.calls = append(out.calls, replies[i])
				m.Answer(call, judge.Reply{Text: replies[i].reply.Text, FinishReason: replies[i].reply.FinishReason, LogProb: replies[i].reply.LogProb})
			case rejected(errs[i]):
				out.calls = append(out.calls, asked{Call: call, reply: storedReply{Text: "(no reply: " + errs[i].Error() + ")"}})
				m.Answer(call, judge.Reply{Err: errs[i]})
			default:
				return out, errors.Join(errs[i:]...)
			}
		}
	}
}

// rejected reports whether an error is about one request, which would be rejected again, such
// as a text that is too long for the model.
func rejected(err error) bool {
	if _, refused := errors.AsType[*refusedError](err); refused {
		return false
	}
	_, ok := errors.AsType[*provider.Error](err)
	return ok && !provider.Unavailable(err)
}

// ask gives the reply to a call: the stored one, or else that of the provider, which it
// stores.
func (r *runner) ask(call judge.Call) (asked, error) {
	a := asked{Call: call, id: callID(r.o.Model, call)}
	kept, err := r.running.KeptReply(r.ctx, a.id)
	if err != nil {
		return a, err
	}
	if kept != "" {
		return a, json.Unmarshal([]byte(kept), &a.reply)
	}
	if r.o.MaxTokens > 0 && r.tokens.Load() >= r.o.MaxTokens {
		r.stop(errTokens)
		return a, errTokens
	}
	if a.reply, err = r.request(call); err != nil {
		if provider.Refuses(err) {
			err = &refusedError{err}
		}
		return a, err
	}
	text, err := json.Marshal(a.reply)
	if err != nil {
		return a, err
	}
	// A reply that has come is stored even if the run is being stopped.
	if err := r.running.KeepReply(context.WithoutCancel(r.ctx), a.id, string(text), a.reply.InputTokens, a.reply.OutputTokens); err != nil {
		return a, err
	}
	r.tokens.Add(int64(a.reply.InputTokens + a.reply.OutputTokens))
	r.mu.Lock()
	r.progress.Calls++
	r.progress.Tokens += int64(a.reply.InputTokens + a.reply.OutputTokens)
	r.mu.Unlock()
	return a, nil
}

// request asks the provider, or the searcher.
func (r *runner) request(call judge.Call) (storedReply, error) {
	if call.Search != "" {
		begun := time.Now()
		text, err := r.o.Searcher.Search(r.ctx, call.Search)
		return storedReply{Text: text, Seconds: time.Since(begun).Seconds()}, err
	}
	q := provider.Request{Model: r.o.Model, Temperature: call.Temperature, MaxTokens: call.MaxTokens, LogProbs: call.LogProbs}
	for _, m := range call.Messages {
		q.Messages = append(q.Messages, provider.Message{Role: m.Role, Text: m.Content})
	}
	got, err := r.provider.Complete(r.ctx, q)
	return storedReply{got.Text, got.FinishReason, got.LogProb, got.InputTokens, got.OutputTokens, math.Round(1000*got.Took.Seconds()) / 1000}, err
}

// callID identifies what is asked by model, messages, temperature and attempt.
func callID(model string, call judge.Call) string {
	text, _ := json.Marshal(struct {
		Model       string
		Messages    []judge.Message
		Search      string
		Temperature float64
		Attempt     int
		LogProbs    bool
	}{model, call.Messages, call.Search, call.Temperature, call.Attempt, call.LogProbs})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// unread lists the stored replies that could not be read: those that were asked for again,
// and in a task without a result the last attempts.
func (f finished) unread(unparsable bool, retries int) (ids []string) {
	for _, a := range f.calls {
		again := false
		for _, b := range f.calls {
			again = again || b.Step == a.Step && b.Attempt > a.Attempt
		}
		if a.id != "" && (again || unparsable && a.Attempt == retries) {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// traceOf is the trace of the judgement at a place. Judgements of one task share its calls;
// the trace is stored with the first of them alone.
func (f finished) traceOf(place, of int) []campaign.TraceCall {
	if place > 0 && of > 1 {
		return []campaign.TraceCall{{Step: "shared", Role: "note", Prompt: "The translations of this source were judged together.", Reply: "The calls are in the trace of the translation whose text is the first in byte order."}}
	}
	out := make([]campaign.TraceCall, len(f.calls))
	for i, a := range f.calls {
		prompt := a.Search
		for _, m := range a.Messages {
			if prompt != "" {
				prompt += "\n\n"
			}
			prompt += "[" + m.Role + "]\n" + m.Content
		}
		step := a.Step
		if a.Attempt > 0 {
			step += fmt.Sprintf(" (attempt %d)", a.Attempt+1)
		}
		out[i] = campaign.TraceCall{Step: step, Role: a.Role, Prompt: prompt, Reply: a.reply.Text, InputTokens: a.reply.InputTokens, OutputTokens: a.reply.OutputTokens, Seconds: a.reply.Seconds}
	}
	return out
}
