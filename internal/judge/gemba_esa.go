package judge

import "slices"

// GEMBA-ESA asks for errors as GEMBA-MQM does, with two severities, and then for one score from 0 to 100
// with the errors in view: two calls.
//
// The method is that of the published code (docs/sources.md, GEMBA). The second call gets the raw text of the
// first reply. Its scale has four points: 0, 33, 66 and 100.
//
// The published code never reads the first reply, accepts an empty one, and hands the word None to the
// second call if the first reply was cut. This method reads it as gemba-mqm does and asks again if it
// cannot. An error under the heading critical counts as major, since ESA has two severities; a
// non-translation stays critical. The published code sets no token limit; neither does this method.
func init() {
	register(Method{
		Name: "gemba-esa", Title: "GEMBA-ESA", Version: 1,
		Scale: Scale{0, 100},
		Spans: true, RetriesInReplay: true,
		Calls: Forecast{2, 2, 2},
		judge: gembaESA,
		Wordings: []string{
			"7b85887da42087393f1d8b28afefee91166bd518b14eb4e47a5bb4ae63729596",
			"c24f3e7b974f0216ec29239356474539119a28c0fa590d3e1d00240229eb1610",
		},
		Prompts: []Prompt{
			{"system", "You check the quality of machine translations. You find the errors of a translation and say what kind each one is.", nil},
			{"request", gembaRequest + `
Give each error one of two severities:
- major: it changes the meaning of the source, or makes the text hard to use or to understand.
- minor: it is a matter of style, grammar or wording that leaves the meaning as it is.

Answer with the two headings "Major:" and "Minor:". Under each, write one error a line, as category/subcategory - "words of the translation". Where there is no error, write no-error.`, segmentFields},
			{examplesPrompt, gembaExamples("Major:\n", "Major:\n", "Major:\naccuracy/mistranslation - \"must be swallowed\"\n"), nil},
			{"score", `
Rate a translation from {{.source_lang}} into {{.target_lang}} with any number from 0 to 100. These four points describe the scale:
- 0: nothing of the meaning is left; the translation has next to nothing to do with the source.
- 33: some of the meaning is left, but important parts are missing, and the text is hard to follow.
- 66: most of the meaning is left, with few mistakes in grammar or smaller inconsistencies.
- 100: the meaning is complete, and grammar and style fit the text throughout.

The source in {{.source_lang}}:
` + "```{{.source}}```" + `
The translation into {{.target_lang}}:
` + "```{{.translation}}```" + `
Errors that an annotator marked in the translation:
` + "```\n{{.errors}}\n```" + `
Take the errors into account and answer with the number alone.
Score:`, fields("errors")},
		},
	})
}

func gembaESA(x *run) []Judgement {
	v := x.values(x.translation())
	type answer struct {
		raw  string
		list []Error
	}
	marked, err := ask(x, question{
		step: "errors", role: "annotator",
		messages: func() []Message {
			return slices.Concat([]Message{system(x.prompt("system", v))}, x.worked("request", "", nil), []Message{user(x.prompt("request", v))})
		},
	}, func(r Reply) (answer, error) {
		list, err := readErrorList(r)
		return answer{r.Text, list}, err
	})
	if err != nil {
		return one(unparsable(err, nil))
	}
	for i, e := range marked.list {
		if e.Severity == "critical" && !isNonTranslation(e.Category) {
			marked.list[i].Severity = "major"
		}
	}
	errs := x.placed(marked.list)
	score, err := ask(x, question{
		step: "score", role: "judge",
		messages: func() []Message {
			return []Message{user(x.prompt("score", v.with(values{"errors": marked.raw})))}
		},
	}, readScore100)
	if err != nil {
		return one(unparsable(err, errs))
	}
	return one(scored(score, errs))
}
