package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// examplesPrompt is the name of a prompt that holds worked examples. Its text is no template but a JSON
// list of objects with the keys of example.
const examplesPrompt = "examples"

// An example is a segment with the answer that a judge should give.
type example struct {
	SourceLang  string `json:"source_lang"`
	TargetLang  string `json:"target_lang"`
	Source      string `json:"source"`
	Reference   string `json:"reference,omitempty"`
	Translation string `json:"translation"`
	Answer      string `json:"answer"`
	For         string `json:"for,omitempty"` // the step that the example is for; empty for all
}

func (e example) values() values {
	return values{"source_lang": e.SourceLang, "target_lang": e.TargetLang, "source": e.Source, "translation": e.Translation, "reference": e.Reference}
}

func readExamples(text string) ([]example, error) {
	var list []example
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("the examples are not a JSON list: %w", err)
	}
	for i, e := range list {
		if e.Source == "" || e.Translation == "" || e.Answer == "" {
			return nil, fmt.Errorf("example %d lacks a source, a translation or an answer", i+1)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("there are no examples")
	}
	return list, nil
}

// examples returns the worked examples for a step. Begin and ReadPrompts have checked them.
func (x *run) examples(step string) (list []example) {
	for _, p := range x.method.Prompts {
		if p.Name != examplesPrompt {
			continue
		}
		all, err := readExamples(p.Text)
		if err != nil {
			panic("judge: " + x.method.Name + ": " + err.Error())
		}
		for _, e := range all {
			if e.For == "" || e.For == step {
				list = append(list, e)
			}
		}
	}
	return list
}

// worked are the messages of worked examples: each a request as the prompt makes it, and its answer.
func (x *run) worked(prompt, step string, more values) (messages []Message) {
	for _, e := range x.examples(step) {
		messages = append(messages, user(x.prompt(prompt, e.values().with(more))), assistant(e.Answer))
	}
	return messages
}

// toExamples writes examples as the text of a prompt.
func toExamples(list []example) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(list); err != nil {
		panic("judge: " + err.Error())
	}
	return b.String()
}
