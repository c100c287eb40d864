package protocol

import (
	"fmt"
	"slices"
	"strconv"
)

// takeQuestions makes scores of the questions of the kind number, which behave as scores everywhere.
func (p *Protocol) takeQuestions() {
	for _, q := range p.Questions {
		if q.Kind == Number {
			p.Scores = append(p.Scores, q.score())
		}
	}
}

// ownScores are the scores that no question asks for. [Protocol.takeQuestions] puts the others after them.
func (p *Protocol) ownScores() []Score {
	numbers := 0
	for _, q := range p.Questions {
		if q.Kind == Number {
			numbers++
		}
	}
	return p.Scores[:max(0, len(p.Scores)-numbers)]
}

// checkQuestions checks the unit and the questions.
func (l *problemList) checkQuestions(p *Protocol) {
	if p.Unit != "" && p.Unit != TranslationUnit && p.Unit != SegmentUnit {
		l.add("unit", "must be %s or %s", TranslationUnit, SegmentUnit)
	}
	if p.OfSegments() {
		if p.Spans != nil && !p.Spans.OfTerms() {
			l.add("spans", "errors are marked in translations, and the cards of this protocol are segments; leave spans out, or set their layer to terms")
		}
		if len(p.Questions) == 0 && p.Spans == nil {
			l.add("questions", "missing; a protocol whose unit is segment asks at least one question, or has terms marked")
		}
	}
	l.checkGiven(p)
	for i, q := range p.Questions {
		l.checkQuestion(fmt.Sprintf("questions[%d]", i), p, i, q)
	}
}

func (l *problemList) checkQuestion(field string, p *Protocol, i int, q Question) {
	if q.Label == "" {
		l.add(field+".label", "missing; give the words that the annotator reads")
	}
	if !slices.Contains(Kinds, q.Kind) {
		l.add(field+".kind", "must be number, choice, candidate or text")
		return
	}
	if q.Name == BeginSource || q.Name == BeginReference {
		l.add(field+".name", "%q is a text of the segment; choose another name", q.Name)
	}
	l.checkFields(field, q)
	switch q.Kind {
	case Number:
		l.checkScore(field, q.score())
	case Choice:
		l.checkOptions(field, q)
	case Candidate:
		if !p.OfSegments() {
			l.add(field+".kind", "only a segment has candidates; set unit to segment, or choose another kind")
		}
	case Text:
		if q.Begin != "" && q.Begin != BeginSource && q.Begin != BeginReference && !p.has(p.Questions[:i], q.Begin, Candidate) {
			l.add(field+".begin", "must be source, reference, or the name of a question of the kind candidate that comes before this one")
		}
	}
	if q.When != nil {
		l.checkWhen(field+".when", p.Questions[:i], *q.When)
	}
}

// has reports whether a list has a question of a name and a kind.
func (p *Protocol) has(list []Question, name string, kind Kind) bool {
	return slices.ContainsFunc(list, func(q Question) bool { return q.Name == name && q.Kind == kind })
}

// checkFields refuses the fields that belong to other kinds.
func (l *problemList) checkFields(field string, q Question) {
	for _, f := range []struct {
		name string
		set  bool
		kind Kind
	}{
		{"options", len(q.Options) > 0, Choice}, {"several", q.Several, Choice}, {"none", q.None != "", Candidate}, {"begin", q.Begin != "", Text},
		{"min", q.Min != 0, Number}, {"max", q.Max != 0, Number}, {"levels", len(q.Levels) > 0, Number}, {"human", q.Human != "", Number}, {"measurement", q.Measurement != "", Number},
	} {
		if f.set && f.kind != q.Kind {
			l.add(field+"."+f.name, "belongs to questions of the kind %s; leave it out, or change the kind", f.kind)
		}
	}
}

func (l *problemList) checkOptions(field string, q Question) {
	if len(q.Options) < 2 && !(q.Several && len(q.Options) == 1) {
		l.add(field+".options", "missing; give at least two answers")
	}
	for i, o := range q.Options {
		item := fmt.Sprintf("%s.options[%d]", field, i)
		if !nameForm().MatchString(o.Value) {
			l.add(item+".value", "use 1 to 40 of a-z, 0-9 and _, beginning with a letter")
		}
		if o.Label == "" {
			l.add(item+".label", "missing; give the words that the annotator reads")
		}
		if slices.ContainsFunc(q.Options[:i], func(x Option) bool { return x.Value == o.Value }) {
			l.add(item+".value", "%q is given twice", o.Value)
		}
	}
}

// checkWhen checks a condition on one of the questions that come before.
func (l *problemList) checkWhen(field string, before []Question, w When) {
	i := slices.IndexFunc(before, func(q Question) bool { return q.Name == w.Question })
	if i < 0 || before[i].Kind != Choice && before[i].Kind != Number {
		l.add(field+".question", "must be the name of a choice or a number that comes before this question")
		return
	}
	if len(w.Is) == 0 {
		l.add(field+".is", "missing; list the answers after which this question is asked")
	}
	for k, value := range w.Is {
		of := before[i]
		_, ok := of.Option(value)
		if of.Kind == Number {
			x, err := strconv.Atoi(value)
			ok = err == nil && x >= of.Min && x <= of.Max && strconv.Itoa(x) == value
		}
		if !ok {
			l.add(fmt.Sprintf("%s.is[%d]", field, k), "%s has no answer %q", of.Name, value)
		}
	}
}

// checkNominalGate checks a gate that is no number: whether two answers are equal must be known.
func (l *problemList) checkNominalGate(q Question) {
	switch {
	case q.Kind == Text || q.Several:
		l.add("gate", "%q can't be compared: the gate is a number, a choice with one answer, or a candidate", q.Name)
	case !q.Required || q.When != nil:
		l.add("gate", "%q must be answered in every rating; make it required, without when", q.Name)
	}
}
