package annotating

import (
	"strconv"

	"annotate/internal/protocol"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// A Candidate is a text that an answer may choose. Its id tells nothing of the system.
type Candidate struct{ ID, Text string }

// AnswersOf is what scripts get of the answers of a card.
func AnswersOf(answers map[string]protocol.Answer) map[string][]string {
	if len(answers) == 0 {
		return nil
	}
	out := make(map[string][]string, len(answers))
	for name, a := range answers {
		if out[name] = a.Several; a.Several == nil {
			out[name] = []string{a.Text}
		}
	}
	return out
}

// ReadAnswers reads what scripts send of the answers of a card under p. An empty list is no answer.
func ReadAnswers(p *protocol.Protocol, sent map[string][]string) map[string]protocol.Answer {
	var out map[string]protocol.Answer
	for name, list := range sent {
		if len(list) == 0 {
			continue
		}
		a := protocol.Answer{Text: list[0]}
		if q, _ := p.Question(name); q.Several || len(list) > 1 {
			a = protocol.Answer{Several: list}
		}
		if out == nil {
			out = map[string]protocol.Answer{}
		}
		out[name] = a
	}
	return out
}

// questionKey is the key of a question, by its place, as js/keys.js has it; empty if it has none.
func (v AnnotateView) questionKey(i int) string {
	if letters := "eryubcfmpxl"; !v.marks() && i < len(letters) {
		return letters[i : i+1]
	}
	return ""
}

// compared are the texts among which the page shows differences, by their places: the translations, or the candidates of a
// segment by their digits. Those that are missing are left out. There is none if the page is only read.
func (v AnnotateView) compared() (texts []optionStep) {
	add := func(i int, name, text string) {
		if text != "" {
			texts = append(texts, optionStep{Value: strconv.Itoa(i), Label: name})
		}
	}
	switch {
	case v.ReadOnly != "":
	case v.itself():
		for i, candidate := range v.Cards[0].Candidates {
			add(i, strconv.Itoa(i+1), candidate.Text)
		}
	default:
		for i, c := range v.Cards {
			add(i, c.Name, c.Text)
		}
	}
	return texts
}

// textLang is the language of a text that is an answer: that of the text it begins from.
func (v AnnotateView) textLang(q protocol.Question) templates.Lang {
	switch q.Begin {
	case "":
		return templates.Lang{Dir: "auto"}
	case protocol.BeginSource:
		return v.Source
	}
	return v.Target
}

// beginAgain names the button that takes back all changes of a text.
func beginAgain(q protocol.Question) string {
	if q.Begin == protocol.BeginSource {
		return "Begin again from the source"
	}
	if q.Begin == protocol.BeginReference {
		return "Begin again from the reference"
	}
	return "Begin again from the chosen text"
}

// boxType is the type of the boxes with which a question is answered.
func boxType(q protocol.Question) string {
	if q.Several {
		return "checkbox"
	}
	return "radio"
}

// asked reports whether a question is asked on a card as it is.
func (v AnnotateView) asked(c Card, q protocol.Question) bool {
	return v.Protocol.Asked(q, protocol.Rating{Scores: c.Scores, Answers: c.Answers})
}

// chosen reports whether a value is an answer of a card.
func chosen(c Card, q protocol.Question, value string) bool {
	a, ok := c.Answers[q.Name]
	return ok && a.Has(value)
}

// words is an answer as the page says it, with the text of a candidate.
func (c Card) words(q protocol.Question, a protocol.Answer) string {
	if q.Kind == protocol.Candidate {
		for _, candidate := range c.Candidates {
			if candidate.ID == a.Text {
				return candidate.Text
			}
		}
	}
	return q.Words(a)
}

// stateQuestion is what scripts get of a question.
func stateQuestion(q protocol.Question) wire.Question {
	asked := wire.Question{
		Name:     q.Name,
		Label:    q.Label,
		Kind:     q.Kind,
		Required: q.Required,
		Several:  q.Several,
		None:     q.None,
		Begin:    q.Begin,
		Min:      q.Min,
		Max:      q.Max,
	}
	if q.When != nil {
		asked.When = &wire.When{Question: q.When.Question, Is: q.When.Is}
	}
	for _, o := range q.Options {
		asked.Options = append(asked.Options, wire.Option{Value: o.Value, Label: o.Label, Comment: o.Comment})
	}
	return asked
}

// disagreed says in neutral words why a segment is back.
func (v AnnotateView) disagreed() string {
	if len(v.Protocol.Asks()) > 0 {
		return "The answers about this segment did not agree"
	}
	return "The scores of this segment did not agree"
}
