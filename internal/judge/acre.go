package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ACRE judges how a translation renders one cultural term of its source (Han et al. 2026, section 5). It needs the
// term and its explication, and uses a reference where there is one.
//
// A dispatcher chooses between protocol A, facts, and protocol B, style (Figure 8). A semantic validator
// says whether the meaning is that of the explication (Figure 9). If it is not, the score is 0 after
// two calls. If it is, a fidelity critic and a clarity critic score from 1 to 5 at the same time
// (Figures 10 and 11), and the score is alpha times fidelity plus beta times clarity (Eq. 1 and 2).
// There are no worked examples, and the temperature is 0 (5.2).
//
// There is no published code. The paper prints neither alpha nor beta; both are 0.5 here unless the task
// says otherwise. Section 3.2 has five categories of culture and Figure 8 other kinds of terms; the choice
// of a protocol is a call, as in the figure. Replies are read as readProtocol, readDecision and
// readCriticScore say, and there is no score by default.
func init() {
	register(Method{
		Name: "acre", Title: "ACRE", Version: 1,
		Scale:    Scale{0, 5},
		Needs:    Needs{Term: true, Explication: true, Reference: true},
		Calls:    Forecast{2, 4, 4},
		judge:    acre,
		Wordings: []string{"773d21787d0d58970243cee123d1320faee237aac92cff2d7ad7612254e58916"},
		Prompts: []Prompt{
			{
				"dispatcher system",
				`You are an expert in how languages name and express culture. You decide what kind of cultural term stands in a source sentence.

Protocol A is for facts. Its terms name something particular: an institution, an artefact of history, an object or technical thing, or a place, person, organisation or festival. What counts is that the translation names exactly the same thing. If a term has a history or a material existence of its own, choose A.

Protocol B is for style. Its terms are figures of speech, such as idioms, metaphors and allegories, or slang, fashionable words, memes and dialect that are used for their effect. What counts is that the translation has the same effect; image and tone matter more than the words. If a term describes a situation or a feeling and not an object, choose B.`,
				nil,
			},
			{"dispatcher", `Look at the cultural term that stands between brackets "[]" in the source.

Source: {{.marked}}

Decide by what the term does in this sentence. Answer with one label and nothing else: "Protocol A" or "Protocol B".`, fields("marked")},
			{
				"validator system",
				`You are a strict validator of meaning. You look for two things only: inventions, and terms replaced by something quite different.

The explication is the truth. Rely on it alone. If the translation makes something else of the term than the explication says, it is invalid. If what you know contradicts the explication, the explication is right.

Leave aside fluency, grammar and style. Leave aside whether the term has lost its colour: a dull translation that is correct is valid. Leave aside whether it is literal, as long as it points to the right thing.`,
				nil,
			},
			{"validator", `Protocol: {{.protocol}}
Source: {{.source}}
Cultural term: {{.term}}
Explication (the truth): {{.explication}}
Translation: {{.translation}}

Check only whether the meaning of the term in the translation is that of the explication, however plain the wording. If the translation invents something or points to quite another thing, it is INVALID.

Answer in this form:
Reasoning: a short analysis
Decision: VALID or INVALID`, acreFields},
			{
				"fidelity system",
				`You are a critic of translations who looks at fidelity and at the effect on the reader. You score how well a translation keeps the nuance and force of the term, by the protocol in use.

The reference is one possible translation of many. Other words than those of the reference are no fault. What counts is whether meaning and effect are the same.

{{.guideline}}

The scale:
5: nuance, tone and image are all there.
3: the core of the meaning is there, but much of the nuance is lost, e.g. since the wording is too general.
1: a severe mistranslation, or the meaning is lost.`,
				[]string{"guideline"},
			},
			{
				"guideline A",
				`Protocol A is in use. The translation must point to exactly the thing that the term names. Do not accept a general word for a particular thing, or a similar thing of another culture.`,
				nil,
			},
			{
				"guideline B",
				`Protocol B is in use. The translation must have the effect that the term has. Do not accept a literal rendering that loses the sense or the tone; other images with the same effect are welcome.`,
				nil,
			},
			{"fidelity", `Protocol: {{.protocol}}
Source: {{.source}}
{{if .reference}}Reference: {{.reference}}
{{end}}Translation: {{.translation}}

Score the fidelity with a whole number from 1 to 5: does the translation do what {{.protocol}} asks for?

Answer in this form:
Reasoning: your criticism
Score: the number`, acreFields},
			{
				"clarity system",
				`You are a reader whose language is {{.target_lang}} and who knows nothing of the culture of the source. You judge whether you understand the translation.

In its favour count explanations within the text, such as a gloss, an apposition or a short description beside a foreign word, and wording that makes the sense plain. Against it count foreign words without any explanation, and places where you would have to ask what is meant.

The scale:
5: nothing stands between you and the text; you understand it fully.
3: you get the drift but miss what is particular to the culture.
1: you do not understand it at all.`,
				[]string{"target_lang"},
			},
			{"clarity", `Source: {{.source}}
Translation: {{.translation}}

Score the clarity for a reader from another culture with a whole number from 1 to 5: does the translation help this reader across, or leave the reader confused?

Answer in this form:
Reasoning: your analysis
Score: the number`, acreFields},
		},
	})
}

var acreFields = fields("protocol", "term", "explication", "guideline", "marked")

func acre(x *run) []Judgement {
	v := x.values(x.translation()).with(values{
		"term": x.Term, "explication": x.Explication, "marked": strings.Replace(x.Source, x.Term, "["+x.Term+"]", 1),
	})
	if !strings.Contains(x.Source, x.Term) {
		v["marked"] = x.Source + " [" + x.Term + "]"
	}
	protocol, err := ask(x, question{
		step: "dispatch", role: "dispatcher", maxTokens: 1000,
		messages: func() []Message {
			return []Message{system(x.prompt("dispatcher system", nil)), user(x.prompt("dispatcher", v))}
		},
	}, readProtocol)
	if err != nil {
		return one(unparsable(err, nil))
	}
	v["protocol"] = "Protocol " + protocol
	valid, err := ask(x, question{
		step: "validate", role: "semantic validator", maxTokens: 1000,
		messages: func() []Message {
			return []Message{system(x.prompt("validator system", nil)), user(x.prompt("validator", v))}
		},
	}, readDecision)
	switch {
	case err != nil:
		return one(unparsable(err, nil))
	case !valid:
		return one(scored(0, nil))
	}
	v["guideline"] = x.prompt("guideline "+protocol, nil)
	critic := func(name string) (float64, error) {
		return ask(x, question{
			step: name, role: name + " critic", maxTokens: 1000,
			messages: func() []Message {
				return []Message{system(x.prompt(name+" system", v)), user(x.prompt(name, v))}
			},
		}, readCriticScore)
	}
	fidelity, err1 := critic("fidelity")
	clarity, err2 := critic("clarity")
	if err := errors.Join(err1, err2); err != nil {
		return one(unparsable(err, nil))
	}
	w, ok := x.Weights[protocol]
	if !ok {
		w = Weights{Alpha: 0.5, Beta: 0.5}
	}
	j := scored(w.Alpha*fidelity+w.Beta*clarity, nil)
	j.Scores = map[string]float64{"fidelity": fidelity, "clarity": clarity}
	return one(j)
}

var (
	protocolLabel = pattern(`(?i)\bprotocol\s*[:：]?\s*([ab])\b`)
	// bareLabel is a capital A or B on its own. An A before another word can be an article.
	bareLabel = pattern(`\b(B)\b|\b(A)\b\s*(?:$|[^\s\pL\pN]|(?:or|and|nor)\b)`)
)

// readProtocol reads a label that names exactly one of the protocols A and B.
func readProtocol(r Reply) (string, error) {
	s := bare(r.Text)
	named := map[string]bool{}
	for _, m := range protocolLabel().FindAllStringSubmatch(s, -1) {
		named[strings.ToUpper(m[1])] = true
	}
	for _, m := range bareLabel().FindAllStringSubmatch(s, -1) {
		named[m[1]+m[2]] = true
	}
	if len(s) == 1 && strings.ContainsAny(s, "ab") {
		named[strings.ToUpper(s)] = true
	}
	if named["A"] == named["B"] {
		return "", fmt.Errorf("it names not exactly one of the protocols A and B: %s", excerpt(r.Text))
	}
	if named["A"] {
		return "A", nil
	}
	return "B", nil
}

var (
	decisionLine = pattern(`(?i)^decision\s*[:：]\s*\[?\s*(\pL+)\s*\]?\s*[.。]?$`)
	scoreLine    = pattern(`(?i)^score\s*[:：]\s*\[?\s*([-+−]?[0-9]+(?:[.,][0-9]+)?)\s*\]?\s*(?:/\s*([0-9]+)\s*\]?)?\s*[.。]?$`)
)

// lastLine returns the groups of the last line that matches a pattern, with marks taken off.
func lastLine(reply string, pattern *regexp.Regexp) []string {
	for _, line := range slices.Backward(strings.Split(reply, "\n")) {
		if m := pattern.FindStringSubmatch(unmark(line)); m != nil {
			return m
		}
	}
	return nil
}

// readDecision reads the last line that is only "Decision: VALID" or "Decision: INVALID", in any case.
// Another single word in its place makes the reply unreadable.
func readDecision(r Reply) (bool, error) {
	m := lastLine(r.Text, decisionLine())
	switch {
	case m == nil:
		return false, errors.New(`no line says only "Decision: VALID" or "Decision: INVALID"`)
	case strings.EqualFold(m[1], "valid"):
		return true, nil
	case strings.EqualFold(m[1], "invalid"):
		return false, nil
	}
	return false, fmt.Errorf("the decision is %q, neither VALID nor INVALID", m[1])
}

// readCriticScore reads the last line that is only "Score: N". N is a whole number from 1 to 5; "N/5" and
// "[N]" are N.
func readCriticScore(r Reply) (float64, error) {
	m := lastLine(r.Text, scoreLine())
	if m == nil {
		return 0, errors.New(`no line says only "Score: N"`)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 || n > 5 || m[2] != "" && m[2] != "5" || strings.ContainsAny(m[1], "+-") {
		return 0, fmt.Errorf("the score is %q, not a whole number from 1 to 5", strings.TrimSpace(m[0]))
	}
	return float64(n), nil
}
