package judge

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestReadCase(t *testing.T) {
	c, err := ReadCase([]byte(`{"name":"a","source":"s","replies":["x",{"text":"y","logprob":-1.5}],"expected":{"score":1}}` + "\n"))
	if err != nil || len(c.Replies) != 2 || c.Replies[0].Text != "x" || c.Replies[0].LogProb != nil || *c.Replies[1].LogProb != -1.5 {
		t.Errorf("%+v, %v", c, err)
	}
	for line, want := range map[string]string{
		`{"replies":["x"]} {"replies":["y"]}`: "more than one JSON value",
		`{"replies":[5]}`:                     "a reply is a text, or an object",
		`{"replies":[{"txt":"x"}]}`:           "a reply is a text, or an object",
		`{"replies":"x"}`:                     "replies: it cannot be string",
		`{}`:                                  "replies: they are missing",
		`{"name":"x"`:                         "the line is no JSON object",
		`[1]`:                                 "a case is a JSON object, not array",
		`{"replies":[],"weights":{"A":{"alpha":"x"}}}`: "alpha: it cannot be string",
	} {
		if _, err := ReadCase([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	m, err := Lookup("gemba-da")
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Case{
		"keep one of the two":       {Source: "s", Translation: "t", Translations: []string{"t"}},
		"there are 2 of them for 1": {Source: "s", Translation: "t", Replies: []SavedReply{{Text: "5"}}, FinishReasons: []string{"stop", "stop"}},
		"translation: the method":   {Source: "s"},
		"has no variant \"x\"":      {Source: "s", Translation: "t", Variant: "x"},
	} {
		if _, _, err := m.Replay(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// TestReplayRetries checks that only the gemba methods take the next reply for one that cannot be read or
// was cut, and that replies that end too early never give a score.
func TestReplayRetries(t *testing.T) {
	replies := func(texts ...string) (list []SavedReply) {
		for _, text := range texts {
			list = append(list, SavedReply{Text: text})
		}
		return list
	}
	threshold := -1.0
	for _, tt := range []struct {
		name, method, variant string
		replies               []SavedReply
		finish                []string
		score                 float64 // positive beyond 100: unparsable
		unused                int
	}{
		{"unreadable, then readable", "gemba-da", "", replies("?", "", "85"), nil, 85, 0},
		{"cut, then whole", "gemba-da", "", replies("8", "85"), []string{"length"}, 85, 0},
		{"withheld is not asked again", "gemba-da", "", replies("", "85"), []string{"content_filter"}, 999, 1},
		{"errors and score, both again", "gemba-esa", "", replies("?", "Major:\nno-error", "?", "90"), nil, 90, 0},
		{"no score", "gemba-esa", "", replies("Major:\nno-error"), nil, 999, 0},
		{"cut", "gemba-mqm", "", replies("Critical:\nno-error"), []string{"length"}, 999, 0},
		{"no replies", "gemba-mqm", "", nil, nil, 999, 0},
		{"counts are not asked again", "eaprompt", "", replies("Major errors:\nNone\nMinor errors:\nNone", "?", "0, 0"), nil, 999, 1},
		{"no counts", "eaprompt", "", replies("Major errors:\nNone\nMinor errors:\nNone"), nil, 999, 0},
		{"one step", "eaprompt", "one_step", replies("Major errors:\n(1) \"a\" - X\nMinor errors:\nNone\n5, 5"), nil, -5, 0},
		{"one step in prose", "eaprompt", "one_step", replies("A major error, I fear. 1, 0"), nil, 999, 0},
		{"a score tag alone", "eaprompt", "mmad_single_query", replies("<score>0</score>"), nil, 999, 0},
		{"judge not asked again", "m-mad", "", replies(minorList, noList, noList, noList, "?", noList), nil, 999, 1},
		{"ends within a debate", "m-mad", "", replies(majorList, noList, noList, noList, minorList), nil, 999, 0},
		{"ends after the first subtype", "himate", "", replies(`{"error": false}`), nil, 999, 0},
		{"ends after the decision", "acre", "", replies("Protocol A", "Decision: VALID"), nil, 999, 0},
		{"ends after an evaluation", "rate", "", replies(tool("general_evaluation_agent"), `{"score": 4}`), nil, 999, 0},
	} {
		t.Run(tt.method+"/"+tt.name, func(t *testing.T) {
			m, err := Lookup(tt.method)
			if err != nil {
				t.Fatal(err)
			}
			got, unused, err := m.Replay(Case{
				Source: kang.Source, Translation: "a b", Term: kang.Term, Explication: kang.Explication, Threshold: &threshold,
				Variant: tt.variant, Replies: tt.replies, FinishReasons: tt.finish,
			})
			if err != nil {
				t.Fatal(err)
			}
			if j := got[0]; (j.Score == nil) != (tt.score == 999) || j.Score != nil && *j.Score != tt.score || unused != tt.unused || (j.Why == "") != (j.Score != nil) {
				t.Errorf("%+v, score %v, %d unused; want %g, %d unused", j, show(j.Score), unused, tt.score, tt.unused)
			}
		})
	}
}

// TestMachineGoesOn checks that a machine that is given the replies again names only the calls that are
// missing, whatever the order of the answers.
func TestMachineGoesOn(t *testing.T) {
	var cases []reference
	readTestdata(t, "m-mad.json", &cases)
	m, err := Lookup("m-mad")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c reference) bool { return c.Name == "two_dimensions_debated" })
	task, err := cases[i].task(m)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]Reply{}
	next := 0
	for {
		x, err := m.Begin(task) // a new machine each time, as after an interruption
		if err != nil {
			t.Fatal(err)
		}
		var missing []Call
		for {
			calls, done := x.Next()
			if done {
				if j := x.Judgements()[0]; *j.Score != -7 || next != len(cases[i].Replies) {
					t.Errorf("%+v after %d replies", j, next)
				}
				return
			}
			missing = slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { _, ok := known[c.Step]; return ok })
			if len(missing) == len(calls) {
				break
			}
			for _, c := range slices.Backward(calls) {
				if r, ok := known[c.Step]; ok {
					x.Answer(c, r)
				}
			}
		}
		known[missing[0].Step] = Reply{Text: cases[i].Replies[next].Text}
		next++
	}
}

// FuzzReplies checks for every method that no reply makes it panic, that a score lies on the scale, that
// places lie in their texts, and that a reply of a refusal or nothing gives no score.
func FuzzReplies(f *testing.F) {
	added := map[string]bool{}
	for _, m := range Methods() {
		var cases []reference
		readTestdata(f, m.Name+".json", &cases)
		for _, c := range cases {
			for _, r := range c.Replies {
				if !added[r.Text] {
					f.Add(r.Text, c.Translation)
				}
				added[r.Text] = true
			}
		}
	}
	f.Fuzz(func(t *testing.T, text, translation string) {
		for _, m := range Methods() {
			for _, variant := range append([]string{""}, m.VariantNames()...) {
				task := kang
				task.Variant, task.Search = variant, true
				if translation != "" {
					task.Translations = []string{translation}
				}
				if m.OfSource {
					task.Translations = []string{""}
				}
				x, err := m.Begin(task)
				if err != nil {
					t.Fatal(err)
				}
				for range 400 {
					calls, done := x.Next()
					if done {
						break
					}
					x.Answer(calls[0], Reply{Text: text})
				}
				if _, done := x.Next(); !done {
					t.Fatalf("%s asks on after 400 calls", m.Name)
				}
				checkBounds(t, m, task, x.Judgements()[0])
			}
		}
	})
}

func checkBounds(t *testing.T, m Method, task Task, j Judgement) {
	t.Helper()
	if (j.Status == OK) != (j.Score != nil) || (j.Status == Unparsable) != (j.Why != "") {
		t.Fatalf("%s: %+v", m.Name, j)
	}
	if j.Score != nil && !(*j.Score >= m.Scale.Lowest && *j.Score <= m.Scale.Highest) {
		t.Fatalf("%s: the score %g lies outside %+v", m.Name, *j.Score, m.Scale)
	}
	for _, e := range j.Errors {
		text := task.translation()
		if e.Side == SideSource {
			text = task.Source
		}
		if n := len([]rune(text)); e.Placed && (e.Start < 0 || e.End > n || e.Start > e.End) {
			t.Fatalf("%s: %+v lies outside a text of %d", m.Name, e, n)
		}
	}
}

// TestRefusals checks that neither a refusal nor an empty reply gives any method a score.
func TestRefusals(t *testing.T) {
	for _, text := range []string{
		"", " \n", "I'm sorry, but I can't help with that.", "I cannot assess this translation.", "As an AI, I do not judge.", "{}", "[]", "null", "```\n```",
		"Sorry, I can only rate 1 pair of languages.", "抱歉，我无法评估。", "Es tut mir leid.", "I can't list major or minor errors.", "Major: I am unable to do that.",
	} {
		for _, m := range Methods() {
			for _, variant := range append([]string{""}, m.VariantNames()...) {
				if m.Name == "m-mad" && text == "[]" {
					continue // four bare empty lists are four empty lists of annotations
				}
				task := kang
				task.Variant = variant
				if m.OfSource {
					task.Translations = []string{""}
				}
				x, err := m.Begin(task)
				if err != nil {
					t.Fatal(err)
				}
				for {
					calls, done := x.Next()
					if done {
						break
					}
					x.Answer(calls[0], Reply{Text: text})
				}
				if j := x.Judgements()[0]; j.Score != nil {
					t.Errorf("%s %s: %q gives the score %g", m.Name, variant, text, *j.Score)
				}
			}
		}
	}
}

func TestWriteResult(t *testing.T) {
	var b bytes.Buffer
	e := Error{Category: "a & <b>", Text: "x", Place: Place{SideSource, 0, 0, true}}
	if err := WriteResult(&b, Case{Name: "n"}, []Judgement{scored(math.Copysign(0, -1), []Error{e})}); err != nil {
		t.Fatal(err)
	}
	want := `{"name":"n","status":"ok","score":0,"spans":[{"severity":null,"category":"a & <b>","text":"x","side":"source","start":0,"end":0}]}` + "\n"
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
}
