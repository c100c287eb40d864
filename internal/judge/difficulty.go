package judge

// difficulty asks how hard a source is to translate: a number from 0 to 100 with a reason, in one message without
// examples. It sees no translation.
//
// The method is that of the preliminary filter of MENT (Tian et al. 2026, section 3.1 and appendix A.1): the difficulty of
// translating, not of reading, by figurative language, meaning that is not said, style and culture. The paper asks for 1 to 10;
// this method asks for 0 to 100, as the other methods here do, and names the target language where the campaign has one. The
// reason comes first in the reply, so that the number follows from it.
func init() {
	register(Method{
		Name: "difficulty", Title: "the preliminary filter of MENT", Version: 1,
		Scale:           Scale{0, 100},
		OfSource:        true,
		RetriesInReplay: true,
		Calls:           Forecast{1, 1, 1},
		judge:           difficulty,
		Wordings:        []string{"8a8c719e7b4d9b13ca4d8ddf8b827d0e21ea3f30a7f908ed0f2f0fa72114a6d3"},
		Prompts: []Prompt{{"score", `
How hard is it to translate the following text from {{.source_lang}}{{if .target_lang}} into {{.target_lang}}{{end}}, so that the translation is both accurate and natural? Judge how hard it is to translate, not how hard it is to read. A short, plain text can be hard to translate, and a long text with rare words can be easy.

What makes a text hard to translate:
- Words that do not mean what they say: metaphor, irony, idioms, proverbs, slang, memes.
- Meaning that is left unsaid or that can be taken in several ways, where the translation has to choose or to keep both.
- Form that carries meaning: rhyme, metre, puns, play with sounds, dialect, a narrator's voice, unusual syntax.
- Things of a culture that readers of the other language do not know: customs, food, institutions, history, quotations.

Use any whole number from 0 to 100:
0: word by word gives a good translation.
25: a few words need thought.
50: a good translator has to recast a part of the text.
75: the meaning depends on something that has no counterpart.
100: even experts would disagree on how to save the meaning.

The text in {{.source_lang}}:
"{{.source}}"

Answer with one JSON object and nothing else. Name the hardest words in the reason, in one sentence of English:
{"reason": "…", "score": 0}`, sourceFields}},
	})
}

// A graded source has a score with a reason.
type graded struct {
	score  float64
	reason string
}

func difficulty(x *run) []Judgement {
	got, err := ask(x, question{
		step: "score", role: "judge", maxTokens: 500,
		messages: func() []Message { return []Message{user(x.prompt("score", x.values("")))} },
	}, func(r Reply) (graded, error) {
		score, err := readScore100(r)
		o, _ := lastObject(r.Text)
		return graded{score, o.text("reason")}, err
	})
	if err != nil {
		return one(unparsable(err, nil))
	}
	j := scored(got.score, nil)
	j.Comment = got.reason
	return one(j)
}
