package scripted

import (
	"context"
	"net/http"

	"annotate/internal/provider"
)

// Provider returns a provider that answers from the script without a server. It uses the text, the
// finish reason and the status of an [Answer] and ignores its other fields. It counts tokens as a
// [Server] does, and does not repeat requests.
func (s Script) Provider() provider.Provider { return local{s} }

type local struct{ script Script }

// Complete implements [provider.Provider].
func (l local) Complete(ctx context.Context, r provider.Request) (provider.Reply, error) {
	if err := ctx.Err(); err != nil {
		return provider.Reply{}, err
	}
	c := Chat{Model: r.Model, Messages: r.Messages, Temperature: &r.Temperature, MaxTokens: r.MaxTokens, LogProbs: r.LogProbs, Time: 1}
	a := l.script(c)
	if a.Status != 0 && a.Status != http.StatusOK {
		return provider.Reply{}, &provider.Error{Status: a.Status, Msg: a.Text, Tries: 1}
	}
	if a.FinishReason == "" {
		a.FinishReason = "stop"
	}
	reply := provider.Reply{Text: a.Text, FinishReason: a.FinishReason}
	reply.InputTokens, reply.OutputTokens = Tokens(c, a)
	return reply, nil
}
