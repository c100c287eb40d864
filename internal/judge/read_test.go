package judge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const unreadable = -1 // the wanted score of a reply that cannot be read

func TestReadScore100(t *testing.T) {
	for _, tt := range []struct {
		reply string
		want  float64
	}{
		// The whole reply, with marks, fences, quotation marks and brackets around it.
		{"0", 0}, {"100", 100}, {"85.", 85}, {" 7 ", 7}, {"85.25", 85.25}, {"`85`", 85}, {"**85**", 85}, {"# 85", 85},
		{"```\n85\n```", 85}, {"“85”", 85}, {"[85]", 85}, {"(85)", 85}, {"[\"85\"]", 85}, {"「85」", 85}, {"（８５）", 85},
		// Any script's digits.
		{"۸۵", 85}, {"८५", 85}, {"８５", 85}, {"๘๕", 85}, {"𝟖𝟓", 85}, {"٨٥٪", 85}, {"８５．５", 85.5},
		// JSON.
		{`{"Score": "85"}`, 85}, {`{"score": "85/100"}`, 85}, {`{'score': 85,}`, 85}, {"It is good.\n{\"score\": 85}\nDone 1.", 85},
		{`{"score": 20} or rather {"score": 30}`, unreadable}, {`I say 80%. {"score": 85}`, unreadable}, {`My answer: {"score": 85}`, 85}, {`{"score": -5}`, unreadable}, {`{"score": null}`, unreadable}, {`{"rating": 85}`, unreadable},
		{`{"score": [85]}`, unreadable}, {`{"score": 850}`, unreadable}, {`{"score": true}`, unreadable},
		// What follows the last colon.
		{"Score: 85", 85}, {"Score： 85", 85}, {"On a scale from 0 to 100: 85", 85}, {"**Score:** 85/100", 85}, {"Score: \"85\"", 85},
		{"First thought: 20. Score: 30", 30}, {"Score: 85 of course", unreadable},
		// What is followed by %, /100, points or 点.
		{"I give it 85%.", 85}, {"I give it 85 points.", 85}, {"85 / 100", 85}, {"この訳は８５点です。", 85}, {"It loses 2 words, so 85 %.", 85},
		{"It earns 85/100 in all.", 85}, {"85 pointsman", unreadable},
		// A sign, another denominator, a decimal comma, two candidates, out of range.
		{"-10", unreadable}, {"+85", unreadable}, {"−10", unreadable}, {"Score: -10", unreadable}, {"about -10%", unreadable},
		{"8/10", unreadable}, {"Score: 8/10", unreadable}, {"85/1000", unreadable}, {"It is 4/5, thus 80%", unreadable},
		{"85,5", unreadable}, {"85,5%", unreadable}, {"Score: 85,5", unreadable},
		{"80% or 90%", unreadable}, {"80-90%", unreadable}, {"80 90", unreadable}, {"80%: 90", unreadable}, {"101%", unreadable}, {"1000", unreadable},
		// Anything else.
		{"", unreadable}, {"eighty-five", unreadable}, {"/100", unreadable}, {"I can rate 1 pair.", unreadable}, {"I'd say 85 or so", unreadable},
		{"1.2.3", unreadable}, {"I'm sorry, but I can't help with that.", unreadable}, {"100.5", unreadable},
	} {
		got, err := readWhole(Reply{Text: tt.reply}, readScore100)
		if err != nil {
			got = unreadable
		}
		if got != tt.want {
			t.Errorf("%q: %g (%v), want %g", tt.reply, got, err, tt.want)
		}
	}
}

// TestThoughts checks that what a model thinks aloud before its answer is not part of the answer.
func TestThoughts(t *testing.T) {
	for reply, want := range map[string]float64{
		"<think>\nIs it 90%? No.\n</think>\n\n85": 85,
		" <thinking>90</thinking>85":              85,
		"Between 80% and 90%.</think>\n85":        85,
		"<think>\n85":                             unreadable,
		"<think>85</think>":                       unreadable,
		"I <think> 90":                            unreadable,
	} {
		got, err := readWhole(Reply{Text: reply}, readScore100)
		if err != nil {
			got = unreadable
		}
		if got != want {
			t.Errorf("%q: %g (%v), want %g", reply, got, err, want)
		}
	}
}

func TestLastJSON(t *testing.T) {
	any := func(any) bool { return true }
	for _, tt := range []struct{ reply, want string }{
		{`{"a": 1}`, `{"a":1}`},
		{"Here:\n```json\n{\"a\": [1, 2.5, -3e2]}\n```\nDone.", `{"a":[1,2.5,-300]}`},
		{`first {"a": 1} then {"b": 2} end`, `{"b":2}`},
		{`{'a': 'it's {x}', "b": "c\"d\u00e9\ud83d\ude42\n",}`, `{"a":"it's {x}","b":"c\"dé🙂\n"}`},
		{`{'a': True, 'b': False, 'c': None}`, `{"a":true,"b":false,"c":null}`},
		{`[1, 2,]`, `[1,2]`},
		{`{"a": {"b": [1]}}`, `{"a":{"b":[1]}}`},
		{`{"a": 1} and a rest that [is prose] and {so is this}`, `{"a":1}`},
		{`{"a": 1} {"b": [`, `{"a":1}`}, // the second is cut
		{`{"a": [{"b": 1}, {"c": `, ``},
		{`{"a": "unclosed`, ``},
		{`{"a": 1`, ``}, {`[nan]`, ``}, {`{"a": 0x1p2}`, ``}, {`no JSON`, ``}, {``, ``},
		{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), ``},
	} {
		v, ok := lastJSON(tt.reply, any)
		got := ""
		if ok {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if got != tt.want && !strings.HasPrefix(tt.reply, "[[") {
			t.Errorf("%q: %s, want %s", tt.reply, got, tt.want)
		}
	}
}

func TestKeysCompareWithoutCase(t *testing.T) {
	o, ok := lastObject(`{"Error_Spans": [], "FINAL score\n": 3, "yes": "Yes"}`)
	if !ok {
		t.Fatal("no object")
	}
	if _, ok := o.get("error_spans"); !ok {
		t.Error("Error_Spans is not found")
	}
	if got := o.text("final_score"); got != "3" {
		t.Errorf("final score %q", got)
	}
	if yes, err := o.truth("yes"); !yes || err != nil {
		t.Errorf("Yes is %v, %v", yes, err)
	}
	for _, key := range []string{"error_spans", "missing"} {
		if _, err := o.truth(key); err == nil {
			t.Errorf("%s is a truth", key)
		}
	}
}

// line is an error as the tests below write it.
func line(e Error) string { return fmt.Sprintf("%s %s %q", e.Severity, e.Category, e.Text) }

func lines(list []Error) []string {
	all := []string{}
	for _, e := range list {
		all = append(all, line(e))
	}
	return all
}

func TestReadErrorList(t *testing.T) {
	style := []string{`major style "beim"`}
	for _, tt := range []struct {
		name, reply string
		want        []string // nil: unreadable
	}{
		{"any case", "MAJOR:\nStyle/Awkward - \"beim\"\nminor:\nNo-Error", style},
		{"hashes", "### Major\nstyle/awkward - \"beim\"\n## Minor:\nnone", style},
		{"bold with the colon outside", "**Major**:\nstyle/awkward - \"beim\"\n*Minor:*\nno error", style},
		{"full-width colon", "Major：\nstyle/awkward - \"beim\"\nMinor：\nno-error", style},
		{"on the same line", "Critical: no-error\nMajor: style/awkward - \"beim\"\nMinor: None.", style},
		{"bold on the same line", "**Major:** style/awkward - \"beim\"", style},
		{"bullets", "Major:\n- style/awkward - \"beim\"\n1. fluency/grammar - \"das\"\nMinor:\n- none", []string{`major style "beim"`, `major fluency-grammar "das"`}},
		{"Major errors", "Major errors:\nstyle/awkward - \"beim\"", style},
		{"unknown heading ends the section", "Major:\nstyle/awkward - \"beim\"\nNeutral:\nfluency/grammar - \"das\"\nNotes: fluency/grammar - \"das\"", style},
		{"colon in the words", "Major:\nstyle/awkward - \"note: this\"", []string{`major style "note: this"`}},
		{"remarks are dropped", "Here is my list.\nMajor:\nstyle/awkward - \"beim\"\nThis is all I found.\nI hope this helps - tell me more.", style},
		{"remark that names a category", "Major:\nno-error\nThe accuracy of the rest of it is fine - no issue", []string{}},
		{"closing fence", "```\nMajor:\nstyle/awkward - \"beim\"\n```", style},
		{"order by severity", "Minor:\nfluency/register - \"a\"\nCritical:\naccuracy/omission - \"b\"", []string{`critical accuracy-omission "b"`, `minor fluency-register "a"`}},
		{"dashes", "Major:\nstyle/awkward — “a”\nstyle/awkward -\"b\"\nstyle/awkward – c", []string{`major style "a"`, `major style "b"`, `major style "c"`}},
		{"inner quotes", "Major:\nstyle/awkward - \"the \"key\" thing\" (odd)", []string{`major style "the \"key\" thing"`}},
		{"unknown category", "Major:\nwording - \"beim\"", []string{`major unknown "beim"`}},
		{"locale", "Minor:\nlocale convention/date format - \"1.2.\"", []string{`minor locale convention-date "1.2."`}},
		{"category word in the words", "Minor:\nother - \"accuracy/omission\"", []string{`minor other "accuracy/omission"`}},
		{"non-translation without words", "Critical:\nnon-translation\nMajor:\nno-error", []string{`critical non-translation ""`}},
		{"none alone", "None", []string{}},
		{"no error beside an error", "Major:\nno-error\nstyle/awkward - \"no error\"", []string{`major style "no error"`}},
		{"empty sections", "Critical:\nMajor:\nMinor:", []string{}},

		{"remark in place of errors", "Major:\nstyle/awkward - \"beim\"\nMinor:\nThe rest of it reads well.", style},
		{"dash without blanks", "Major:\nstyle/awkward-beim\nMinor:\nnon-translation", []string{`critical non-translation ""`, `major style "beim"`}},

		{"refusal", "I cannot do this.", nil},
		{"refusal under a heading", "Critical:\nI'm sorry, I can't help with that.", nil},
		{"half a line", "Major:\naccuracy/mistr", nil},
		{"errors without a heading", "style/awkward - \"beim\"", nil},
		{"no error in a sentence", "There is no error I could name, since I cannot judge this.", nil},
		{"JSON without improved translation", `{"errors": {"major": []}}`, nil},

		{"JSON", `{"improved_translation": "x", "errors": {"minor": ["fluency/grammar - \"das\""], "critical": [{"category": "Accuracy/Omission", "span": "y"}]}}`, []string{`critical accuracy-omission "y"`, `minor fluency-grammar "das"`}},
		{"JSON without errors", `{"improved translation": "x"}`, nil},
		{"JSON with other errors", `{"improved translation": "x", "errors": []}`, nil},
		{"JSON with no severity", `{"improved translation": "x", "errors": {}}`, nil},
		{"JSON with an odd error", `{"improved translation": "x", "errors": {"major": [5]}}`, nil},
	} {
		got, err := readErrorList(Reply{Text: tt.reply})
		switch {
		case tt.want == nil && err == nil:
			t.Errorf("%s: read as %q, want an error", tt.name, lines(got))
		case tt.want != nil && (err != nil || !reflect.DeepEqual(lines(got), tt.want)):
			t.Errorf("%s: %q, %v, want %q", tt.name, lines(got), err, tt.want)
		}
	}
}

func TestReadCounts(t *testing.T) {
	for _, tt := range []struct {
		reply string
		want  float64 // positive: unreadable
	}{
		{"1, 2", -7}, {"0,0", 0}, {"1、2", -7}, {"**1, 2**", -7}, {"Counts: 1, 2.", -7}, {"Major errors: 1\nMinor errors: 2", -7},
		{"major: 1, minor: 2", -7}, {"Major 1; minor 2", -7}, {"Number of major errors (1) and of minor errors (2)", -7},
		{"1 2", 1}, {"1/2", 1}, {"1.5, 2", 1}, {"-1, 2", 1}, {"1, -2", 1}, {"+1, 2", 1}, {"1", 1}, {"1, 2, 3", 1}, {"1 major, 2 minor", 1},
		{"１，２", 1}, {"one, two", 1}, {"", 1}, {"Minor: 2, Major: 1", 1}, {"1-2, 3", 1}, {"50%, 2", 1}, {"1234567, 1", 1},
	} {
		got, err := readWhole(Reply{Text: tt.reply}, readCounts)
		if err != nil {
			got = 1
		}
		if got != tt.want {
			t.Errorf("%q: %g (%v), want %g", tt.reply, got, err, tt.want)
		}
	}
}

func TestReadEAItems(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		want        []string // nil: unreadable
		whole       bool     // the lists stand for all errors
	}{
		{"lists", "Major errors:\n(1) \"a - b\" - Wrong word - Mistranslation\nMinor Errors：\n2) «c» – Style\n• 'd' - Grammar", []string{`major Mistranslation "a - b"`, `minor Style "c"`, `minor Grammar "d"`}, true},
		{"no quotation marks", "Major errors:\n1. gelassen - Mistranslation\nMinor errors:\nNone", []string{`major Mistranslation "gelassen"`}, true},
		{"no category", "Major errors:\n(1) \"a\"\nMinor errors:\n- None", []string{`major  "a"`}, true},
		{"none in words", "Major errors:\n(1) No major errors found.\nMinor errors:\nnone", []string{}, true},
		{"absence", "I do not see any errors here.", []string{}, true},
		{"prose", "One major slip: the verb. One minor slip.", []string{}, false},
		{"no major but minor in prose", "There are no major errors, but a minor one.", []string{}, false},
		{"words under a heading", "Major errors:\nthe verb is wrong\nMinor errors:\nNone", []string{}, false},
		{"other heading", "Major errors:\nNone\nMinor errors:\n(1) \"a\" - X\nNotes:\n(1) \"b\" - Y", []string{`minor X "a"`}, true},
		{"names nothing", "The translation is good.", nil, false},
		{"refusal", "I'm sorry, I can't list major or minor errors.", nil, false},
	} {
		got, err := readEAItems(tt.reply)
		switch {
		case tt.want == nil && err == nil:
			t.Errorf("%s: read as %q, want an error", tt.name, lines(got.errors))
		case tt.want != nil && (err != nil || !reflect.DeepEqual(lines(got.errors), tt.want) || (got.whole == nil) != tt.whole):
			t.Errorf("%s: %q, whole %v, %v; want %q, whole %v", tt.name, lines(got.errors), got.whole, err, tt.want, tt.whole)
		}
	}
}

func TestReadScoreTag(t *testing.T) {
	for _, tt := range []struct {
		reply string
		want  float64 // positive: unreadable
	}{
		{"<score>-7</score>", -7}, {"<SCORE> −7 </SCORE>", -7}, {"<score>-0</score>", 0}, {"<score>-7.5</score>", -7.5},
		{"<score>7</score>", 1}, {"<score>+0</score>", 1}, {"<score></score>", 1}, {"-7", 1}, {"<score>-7", 1}, {"<score>-inf</score>", 1},
		{"<score>-5</score><score>-5</score>", 1},
	} {
		got, err := readScoreTag(tt.reply)
		if err != nil {
			got = 1
		}
		if got != tt.want {
			t.Errorf("%q: %g (%v), want %g", tt.reply, got, err, tt.want)
		}
	}
}

func TestReadAcre(t *testing.T) {
	for reply, want := range map[string]string{
		"Protocol A": "A", "**Protocol B**": "B", "protocol: b": "B", "A": "A", "b": "B", "(B)": "B", "Label: A": "A", "\"Protocol A\"": "A",
		"A term that names an object, so Protocol A.": "A", "It is a matter of style: Protocol B": "B",
		"Protocol A or B": "", "Protocol A, not Protocol B": "", "A or B": "", "Protocol C": "", "": "", "I cannot say.": "", "fact-centric": "",
	} {
		if got, err := readProtocol(Reply{Text: reply}); got != want || (err == nil) != (want != "") {
			t.Errorf("protocol of %q: %q, %v, want %q", reply, got, err, want)
		}
	}
	for reply, want := range map[string]string{
		"Decision: VALID": "true", "decision: Invalid.": "false", "**Decision:** [VALID]": "true", "Decision：INVALID": "false",
		"Decision: VALID\nDecision: INVALID": "false", "Decision: INVALID\nThat is all.": "false",
		"VALID": "", "Decision: VALID since it fits": "", "Decision: NOT VALID": "", "Decision: VALIDATED": "", "": "", "Decision: VALID\nDecision: UNSURE": "",
	} {
		got, err := readDecision(Reply{Text: reply})
		if said := fmt.Sprint(got); err == nil && said != want || err != nil && want != "" {
			t.Errorf("decision of %q: %v, %v, want %q", reply, got, err, want)
		}
	}
	for reply, want := range map[string]float64{
		"Score: 4": 4, "score: 5.": 5, "**Score: 4**": 4, "Score: [3]": 3, "Score: 4/5": 4, "Score: [4]/5": 4, "Score：2": 2, "Score: 2\nScore: 3": 3,
		"Score: 0": 0, "Score: 6": 0, "Score: 4.5": 0, "Score: 8/10": 0, "Score: -3": 0, "4": 0, "Score: four": 0, "Score: 4 or 5": 0, "": 0, "Score: 4\nScore: 9": 0,
	} {
		if got, err := readCriticScore(Reply{Text: reply}); got != want || (err == nil) != (want != 0) {
			t.Errorf("score of %q: %g, %v, want %g", reply, got, err, want)
		}
	}
}

func TestReadScore4(t *testing.T) {
	for reply, want := range map[string]float64{
		"0": 0, "4": 4, "3.5": 3.5, "2.0": 2, "3/4": 3, "3.5 / 4": 3.5, "\"3\"": 3,
		"4.5": unreadable, "-1": unreadable, "3/5": unreadable, "": unreadable, "three": unreadable, "3,5": unreadable, "3 or 4": unreadable,
	} {
		got, ok := readScore4(reply)
		if !ok {
			got = unreadable
		}
		if got != want {
			t.Errorf("%q: %g, want %g", reply, got, want)
		}
	}
}

func TestReadToolCall(t *testing.T) {
	call, ok := readToolCall("I think.\n<tool_call>search_agent\n<arg_key> query </arg_key>\n<arg_value>\na < b\n</arg_value>\n</tool_call><tool_call>other</tool_call>")
	if want := (toolCall{"search_agent", map[string]string{"query": "a < b"}}); !ok || !reflect.DeepEqual(call, want) {
		t.Errorf("%+v, want %+v", call, want)
	}
	for _, reply := range []string{"", "search_agent", "<tool_call>search_agent", "<tool_call></tool_call>", "<tool_call> - </tool_call>"} {
		if call, ok := readToolCall(reply); ok {
			t.Errorf("%q is a call of %+v", reply, call)
		}
	}
	for reply, want := range map[string]int{
		`<tool_call>search <arg_key>search_query</arg_key><arg_value>[{"q": "a"}, {"q": "b"}]</arg_value></tool_call>`: 2,
		`["a", "b", "a"]`: 3, `[{"q": "a", "recency": null},]`: 1,
		`I would search.`: 0, `[]`: 0, `[{"query": "a"}]`: 0, `{"q": "a"}`: 0,
	} {
		if got, err := readQueries(reply); len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("queries of %q: %q, %v, want %d", reply, got, err, want)
		}
	}
}

func TestReadYesNo(t *testing.T) {
	for reply, want := range map[string]string{
		"yes": "true", "Yes.": "true", "NO": "false", "\"no\"": "false",
		"Yes, there is no real difference.": "true", "**No** — the yes of the first is about another word.": "false",
		"yes and no": "", "Yes. No.": "", "Yes/no?": "", "Consistent.": "", "know": "", "yesterday": "",
	} {
		got, err := readYesNo(Reply{Text: reply})
		if err == nil && fmt.Sprint(got) != want || err != nil && want != "" {
			t.Errorf("%q: %v, %v, want %q", reply, got, err, want)
		}
	}
}
