package judge

import (
	"errors"
	"fmt"
	"strings"
)

// A Call is one question to a model, or one query for a search engine.
type Call struct {
	Step    string // unique within the task, e.g. "debate/accuracy/round 1/side A"
	Role    string // the agent that speaks, e.g. "side A"
	Attempt int    // 0 for the first time, 1 for the first retry …

	Messages    []Message // empty for a search
	Temperature float64
	MaxTokens   int    // limit of the reply in tokens; 0: none
	LogProbs    bool   // the reply should carry its log-probability
	Search      string // the query, in a call for a search engine; otherwise empty
}

// A Message is a part of a conversation.
type Message struct {
	Role    string `json:"role"` // "system", "user" or "assistant"
	Content string `json:"content"`
}

func system(text string) Message    { return Message{"system", text} }
func user(text string) Message      { return Message{"user", text} }
func assistant(text string) Message { return Message{"assistant", text} }

// A Reply answers a call.
type Reply struct {
	Text string
	// FinishReason is what the provider says: "length" marks a reply that was cut, and a reason that
	// begins with "content_filter" one that was withheld.
	FinishReason string
	LogProb      *float64 // sum of the natural logarithms of the tokens' probabilities; nil if not known
	// Err says why there is no reply, if the caller has given the call up. The machine does not ask
	// for it again.
	Err error
}

// A Machine works on one task, step by step. It is for one goroutine.
type Machine struct {
	method     Method
	task       Task
	answers    map[key]Reply
	made       map[key]Call // the calls that Next has returned before
	judgements []Judgement  // nil until the machine is done
}

// A key identifies a call within a task.
type key struct {
	step    string
	attempt int
}

// Next returns the calls that have no answer yet and can be made now, at the same time. When no call is
// left, done is true, and Judgements has the result. Next changes nothing: without an answer it
// returns the same calls again.
func (m *Machine) Next() (calls []Call, done bool) {
	if m.judgements != nil {
		return nil, true
	}
	x := &run{Task: m.task, method: m.method, answers: m.answers, made: m.made}
	judgements := m.method.judge(x)
	if len(x.open) > 0 {
		return x.open, false
	}
	m.judgements = judgements
	return nil, true
}

// Answer gives the machine the reply to a call. The step and the attempt of the call say which.
func (m *Machine) Answer(c Call, r Reply) { m.answers[key{c.Step, c.Attempt}] = r }

// Judgements returns the judgements, one for each translation of the task in its order. It returns nil
// while the machine is not done.
func (m *Machine) Judgements() []Judgement { return m.judgements }

// A run is one pass of a method over its task, with the replies so far.
type run struct {
	Task
	method  Method
	answers map[key]Reply
	made    map[key]Call
	open    []Call
}

// A question is what a method asks in one step.
type question struct {
	step, role string
	messages   func() []Message // called once, when the question has to be asked
	search     string           // the query, in place of messages
	maxTokens  int
	logProbs   bool
}

// errOpen says that a question has no reply yet.
var errOpen = errors.New("no reply yet")

// errGivenUp says that the caller has given a call up.
var errGivenUp = errors.New("no reply")

// An unreadableError says why no attempt at a step gave a reply that can be read.
type unreadableError struct {
	step string
	err  error
}

func (e *unreadableError) Error() string { return e.step + ": " + e.err.Error() }
func (e *unreadableError) Unwrap() error { return e.err }

// ask asks a question and reads the reply. A reply that cannot be read is asked for again as often as
// the task allows; after one that was cut for length there is no limit of tokens any more, since the
// thoughts of a model can take any number. The error is errOpen while a reply is awaited, and an
// unreadableError when no attempt could be read.
func ask[T any](x *run, q question, read func(Reply) (T, error)) (T, error) {
	var none T
	tokens := q.maxTokens
	for attempt := 0; ; attempt++ {
		at := key{q.step, attempt}
		reply, ok := x.answers[at]
		if !ok {
			if _, ok := x.made[at]; !ok {
				x.made[at] = q.call(attempt, tokens)
			}
			x.open = append(x.open, x.made[at])
			return none, errOpen
		}
		v, err := readWhole(reply, read)
		if err == nil {
			return v, nil
		}
		last := x.Retries >= 0 && attempt >= x.Retries
		if last || reply.Err != nil || withheld(reply) || q.search != "" {
			return none, &unreadableError{q.step, err}
		}
		if reply.FinishReason == "length" {
			tokens = 0
		}
	}
}

// call makes the call of an attempt. Each retry raises the temperature by 0.1.
func (q question) call(attempt, tokens int) Call {
	c := Call{Step: q.step, Role: q.role, Attempt: attempt, MaxTokens: tokens, LogProbs: q.logProbs, Search: q.search}
	if q.messages != nil {
		c.Messages = q.messages()
		c.Temperature = float64(attempt) / 10
	}
	return c
}

// readWhole reads a reply, without what the model thinks aloud before it, unless it failed, was withheld
// or was cut.
func readWhole[T any](r Reply, read func(Reply) (T, error)) (v T, err error) {
	switch {
	case r.Err != nil:
		return v, fmt.Errorf("%w: %w", errGivenUp, r.Err)
	case withheld(r):
		return v, errors.New("the provider withheld the reply (content filter)")
	case r.FinishReason == "length":
		return v, errors.New("the reply was cut for length")
	}
	if r.Text = answer(r.Text); r.Text == "" {
		return v, errors.New("the reply is empty")
	}
	return read(r)
}

// thoughts is what a model thinks aloud before its answer. The server may have taken the opening tag off.
var thoughts = pattern(`(?s)^.*?</think(?:ing)?>`)

// answer is a reply without the thoughts before it. It is empty if the reply ends within them.
func answer(reply string) string {
	reply = strings.TrimSpace(thoughts().ReplaceAllString(reply, ""))
	if strings.HasPrefix(reply, "<think>") || strings.HasPrefix(reply, "<thinking>") {
		return ""
	}
	return reply
}

func withheld(r Reply) bool { return strings.HasPrefix(r.FinishReason, "content_filter") }

// isOpen says that the error means nothing but a missing reply.
func isOpen(err error) bool { return errors.Is(err, errOpen) }

// text reads a reply that may be any text.
func text(r Reply) (string, error) { return r.Text, nil }

// prompt fills in a prompt of the method. Begin and ReadPrompts have checked that this works, so it
// panics if it does not.
func (x *run) prompt(name string, v values) string {
	text, err := x.method.fill(name, v)
	if err != nil {
		panic(fmt.Sprintf("judge: %s: %v", x.method.Name, err))
	}
	return text
}
