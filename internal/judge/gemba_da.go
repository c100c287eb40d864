package judge

// GEMBA-DA asks for one number from 0 to 100, in one message without examples.
//
// The method is that of Kocmi and Federmann 2023b as Tian et al. 2026 (F.2, Figure 24) describe it: the
// languages, both texts, and the scale with its two ends described. The variant "reference" adds the reference, as
// an option of the published code does. It cannot judge segments that have no reference. Figure 24 asks
// for a JSON object, the published code for a bare number. This method asks for the number and reads
// both.
//
// The published code takes any single run of digits anywhere in a reply as the score, drops signs, never
// accepts a decimal, and asks up to eleven times. This method reads numbers as readScore100 says and
// asks again as often as the task allows. Both limit a reply to 500 tokens and start at temperature 0.
func init() {
	register(Method{
		Name: "gemba-da", Title: "GEMBA-DA", Version: 1,
		Scale:           Scale{0, 100},
		Needs:           Needs{Reference: true},
		Variants:        []Variant{{Name: "reference", Calls: Forecast{1, 1, 1}, Reference: true}},
		RetriesInReplay: true,
		Calls:           Forecast{1, 1, 1},
		judge:           gembaDA,
		Wordings:        []string{"fabe708064bec84f246a8a3a528d48099d05ad15b76b039fb8728c2ddf7e0e1d"},
		Prompts: []Prompt{{"score", `
Rate how good a translation from {{.source_lang}} into {{.target_lang}} is. Use any number from 0 to 100. 0 means that nothing of the meaning of the source is left. 100 means that the meaning is complete and the grammar is flawless.

The source in {{.source_lang}}:
"{{.source}}"
{{if .reference}}
A translation by a person into {{.target_lang}}, for comparison:
"{{.reference}}"
{{end}}
The translation into {{.target_lang}} that you rate:
"{{.translation}}"

Answer with the number alone.
Score:`, segmentFields}},
	})
}

func gembaDA(x *run) []Judgement {
	v := x.values(x.translation())
	if x.Variant != "reference" {
		v["reference"] = ""
	}
	score, err := ask(x, question{
		step: "score", role: "judge", maxTokens: 500,
		messages: func() []Message { return []Message{user(x.prompt("score", v))} },
	}, readScore100)
	if err != nil {
		return one(unparsable(err, nil))
	}
	return one(scored(score, nil))
}
