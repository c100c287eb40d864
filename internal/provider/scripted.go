package provider

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// A Chat is a request that the server received.
type Chat struct {
	Model       string    `json:"model"`
	Messages    []Message `json:"messages"`
	Temperature *float64  `json:"temperature"` // nil: the request has none
	MaxTokens   int       `json:"max_tokens"`
	LogProbs    bool      `json:"logprobs"`

	Key  string `json:"-"` // the bearer token
	Time int    `json:"-"` // how often the same chat has come, from 1
}

// Last is the text of the last message.
func (c Chat) Last() string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[len(c.Messages)-1].Text
}

// An Answer is what the server does with a chat. The zero value is an empty reply.
type Answer struct {
	Text         string
	FinishReason string    // empty: "stop"
	LogProbs     []float64 // of the tokens, if the chat asks for them
	NoUsage      bool      // count no tokens

	Status     int             // a status other than 200 makes the answer an error, with Text as its message
	RetryAfter string          // the header; empty: none
	Delay      time.Duration   // before the answer
	Hold       <-chan struct{} // if set, the answer waits until it is closed
	Cut        bool            // break the answer off in the middle
	Stuck      bool            // stop in the middle, and keep the connection
	Nonsense   string          // send this in place of an answer
	Hang       bool            // answer only when the client gives up
}

// The statuses of answers to requests that a client should not repeat.
const (
	BadRequest = http.StatusBadRequest
	NotFound   = http.StatusNotFound
)

// A Script decides the answer to a chat. Several goroutines call it.
type Script func(Chat) Answer

// ScriptedTokens is what the server counts for a chat and its answer: the words of each.
func ScriptedTokens(c Chat, a Answer) (input, output int) {
	for _, m := range c.Messages {
		input += len(strings.Fields(m.Text))
	}
	return input, len(strings.Fields(a.Text))
}

// Provider returns a provider that answers from the script without a server. It uses the text, the
// finish reason and the status of an [Answer] and ignores its other fields. It counts tokens as a
// [ScriptedServer] does, and does not repeat requests.
func (s Script) Provider() Provider { return local{s} }

type local struct{ script Script }

// Complete implements [Provider].
func (l local) Complete(ctx context.Context, r Request) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	c := Chat{Model: r.Model, Messages: r.Messages, Temperature: &r.Temperature, MaxTokens: r.MaxTokens, LogProbs: r.LogProbs, Time: 1}
	a := l.script(c)
	if a.Status != 0 && a.Status != http.StatusOK {
		return Reply{}, &Error{Status: a.Status, Msg: a.Text, Tries: 1}
	}
	if a.FinishReason == "" {
		a.FinishReason = "stop"
	}
	reply := Reply{Text: a.Text, FinishReason: a.FinishReason}
	reply.InputTokens, reply.OutputTokens = ScriptedTokens(c, a)
	return reply, nil
}
