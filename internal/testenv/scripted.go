package testenv

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"annotate/internal/provider"
)

// A ScriptedServer answers chats by a script, and keeps count of them. It is an [http.Handler].
type ScriptedServer struct {
	script provider.Script

	mu       sync.Mutex
	asked    map[string]int // by chat
	replied  map[string]int // by chat: whole replies
	total    int
	inFlight int
	most     int
}

// Scripted returns a server. Serve it with net/http or net/http/httptest. Its base URL is the
// server's address with /v1.
func Scripted(script provider.Script) *ScriptedServer {
	return &ScriptedServer{script: script, asked: map[string]int{}, replied: map[string]int{}}
}

// ServeHTTP implements [http.Handler].
func (s *ScriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		fail(w, http.StatusNotFound, "there is only POST /v1/chat/completions")
		return
	}
	var c provider.Chat
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(&c); err != nil {
		fail(w, http.StatusBadRequest, "the request is not JSON: "+err.Error())
		return
	}
	c.Key, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	id := id(c)
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
func id(c provider.Chat) string {
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
func completion(c provider.Chat, a provider.Answer) map[string]any {
	reason := a.FinishReason
	if reason == "" {
		reason = "stop"
	}
	choice := map[string]any{"index": 0, "finish_reason": reason, "message": provider.Message{Role: "assistant", Text: a.Text}}
	if c.LogProbs && a.LogProbs != nil {
		tokens := []map[string]any{}
		for _, p := range a.LogProbs {
			tokens = append(tokens, map[string]any{"token": "x", "logprob": p, "top_logprobs": []any{}})
		}
		choice["logprobs"] = map[string]any{"content": tokens}
	}
	out := map[string]any{"id": "scripted", "object": "chat.completion", "model": c.Model, "choices": []any{choice}}
	if !a.NoUsage {
		in, made := provider.ScriptedTokens(c, a)
		out["usage"] = map[string]int{"prompt_tokens": in, "completion_tokens": made, "total_tokens": in + made}
	}
	return out
}
