package provider

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
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

// A ScriptedServer answers chats by a script, and keeps count of them. It is an [http.Handler].
type ScriptedServer struct {
	script Script

	mu       sync.Mutex
	asked    map[string]int // by chat
	replied  map[string]int // by chat: whole replies
	total    int
	inFlight int
	most     int
}

// Scripted returns a server. Serve it with net/http or net/http/httptest. Its base URL is the
// server's address with /v1.
func Scripted(script Script) *ScriptedServer {
	return &ScriptedServer{script: script, asked: map[string]int{}, replied: map[string]int{}}
}

// ServeHTTP implements [http.Handler].
func (s *ScriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		fail(w, http.StatusNotFound, "there is only POST /v1/chat/completions")
		return
	}
	var c Chat
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(&c); err != nil {
		fail(w, http.StatusBadRequest, "the request is not JSON: "+err.Error())
		return
	}
	c.Key, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	id := c.id()
	c.Time = s.begin(id)
	defer s.end()
	a := s.script(c)
	if a.Hang {
		<-r.Context().Done()
		return
	}
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-r.Context().Done():
			return
		}
	}
	if a.Delay > 0 {
		select {
		case <-time.After(a.Delay):
		case <-r.Context().Done():
			return
		}
	}
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	switch {
	case a.Status != 0 && a.Status != http.StatusOK:
		fail(w, a.Status, a.Text)
		return
	case a.Nonsense != "":
		fmt.Fprint(w, a.Nonsense)
		return
	}
	body, _ := json.Marshal(completion(c, a))
	w.Header().Set("Content-Type", "application/json")
	if a.Cut || a.Stuck {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		if a.Stuck {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		panic(http.ErrAbortHandler) // closes the connection
	}
	s.mu.Lock()
	s.replied[id]++
	s.mu.Unlock()
	_, _ = w.Write(body)
}

// id identifies a chat by all that a reply may depend on.
func (c Chat) id() string {
	text, _ := json.Marshal(c)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func (s *ScriptedServer) begin(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[id]++
	s.total++
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	return s.asked[id]
}

func (s *ScriptedServer) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}

// Asked is how many chats came.
func (s *ScriptedServer) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// MostAtOnce is the largest number of chats that were under way at the same time.
func (s *ScriptedServer) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// Repeats is how many whole replies were sent to chats that had had one already.
func (s *ScriptedServer) Repeats() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.replied {
		n += times - 1
	}
	return n
}

// Replies is how many whole replies were sent.
func (s *ScriptedServer) Replies() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.replied {
		n += times
	}
	return n
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "scripted"}})
}

// completion is the body of a reply.
func completion(c Chat, a Answer) map[string]any {
	reason := a.FinishReason
	if reason == "" {
		reason = "stop"
	}
	choice := map[string]any{"index": 0, "finish_reason": reason, "message": Message{Role: "assistant", Text: a.Text}}
	if c.LogProbs && a.LogProbs != nil {
		tokens := []map[string]any{}
		for _, p := range a.LogProbs {
			tokens = append(tokens, map[string]any{"token": "x", "logprob": p, "top_logprobs": []any{}})
		}
		choice["logprobs"] = map[string]any{"content": tokens}
	}
	out := map[string]any{"id": "scripted", "object": "chat.completion", "model": c.Model, "choices": []any{choice}}
	if !a.NoUsage {
		in, made := ScriptedTokens(c, a)
		out["usage"] = map[string]int{"prompt_tokens": in, "completion_tokens": made, "total_tokens": in + made}
	}
	return out
}

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
