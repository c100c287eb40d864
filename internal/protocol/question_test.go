package protocol

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/quick"
)

// curation reads the protocol of testdata/curate.json, and its text.
func curation(t testing.TB) (*Protocol, string) {
	t.Helper()
	text, err := os.ReadFile("testdata/curate.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadOwn(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return p, string(text)
}

func TestReadQuestions(t *testing.T) {
	p, _ := curation(t)
	if !p.OfSegments() || !p.AsksCandidate() || len(p.Asks()) != 5 {
		t.Errorf("of segments %v, asks for a candidate %v, %d questions that are not numbers", p.OfSegments(), p.AsksCandidate(), len(p.Asks()))
	}
	s, ok := p.Score("difficulty")
	if !ok || s.Max != 5 || s.Human != "difficulty" || s.Measurement != Ordinal || len(s.Levels) != 2 {
		t.Errorf("the number is the score %+v", s)
	}
	if q, ok := p.NominalGate(); !ok || q.Name != "keep" {
		t.Errorf("the gate is %q, %v", q.Name, ok)
	}
	if q, ok := p.With(Options{}).NominalGate(); !ok || q.Name != "keep" {
		t.Error("a campaign's settings lose the gate")
	}
	for _, id := range []string{"sqm", "esa", "mqm", "rate"} {
		p, _ := Lookup(id)
		if _, nominal := p.NominalGate(); nominal || p.OfSegments() || len(p.Asks()) > 0 {
			t.Errorf("%s asks questions", id)
		}
	}
}

// TestReadQuestionsRefused: a message names the line, the field and what to do.
func TestReadQuestionsRefused(t *testing.T) {
	_, text := curation(t)
	for _, tt := range []struct{ old, new, want string }{
		{`"unit": "segment"`, `"unit": "document"`, `line 5: unit: must be translation or segment`},
		{`"kind": "candidate"`, `"kind": "pick"`, `line 26: questions[4].kind: must be number, choice, candidate or text`},
		{`"unit": "segment",`, ``, `line 26: questions[4].kind: only a segment has candidates; set unit to segment, or choose another kind`},
		{`"begin": "best"`, `"begin": "keep"`, `line 27: questions[5].begin: must be source, reference, or the name of a question of the kind candidate that comes before this one`},
		{`"question": "difficulty"`, `"question": "cleaned"`, `line 22: questions[2].when.question: must be the name of a choice or a number that comes before this question`},
		{`"is": ["3", "4", "5"]`, `"is": ["3", "6"]`, `line 22: questions[2].when.is[1]: difficulty has no answer "6"`},
		{`"is": ["3", "4", "5"]`, `"is": []`, `line 22: questions[2].when.is: missing; list the answers after which this question is asked`},
		{`{"value": "pun", "label": "Pun"}`, `{"value": "slang", "label": ""}`, `questions[2].options[1].value: "slang" is given twice`},
		{`"several": true`, `"several": true, "none": "x"`, `line 21: questions[2].none: belongs to questions of the kind candidate; leave it out, or change the kind`},
		{`"gate": "keep"`, `"gate": "edited"`, `line 29: gate: "edited" can't be compared: the gate is a number, a choice with one answer, or a candidate`},
		{`"gate": "keep"`, `"gate": "phenomena"`, `line 29: gate: "phenomena" can't be compared: the gate is a number, a choice with one answer, or a candidate`},
		{`"gate": "keep"`, `"gate": "keeps"`, `line 29: gate: there is no score or question "keeps"`},
		{`"name": "best", "label": "The best translation", "kind": "candidate", "none": "None of them", "required": true`, `"name": "best", "label": "The best translation", "kind": "candidate"`, ""},
		{`"name": "cleaned"`, `"name": "keep"`, `line 25: questions[3].name: "keep" is given twice`},
		{`"name": "cleaned"`, `"name": "system"`, `"system" is a column of every table of ratings; choose another name`},
		{`"label": "The cleaned sentence"`, `"label": ""`, `questions[3].label: missing; give the words that the annotator reads`},
		{`"help": "Drop`, `"hint": "Drop`, `line 9: questions[0].hint: there is no such field; correct its name, or leave it out`},
		{`"max": 5,`, `"max": 1,`, `line 16: questions[1].max: must be above min`},
	} {
		changed := strings.Replace(text, tt.old, tt.new, 1)
		if changed == text {
			t.Fatalf("nothing to change: %s", tt.old)
		}
		_, err := ReadOwn(strings.NewReader(changed))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.new, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %s", tt.new, err, tt.want)
		}
	}
}

// finishedCuration is a rating that lacks nothing.
func finishedCuration() Rating {
	return Rating{Scores: map[string]float64{"difficulty": 4}, Answers: map[string]Answer{
		"keep": {Text: "yes"}, "phenomena": {Several: []string{"slang", "pun"}}, "best": {Text: "b"}, "cleaned": {Text: "S."}, "edited": {Text: "T."},
	}}
}

var curationTexts = Texts{Source: "s", Candidates: map[string]string{"a": "A.", "b": "B.", "c": ""}}

func TestAnswersAreChecked(t *testing.T) {
	p, _ := curation(t)
	if v := p.Check(finishedCuration(), curationTexts); len(v) > 0 || p.Missing(finishedCuration()) != "" {
		t.Fatalf("a finished rating: %v, %q", v, p.Missing(finishedCuration()))
	}
	for _, tt := range []struct {
		question string
		answer   Answer
		want     string
	}{
		{"keep", Answer{Text: "maybe"}, `Keep the sentence? has no answer "maybe"; choose one of: yes, no`},
		{"keep", Answer{Several: []string{"yes"}}, "Keep the sentence? has one answer; give it as a text"},
		{"phenomena", Answer{Text: "pun"}, "What makes it difficult may have several answers; give a list of them"},
		{"phenomena", Answer{Several: []string{"pun", "pun"}}, `What makes it difficult has the answer "pun" twice; keep one`},
		{"best", Answer{Text: "d"}, `The best translation: the segment has no candidate "d"; choose one of its candidates`},
		{"best", Answer{Text: "c"}, "The best translation: this candidate has no text; choose another one"},
		{"edited", Answer{Text: strings.Repeat("é", MaxAnswer/2+3)}, "The edited translation is too long; shorten it by 3 characters"},
		{"difficulty", Answer{Text: "4"}, "Difficulty is a number; give it among the scores"},
		{"colour", Answer{Text: "red"}, `Curation has no question named "colour"`},
	} {
		r := finishedCuration()
		r.Answers[tt.question] = tt.answer
		if v := p.Check(r, curationTexts); len(v) != 1 || v[0].Msg != tt.want || v[0].Field != tt.question {
			t.Errorf("%s %v: %v, want %s", tt.question, tt.answer, v, tt.want)
		}
	}
	r := finishedCuration()
	r.Answers["best"] = Answer{}
	if v := p.Check(r, curationTexts); len(v) > 0 {
		t.Errorf("none of the candidates: %v", v)
	}
}

func TestMissingAnswers(t *testing.T) {
	p, _ := curation(t)
	for _, tt := range []struct {
		name   string
		change func(*Rating)
		want   string
	}{
		{"nothing", func(r *Rating) { *r = Rating{} }, "an answer to “Keep the sentence?”"},
		{"no score", func(r *Rating) { delete(r.Scores, "difficulty") }, "a score for Difficulty"},
		{"an optional answer", func(r *Rating) { delete(r.Answers, "phenomena") }, ""},
		{"a blank text", func(r *Rating) { r.Answers["edited"] = Answer{Text: " \n"} }, "an answer to “The edited translation”"},
		{"a text that is not seen", func(r *Rating) {
			r.Answers["edited"] = Answer{Text: "\u200f\u200e\u00a0\u200d\u200b\ufeff\u2066\u2069"}
		}, "an answer to “The edited translation”"},
		{"a text of one joined sign", func(r *Rating) { r.Answers["edited"] = Answer{Text: "\u200f!"} }, ""},
		{"dropped with a reason that is not seen", func(r *Rating) { r.Answers["keep"], r.Comment = Answer{Text: "no"}, "\u200f\u00a0" }, "a comment that explains “Drop”"},
		{"dropped without a reason", func(r *Rating) { r.Answers["keep"] = Answer{Text: "no"} }, "a comment that explains “Drop”"},
		{"dropped with a reason", func(r *Rating) { r.Answers["keep"], r.Comment = Answer{Text: "no"}, "noise" }, ""},
		{"dropped, and nothing else", func(r *Rating) {
			*r = Rating{Comment: "noise", Answers: map[string]Answer{"keep": {Text: "no"}, "best": {}}}
		}, ""},
	} {
		r := finishedCuration()
		tt.change(&r)
		if got := p.Missing(r); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestFinished: what is not asked is left out, down to questions that depend on such a question, and a text that was
// not changed is what it began from.
func TestFinished(t *testing.T) {
	p, _ := curation(t)
	r := finishedCuration()
	r.Answers["keep"] = Answer{Text: "no"}
	got := p.Finished(r, curationTexts)
	if names := slices.Sorted(maps.Keys(got.Answers)); len(got.Scores) != 0 || !slices.Equal(names, []string{"best", "keep"}) {
		t.Errorf("of a dropped sentence stay the scores %v and the answers %v", got.Scores, names)
	}
	if len(r.Scores) != 1 || len(r.Answers) != 5 {
		t.Error("the draft was changed")
	}
	r = finishedCuration()
	delete(r.Answers, "cleaned")
	delete(r.Answers, "edited")
	got = p.Finished(r, curationTexts)
	if got.Answers["cleaned"].Text != "s" || got.Answers["edited"].Text != "B." || p.Missing(got) != "" {
		t.Errorf("texts that were not changed are %v", got.Answers)
	}
	r.Answers["cleaned"], r.Answers["edited"] = Answer{Text: "\u3000s \n"}, Answer{Text: "B. C.\u00a0"}
	got = p.Finished(r, curationTexts)
	if got.Answers["cleaned"].Text != "s" || got.Answers["edited"].Text != "B. C." || r.Answers["cleaned"].Text != "\u3000s \n" {
		t.Errorf("texts with white space at their ends are %q, their draft %q", got.Answers, r.Answers)
	}
	spaced := curationTexts
	spaced.Source = " s "
	for given, want := range map[string]string{" s ": " s ", " s  ": "s", "s": "s"} {
		r.Answers["cleaned"] = Answer{Text: given}
		if got = p.Finished(r, spaced); got.Answers["cleaned"].Text != want {
			t.Errorf("of %q, which began as %q, %q is submitted", given, spaced.Source, got.Answers["cleaned"].Text)
		}
	}
	r.Answers["cleaned"] = Answer{Text: "s"}
	delete(r.Answers, "edited")
	r.Answers["best"] = Answer{}
	if got = p.Finished(r, curationTexts); p.Missing(got) != "an answer to “The edited translation”" {
		t.Errorf("without a candidate: %q", p.Missing(got))
	}
}

// TestGateOfAnswers: equal answers have equal gate scores, different ones different scores, and each leads back to
// its answer.
func TestGateOfAnswers(t *testing.T) {
	p, text := curation(t)
	byCandidate, err := ReadOwn(strings.NewReader(strings.Replace(text, `"gate": "keep"`, `"gate": "best"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		p       *Protocol
		answers []string
	}{{p, []string{"yes", "no"}}, {byCandidate, []string{"", "a", "b", "c"}}} {
		q, _ := tt.p.NominalGate()
		seen := map[float64]bool{}
		for _, answer := range tt.answers {
			r := finishedCuration()
			r.Answers[q.Name] = Answer{Text: answer}
			code, ok := tt.p.GateScoreOf(r, curationTexts.Candidates)
			back, known := q.AnswerOf(code, curationTexts.Candidates)
			limits := tt.p.GateRange()
			if !ok || seen[code] || !known || back.Text != answer || code < limits.Min || code > limits.Max {
				t.Errorf("%q: the gate score is %v, %v, and stands for %q", answer, code, ok, back.Text)
			}
			seen[code] = true
		}
		if _, ok := tt.p.GateScoreOf(Rating{}, curationTexts.Candidates); ok {
			t.Error("a rating without the answer has a gate score")
		}
		if _, ok := q.AnswerOf(7.5, nil); ok {
			t.Error("7.5 stands for an answer")
		}
	}
}

// TestAnswerJSON: an answer is a text or a list, and comes back as it was.
func TestAnswerJSON(t *testing.T) {
	back := func(text string, several []string) bool {
		a := Answer{Text: text}
		if several != nil {
			a = Answer{Several: several}
		}
		b, err := json.Marshal(a)
		var got Answer
		return err == nil && json.Unmarshal(b, &got) == nil && got.Equal(a)
	}
	if err := quick.Check(func(text string, several []string) bool {
		for i := range several {
			several[i] = strings.ToValidUTF8(several[i], "")
		}
		return back(strings.ToValidUTF8(text, ""), nil) && back("", several)
	}, nil); err != nil {
		t.Error(err)
	}
	var a Answer
	for _, wrong := range []string{"3", "{}", "[1]", "[null", "true"} {
		if json.Unmarshal([]byte(wrong), &a) == nil {
			t.Errorf("%s is an answer", wrong)
		}
	}
}

// TestCurated: what a rating leaves of the source and the reference, under the protocols that come with the program and
// one that asks for both.
func TestCurated(t *testing.T) {
	both, _ := curation(t)
	given := Texts{Source: "src", Reference: "ref", Candidates: map[string]string{"x": "one", "y": "two"}}
	answers := func(pairs ...string) map[string]Answer {
		out := map[string]Answer{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = Answer{Text: pairs[i+1]}
		}
		return out
	}
	for _, tt := range []struct {
		what              string
		p                 *Protocol
		answers           map[string]Answer
		source, reference string
	}{
		{"cleaned", lookup(t, "inspect"), answers("keep", "yes", "cleaned", "clean"), "clean", "ref"},
		{"kept as it is", lookup(t, "inspect"), answers("keep", "yes"), "src", "ref"},
		{"dropped after it was cleaned", lookup(t, "inspect"), answers("keep", "no", "cleaned", "clean"), "src", "ref"},
		{"a candidate that is edited", lookup(t, "reference"), answers("best", "y", "edited", "new"), "src", "new"},
		{"a candidate as it is", lookup(t, "reference"), answers("best", "y"), "src", "two"},
		{"none of them, and a new one", lookup(t, "reference"), answers("best", "", "edited", "new"), "src", "new"},
		{"no answer yet", lookup(t, "reference"), nil, "src", "ref"},
		{"accepted", lookup(t, "review"), answers("verdict", "accept", "edited", "left over"), "src", "ref"},
		{"corrected", lookup(t, "review"), answers("verdict", "edit", "edited", "new"), "src", "new"},
		{"a blank correction", lookup(t, "review"), answers("verdict", "edit", "edited", " "), "src", "ref"},
		{"both", both, answers("keep", "yes", "cleaned", "clean", "best", "x", "edited", "new"), "clean", "new"},
		{"both, where the edit is not asked for", both, answers("keep", "no", "cleaned", "clean", "best", "x", "edited", "new"), "src", "one"},
		{"a protocol without texts", lookup(t, "sqm"), nil, "src", "ref"},
	} {
		if source, reference := tt.p.Curated(Rating{Answers: tt.answers}, given); source != tt.source || reference != tt.reference {
			t.Errorf("%s: %q and %q, want %q and %q", tt.what, source, reference, tt.source, tt.reference)
		}
	}
}
