// Package provider asks language models. A [Provider] answers one chat at a time.
// [OpenAI] is a provider for every server that speaks the OpenAI chat-completions
// protocol: hosted services, vLLM, llama.cpp and Ollama. For tests and the
// demo, a [Script] decides what is answered: a text or a fault such as 429, 500, an answer that
// breaks off, or nonsense.
package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A Provider asks a model.
type Provider interface {
	// Complete returns the model's reply to a chat. It repeats a request that failed for
	// a passing reason, such as a lost connection. The error is an *[Error], or that of
	// ctx.
	Complete(ctx context.Context, r Request) (Reply, error)
}

// A Request is a chat for a model to continue.
type Request struct {
	Model       string
	Messages    []Message // at least one
	Temperature float64   // 0 or above
	MaxTokens   int       // of the reply; 0: the server's own limit
	LogProbs    bool      // ask for the log-probability of the reply
}

// A Message is one turn of a chat.
type Message struct {
	Role string `json:"role"` // "system", "user" or "assistant"
	Text string `json:"content"`
}

// A Reply is what a model answered.
type Reply struct {
	Text         string
	FinishReason string   // as the server names it: "stop", "length", "content_filter" and others; may be empty
	LogProb      *float64 // the sum over the tokens of the reply; nil if the server gave none
	InputTokens  int      // as counted by the server; estimated from the length of the texts if the server counts none
	OutputTokens int      // likewise
	Took         time.Duration
}

// An Error says why a request has no reply. Its text never contains the key.
type Error struct {
	Status int    // HTTP status; 0 if there was no answer
	Msg    string // the server's words, or what happened to the connection
	Tries  int    // how often the request was sent
}

func (e *Error) Error() string {
	head := "the model's server did not answer"
	if e.Status != 0 {
		head = fmt.Sprintf("the model's server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Tries > 1 {
		head += fmt.Sprintf(" after %d tries", e.Tries)
	}
	return head + ": " + e.Msg
}

// Refuses reports whether an error concerns every request, not just one: the key is
// wrong, or the model or the address does not exist. Asking for something else is of no
// use then.
func Refuses(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// Unavailable reports whether an error says that the server could not be reached or had
// too much to do, although the request was repeated. A later request may succeed.
func Unavailable(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && passing(e.Status)
}

// passing reports whether a request that got this status may succeed later. Status 0 is
// no answer, or one that broke off.
func passing(status int) bool {
	switch status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// EstimateTokens returns about how many tokens a text has: a quarter of its bytes,
// rounded up. It serves forecasts, and servers that count no tokens.
func EstimateTokens(text string) int { return (len(text) + 3) / 4 }
