package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/stat"
)

// HiMATE asks one agent for each of 19 subtypes of MQM errors, lets an agent check what it flagged, and
// discusses with the agent of the core type what is uncertain (Zhang et al. 2025, section 3).
//
// Subtype evaluation (3.2, Table 9): one call for each subtype, with two worked examples. Self-reflection
// (3.3, Table 9): the agent corrects the translation, then compares both; if the comparison finds no
// improvement, the finding is dropped. Collaborative discussion (3.4, Table 10): a finding whose
// confidence is below the threshold goes to the agent of the core type, which speaks first; the agent of
// the subtype agrees or not; after two turns each the discussion ends. The outcome is that of the
// concluding statement.
//
// There is no published code. The paper leaves some points open, which this code settles as follows. Replies are JSON. The
// confidence is the log-probability of the comparison's reply; equal to the threshold is not below it;
// without a log-probability or a threshold every finding is discussed. Without agreement the statement of
// the core type's agent stands. One reply that cannot be read makes the whole judgement unparsable. The
// severity critical, which the method does not have, cannot be read. Of the two worked
// examples of a subtype one has an error of it and one, the same for all, has none.
//
// The score (Eq. 4, Table 6) is minus the sum of major 5, minor 1, minor punctuation 0.1 and neutral 0,
// without a limit; there is at most one finding for each subtype. A finding that ends as neutral, a matter
// of taste, is no error and is left out.
func init() {
	register(Method{
		Name: "himate", Title: "HiMATE", Version: 2,
		Scale:    Scale{math.Inf(-1), 0},
		Needs:    Needs{LogProbs: true},
		Spans:    true,
		Calls:    Forecast{19, 27, 19 * 7},
		judge:    himate,
		Wordings: []string{"bd9a5e06a546942b76c8f22c4d28557f0279afc1388df10ae670302c5ca5f8b4"},
		Prompts: []Prompt{
			{
				"evaluate",
				`You evaluate translations by hand in the framework MQM. Find out whether this translation from {{.source_lang}} into {{.target_lang}} has an error of one type.

` + himateTexts + `

The type of error is {{.subtype}}: {{.definition}}

Check whether the translation has an error that meets this definition. If it has several, take the most severe. Say how severe it is; the severity does not depend on the type. Major is a real mistake of translation or grammar, minor a small imperfection, neutral a matter of taste.

Answer in JSON: {"error": true, "severity": "Major", "Minor" or "Neutral", "span": the words of the translation, or the words of the source that it lacks, "explanation": why in one sentence}, or {"error": false}.`,
				fields("subtype", "definition"),
			},
			{examplesPrompt, toExamples(himateExamples()), nil},
			{
				"correct",
				`You evaluate translations by hand in the framework MQM. You get a source in {{.source_lang}} and its translation into {{.target_lang}}, and correct the translation.

` + himateTexts + `

The type of error is {{.subtype}}: {{.definition}}

Before, you found this error of the type:
{{.finding}}

Correct this error in the translation. Answer with the corrected translation and nothing else.`,
				fields("subtype", "definition", "finding"),
			},
			{"compare", `You evaluate translations by hand in the framework MQM. Compare a translation with its corrected form by the definition of an error.

The type of error is {{.subtype}}: {{.definition}}

Original translation: {{.translation}}
Corrected translation: {{.corrected}}

Before, you corrected the translation. Say whether the error that you found in the original is corrected now. If the two do not differ in what matters, it was no error, and nothing is corrected.

Answer in JSON: {"corrected": true} or {"corrected": false}.`, fields("subtype", "definition", "corrected")},
			{
				"discuss core",
				`You are an expert in evaluating translations in the framework MQM, and answer for all {{.core}} errors. An evaluator who answers for one subtype is not sure of an answer. Review the work and give your opinion.

` + himateTexts + `

The subtype is {{.subtype}}: {{.definition}}

The evaluator found:
{{.finding}}
{{if .history}}
What was said so far:
{{.history}}
{{end}}
Say whether there is an error, and then whether its severity is right. You need not reject it altogether.

Answer in JSON: {"error": true or false, "severity": "Major", "Minor" or "Neutral", "opinion": why in a few sentences}.`,
				fields("core", "subtype", "definition", "finding", "history"),
			},
			{
				"discuss subtype",
				`You evaluate translations by hand in the framework MQM. You were not sure of an evaluation, so you talk to the expert who answers for the types of errors above yours.

` + himateTexts + `

Your subtype is {{.subtype}}: {{.definition}}

You found:
{{.finding}}

What was said so far:
{{.history}}

Say whether you agree with the expert's last opinion. Answer in JSON: {"agree": true} or {"agree": false}, with "opinion": why in a few sentences.`,
				fields("subtype", "definition", "finding", "history"),
			},
		},
	})
}

const himateTexts = `Source: {{.source}}
Translation: {{.translation}}`

// A subtype is one of the 19 second-tier types of errors (Zhang et al. 2025, Table 8, in other words).
type subtype struct{ core, name, definition string }

// subtypes stand in the order in which their agents speak.
var subtypes = []subtype{
	{"Accuracy", "Addition", "The translation has something that the source does not have, punctuation included."},
	{"Accuracy", "Omission", "A part of the source is missing in the translation, e.g. a noun, a verb, an adverb or punctuation."},
	{
		"Accuracy",
		"Mistranslation",
		"A word of the translation is used wrongly, does not match the source, or comes from cutting the source in the wrong places.",
	},
	{"Accuracy", "Untranslated text", "Text of the source was left untranslated. Special symbols and placeholders that stay as they are do not count."},
	{"Terminology", "Inappropriate for context", "A term differs from the one that a list of terms or another standard asks for."},
	{"Terminology", "Inconsistent use", "Terms are not used in the same way throughout."},
	{"Fluency", "Punctuation", "Quotation marks or brackets lack their partner, or punctuation is missing or too much."},
	{"Fluency", "Spelling", "A word is misspelt."},
	{"Fluency", "Grammar", "Subject and verb do not agree, a tense or form of a verb is wrong, or a noun, pronoun or adjective is declined wrongly."},
	{"Fluency", "Register", "The grammatical register is wrong, e.g. a pronoun is too informal."},
	{"Fluency", "Inconsistency", "The text is not consistent with itself, other than in its terms."},
	{"Fluency", "Character encoding", "Characters are garbled, since they were encoded wrongly."},
	{"Style", "Awkward", "The translation keeps features of the source's grammar and style that make a complex thought clumsy in its own language."},
	{"Locale convention", "Address format", "An address has a form that does not suit the locale, e.g. of its postal code."},
	{"Locale convention", "Currency format", "A sum of money has a form that does not suit the locale."},
	{"Locale convention", "Date format", "A date has a form that does not suit the locale."},
	{"Locale convention", "Name format", "A name has a form that does not suit the locale, e.g. first and last name in the wrong order."},
	{"Locale convention", "Telephone format", "A telephone number has a form that does not suit the locale."},
	{"Locale convention", "Time format", "A time of day has a form that does not suit the locale, e.g. 24 hours where 12 are usual."},
}

// discussionTurns is how often each of the two agents speaks at most (3.4: four turns, two each).
const discussionTurns = 2

// A finding is what the agent of a subtype found.
type finding struct {
	severity, span, explanation string
}

// String is the finding as it stands in prompts.
func (f finding) String() string {
	b, err := json.Marshal(map[string]string{"severity": f.severity, "span": f.span, "explanation": f.explanation})
	if err != nil {
		panic("judge: " + err.Error())
	}
	return string(b)
}

// An outcome is what became of a subtype: a finding, or nil if there is none.
type outcome struct {
	finding    *finding
	confidence *float64 // of a finding that was checked
}

func himate(x *run) []Judgement {
	var (
		errs, unread []error
		found        []Error
		confidences  []float64
		tenths       int
	)
	p := placer{source: x.Source, translation: x.translation()}
	for _, s := range subtypes {
		o, err := x.examine(s)
		if o.confidence != nil {
			confidences = append(confidences, *o.confidence)
		}
		switch {
		case isOpen(err):
			errs = append(errs, err)
		case err != nil:
			unread = append(unread, err)
		case o.finding != nil && o.finding.severity != "neutral":
			e := Error{Severity: o.finding.severity, Category: s.core + "/" + s.name, Text: o.finding.span, Comment: o.finding.explanation}
			found = append(found, p.place(e, hint{}))
			tenths += wmtTenths(e.Category, e.Severity)
		}
	}
	if len(errs) > 0 {
		return nil
	}
	j := scored(-float64(tenths)/10, found)
	if len(unread) > 0 {
		j = unparsable(errors.Join(unread...), found)
	}
	j.Confidences = confidences
	return one(j)
}

// examine takes one subtype to its end.
func (x *run) examine(s subtype) (outcome, error) {
	step := s.core + "/" + s.name + "/"
	v := x.values(x.translation()).with(values{"core": s.core, "subtype": s.name, "definition": s.definition, "history": ""})
	say := func(name string, more values) func() []Message {
		return func() []Message { return []Message{user(x.prompt(name, v.with(more)))} }
	}
	f, err := ask(x, question{
		step: step + "evaluate", role: s.name + " agent", maxTokens: 1000,
		messages: func() []Message {
			return append(x.worked("evaluate", s.name, values{"subtype": s.name, "definition": s.definition}), user(x.prompt("evaluate", v)))
		},
	}, readFinding)
	if err != nil || f == nil {
		return outcome{}, err
	}
	v["finding"] = f.String()
	corrected, err := ask(x, question{step: step + "correct", role: s.name + " agent", maxTokens: 2000, messages: say("correct", nil)}, text)
	if err != nil {
		return outcome{}, err
	}
	v["corrected"] = corrected
	check, err := ask(
		x, question{step: step + "compare", role: s.name + " agent", maxTokens: 1000, logProbs: true, messages: say("compare", nil)}, readComparison,
	)
	switch {
	case err != nil:
		return outcome{}, err
	case !check.corrected:
		return outcome{confidence: check.logProb}, nil
	case x.Threshold != nil && check.logProb != nil && *check.logProb >= *x.Threshold:
		return outcome{f, check.logProb}, nil
	}
	f, err = x.discuss(step, s, *f, say)
	return outcome{f, check.logProb}, err
}

// discuss lets the agent of the core type and that of the subtype talk until they agree. It returns the
// finding as it then is, or nil if it was rejected.
func (x *run) discuss(step string, s subtype, f finding, say func(string, values) func() []Message) (*finding, error) {
	type opinion struct {
		*finding
		said string
	}
	type consent struct {
		agrees bool
		said   string
	}
	var history strings.Builder
	for turn := 1; ; turn++ {
		at := fmt.Sprintf("%sdiscuss/turn %d/", step, turn)
		core, err := ask(
			x,
			question{step: at + "core", role: s.core + " expert", maxTokens: 1000, messages: say("discuss core", values{"history": history.String()})},
			func(r Reply) (opinion, error) {
				f, err := readFinding(r)
				return opinion{f, r.Text}, err
			},
		)
		if isOpen(err) {
			return nil, err
		}
		fmt.Fprintf(&history, "Expert: %s\n", core.said)
		// The agent of the subtype answers even what cannot be read, so that each turn has two calls.
		sub, err2 := ask(
			x,
			question{step: at + "subtype", role: s.name + " agent", maxTokens: 1000, messages: say("discuss subtype", values{"history": history.String()})},
			func(r Reply) (consent, error) {
				o, _ := lastObject(r.Text)
				agrees, err := o.truth("agree")
				return consent{agrees, r.Text}, err
			},
		)
		if err := errors.Join(err, err2); err != nil {
			if isOpen(err) {
				err = errOpen
			}
			return nil, err
		}
		fmt.Fprintf(&history, "Evaluator: %s\n", sub.said)
		if !sub.agrees && turn < discussionTurns {
			continue
		}
		if core.finding == nil {
			return nil, nil
		}
		f.severity = core.severity
		return &f, nil
	}
}

// readFinding reads {"error": …, "severity": …, "span": …}. It returns nil if there is no error.
func readFinding(r Reply) (*finding, error) {
	o, ok := lastObject(r.Text)
	if !ok {
		return nil, fmt.Errorf("there is no complete JSON object in %s", excerpt(r.Text))
	}
	found, err := o.truth("error")
	if err != nil || !found {
		return nil, err
	}
	f := finding{strings.ToLower(strings.TrimSpace(o.text("severity"))), o.text("span"), o.text("explanation")}
	if !slices.Contains([]string{"major", "minor", "neutral"}, f.severity) {
		return nil, fmt.Errorf("the severity is %q, not major, minor or neutral", f.severity)
	}
	return &f, nil
}

// A comparison says whether a correction improved the translation, and how sure that is.
type comparison struct {
	corrected bool
	logProb   *float64
}

func readComparison(r Reply) (comparison, error) {
	o, _ := lastObject(r.Text)
	corrected, err := o.truth("corrected")
	return comparison{corrected, r.LogProb}, err
}

// ConfidenceThreshold is the threshold of a run of himate: the 60th percentile of the confidences of
// segments that the run does not judge (Zhang et al. 2025, appendix D), see [stat.Quantile]. Those are evaluated with a
// threshold of -Inf, so that nothing is discussed. It is NaN if there are no confidences.
func ConfidenceThreshold(confidences []float64) float64 {
	return stat.Quantile(slices.Sorted(slices.Values(confidences)), 0.6)
}
