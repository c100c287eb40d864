package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// EAPrompt asks for the major and minor errors of a translation, and then, in a second call that holds
// nothing but the first reply, for their two counts. The score is -(5 major + 1 minor), without a limit.
//
// The method is that of Lu et al. 2024 as Tian et al. 2026 (F.2, Figure 25) and Feng et al. 2025 (3.1, Eq. 1,
// Figure 6) describe it. The messages follow its published code: a worked example for the pair of languages,
// temperature 0, 256 tokens. The worked example here is one for all pairs. The published code has no
// reader and no score; its description leaves the weight of a major error open, and Feng et al. 2025, Eq. 1,
// has 5.
//
// The variant "two_step" is the default. "one_step" asks for errors and counts in one call and computes
// the score from the listed errors, because models miscount. "reference" and "one_step_reference" add
// a reference between source and translation, as in the published code. They cannot judge segments
// that have no reference. "mmad_single_query" is the form of Feng et al. 2025, Figure 6: it makes one call and
// reads the score from a score tag in the reply.
func init() {
	register(Method{
		Name: "eaprompt", Title: "EAPrompt", Version: 1,
		Scale: Scale{math.Inf(-1), 0},
		Needs: Needs{Reference: true},
		Spans: true,
		Variants: []Variant{
			{Name: "two_step", Calls: Forecast{2, 2, 2}},
			{Name: "one_step", Calls: Forecast{1, 1, 1}},
			{Name: "reference", Calls: Forecast{2, 2, 2}, Reference: true},
			{Name: "one_step_reference", Calls: Forecast{1, 1, 1}, Reference: true},
			{Name: "mmad_single_query", Calls: Forecast{1, 1, 1}},
		},
		Calls:    Forecast{2, 2, 2},
		judge:    eaPrompt,
		Wordings: []string{"6b4813edf8647b3c4cf3a7862034aee5e75e67126ead54cb3e0a6f3a5bbbd20a"},
		Prompts: []Prompt{
			{"errors", eaSegment + eaErrors, segmentFields},
			{"count", `
{{.errors}}

Count the errors listed above. Answer with two numbers only, first the major errors and then the minor errors, in the form "x, x". Add nothing else.`, []string{"errors"}},
			{"errors and counts", eaSegment + eaErrors + `
After the two lists, write the number of major errors and the number of minor errors on a line of their own, in the form "x, x".`, segmentFields},
			{"errors and score", eaSegment + eaErrors + `
Then work out the score of the translation. It begins at 0; take off 5 for each major error and 1 for each minor error. End your answer with the score in a tag, in the form <score>-6</score>.`, segmentFields},
			{
				examplesPrompt,
				toExamples(
					[]example{
						eaExample("two_step", ""),
						eaExample("one_step", "\n1, 2"),
						eaExample("mmad_single_query", "\nOne major error takes off 5 and two minor errors take off 2.\n<score>-7</score>"),
					},
				),
				nil,
			},
		},
	})
}

const (
	eaSegment = `
Source: {{.source}}
{{if .reference}}Reference: {{.reference}}
{{end}}Translation: {{.translation}}

`
	eaErrors = `Find the errors of this translation from {{.source_lang}} into {{.target_lang}}. A major error is a real mistake in the translation or its grammar. A minor error is a small imperfection, or a matter of taste. List them under the headings "Major errors:" and "Minor errors:", one a line, as (1) "words of the translation" - kind of error. Write None under a heading without errors.
`
)

func eaExample(variant, end string) example {
	return example{
		SourceLang: "English", TargetLang: "German",
		Source:      "The caretaker keeps the spare key behind the second flowerpot, but only until six.",
		Translation: "Der Hausmeister behält den Ersatzschlüssel hinter dem zweiten Blumenkohl, aber nur bis um sechs Uhr abends.",
		Reference:   "Der Hausmeister hat den Ersatzschlüssel hinter dem zweiten Blumentopf liegen, aber nur bis sechs.",
		Answer:      "Major errors:\n(1) \"Blumenkohl\" - Mistranslation\nMinor errors:\n(1) \"behält\" - Awkward style\n(2) \"abends\" - Addition" + end,
		For:         variant,
	}
}

func eaPrompt(x *run) []Judgement {
	form := map[string]string{"": "two_step", "reference": "two_step", "one_step_reference": "one_step"}[x.Variant]
	if form == "" {
		form = x.Variant
	}
	name := map[string]string{"two_step": "errors", "one_step": "errors and counts", "mmad_single_query": "errors and score"}[form]
	var hidden values // parts of the worked example that the variant does not show
	if !strings.HasSuffix(x.Variant, "reference") {
		hidden = values{"reference": ""}
	}
	v := x.values(x.translation()).with(hidden)
	type answer struct {
		raw   string
		items eaItems
	}
	found, err := ask(x, question{
		step: "errors", role: "annotator", maxTokens: 256,
		messages: func() []Message {
			return append(x.worked(name, form, hidden), user(x.prompt(name, v)))
		},
	}, func(r Reply) (answer, error) {
		items, err := readEAItems(r.Text)
		return answer{r.Text, items}, err
	})
	if err != nil {
		return one(unparsable(err, nil))
	}
	errs := x.placed(found.items.errors)
	switch form {
	case "one_step":
		if err := found.items.whole; err != nil {
			return one(unparsable(err, errs))
		}
		return one(scored(found.items.score(), errs))
	case "mmad_single_query":
		score, err := readScoreTag(found.raw)
		if err != nil {
			return one(unparsable(err, errs))
		}
		return one(scored(score, errs))
	}
	score, err := ask(x, question{
		step: "count", role: "counter", maxTokens: 256,
		messages: func() []Message { return []Message{user(x.prompt("count", values{"errors": found.raw}))} },
	}, readCounts)
	if err != nil {
		return one(unparsable(err, errs))
	}
	j := scored(score, errs)
	j.Scores = map[string]float64{"score_from_items": found.items.score()}
	return one(j)
}

// eaItems are the errors that a reply lists.
type eaItems struct {
	errors []Error
	whole  error // why the lists cannot be taken for all errors; nil if they can
}

func (i eaItems) score() float64 {
	sum := 0.0
	for _, e := range i.errors {
		sum += map[string]float64{"major": 5, "minor": 1}[e.Severity]
	}
	return -sum
}

var (
	namesSeverity = pattern(`(?i)\b(major|minor)\b`)
	namesAbsence  = pattern(
		`(?i)\b(no|without|without any|free of|free from|zero|do not \w+ any|don['’]t \w+ any) (\w+ )?(errors?|mistakes?)\b|\berror[- ]free\b|\bno-errors?\b|^\W*none\W*$`,
	)
	refusal = pattern(
		`(?i)^\W*(i['’]?m|i am)? ?(sorry|unable|not able)\b|^\W*i (can['’]?t|cannot|can not|won['’]?t|will not|am not able)\b|^\W*as an ai\b|^\W*(unfortunately|apologies|i apologi[sz]e)\b`,
	)
)

// readEAItems reads the lists of a reply: numbered or bulleted lines under a heading of major or minor
// errors. The text of an error stands between its outermost quotation marks, its category after the last
// dash with blanks around it. A reply that names neither major nor minor errors nor their absence is
// unreadable, and so is a refusal without lists.
func readEAItems(reply string) (eaItems, error) {
	list := sections(reply, isEAItem)
	list = slices.DeleteFunc(list, func(s section) bool { return s.severity == "critical" })
	switch {
	case !namesSeverity().MatchString(reply) && !namesAbsence().MatchString(reply):
		return eaItems{}, fmt.Errorf("it names neither major nor minor errors nor that there are none: %s", excerpt(reply))
	case len(list) == 0 && refusal().MatchString(reply):
		return eaItems{}, fmt.Errorf("it is a refusal: %s", excerpt(reply))
	}
	var items eaItems
	for _, s := range list {
		for _, line := range s.lines {
			if e, ok := eaItem(line); ok {
				e.Severity = s.severity
				items.errors = append(items.errors, e)
			}
		}
	}
	switch {
	case len(list) > 0:
		for _, s := range list { // each list counts, so each must be readable
			err := unread([]section{s}, func(line string) bool { return isEAItem(line) || isNoItem(line) })
			items.whole = errors.Join(items.whole, err)
		}
	case namesSeverity().MatchString(reply) || !namesAbsence().MatchString(reply):
		items.whole = errors.New("it has no list of errors to count")
	}
	return items, nil
}

func isEAItem(line string) bool { _, ok := eaItem(line); return ok }

// spacedDash separates the words of an error from its category.
var spacedDash = pattern(`\s[-–—−]\s`)

func eaItem(line string) (Error, bool) {
	item, ok := unbullet(line)
	item = strings.ReplaceAll(item, "**", "")
	if !ok || isNoError(item) || isNoItem(line) {
		return Error{}, false
	}
	e := Error{Text: item}
	if at := spacedDash().FindAllStringIndex(item, -1); at != nil {
		last := at[len(at)-1]
		e.Text, e.Category = strings.TrimSpace(item[:last[0]]), strings.TrimSpace(item[last[1]:])
	}
	if words, ok := quoted(item); ok {
		e.Text = words
	} else {
		e.Text, _ = unquote(e.Text)
	}
	return e, true
}

func isNoItem(line string) bool {
	item, _ := unbullet(line)
	return noErrorItem().MatchString(bare(item))
}

// noErrorItem is an item of a list that says in words that the list is empty.
var noErrorItem = pattern(`(?i)^(no|none)( (major|minor))?( errors?)?( found| identified)?[.。]?$`)

var (
	integer = pattern(`[0-9]+`)
	tooLong = pattern(`[0-9]{7}`)
	// pair is two integers with a comma between them.
	pair = pattern(`([0-9]+)\s*[,，、]\s*([0-9]+)`)
	// labelled is two integers, each after its label.
	labelled = pattern(`(?is)\bmajor\b[^0-9]*?([0-9]+)[^0-9]*\bminor\b[^0-9]*?([0-9]+)`)
	// signed is a number that is more than a count: with a sign, a decimal point or a fraction bar.
	signed = pattern(`[-+−–./][0-9]|[0-9][./][0-9]|[0-9]\s*/|/\s*[0-9]|%`)
)

// readCounts reads the counts of major and minor errors and returns the score. Asterisks and backticks
// are dropped. The reply must hold exactly two integers in ASCII digits, next to each other with a comma
// between, or each after its label.
func readCounts(r Reply) (float64, error) {
	s := strings.NewReplacer("*", "", "`", "").Replace(r.Text)
	var m []string
	if len(integer().FindAllString(s, -1)) == 2 && !signed().MatchString(s) && !tooLong().MatchString(s) {
		if m = pair().FindStringSubmatch(s); m == nil {
			m = labelled().FindStringSubmatch(s)
		}
	}
	if m == nil {
		return 0, fmt.Errorf("the counts of major and minor errors are not clear from %s", excerpt(r.Text))
	}
	major, _ := strconv.Atoi(m[1]) // the pattern has checked them
	minor, _ := strconv.Atoi(m[2])
	return -float64(5*major + minor), nil
}

var (
	scoreTag    = pattern(`(?is)<score>(.*?)</score>`)
	scoreNumber = pattern(`^[-−]?[0-9]{1,7}(\.[0-9]+)?$`)
)

// readScoreTag reads the score that a reply states in its one score tag. A score above 0 cannot be right.
func readScoreTag(reply string) (float64, error) {
	tags := scoreTag().FindAllStringSubmatch(reply, -1)
	if len(tags) != 1 {
		return 0, fmt.Errorf("score: there are %d score tags, not one", len(tags))
	}
	text := strings.TrimSpace(tags[0][1])
	score, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
	if err != nil || score > 0 || !scoreNumber().MatchString(text) {
		return 0, fmt.Errorf("score: %s is no number of 0 or below", excerpt(text))
	}
	return score, nil
}
