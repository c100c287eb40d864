package judgeruns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"

	"annotate/internal/judge"
	"annotate/internal/provider"
)

// An asked call is a call with its reply.
type asked struct {
	judge.Call
	id    string // of the stored reply; empty if no reply is stored
	reply storedReply
}

// A storedReply is the stored form of a reply.
type storedReply struct {
	Text         string   `json:"text"`
	FinishReason string   `json:"finish_reason,omitempty"`
	LogProb      *float64 `json:"logprob,omitempty"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Seconds      float64  `json:"seconds"`
}

// toJudge returns the reply in the form that methods read.
func (s storedReply) toJudge() judge.Reply {
	return judge.Reply{Text: s.Text, FinishReason: s.FinishReason, LogProb: s.LogProb}
}

// ask returns the reply to a call. If no reply is stored, it makes the call and stores the reply.
func (r *runner) ask(call judge.Call) (asked, error) {
	a := asked{Call: call, id: r.callID(call)}
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
	// The reply is stored even if the run is being stopped.
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

// request sends a call to the provider, or to the searcher if it is a search.
func (r *runner) request(call judge.Call) (storedReply, error) {
	if call.Search != "" {
		begun := time.Now()
		text, err := r.o.Searcher.Search(r.ctx, call.Search)
		if err != nil && r.ctx.Err() == nil {
			err = &searchError{err}
		}
		return storedReply{Text: text, Seconds: seconds(time.Since(begun))}, err
	}
	q := provider.Request{Model: r.o.Model, Temperature: call.Temperature, MaxTokens: call.MaxTokens, LogProbs: call.LogProbs}
	for _, m := range call.Messages {
		q.Messages = append(q.Messages, provider.Message{Role: m.Role, Text: m.Content})
	}
	got, err := r.provider.Complete(r.ctx, q)
	return storedReply{got.Text, got.FinishReason, got.LogProb, got.InputTokens, got.OutputTokens, seconds(got.Took)}, err
}

// A searchError is an error of the searcher.
type searchError struct{ err error }

func (e *searchError) Error() string { return e.err.Error() }

func (e *searchError) Unwrap() error { return e.err }

// seconds returns d in seconds, rounded to milliseconds.
func seconds(d time.Duration) float64 { return math.Round(1000*d.Seconds()) / 1000 }

// callID returns the id under which the reply to a call is stored. Calls have the same id if they ask
// the same server and model the same, with the same parameters, seed and attempt. A run that asks again
// (see [Options.Fresh]) has ids of its own.
func (r *runner) callID(call judge.Call) string {
	text, _ := json.Marshal(struct {
		Server, Model string
		Seed          uint64
		Fresh         string
		Messages      []judge.Message
		Search        string
		Temperature   float64
		MaxTokens     int
		LogProbs      bool
		Attempt       int
	}{r.o.Server, r.o.Model, r.o.Seed, r.fresh, call.Messages, call.Search, call.Temperature, call.MaxTokens, call.LogProbs, call.Attempt})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
