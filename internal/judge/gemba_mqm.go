package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// GEMBA-MQM asks for the errors under three headings, critical, major and minor, in one call: a system
// message, three worked examples as turns of a conversation, the same for every pair of languages, and
// the segment.
//
// The prompts are worded here; wording 1 had a category, locale convention, that the published prompt does
// not have. The method is that of Kocmi and Federmann 2023a as Feng et al. 2025 (Figures 4 and 5) and Tian et
// al. 2026 (F.2, Figure 23) describe it: the messages, the list of categories, and the three severities with
// their definitions. The score is that of the published code: critical 25, major 5, minor 1, over the first five errors in the
// order critical, major, minor, at most 25, negated. All errors are kept.
//
// The published reader knows only headings written exactly as asked, counts "None" and remarks as
// errors, drops an error whose words mention "no error", looks for the category in the quoted words too,
// and gives a refusal a perfect score. This method reads as readErrorList says, and a refusal has no
// score. Categories are named as in the published code.
func init() {
	register(Method{
		Name: "gemba-mqm", Title: "GEMBA-MQM", Version: 1,
		Scale: Scale{-25, 0},
		Spans: true, RetriesInReplay: true,
		Calls: Forecast{1, 1, 1},
		judge: gembaMQM,
		Wordings: []string{
			"a6883bad20300851403dbed636a75ef04439bd45f87d3065cce901a71c08e681",
			"1bb9c5c9304b92030bccfc0b62225fa10508edad8e838994231efeabaa0c5ac4",
		},
		Prompts: []Prompt{
			{"system", "You check the quality of machine translations. You find the errors of a translation and say what kind each one is.", nil},
			{"request", gembaRequest + `
Give each error one of three severities:
- critical: the reader cannot understand the text because of it.
- major: it breaks the flow of the text, but the reader still understands what is meant.
- minor: it is a formal slip that neither breaks the flow nor makes the text harder to understand.

Answer with the three headings "Critical:", "Major:" and "Minor:". Under each, write one error a line, as category/subcategory - "words of the translation". Where there is no error, write no-error.`, segmentFields},
			{
				examplesPrompt,
				gembaExamples(
					"Critical:\nno-error\nMajor:\n", "Critical:\nno-error\nMajor:\n",
					"Critical:\naccuracy/mistranslation - \"must be swallowed\"\nMajor:\n",
				),
				nil,
			},
		},
	})
}

// gembaRequest is what the requests of gemba-mqm and gemba-esa have in common.
const gembaRequest = "{{.source_lang}} source:\n```{{.source}}```\n{{.target_lang}} translation:\n```{{.translation}}```\n" + `
Compare the translation with the source; both stand between triple backticks. Name each error of the translation and its category. The categories are: accuracy (addition, mistranslation, omission, untranslated text), fluency (character encoding, grammar, inconsistency, punctuation, register, spelling), style (awkward), terminology (inappropriate for context, inconsistent use), non-translation, other, or no-error.
`

// gembaExamples are the worked examples, from English into German, from English into Czech and from
// Chinese into English. Each answer begins with a given text.
func gembaExamples(german, czech, english string) string {
	return toExamples([]example{
		{
			SourceLang: "English", TargetLang: "German",
			Source:      "Your bicycle is ready, but please bring the yellow slip, since the workshop cannot release it without one.",
			Translation: "Ihr Fahrrad ist fertig, aber bring bitte den gelben Unterhose, da die Werkstatt es nicht herausgeben kann.",
			Answer:      german + "accuracy/mistranslation - \"Unterhose\"\naccuracy/omission - \"without one\"\nMinor:\nfluency/grammar - \"den gelben\"\nfluency/register - \"bring\"",
		},
		{
			SourceLang: "English", TargetLang: "Czech",
			Source:      "The council met on Monday to decide whether the old mill should become a library.",
			Translation: "Rada se v pondělí sešla v pondělí, aby rozhodla, zda se má starý mlejn stát knihovnou.",
			Answer:      czech + "accuracy/addition - \"v pondělí\"\nMinor:\nterminology/inappropriate for context - \"mlejn\"",
		},
		{
			SourceLang: "Chinese", TargetLang: "English",
			Source:      "本品外用，切勿入口，开封后请在三个月内用完。",
			Translation: "This product is for outside, must be swallowed, after open please use up in three months.",
			Answer:      english + "accuracy/mistranslation - \"for outside\"\nMinor:\nfluency/grammar - \"after open\"\nstyle/awkward - \"please use up\"",
		},
	})
}

func gembaMQM(x *run) []Judgement {
	v := x.values(x.translation())
	list, err := ask(x, question{
		step: "errors", role: "judge", maxTokens: 500,
		messages: func() []Message {
			return slices.Concat([]Message{system(x.prompt("system", v))}, x.worked("request", "", nil), []Message{user(x.prompt("request", v))})
		},
	}, readErrorList)
	if err != nil {
		return one(unparsable(err, nil))
	}
	return one(scored(gembaScore(list), x.placed(list)))
}

// gembaScore is the score of the published code: over the first five errors by severity, at most 25,
// negated.
func gembaScore(list []Error) float64 {
	weights := map[string]float64{"critical": 25, "major": 5, "minor": 1}
	sum, counted := 0.0, 0
	for _, severity := range []string{"critical", "major", "minor"} {
		for _, e := range list {
			if e.Severity == severity && counted < 5 {
				sum, counted = sum+weights[severity], counted+1
			}
		}
	}
	return -min(sum, 25)
}

// placed are errors with their places in the one translation of the task.
func (x *run) placed(list []Error) []Error {
	p := placer{source: x.Source, translation: x.translation()}
	placed := slices.Clone(list)
	for i, e := range placed {
		placed[i] = p.place(e, hint{})
	}
	return placed
}

// readErrorList reads the errors of a reply, in the order of their severity headings. An error is a line
// with a category, a dash and words, or the bare word non-translation; other lines are left aside. A
// reply in JSON counts only if it has "improved translation" and "errors". A reply without a heading and
// without a no-error mark, or with lines under headings none of which can be read, is unreadable.
// A non-translation is critical under every heading.
func readErrorList(r Reply) ([]Error, error) {
	if o, ok := lastObject(r.Text); ok {
		if _, improved := o.get("improved translation"); improved {
			return readErrorObject(o)
		}
	}
	list := sections(r.Text, isGembaError)
	if len(list) == 0 {
		for line := range strings.Lines(r.Text) {
			if isNoError(line) {
				return nil, nil
			}
		}
		return nil, fmt.Errorf("there is neither a heading nor a no-error mark in %s", excerpt(r.Text))
	}
	if err := unread(list, isGembaError); err != nil {
		return nil, err
	}
	var errs []Error
	for _, severity := range []string{"critical", "major", "minor"} {
		for _, s := range list {
			for _, line := range s.lines {
				if e, ok := gembaError(line); ok && s.severity == severity {
					e.Severity = severity
					errs = append(errs, e)
				}
			}
		}
	}
	return criticalFirst(errs), nil
}

// criticalFirst makes non-translations critical and puts critical errors first.
func criticalFirst(errs []Error) []Error {
	for i, e := range errs {
		if isNonTranslation(e.Category) {
			errs[i].Severity = "critical"
		}
	}
	slices.SortStableFunc(errs, func(a, b Error) int {
		critical := func(e Error) int {
			if e.Severity == "critical" {
				return 0
			}
			return 1
		}
		return critical(a) - critical(b)
	})
	return errs
}

// dash separates the category of an error from its words.
var dash = pattern(`\s+[-–—−]+\s*|[–—]+\s*|-(["“„«「『])`)

func isGembaError(line string) bool { _, ok := gembaError(line); return ok }

// gembaError reads an error from a line, without its severity.
func gembaError(line string) (Error, bool) {
	item, _ := unbullet(line)
	if isNoError(item) {
		return Error{}, false
	}
	label, words, ok := cutDash(item)
	if !ok {
		return Error{Category: "non-translation"}, letters(item) == "nontranslation"
	}
	category := gembaCategory(label)
	text, isQuoted := spanOf(words)
	if category == "unknown" && !isQuoted || words == "" || strings.Count(label, " ") > 5 {
		return Error{}, false // a remark with a dash in it
	}
	return Error{Category: category, Text: text}, true
}

// cutDash parts the label of an error from its words.
func cutDash(item string) (label, words string, ok bool) {
	if at := dash().FindStringSubmatchIndex(item); at != nil {
		end := at[1]
		if at[2] >= 0 {
			end = at[2] // the quotation mark belongs to the words
		}
		label, words = item[:at[0]], item[end:]
	} else if label, words, ok = strings.Cut(item, "-"); !ok || gembaCategory(label) == "unknown" {
		return "", "", false
	}
	return unmark(label), strings.TrimSpace(strings.Trim(words, "*")), true
}

// spanOf returns the words of an error: what stands between the outermost quotation marks, or all.
func spanOf(words string) (text string, isQuoted bool) {
	if inner, ok := quoted(words); ok {
		return inner, true
	}
	return unquote(words)
}

// gembaCategories are the categories of the published code with their subcategories. A category that
// stands within a label counts, in this order; of its subcategories the last counts.
var gembaCategories = []struct {
	name string
	subs []string
}{
	{"accuracy", []string{"addition", "omission", "mistranslation", "untranslated text"}},
	{"fluency", []string{"character encoding", "grammar", "inconsistency", "punctuation", "register", "spelling"}},
	{"locale convention", []string{"currency", "date", "name", "telephone", "time"}},
	{"style", nil},
	{"terminology", []string{"inappropriate", "inconsistent"}},
	{"non-translation", nil},
	{"other", nil},
}

// gembaCategory names the category of a label as the published code does, e.g. "accuracy-omission" or
// "style". A label without a known category gives "unknown".
func gembaCategory(label string) string {
	label = strings.ToLower(label)
	if isNonTranslation(label) {
		return "non-translation"
	}
	for _, c := range gembaCategories {
		if !strings.Contains(label, c.name) {
			continue
		}
		name := c.name
		for _, sub := range c.subs {
			if strings.Contains(label, sub) {
				name = c.name + "-" + sub
			}
		}
		return name
	}
	return "unknown"
}

// readErrorObject reads the form in JSON that some models give: {"improved translation": …, "errors":
// {"critical": […], "major": […], "minor": […]}} with a list of texts or of {"class": …, "span": …}.
func readErrorObject(o object) ([]Error, error) {
	v, _ := o.get("errors")
	lists, ok := asObject(v)
	if !ok {
		return nil, errors.New(`the JSON object has no "errors" with lists by severity`)
	}
	var errs []Error
	known := false
	for _, severity := range []string{"critical", "major", "minor"} {
		v, ok := lists.get(severity)
		known = known || ok
		items, isList := v.([]any)
		if v != nil && !isList {
			return nil, fmt.Errorf("the errors of severity %s are no list", severity)
		}
		for _, item := range items {
			e, ok := objectError(item)
			if !ok {
				return nil, fmt.Errorf("an error of severity %s can be read neither as an object with a class nor as a line", severity)
			}
			e.Severity = severity
			errs = append(errs, e)
		}
	}
	if !known {
		return nil, errors.New(`"errors" names none of the severities critical, major and minor`)
	}
	return criticalFirst(errs), nil
}

func objectError(item any) (Error, bool) {
	if line, ok := item.(string); ok {
		return gembaError(line)
	}
	o, ok := asObject(item)
	if !ok {
		return Error{}, false
	}
	for _, key := range []string{"class", "category", "type"} {
		if label := o.text(key); label != "" {
			return Error{Category: gembaCategory(label), Text: o.text("span")}, true
		}
	}
	return Error{}, false
}
