package annotating

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"annotate/internal/protocol"
	"annotate/web/templates"
)

// A GuideView is the page of what annotators are told. For a lead it has a form
// that posts text, was and act (save, preview or clear) to …/guide.
type GuideView struct {
	templates.Page
	Protocol *protocol.Protocol
	Own      string // what a lead wrote, as HTML of internal/markdown; empty: the protocol's own guide is shown
	Previews bool   // Own is not what is kept, but what was typed
	HasOwn   bool   // one is kept
	MayEdit  bool
	Text     string // in the form, in Markdown
	Was      string // what the text was made from, sent back as it is
	MaxBytes int
	Error    string   // what is wrong with the text
	Problems []string // and where
}

func (v GuideView) lead() string {
	if v.HasOwn {
		return "What annotators read while they work. The lead of this campaign wrote it; the scales are those of " + v.Protocol.Name + "."
	}
	return "What annotators read while they work. It is the guide that comes with " + v.Protocol.Name + "."
}

// shown names what stands on the page.
func (v GuideView) shown() string {
	if v.Previews {
		return "Preview, not saved"
	}
	return "As annotators see it"
}

func (v GuideView) help() string {
	s := "In Markdown: paragraphs, # headings, lists, **bold**, > quotations, tables, links. No images and no HTML. At most " + strconv.Itoa(v.MaxBytes>>10) + " KB."
	if v.HasOwn {
		return s
	}
	return s + " It begins with the text of " + v.Protocol.Name + ", for you to change."
}

// scaleName is the heading of a scale; empty where it needs none.
func scaleName(p *protocol.Protocol, s protocol.Score, own string) string {
	switch {
	case len(p.Scores) > 1 || len(p.Questions) > 0:
		return s.Label
	case own != "":
		return "Scale"
	}
	return ""
}

// scaleOf is the place among the scales of p of that of a question; -1 if the question has none.
func scaleOf(p *protocol.Protocol, q protocol.Question) int {
	return slices.IndexFunc(p.Scores, func(s protocol.Score) bool { return s.Name == q.Name })
}

// scalesFirst are the scales of p that belong to no question.
func scalesFirst(p *protocol.Protocol) []protocol.Score {
	return slices.DeleteFunc(slices.Clone(p.Scores), func(s protocol.Score) bool {
		return slices.ContainsFunc(p.Questions, func(q protocol.Question) bool { return q.Name == s.Name })
	})
}

// explained reports whether the protocol says what an answer to a question means.
func explained(q protocol.Question) bool {
	return slices.ContainsFunc(q.Options, func(o protocol.Option) bool { return o.Text != "" })
}

// An exampleText is a text of an example with the marks of its side drawn over it.
func exampleText(p *protocol.Protocol, e protocol.Example, side protocol.Side, text, lang string) templ.Component {
	spans := templates.NewMarking(p, "", "", e.Rating().Spans)
	return templates.Over(text, templates.Lang{Lang: lang, Dir: "auto"}, side, spans).DrawLines()
}

// An exampleMark is a mark of an example in words. Rest follows the grade, from its comma on.
type exampleMark struct {
	Lang, Words, Style, Grade, Rest, Comment string
	Answers                                  []exampleAnswer
}

func exampleMarks(p *protocol.Protocol, e protocol.Example) []exampleMark {
	var out []exampleMark
	for _, s := range e.Rating().Spans {
		m := exampleMark{Lang: e.TargetLang, Words: s.Text, Comment: s.Comment}
		var kind string
		m.Grade, m.Style, kind, _ = templates.Describe(p, s)
		if p.Spans.OfTerms() {
			kind = ""
			for _, q := range p.Spans.Questions {
				if text, ok := s.Answers[q.Name]; ok {
					m.Answers = append(m.Answers, exampleAnswer{q.Label, q.Words(protocol.Answer{Text: text})})
				}
			}
		}
		if kind != "" {
			m.Rest = ", " + kind
		}
		switch s.Side {
		case protocol.Source:
			m.Lang = e.SourceLang
			m.Rest += ", in the source"
		case protocol.Reference:
			m.Rest += ", in the reference"
		}
		out = append(out, m)
	}
	return out
}

// An exampleAnswer is the answer to a question in words.
type exampleAnswer struct{ Question, Words string }

// exampleAnswers are the answers of an example, and its comment.
func exampleAnswers(p *protocol.Protocol, e protocol.Example) (out []exampleAnswer) {
	for _, q := range p.Asks() {
		if a, ok := e.Answers[q.Name]; ok {
			out = append(out, exampleAnswer{q.Label, q.Words(a)})
		}
	}
	if e.Comment != "" {
		out = append(out, exampleAnswer{"Comment", e.Comment})
	}
	return out
}

// exampleScores are the scores of an example, as in "MQM 5".
func exampleScores(p *protocol.Protocol, e protocol.Example) string {
	var out []string
	for _, v := range p.Values(e.Rating()) {
		out = append(out, v.Label+" "+strconv.FormatFloat(v.Score, 'f', -1, 64))
	}
	return strings.Join(out, " · ")
}
