package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Case is a task with saved replies: a line of the file that "annotate judge replay" reads.
type Case struct {
	Name          string             `json:"name"`
	SourceLang    string             `json:"source_lang"`
	TargetLang    string             `json:"target_lang"`
	Source        string             `json:"source"`
	Translation   string             `json:"translation"`
	Translations  []string           `json:"translations"` // in place of translation: several of one source
	Reference     string             `json:"reference"`
	Term          string             `json:"term"`
	Explication   string             `json:"explication"`
	Variant       string             `json:"variant"`
	Threshold     *float64           `json:"threshold"`
	MaxRounds     int                `json:"max_rounds"`
	Weights       map[string]Weights `json:"weights"`
	Replies       []SavedReply       `json:"replies"`        // in the order of the calls
	FinishReasons []string           `json:"finish_reasons"` // of the replies, in the same order; may be shorter
}

// A SavedReply is the text of a reply, or an object with its text and its log-probability.
type SavedReply struct {
	Text    string   `json:"text"`
	LogProb *float64 `json:"logprob"`
}

// UnmarshalJSON reads a text or an object.
func (r *SavedReply) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte(`"`)) {
		return json.Unmarshal(b, &r.Text)
	}
	type plain SavedReply
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(r)); err != nil {
		return errors.New(`replies: a reply is a text, or an object {"text": …, "logprob": …}`)
	}
	return nil
}

// task is the task of the case for a method.
func (c Case) task(m Method) (Task, error) {
	t := Task{
		SourceLang: c.SourceLang, TargetLang: c.TargetLang, Source: c.Source, Translations: c.Translations,
		Reference: c.Reference, Term: c.Term, Explication: c.Explication, Variant: c.Variant,
		Threshold: c.Threshold, MaxRounds: c.MaxRounds, Weights: c.Weights, Search: true,
	}
	switch {
	case c.Translation != "" && c.Translations != nil:
		return t, errors.New("translation: the line also has translations; keep one of the two")
	case len(c.FinishReasons) > len(c.Replies):
		return t, fmt.Errorf("finish_reasons: there are %d of them for %d replies", len(c.FinishReasons), len(c.Replies))
	case c.Translations == nil:
		t.Translations = []string{c.Translation}
	}
	if m.RetriesInReplay {
		t.Retries = -1
	}
	return t, nil
}

// errNoReply is the error of a call for which a case has no reply left.
var errNoReply = errors.New("the saved replies end before this step")

// Replay gives the machine of a case its saved replies, in the order of the calls. A step for which no
// reply is left has no answer. It returns the judgements and the number of replies that were not used.
func (m Method) Replay(c Case) (judgements []Judgement, unused int, err error) {
	task, err := c.task(m)
	if err != nil {
		return nil, 0, err
	}
	machine, err := m.Begin(task)
	if err != nil {
		return nil, 0, err
	}
	next := 0
	for {
		calls, done := machine.Next()
		if done {
			return machine.Judgements(), len(c.Replies) - next, nil
		}
		reply := Reply{Err: errNoReply}
		if next < len(c.Replies) {
			saved := c.Replies[next]
			reply = Reply{Text: saved.Text, LogProb: saved.LogProb}
			if next < len(c.FinishReasons) {
				reply.FinishReason = c.FinishReasons[next]
			}
			next++
		}
		machine.Answer(calls[0], reply)
	}
}

// WriteResult writes the line of a replay for a case: its name and its judgement, or its candidates if
// the case has translations.
func WriteResult(w io.Writer, c Case, judgements []Judgement) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if c.Translations == nil {
		return e.Encode(struct {
			Name string `json:"name"`
			judgementJSON
		}{c.Name, toJSON(judgements[0])})
	}
	candidates := []judgementJSON{}
	for _, j := range judgements {
		candidates = append(candidates, toJSON(j))
	}
	return e.Encode(struct {
		Name       string          `json:"name"`
		Candidates []judgementJSON `json:"candidates"`
	}{c.Name, candidates})
}

type judgementJSON struct {
	Status Status     `json:"status"`
	Score  *float64   `json:"score"`
	Spans  []spanJSON `json:"spans"`
}

// A spanJSON is an error as the replay format has it. An error without a place has no offsets; one
// without a severity has null.
type spanJSON struct {
	Severity *string `json:"severity"`
	Category string  `json:"category"`
	Text     string  `json:"text"`
	Side     string  `json:"side"`
	Start    *int    `json:"start,omitempty"`
	End      *int    `json:"end,omitempty"`
}

func toJSON(j Judgement) judgementJSON {
	out := judgementJSON{j.Status, j.Score, []spanJSON{}}
	for _, e := range j.Errors {
		s := spanJSON{Category: e.Category, Text: e.Text, Side: e.Side}
		if e.Severity != "" {
			s.Severity = &e.Severity
		}
		if e.Placed {
			s.Start, s.End = &e.Start, &e.End
		}
		out.Spans = append(out.Spans, s)
	}
	return out
}

// ReadCase reads a case from a line of JSON. Keys that it does not know are left aside, so that a file
// may carry further ones.
func ReadCase(line []byte) (c Case, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&c); err != nil {
		return c, explain(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return c, errors.New("there is more than one JSON value on the line; put each case on a line of its own")
	}
	if c.Replies == nil {
		return c, errors.New("replies: they are missing; give the list of the model's texts in the order of the calls")
	}
	return c, nil
}

// explain says in words what is wrong with a line.
func explain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("a case is a JSON object, not %s", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: it cannot be %s", kind.Field, strings.TrimPrefix(kind.Value, "a "))
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the line is no JSON object: %w; put each case on a line of its own", err)
	}
	return err
}
