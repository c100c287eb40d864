package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Options say how to reach a server.
type Options struct {
	BaseURL     string // such as https://api.openai.com/v1 or http://127.0.0.1:8000/v1
	Key         string // sent as a bearer token; empty: none
	Concurrency int    // requests at a time; 0: 4

	Tries   int           // how often a request is sent at most; 0: 7
	Timeout time.Duration // of one try; 0: five minutes
	// Silence is how long nothing may arrive in a first try; 0: a minute. A server sends nothing while a
	// model writes its reply. So the limit doubles with each try, and it is at least three times what the
	// slowest reply so far took.
	Silence time.Duration
	// Retrying, if set, is called with the error of a try before the request is sent again.
	// Several goroutines call it at a time.
	Retrying func(*Error)
	// Wait returns after d, or earlier with the error of ctx. Nil waits in real time.
	// Tests replace it.
	Wait func(ctx context.Context, d time.Duration) error
}

const (
	defaultConcurrency = 4
	defaultTries       = 7
	defaultTimeout     = 5 * time.Minute
	defaultSilence     = time.Minute

	// firstPause is about how long a request waits before it is sent again. The pause
	// doubles with each try.
	firstPause = time.Second
	maxPause   = time.Minute
	// maxRetryAfter bounds how long a server can make a request wait.
	maxRetryAfter = 10 * time.Minute

	maxReply = 16 << 20 // bytes of an answer
	maxWords = 500      // bytes of a server's words in an error
)

// Server returns the address of a server in the form that identifies it: without user, query, fragment,
// default port and slashes at the end, and with the host in lower case.
func Server(baseURL string) string {
	u, err := url.Parse(strings.TrimSpace(baseURL))
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	u.Host, u.Path, u.RawPath = host, strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
	return u.String()
}

// OpenAI asks a server by the OpenAI chat-completions protocol. It sends a request again
// after 429, 5xx, a lost or silent connection, and an answer that breaks off. The pauses
// grow and are partly random. If the server names a time (Retry-After), all requests wait for it.
type OpenAI struct {
	opt    Options
	client *openai.Client
	slots  chan struct{}

	mu        sync.Mutex
	heldUntil time.Time     // no request is sent before
	slowest   time.Duration // that a reply took
}

// NewOpenAI returns a provider. The error says what is wrong with the address.
func NewOpenAI(opt Options) (*OpenAI, error) {
	u, err := url.Parse(opt.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a model's server; write it as https://api.openai.com/v1 or http://127.0.0.1:8000/v1", opt.BaseURL)
	}
	if u.User != nil {
		return nil, errors.New("the address of the model's server has a user or a password; give the key as api_key")
	}
	opt.Concurrency = orDefault(opt.Concurrency, defaultConcurrency)
	opt.Tries = orDefault(opt.Tries, defaultTries)
	opt.Timeout = orDefault(opt.Timeout, defaultTimeout)
	opt.Silence = orDefault(opt.Silence, defaultSilence)
	if opt.Wait == nil {
		opt.Wait = wait
	}
	cfg := openai.DefaultConfig(opt.Key)
	cfg.BaseURL = strings.TrimRight(opt.BaseURL, "/")
	cfg.HTTPClient = doer{&http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: opt.Concurrency, IdleConnTimeout: 90 * time.Second,
		},
		// The key must not follow to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return &OpenAI{opt: opt, client: openai.NewClientWithConfig(cfg), slots: make(chan struct{}, opt.Concurrency)}, nil
}

func orDefault[T int | time.Duration](x, byDefault T) T {
	if x <= 0 {
		return byDefault
	}
	return x
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Complete implements [Provider].
func (o *OpenAI) Complete(ctx context.Context, r Request) (Reply, error) {
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
	for try := 1; ; try++ {
		if err := o.untilFree(ctx); err != nil {
			return Reply{}, err
		}
		reply, failed := o.once(ctx, r, o.silence(try))
		if failed == nil {
			return reply, nil
		}
		if err := ctx.Err(); err != nil {
			return Reply{}, err
		}
		if !passing(failed.Status) || try == o.opt.Tries {
			return Reply{}, &Error{failed.Status, failed.words, try}
		}
		if o.opt.Retrying != nil {
			o.opt.Retrying(&Error{failed.Status, failed.words, try})
		}
		if failed.after > 0 {
			o.hold(failed.after)
		} else if err := o.opt.Wait(ctx, backOff(try)); err != nil {
			return Reply{}, err
		}
	}
}

// backOff returns the pause after a try, counted from 1: between half and all of
// firstPause, doubled for each earlier try.
func backOff(try int) time.Duration {
	full := min(maxPause, firstPause<<min(try-1, 10))
	return full/2 + rand.N(full/2+1)
}

// silence returns how long nothing may arrive in a try, counted from 1.
func (o *OpenAI) silence(try int) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return min(o.opt.Timeout, max(o.opt.Silence, 3*o.slowest)<<min(try-1, 10))
}

// hold makes all requests wait, because the server asked for it.
func (o *OpenAI) hold(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if until := time.Now().Add(d); until.After(o.heldUntil) {
		o.heldUntil = until
	}
}

// untilFree waits for the end of a hold.
func (o *OpenAI) untilFree(ctx context.Context) error {
	o.mu.Lock()
	d := time.Until(o.heldUntil)
	o.mu.Unlock()
	if d <= 0 {
		return ctx.Err()
	}
	return o.opt.Wait(ctx, d+rand.N(firstPause)) // not all at the same moment
}

// A failure is a try without a reply.
type failure struct {
	Status int
	words  string
	after  time.Duration // that the server asks to wait; 0: it does not say
}

// once sends a request one time. It fails if nothing arrives for the time of silence.
func (o *OpenAI) once(ctx context.Context, r Request, silence time.Duration) (Reply, *failure) {
	ctx, cancel := context.WithTimeout(ctx, o.opt.Timeout)
	defer cancel()
	//lint:ignore SA1019 many servers with this interface know no other name for the limit
	asked := openai.ChatCompletionRequest{Model: r.Model, Temperature: float32(r.Temperature), MaxTokens: r.MaxTokens, LogProbs: r.LogProbs}
	if r.Temperature == 0 {
		asked.Temperature = zero
	}
	for _, m := range r.Messages {
		asked.Messages = append(asked.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	got := &answer{silence: silence}
	begun := time.Now()
	response, err := o.client.CreateChatCompletion(context.WithValue(ctx, answerKey{}, got), asked)
	switch {
	case err != nil:
		return Reply{}, o.failed(ctx, got, err)
	case len(response.Choices) == 0:
		return Reply{}, &failure{words: "the answer has no choices; is the address that of a chat-completions server?"}
	}
	took := time.Since(begun)
	o.mu.Lock()
	o.slowest = max(o.slowest, took)
	o.mu.Unlock()
	choice := response.Choices[0]
	reply := Reply{
		Text:         choice.Message.Content,
		FinishReason: string(choice.FinishReason),
		InputTokens:  response.Usage.PromptTokens,
		OutputTokens: response.Usage.CompletionTokens,
		Took:         took,
	}
	if reply.InputTokens+reply.OutputTokens == 0 {
		for _, m := range r.Messages {
			reply.InputTokens += EstimateTokens(m.Text)
		}
		reply.OutputTokens = EstimateTokens(reply.Text)
	}
	if choice.LogProbs != nil && len(choice.LogProbs.Content) > 0 {
		sum := 0.0
		for _, token := range choice.LogProbs.Content {
			sum += token.LogProb
		}
		if !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			reply.LogProb = &sum
		}
	}
	return reply, nil
}

// failed describes the error of a try.
func (o *OpenAI) failed(ctx context.Context, got *answer, err error) *failure {
	f := &failure{Status: got.status, after: got.after, words: err.Error()}
	if f.Status >= 200 && f.Status < 300 {
		f.Status = 0 // the answer broke off, or is nonsense
	}
	api, isAPI := errors.AsType[*openai.APIError](err)
	request, isRequest := errors.AsType[*openai.RequestError](err)
	switch {
	case errors.Is(err, errSilent):
		f.words = fmt.Sprintf("nothing arrived for %s", got.silence)
	case ctx.Err() != nil && got.status == 0:
		f.words = fmt.Sprintf("there was no answer within %s", o.opt.Timeout)
	case isAPI:
		f.words = api.Message
	case isRequest:
		f.words = string(bytes.TrimSpace(request.Body))
	case got.status == 0 && got.sent:
		f.words = "the connection failed: " + withoutURL(err)
	case got.status == 0: // the client library refused the request
		f.Status = http.StatusBadRequest
	case f.Status == 0:
		f.words = "the answer broke off, or is no chat completion: " + err.Error()
	}
	f.words = o.clean(f.words)
	return f
}

func withoutURL(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// clean makes a server's words fit for an error: one line of bounded length without
// the key.
func (o *OpenAI) clean(words string) string {
	if o.opt.Key != "" {
		words = strings.ReplaceAll(words, o.opt.Key, "[key]")
	}
	words = strings.ToValidUTF8(strings.Join(strings.Fields(words), " "), "\ufffd")
	if len(words) > maxWords {
		words = strings.ToValidUTF8(words[:maxWords], "") + "…"
	}
	if words == "" {
		words = "without further words"
	}
	return words
}

// zero stands for a temperature of 0, which the client library leaves out as if it were
// not set; servers then use their own. [doer] replaces it in the request.
const zero = math.SmallestNonzeroFloat32

// An answer is what a doer learns of a response beside its body.
type answer struct {
	silence time.Duration // that ends the request
	sent    bool
	status  int           // 0: none
	after   time.Duration // of Retry-After
}

type answerKey struct{}

// errSilent is the error of a request to a server that sent nothing for too long.
var errSilent = errors.New("nothing arrived")

// A watch ends a request when nothing has been written to it for a while.
type watch struct {
	timer   *time.Timer
	silence time.Duration
}

// Write implements [io.Writer].
func (w watch) Write(b []byte) (int, error) {
	w.timer.Reset(w.silence)
	return len(b), nil
}

// A doer sends the requests of the client library. It reads the whole answer within the
// time of the request, and notes its status and Retry-After in the answer of the context.
type doer struct{ client *http.Client }

// Do implements [openai.HTTPDoer].
func (d doer) Do(req *http.Request) (_ *http.Response, err error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	// In a message the quotation marks would be escaped.
	body = bytes.Replace(body, []byte(`"temperature":1e-45`), []byte(`"temperature":0`), 1)
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	got, _ := req.Context().Value(answerKey{}).(*answer)
	got.sent = true
	ctx, end := context.WithCancelCause(req.Context())
	defer end(nil)
	silent := watch{time.AfterFunc(got.silence, func() { end(errSilent) }), got.silence}
	defer silent.timer.Stop()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
	}()
	res, err := d.client.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	got.status, got.after = res.StatusCode, retryAfter(res.Header.Get("Retry-After"))
	text, err := io.ReadAll(io.TeeReader(io.LimitReader(res.Body, maxReply+1), silent))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxReply:
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxReply>>20)
	case res.StatusCode >= 300 && res.StatusCode < 400: // the library takes only 400 and above for failures
		got.status = http.StatusNotFound
		return nil, fmt.Errorf("the address leads to %s; give that as the address", res.Header.Get("Location"))
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

// retryAfter reads a Retry-After header, in seconds or as a date. It is 0 if there is
// none.
func retryAfter(s string) time.Duration {
	var d time.Duration
	if seconds, err := strconv.ParseFloat(s, 64); err == nil {
		d = time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(s); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}
