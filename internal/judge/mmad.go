package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// M-MAD lets agents annotate four dimensions of MQM apart, debate severe errors, and a judge merge what
// is left (Feng et al. 2025, section 2.2).
//
// Stage 1 (Figure 7) asks one annotator for each of accuracy, fluency, terminology and style, with
// worked examples: three of the dimension and one of a non-translation. Stage 2 (Figures 8 and 9) holds a
// debate on each dimension in which a major error or a non-translation was found: side A begins with the
// list of stage 1, side B with the same list and every major error minor, or with the view that it is no
// non-translation. In each of at most three rounds both answer the other's previous statement at the same
// time, and a checker says whether they now agree. Stage 3 (Figure 10) merges the four views.
//
// As in the paper and unlike the published code: no fifth call in stage 1, which nothing reads; without
// agreement the view of stage 1 stands (2.2); temperature 0 throughout (3.1). The published code starts
// a debate and makes side B's list by replacing the word "major" anywhere in the text, also in quoted
// words; it reads "yes" and "no" in lower case only; it takes a broken final reply for an empty list.
// This method changes severities alone, reads any case, and a final reply that cannot be read makes the
// judgement unparsable. A debater whose reply cannot be read keeps the last list that could. As in the
// published code the judge is not asked if no dimension was debated and all four lists are empty, or if
// source and translation are nothing but double quotation marks.
//
// The score is minus the sum of the WMT weights (major 5, minor 1, minor punctuation 0.1, non-translation
// 25), which the released scores fit. "score_eq1" is that of the paper's Eq. 1 (major 5, minor 1).
// Critical counts as major. A non-translation takes all other errors away.
func init() {
	register(Method{
		Name: "m-mad", Title: "M-MAD", Version: 2,
		Scale:    Scale{math.Inf(-1), 0},
		Spans:    true,
		Calls:    Forecast{4, 8, 41},
		judge:    mmad,
		Wordings: []string{"9d95512462f460ecf3972d99f0dcf42fd16e4820b057ff204f11789e70af5129"},
		Prompts: []Prompt{
			{
				"annotator system",
				`You annotate errors in machine translations. You see one segment and its source; a segment has one or more sentences. Find every error of the category you are asked about. For each, give the words, the category with its subcategory, and a severity. The words may stand in the source if the source itself is wrong or something of it is missing in the translation. Be as fine-grained as you can: two words that are each mistranslated are two errors. If the same words have several errors, give only the most severe.

Severity: an error is major if it can confuse or mislead the reader, since it changes the meaning or stands where it matters. It is minor if no meaning is lost and nobody is misled, but a reader would notice it and find the text less good.

If the translation is so garbled, or has so little to do with the source, that single errors cannot be told apart, give one error of the category non-translation for the whole segment, and no other error.`,
				nil,
			},
			{"annotator", `You are an expert in {{.dimension}} errors of translations. Look for {{.dimension}} errors of these subcategories:
{{.subcategories}}

Annotate this segment.

` + mmadSegment + `

Answer in JSON: {"annotations": [{"error_span": the words, exactly as they stand in the translation, or "all" for a non-translation, "category": "{{.dimension}}/" and the subcategory, or "non-translation", "severity": "major" or "minor", "is_source_error": "yes" or "no"}]}. Without errors, answer {"annotations": []}.`, fields("dimension", "subcategories")},
			{examplesPrompt, toExamples(mmadExamples()), nil},
			{
				"debater system",
				`You are an expert in {{.dimension}} errors of translations. {{.definition}} Review the translation and find its errors of these subcategories:
{{.subcategories}}

For each error give the exact words, the subcategory and the severity, major or minor. A major error changes the meaning and can confuse or mislead the reader. A minor error has little effect: it neither loses meaning nor confuses. If the translation is so garbled, or has so little to do with the source, that single errors cannot be told apart, give one error of the category non-translation and no other. Without errors, answer {"annotations": []}.`,
				[]string{"dimension", "definition", "subcategories"},
			},
			{"debater segment", mmadSegment, segmentFields},
			{"rejection", `I do not think that this is a non-translation. These are my annotations: {{.annotations}}`, []string{"annotations"}},
			{"debate", `Another expert looked at the same translation and says:
{{.other}}

You and this expert differ. Think again. Go through your annotations and those of the other expert one by one. If a severity is hard to decide, prefer minor; say major only if the meaning changes considerably. Say non-translation only if nothing else is possible.

Put your annotations at the end of your answer, in JSON: {"annotations": [{"error_span": the words as they stand in the translation, "category": category and subcategory, "severity": "major" or "minor", "is_source_error": "yes" or "no"}]}. Without errors, put {"annotations": []}.`, []string{"other"}},
			{"consensus", `Two experts annotated the errors of the same translation. Say whether their annotations are the same in essence.

First expert: {{.first}}
Second expert: {{.second}}

Answer "yes" if they are the same, or "no" if they are not. Write nothing else.`, []string{"first", "second"}},
			{
				"judge system",
				`You are the judge of annotations of translation errors. You get a segment and the annotations of four experts. Merge them into one list and take out what is there twice. If the same words have several errors, keep only the most severe; if those are equally severe, keep the one whose category comes first in the order accuracy, fluency, terminology, style. This rule is for errors of the same words only. If the translation is so garbled, or has so little to do with the source, that single errors cannot be told apart, give one error of the category non-translation for the whole segment, and no other error.`,
				nil,
			},
			{"judge", mmadSegment + `

The expert in accuracy errors annotated: {{.accuracy}}
The expert in fluency errors annotated: {{.fluency}}
The expert in terminology errors annotated: {{.terminology}}
The expert in style errors annotated: {{.style}}

Answer in JSON: {"analysis": first say whether this is a non-translation, and why; if it is not, say how you merged errors of the same words, "annotations": [{"error_span": the words as they stand in the translation, or "all" for a non-translation, "category": category and subcategory, or "non-translation", "severity": "major" or "minor", "is_source_error": "yes" or "no"}]}`, fields("accuracy", "fluency", "terminology", "style")},
		},
	})
}

const mmadSegment = `{{.source_lang}} source:
{{.source}}
{{.target_lang}} translation:
{{.translation}}`

// A dimension is what one group of agents looks at.
type dimension struct{ name, definition, subcategories string }

// dimensions are those of the paper, in the order in which its agents speak. The definitions are those
// of Feng et al. 2025, Table 13, in other words.
var dimensions = []dimension{
	{
		"accuracy",
		"An accuracy error says something else than the source, or more, or less.",
		`- addition: the translation says something that the source does not say
- omission: something of the source is missing in the translation
- mistranslation: the translation does not say what the source says
- untranslated text: words of the source were left as they are`,
	},
	{
		"fluency",
		"A fluency error makes the translation a worse text of its language, whatever the source says.",
		`- punctuation: punctuation that is wrong for the language or the style
- spelling: wrong spelling or capital letters
- grammar: wrong grammar, other than spelling
- register: a wrong level of formality, e.g. of pronouns
- inconsistency: the text does not fit itself, other than in its terms
- character encoding: garbled characters`,
	},
	{
		"terminology",
		"A terminology error is a term that specialists would not use there, or not always for the same thing.",
		`- inappropriate for context: a term that is not standard or does not fit
- inconsistent use: different terms for the same thing`,
	},
	{"style", "A style error makes the text clumsy though it is correct.", `- awkward: the wording is clumsy or unnatural`},
}

func (d dimension) values() values {
	return values{"dimension": d.name, "definition": d.definition, "subcategories": d.subcategories}
}

// mmadRounds is the number of rounds of a debate (Feng et al. 2025, Figure 3).
const mmadRounds = 3

func mmad(x *run) []Judgement {
	lists, err := x.annotate()
	if err != nil {
		return one(unparsable(err, nil))
	}
	views, debated, open := make([]annotations, len(dimensions)), false, false
	for i, d := range dimensions {
		views[i] = lists[i]
		if !lists[i].severe() {
			continue
		}
		debated = true
		views[i], err = x.debate(d, lists[i])
		open = open || isOpen(err)
	}
	empty := !slices.ContainsFunc(lists, func(l annotations) bool { return len(l) > 0 })
	switch {
	case open:
		return nil
	case !debated && empty, onlyQuotationMarks(x.Source) && onlyQuotationMarks(x.translation()):
		return one(mmadJudgement(x, nil))
	}
	final, err := ask(x, question{
		step: "judge", role: "judge", maxTokens: 1000,
		messages: func() []Message {
			v := x.values(x.translation())
			for i, d := range dimensions {
				v[d.name] = views[i].String()
			}
			return []Message{system(x.prompt("judge system", v)), user(x.prompt("judge", v))}
		},
	}, readAnnotations)
	if err != nil {
		return one(unparsable(err, nil))
	}
	return one(mmadJudgement(x, final))
}

// annotate is stage 1. It returns the list of each dimension.
func (x *run) annotate() ([]annotations, error) {
	lists := make([]annotations, len(dimensions))
	errs := make([]error, len(dimensions))
	for i, d := range dimensions {
		v := x.values(x.translation()).with(d.values())
		lists[i], errs[i] = ask(x, question{
			step: "annotate/" + d.name, role: d.name + " annotator", maxTokens: 1000,
			messages: func() []Message {
				return slices.Concat(
					[]Message{system(x.prompt("annotator system", v))}, x.worked("annotator", d.name, d.values()),
					[]Message{user(x.prompt("annotator", v))},
				)
			},
		}, readAnnotations)
	}
	return lists, errors.Join(errs...)
}

// A statement is what a debater says, and the list in it.
type statement struct {
	text string
	list annotations
}

// debate is stage 2 for one dimension. It returns the view of the dimension.
func (x *run) debate(d dimension, first annotations) (annotations, error) {
	sides := [2]debater{
		{x: x, d: d, name: "side A", said: []statement{{first.String(), first}}},
		{x: x, d: d, name: "side B", said: []statement{x.contrary(first)}},
	}
	for round := 1; round <= mmadRounds; round++ {
		step := fmt.Sprintf("debate/%s/round %d/", d.name, round)
		a, errA := sides[0].answer(step, sides[1].said)
		b, errB := sides[1].answer(step, sides[0].said)
		if err := errors.Join(errA, errB); isOpen(err) {
			return nil, errOpen
		}
		sides[0].said, sides[1].said = append(sides[0].said, a), append(sides[1].said, b)
		agree, err := ask(x, question{
			step: step + "consensus", role: "consensus checker", maxTokens: 1000,
			messages: func() []Message {
				return []Message{user(x.prompt("consensus", values{"first": a.list.String(), "second": b.list.String()}))}
			},
		}, readYesNo)
		switch {
		case isOpen(err):
			return nil, err
		case err == nil && agree:
			return a.list, nil
		}
	}
	return first, nil
}

// contrary is the first statement of side B.
func (x *run) contrary(first annotations) statement {
	list, rejects := annotations{}, false
	for _, a := range first {
		if isNonTranslation(a.Category) {
			rejects = true
			continue
		}
		if a.Severity == "major" {
			a.Severity = "minor"
		}
		list = append(list, a)
	}
	if rejects {
		return statement{x.prompt("rejection", values{"annotations": list.String()}), list}
	}
	return statement{list.String(), list}
}

// A debater is one side of a debate with all that it has said; the first is its standpoint.
type debater struct {
	x    *run
	d    dimension
	name string
	said []statement
}

// answer asks the debater to answer the other side's latest statement. A reply that cannot be read
// leaves the debater's previous list as it is. The error can only be errOpen.
func (s *debater) answer(step string, other []statement) (statement, error) {
	last := s.said[len(s.said)-1]
	got, err := ask(s.x, question{
		step: step + s.name, role: s.d.name + " debater, " + s.name, maxTokens: 1000,
		messages: func() []Message {
			v := s.x.values(s.x.translation()).with(s.d.values())
			m := []Message{system(s.x.prompt("debater system", s.d.values())), user(s.x.prompt("debater segment", v))}
			for i, own := range s.said {
				m = append(m, assistant(own.text), user(s.x.prompt("debate", values{"other": other[i].text})))
			}
			return m
		},
	}, func(r Reply) (statement, error) {
		list, err := readAnnotations(r)
		return statement{r.Text, list}, err
	})
	switch {
	case isOpen(err):
		return statement{}, err
	case err != nil:
		return statement{last.list.String(), last.list}, nil
	}
	return got, nil
}

// An annotation is an error as the agents of M-MAD write it.
type annotation struct {
	ErrorSpan     string `json:"error_span"`
	Category      string `json:"category"`
	Severity      string `json:"severity"`
	IsSourceError string `json:"is_source_error,omitempty"`
}

type annotations []annotation

// severe says that a list has a major error or a non-translation.
func (l annotations) severe() bool {
	return slices.ContainsFunc(l, func(a annotation) bool { return a.Severity == "major" || isNonTranslation(a.Category) })
}

// String is the list as it stands in prompts.
func (l annotations) String() string {
	if l == nil {
		l = annotations{}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]annotations{"annotations": l}); err != nil {
		panic("judge: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

// readAnnotations reads the last complete list of a reply: an object with "annotations", or a bare list
// of objects. An annotation without a known severity makes the reply unreadable.
func readAnnotations(r Reply) (annotations, error) {
	v, ok := lastJSON(r.Text, func(v any) bool {
		if o, ok := asObject(v); ok {
			_, has := o.get("annotations")
			return has
		}
		items, ok := v.([]any)
		return ok && !slices.ContainsFunc(items, func(item any) bool { _, ok := asObject(item); return !ok })
	})
	if !ok {
		return nil, fmt.Errorf("there is no complete list of annotations in %s", excerpt(r.Text))
	}
	if o, ok := asObject(v); ok {
		v, _ = o.get("annotations")
	}
	if o, ok := asObject(v); ok {
		v = []any{map[string]any(o)} // a single annotation that is not in a list
	}
	items, ok := v.([]any)
	if !ok {
		return nil, errors.New("the annotations are no list")
	}
	list := annotations{}
	for i, item := range items {
		o, ok := asObject(item)
		if !ok {
			return nil, fmt.Errorf("annotation %d is no object", i+1)
		}
		severity := strings.ToLower(strings.TrimSpace(o.text("severity")))
		switch severity {
		case "critical":
			severity = "major"
		case "major", "minor", "neutral":
		default:
			return nil, fmt.Errorf("annotation %d has the severity %q, not major or minor", i+1, severity)
		}
		list = append(list, annotation{o.text("error_span"), o.text("category"), severity, o.text("is_source_error")})
	}
	return list, nil
}

var (
	saysYes = pattern(`(?i)\byes\b`)
	saysNo  = pattern(`(?i)\bno\b`)
	verdict = pattern(`(?i)^\W*(yes|no)\W*[,.;:!?–—\n-]\W*(\w+)`)
)

// readYesNo reads a reply that has the word yes or the word no, but not both, or begins with one of them
// and gives its reason after a mark, as in "Yes, there is no difference".
func readYesNo(r Reply) (bool, error) {
	if first := verdict().FindStringSubmatch(r.Text); first != nil && !saysYes().MatchString(first[2]) && !saysNo().MatchString(first[2]) {
		return strings.EqualFold(first[1], "yes"), nil
	}
	yes, no := saysYes().MatchString(r.Text), saysNo().MatchString(r.Text)
	if yes == no {
		return false, fmt.Errorf("it says neither yes nor no: %s", excerpt(r.Text))
	}
	return yes, nil
}

// onlyQuotationMarks says that a text is nothing but double quotation marks.
func onlyQuotationMarks(s string) bool { return strings.Trim(s, "\"“”„‟＂ \t\r\n") == "" }

// mmadJudgement scores a final list. It sums tenths, which are exact.
func mmadJudgement(x *run, final annotations) Judgement {
	if i := slices.IndexFunc(final, func(a annotation) bool { return isNonTranslation(a.Category) }); i >= 0 {
		final = final[i : i+1]
	}
	p := placer{source: x.Source, translation: x.translation()}
	var errs []Error
	tenths, eq1 := 0, 0
	for _, a := range final {
		e := Error{Severity: a.Severity, Category: a.Category, Text: a.ErrorSpan}
		errs = append(errs, p.place(e, hint{sourceFirst: strings.EqualFold(a.IsSourceError, "yes")}))
		tenths += wmtTenths(a.Category, a.Severity)
		eq1 += map[string]int{"major": 5, "minor": 1}[a.Severity]
	}
	j := scored(-float64(tenths)/10, errs)
	j.Scores = map[string]float64{"score_eq1": round9(-float64(eq1))}
	return j
}

// wmtTenths is ten times the weight of an error in the WMT metrics tasks: major 5, minor 1, minor
// punctuation 0.1, neutral 0, non-translation 25 (Zhang et al. 2025, Table 6; the last is inferred from released scores).
func wmtTenths(category, severity string) int {
	switch {
	case isNonTranslation(category):
		return 250
	case severity == "major":
		return 50
	case severity == "minor" && strings.Contains(letters(category), "punctuation"):
		return 1
	case severity == "minor":
		return 10
	}
	return 0
}
