package provider_test

import (
	"annotate/internal/testenv"
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/provider"
)

const key = "sk-test-0123456789abcdef"

// A site is a scripted server with a provider that asks it.
type site struct {
	*testenv.ScriptedServer
	*provider.OpenAI
	mu    sync.Mutex
	waits []time.Duration
}

// serve starts a scripted server. Pauses take no time, and are noted.
func serve(t *testing.T, opt provider.Options, script provider.Script) *site {
	t.Helper()
	s := &site{ScriptedServer: testenv.Scripted(script)}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	opt.BaseURL, opt.Key = web.URL+"/v1/", key
	opt.Wait = func(ctx context.Context, d time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = append(s.waits, d)
		return ctx.Err()
	}
	var err error
	if s.OpenAI, err = provider.NewOpenAI(opt); err != nil {
		t.Fatal(err)
	}
	return s
}

func chat(text string) provider.Request {
	return provider.Request{Model: "m", Messages: []provider.Message{{Role: "system", Text: "You judge."}, {Role: "user", Text: text}}}
}

// What is asked arrives as it was given, and so does the reply. A temperature of 0 is
// sent, since servers without one use their own.
func TestComplete(t *testing.T) {
	s := serve(t, provider.Options{}, func(c provider.Chat) provider.Answer {
		if c.Model != "m" || c.Key != key || c.Temperature == nil || c.MaxTokens != 7 || !c.LogProbs || len(c.Messages) != 2 || c.Messages[0] != (provider.Message{Role: "system", Text: "You judge."}) {
			t.Errorf("the server got %+v", c)
		}
		if want := map[string]float64{"zero": 0, `"temperature":1e-45`: 0, "warm": 0.1}[c.Last()]; *c.Temperature != want {
			t.Errorf("the temperature is %v, want %v", *c.Temperature, want)
		}
		return provider.Answer{Text: "»Gut« 👍 " + c.Last(), FinishReason: "length", LogProbs: []float64{-0.5, -0.25}}
	})
	for text, temperature := range map[string]float64{"zero": 0, `"temperature":1e-45`: 0, "warm": 0.1} {
		r := chat(text)
		r.MaxTokens, r.LogProbs, r.Temperature = 7, true, temperature
		got, err := s.Complete(t.Context(), r)
		if err != nil || got.Text != "»Gut« 👍 "+text || got.FinishReason != "length" || got.InputTokens != 3 || got.OutputTokens != 3 || got.LogProb == nil || *got.LogProb != -0.75 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// A server that counts no tokens gets an estimate, so that a limit on tokens still holds.
func TestNoUsage(t *testing.T) {
	s := serve(t, provider.Options{}, func(provider.Chat) provider.Answer { return provider.Answer{Text: "12345", NoUsage: true} })
	got, err := s.Complete(t.Context(), chat("12345678"))
	if err != nil || got.InputTokens != 5 || got.OutputTokens != 2 || got.LogProb != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// Passing faults are repeated, with pauses that grow.
func TestRepeated(t *testing.T) {
	for name, fault := range map[string]provider.Answer{
		"429 without a time": {Status: 429, Text: "slow down"},
		"500":                {Status: 500, Text: "oops"},
		"502 page":           {Status: 502, Text: "<html>"},
		"529":                {Status: 529, Text: "overloaded"},
		"cut":                {Text: "a reply that nobody reads to its end", Cut: true},
		"nonsense":           {Nonsense: "<html>hello</html>"},
		"no choices":         {Nonsense: "{}"},
		"not utf-8":          {Nonsense: "\xff\xfe"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, provider.Options{}, func(c provider.Chat) provider.Answer {
				if c.Time < 4 {
					return fault
				}
				return provider.Answer{Text: "yes"}
			})
			got, err := s.Complete(t.Context(), chat("x"))
			if err != nil || got.Text != "yes" || s.Asked() != 4 {
				t.Fatalf("%+v, %v after %d requests", got, err, s.Asked())
			}
			for i, least := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
				if len(s.waits) != 3 || s.waits[i] < least || s.waits[i] > 2*least {
					t.Fatalf("it waited %v", s.waits)
				}
			}
		})
	}
}

// The time that a server names is kept by all requests, not only by the one that was told.
func TestRetryAfter(t *testing.T) {
	told := make(chan struct{})
	s := serve(t, provider.Options{Concurrency: 2}, func(c provider.Chat) provider.Answer {
		if c.Last() == "first" && c.Time == 1 {
			defer close(told)
			return provider.Answer{Status: 429, RetryAfter: "30", Text: "slow down"}
		}
		return provider.Answer{Text: "yes"}
	})
	if _, err := s.Complete(t.Context(), chat("first")); err != nil {
		t.Fatal(err)
	}
	<-told
	if _, err := s.Complete(t.Context(), chat("second")); err != nil {
		t.Fatal(err)
	}
	if len(s.waits) != 2 || s.waits[0] < 25*time.Second || s.waits[1] < 25*time.Second {
		t.Errorf("it waited %v, want twice about 30 seconds", s.waits)
	}
}

// What cannot pass is not repeated. The error says what the server said.
func TestRefused(t *testing.T) {
	for status, all := range map[int]bool{400: false, 413: false, 422: false, 401: true, 403: true, 404: true, 402: true} {
		s := serve(t, provider.Options{}, func(provider.Chat) provider.Answer {
			return provider.Answer{Status: status, Text: "no,\nnot with " + key}
		})
		_, err := s.Complete(t.Context(), chat("x"))
		if err == nil || s.Asked() != 1 || provider.Refuses(err) != all || provider.Unavailable(err) {
			t.Errorf("%d: %v after %d requests, of all requests: %t", status, err, s.Asked(), provider.Refuses(err))
		}
		if err != nil && !strings.HasSuffix(err.Error(), ": no, not with [key]") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A fault that does not pass ends the request after so many tries. No error tells the key.
func TestGivesUp(t *testing.T) {
	for name, fault := range map[string]provider.Answer{
		"500": {Status: 500, Text: strings.Repeat("oops "+key+" ", 500)}, "cut": {Text: key, Cut: true}, "nonsense": {Nonsense: key},
		"page": {Status: 503, Nonsense: "<h1>" + key}, "slow": {Hang: true},
	} {
		options := provider.Options{Tries: 2}
		if fault.Hang {
			options.Timeout = time.Second // in which a request reaches the server on a busy machine, too
		}
		s := serve(t, options, func(provider.Chat) provider.Answer { return fault })
		_, err := s.Complete(t.Context(), chat("x"))
		if !provider.Unavailable(err) || s.Asked() != 2 || strings.Contains(err.Error(), key) || len(err.Error()) > 700 || !strings.Contains(err.Error(), "2 tries") {
			t.Errorf("%s: %v after %d requests", name, err, s.Asked())
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	o, err := provider.NewOpenAI(provider.Options{BaseURL: gone.URL, Key: key, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = o.Complete(t.Context(), chat("x")); !provider.Unavailable(err) || !strings.Contains(err.Error(), "the connection failed") {
		t.Errorf("a server that is gone: %v", err)
	}
}

// A request to which nothing arrives is sent again, with twice the time in each try, so that a slow server
// answers in the end. An answer that stops in its middle is silent, too.
func TestSilent(t *testing.T) {
	for name, stuck := range map[string]provider.Answer{"no answer": {Hang: true}, "half an answer": {Text: "a reply", Stuck: true}} {
		t.Run(name, func(t *testing.T) {
			var said []string
			options := provider.Options{Silence: 200 * time.Millisecond, Timeout: 2 * time.Second, Retrying: func(err *provider.Error) { said = append(said, err.Msg) }}
			s := serve(t, options, func(c provider.Chat) provider.Answer {
				if c.Time < 3 {
					return stuck
				}
				return provider.Answer{Text: "yes"}
			})
			got, err := s.Complete(t.Context(), chat("x"))
			if err != nil || got.Text != "yes" {
				t.Errorf("%+v, %v after %d requests", got, err, s.Asked())
			}
			if len(said) < 2 || said[0] != "nothing arrived for 200ms" || said[1] != "nothing arrived for 400ms" {
				t.Errorf("the tries failed with %q", said)
			}
		})
	}
}

// A server whose replies took long is given three times as long before it counts as silent.
func TestSlow(t *testing.T) {
	const took = 30 * time.Millisecond
	var said []string
	options := provider.Options{Silence: time.Millisecond, Tries: 20, Retrying: func(err *provider.Error) { said = append(said, err.Msg) }}
	s := serve(t, options, func(c provider.Chat) provider.Answer {
		if c.Last() == "second" && c.Time == 1 {
			return provider.Answer{Hang: true}
		}
		return provider.Answer{Text: "yes", Delay: took}
	})
	if _, err := s.Complete(t.Context(), chat("first")); err != nil {
		t.Fatal(err)
	}
	said = nil
	if _, err := s.Complete(t.Context(), chat("second")); err != nil {
		t.Fatal(err)
	}
	if limit, err := time.ParseDuration(strings.TrimPrefix(said[0], "nothing arrived for ")); err != nil || limit < 3*took {
		t.Errorf("the tries failed with %q", said)
	}
}

// Cancelling ends a request that waits for a slot, for the answer or for its next try.
func TestCancelled(t *testing.T) {
	began := make(chan struct{}, 1)
	s := serve(t, provider.Options{Concurrency: 1}, func(provider.Chat) provider.Answer {
		began <- struct{}{}
		return provider.Answer{Hang: true}
	})
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := s.Complete(ctx, chat("x"))
			errs <- err
		}()
	}
	<-began
	cancel()
	for range 2 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if s.Asked() != 1 {
		t.Errorf("%d requests", s.Asked())
	}
}

// No more requests than Concurrency are under way, and as many are.
func TestConcurrency(t *testing.T) {
	all := make(chan struct{})
	var mu sync.Mutex
	n := 0
	s := serve(t, provider.Options{Concurrency: 3}, func(provider.Chat) provider.Answer {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 3 {
			close(all)
		}
		return provider.Answer{Text: "yes", Hold: all}
	})
	var group sync.WaitGroup
	for range 9 {
		group.Go(func() {
			if _, err := s.Complete(t.Context(), chat("x")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if s.MostAtOnce() != 3 || s.Asked() != 9 {
		t.Errorf("%d at once, %d in all", s.MostAtOnce(), s.Asked())
	}
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:8000", "ftp://x/v1", "http://", "https://me:" + key + "@x/v1"} {
		if _, err := provider.NewOpenAI(provider.Options{BaseURL: address}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// An address has one form that identifies its server, without what may be a secret.
func TestServer(t *testing.T) {
	for address, want := range map[string]string{
		"https://API.openai.com:443/v1/":         "https://api.openai.com/v1",
		"http://127.0.0.1:8000/v1":               "http://127.0.0.1:8000/v1",
		"http://llm.example.org:80":              "http://llm.example.org",
		"https://u:secret@h/Path//?key=secret#x": "https://h/Path",
		"":                                       "",
	} {
		if got := provider.Server(address); got != want {
			t.Errorf("Server(%q) = %q, want %q", address, got, want)
		}
	}
}
