package protocol

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// encode writes a protocol as a file holds it.
func encode(t *testing.T, p *Protocol) string {
	t.Helper()
	file := *p
	file.Scores = p.ownScores() // Read adds those of questions
	b, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func custom(t *testing.T) (text string, p *Protocol) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "custom.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err = Read(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), p
}

// TestReadAgain: a protocol that is written can be read, and is the same.
func TestReadAgain(t *testing.T) {
	_, own := custom(t)
	list := []*Protocol{own}
	for _, id := range IDs() {
		list = append(list, lookup(t, id))
	}
	for _, p := range list {
		again, err := Read(strings.NewReader("\ufeff" + encode(t, p) + "\r\n"))
		if err != nil {
			t.Fatalf("%s: %v", p.ID, err)
		}
		if !reflect.DeepEqual(again, p) {
			t.Errorf("%s: got\n%s\nwant\n%s", p.ID, encode(t, again), encode(t, p))
		}
	}
}

// TestCustom: a protocol from a file is all that a rating needs to be checked and
// scored.
func TestCustom(t *testing.T) {
	_, file := custom(t)
	p := file.With(Options{Settings: map[string]string{"critical": "no", "source_error": "zero"}, MaxErrors: 3})

	done := Rating{Scores: map[string]float64{"ease": 5}, Spans: []ErrorSpan{
		target("a", 0, 2, "break", "Sense", "Wrong"),      // 2
		target("b", 4, 5, "hitch", "Space", "Line break"), // 0.1
		target("c", 20, 20, "hitch", "Space", "no dash"),  // 0.5
		source("d", 0, 2, "break", "Soundtrack"),          // 0, and outside the limit
	}}
	done.Spans[2].Link = "b"
	if v := p.Check(done, texts); len(v) > 0 {
		t.Fatalf("refused: %v", v)
	}
	if m := p.Missing(done); m != "" {
		t.Errorf("it lacks %s", m)
	}
	want := []Value{{"ease", "Ease of reading", 5}, {"burden", "Burden", 2.6}, {"ease_mean", "Ease", 5}}
	if got := p.Values(done); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, ok := p.GateScore(done); !ok || got != -2.6 {
		t.Errorf("the gate compares %v %v, want -2.6", got, ok)
	}
	if got := p.HumanScores(); got[0] != (HumanScore{"subtitle-burden", "burden"}) || len(got) != 3 {
		t.Errorf("human scores %v", got)
	}
	// What is not so.
	bad := Rating{Scores: map[string]float64{"ease": 8}, Spans: []ErrorSpan{
		target("a", 0, 2, "scandal", "Sense", "Wrong"), target("b", 0, 2, "hitch", "Sense", "Line break"),
		target("c", 4, 4, "hitch", "Space"), target("d", 0, 2, "hitch", "Wish"),
	}}
	for i, want := range []string{
		"ease: Ease of reading must be a whole number from 1 to 7, not 8",
		`spans[0].severity: there is no severity "scandal"; choose one of: Hitch, Break`,
		`spans[1].subcategory: the category Sense has no subcategory "Line break"; choose one of: Wrong, Lost`,
		"spans[2].end: the mark covers nothing; select at least one character",
		"spans: 4 errors are marked, and the limit is 3; keep the gravest and remove 1",
	} {
		if got := violations(p.Check(bad, texts)); len(got) != 5 || got[i] != want {
			t.Fatalf("got %q\nwant %q", got, want)
		}
	}
	if got := p.Missing(rating(target("a", 13, 20, "hitch", "Wish"))); got != `a comment that explains "tomorow", marked as Wish` {
		t.Errorf("it lacks %s", got)
	}
	if got := p.Canonical(ErrorSpan{Severity: "HITCH", Category: "length/Line Break"}); got.Severity != "hitch" || got.Category != "Space" || got.Subcategory != "Line break" {
		t.Errorf("canonical: %+v", got)
	}
}

// TestReadRefuses changes the custom protocol in one place at a time.
func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           string // the whole message
	}{
		{"broken", `"guide": {"intro"`, "", "line 52: invalid character ':' looking for beginning of object key string"},
		{"more text", "no error.\"]}\n}", "no error.\"]}\n}\n{}", "line 54: invalid character '{' after top-level value"},
		{"not UTF-8", "Watch", "W\xe4tch", "line 52: not UTF-8"},
		{"unknown key", `"tolerance"`, `"slack"`, "line 51: slack: there is no such field; correct its name, or leave it out"},
		{"unknown key below", `"text": "The eye`, `"colour": "The eye`, "line 19: spans.severities[0].colour: there is no such field; correct its name, or leave it out"},
		{"key in another case", `"about"`, `"About"`, "line 4: About: there is no such field; correct its name, or leave it out"},
		{"key twice", `"gate": "burden"`, `"gate": "burden", "gate": "ease"`, "line 49: gate: is given twice; keep one"},
		{"text for a number", `"min": 1`, `"min": "1"`, "line 7: scores[0].min: must be a whole number, not text"},
		{"half a step", `"max": 7`, `"max": 7.5`, "line 7: scores[0].max: must be a whole number, not 7.5"},
		{"number for text", `"id": "subtitle"`, `"id": 7`, "line 2: id: must be text in double quotes, not a number"},
		{"text for a list", `"mean": ["ease"]`, `"mean": "ease"`, "line 47: derived[1].mean: must be a list in [ ], not text"},
		{"list for an object", `"guide": {"intro": ["Watch the scene first, then read."], "hints": ["What nobody notices is no error."]}`, `"guide": []`, "line 52: guide: must be an object in { }, not a list"},
		{"text for yes", `"links": true`, `"links": "yes"`, "line 16: spans.links: must be true or false, not text"},

		{"id", `"subtitle"`, `"Sub title"`, "line 2: id: use 1 to 40 of a-z, 0-9 and _, beginning with a letter"},
		{"no name", `"Subtitle check"`, `""`, "line 3: name: missing"},
		{"no sentence", `"Mark what a viewer would stumble over, then say how well the line can be read in passing."`, `""`, "line 4: about: missing; say in a sentence what the annotator is asked to do"},
		{"gate by default", `"off"`, `"maybe"`, "line 50: gate_by_default: must be on, report or off"},
		{"preset", `"tolerance"`, `"preset": "best", "tolerance"`, "line 51: preset: must be one of ment, wmt23, wmt24"},
		{"measurement", `"max": 7`, `"max": 7, "measurement": "nominal"`, "line 7: scores[0].measurement: must be ordinal or interval"},
		{"tolerance", `0.25`, `-1`, "line 51: tolerance: must not be negative"},
		{"no such gate", `"gate": "burden"`, `"gate": "weight"`, `line 49: gate: there is no score or question "weight"`},
		{"range", `"max": 7`, `"max": 1`, "line 7: scores[0].max: must be above min\n" +
			"line 10: scores[0].levels[1]: needs a name and values of the scale, above those of the level before\n" +
			"line 11: scores[0].levels[2]: needs a name and values of the scale, above those of the level before"},
		{"label of a score", `"Ease of reading"`, `""`, "line 7: scores[0].label: missing"},
		{"levels overlap", `"to": 4`, `"to": 7`, "line 11: scores[0].levels[2]: needs a name and values of the scale, above those of the level before"},
		{"score name", `"name": "ease",`, `"name": "Ease",`, "line 7: scores[0].name: use 1 to 40 of a-z, 0-9 and _, beginning with a letter\n" +
			"line 47: derived[1].mean: there is no score \"ease\""},
		{"name twice", `"name": "ease_mean"`, `"name": "burden"`, `line 47: derived[1].name: "burden" is given twice`},
		{"human name", `"subtitle-ease"`, `"Subtitle"`, "line 7: scores[0].human: use 1 to 40 of a-z, 0-9 and -, beginning with a letter and not ending in -z"},
		{"human name like a normalised one", `"subtitle-ease"`, `"subtitle-z"`, "line 7: scores[0].human: use 1 to 40 of a-z, 0-9 and -, beginning with a letter and not ending in -z"},
		{"human name twice", `"subtitle-mean"`, `"subtitle-ease"`, `line 47: derived[1].human: "subtitle-ease" is given twice`},
		{"severity twice", `"id": "break"`, `"id": "Hitch"`, "line 20: spans.severities[1].id: \"Hitch\" is given twice\n" +
			`line 41: derived[0].weights[1].severity: there is no severity "break"`},
		{"severity without a name", `"name": "Hitch"`, `"name": ""`, "line 19: spans.severities[0]: needs an id and a name"},
		{"category with a slash", `"Wish"`, `"Wish/Dream"`, "line 32: spans.categories[3].name: must not be empty or have a /"},
		{"category twice", `"Wish"`, `"sense"`, `line 32: spans.categories[3].name: "sense" is given twice`},
		{"category like an alias", `"Wish"`, `"length"`, `line 32: spans.categories[3].name: "length" is given twice`},
		{"alias twice", `"aliases": ["Length"]`, `"aliases": ["Sense"]`, `line 28: spans.categories[1].aliases: "Sense" is given twice`},
		{"subcategory twice", `"name": "Lost"`, `"name": "Wrong"`, `line 26: spans.categories[0].sub[1].name: "Wrong" is given twice`},
		{"rule", `"source_error", "text"`, `"free", "text"`, "line 31: spans.categories[2].rule: must be source_error or non_translation"},
		{"rule of a subcategory", `{"name": "Lost",`, `{"name": "Lost", "rule": "source_error",`, "line 24: spans.categories[0].sub: a subcategory has no rule and none below it"},
		{"non-translation that can't be given", `"rule": "source_error"`, `"rule": "non_translation"`, "line 18: spans.severities: a non-translation is always major; add that severity"},
		{"severity of missing punctuation", `"severity": "hitch", "category": "Space", "subcategory": "no dash"`, `"severity": "minor", "category": "Space", "subcategory": "no dash"`, `line 34: spans.missing_punctuation.severity: there is no severity "minor"`},
		{"category of missing punctuation", `"category": "Space", "subcategory": "no dash"`, `"category": "Punctuation", "subcategory": "no dash"`, `line 34: spans.missing_punctuation.category: there is no category "Punctuation"`},
		{"name of missing punctuation", `"subcategory": "no dash"`, `"subcategory": ""`, "line 34: spans.missing_punctuation.subcategory: missing"},
		{"label of a derived score", `"Burden"`, `""`, "line 38: derived[0].label: missing"},
		{"mean of nothing", `"mean": ["ease"]`, `"mean": ["joy"]`, `line 47: derived[1].mean: there is no score "joy"`},
		{"neither weights nor mean", `, "mean": ["ease"]`, ``, "line 47: derived[1]: needs weights for the error spans, the scores to take the mean of, or a share of answers, one of the three"},
		{"weight of nothing", `{"severity": "break", "weight"`, `{"severity": "halt", "weight"`, `line 41: derived[0].weights[1].severity: there is no severity "halt"`},
		{"a setting without value", `"source_error=severity"`, `"source_error"`, `line 43: derived[0].weights[3].unless: "source_error" is no campaign setting with its value; write it as key=value, such as source_error=severity`},
		{"a column of every table", `"name": "ease_mean"`, `"name": "status"`, `line 47: derived[1].name: "status" is a column of every table of ratings; choose another name`},
		{"a severity by no setting", `"setting": "critical"`, `"setting": "crtical"`, `line 21: spans.severities[2].setting: there is no campaign setting "crtical" that can be yes; leave it out to offer the severity always`},
		{"a setting that there is not", `"source_error=severity"`, `"sorce_error=severity"`, `line 43: derived[0].weights[3].unless: "sorce_error=severity" is no campaign setting with its value; write it as key=value, such as source_error=severity`},
		{"a value that there is not", `"source_error=severity"`, `"source_error=none"`, `line 43: derived[0].weights[3].unless: "source_error=none" is no campaign setting with its value; write it as key=value, such as source_error=severity`},
		{"weight of no category", `"category": "Space", "subcategory": "Line break", "weight": 0.1`, `"category": "Spade", "weight": 0.1`, `line 44: derived[0].weights[4].category: there is no category "Spade"`},
		{"weight of no subcategory", `"subcategory": "Line break", "weight": 0.1`, `"subcategory": "Line brake", "weight": 0.1`, `line 44: derived[0].weights[4].category: there is no category "Space/Line brake"`},
	}
	text, _ := custom(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(text, tt.old) != 1 {
				t.Fatalf("%q is %d times in the file", tt.old, strings.Count(text, tt.old))
			}
			_, err := Read(strings.NewReader(strings.Replace(text, tt.old, tt.new, 1)))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestReadNoProtocol(t *testing.T) {
	for text, want := range map[string]string{
		"":       "the file is empty; write a protocol as a JSON object",
		" \n":    "the file is empty; write a protocol as a JSON object",
		"[]":     "line 1: must be an object in { }, not a list",
		"\n7":    "line 2: must be an object in { }, not a number",
		"{\n\n":  "line 2: unexpected end of JSON input",
		"{} , 1": "line 1: invalid character ',' after top-level value",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader(strings.Repeat(" ", MaxFile+1))); err == nil || !strings.Contains(err.Error(), "more than 256 KiB") {
		t.Errorf("a huge file: %v", err)
	}
	// An object that says nothing is told all that it lacks, a line each.
	_, err := Read(strings.NewReader("{}"))
	if err == nil || len(strings.Split(err.Error(), "\n")) != 6 || !strings.Contains(err.Error(), "scores: missing; a protocol needs scores, spans or questions") {
		t.Errorf("got %v", err)
	}
}

// TestReadOwnLimits: what a report would grow with has a limit for a new protocol, and none for one that a
// campaign has.
func TestReadOwnLimits(t *testing.T) {
	many := func(n int, entry string) string { return strings.Repeat(", "+entry, n)[2:] }
	text, _ := custom(t)
	for _, tt := range []struct{ old, new, want string }{
		{`"max": 7`, `"max": 1001`, "line 7: scores[0].max: must be from -1000 to 1000, not 1001"},
		{`"min": 1`, `"min": -9007199254740992`, "line 7: scores[0].min: must be from -1000 to 1000, not -9.007199254740992e+15"},
		{`"weight": 0.1`, `"weight": -1e300`, "line 44: derived[0].weights[4].weight: must be from -1000 to 1000, not -1e+300"},
		{`0.25`, `1000.5`, "line 51: tolerance: must be from -1000 to 1000, not 1000.5"},
		{`"mean": ["ease"]`, `"mean": [` + many(21, `"ease"`) + `]`, "line 47: derived[1].mean: has 21 entries, and a protocol can have at most 20 there; remove some"},
		{`"aliases": ["Length"]`, `"aliases": [` + many(101, `"A"`) + `]`, "line 28: spans.categories[1].aliases: has 101 entries, and a protocol can have at most 100 there; remove some"},
	} {
		changed := strings.Replace(text, tt.old, tt.new, 1)
		if _, err := ReadOwn(strings.NewReader(changed)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got  %v\nwant %s", tt.new[:min(len(tt.new), 40)], err, tt.want)
		}
	}
	if _, err := Read(strings.NewReader(strings.Replace(text, `"max": 7`, `"max": 1001`, 1))); err != nil {
		t.Errorf("a protocol that a campaign has: %v", err)
	}
	if _, err := ReadOwn(strings.NewReader(text)); err != nil {
		t.Errorf("a protocol within the limits: %v", err)
	}
}

// TestReadHostile: what a file repeats is not repeated by its error, and nesting has a limit.
func TestReadHostile(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nested":        {`{"spans":{"categories":[` + strings.Repeat(`{"sub":[`, 4000) + strings.Repeat(`]}`, 4000) + `]}}`, "line 1: brackets are nested more than 20 levels deep, which no protocol needs; check that it is the file you mean"},
		"unknown":       {`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, "line 1: a: there is no such field; correct its name, or leave it out"},
		"a long number": {"{\"tolerance\": \"\", \"scores\": [{\"min\": 1" + strings.Repeat("0", 200_000) + "}]}", "must be a whole number, not 1000"},
		"a long name":   {`{"` + strings.Repeat("k", 200_000) + `": {"a": [1, 2]}}`, "kkk… (200000 bytes): there is no such field"},
		"many keys":     {"{" + strings.Repeat(`"k":1,`, 40_000) + `"k":1}`, "79957 more problems are not listed; correct these first"},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 10_000 {
			t.Errorf("%s: got %.300v\nwant %s", name, err, c.want)
		}
	}
}
