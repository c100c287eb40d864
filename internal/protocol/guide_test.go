package protocol

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/wording"
)

// TestExamples: each protocol shows ratings of its own kind, in several languages
// and with English for what is not. That each could be submitted, Read has checked.
func TestExamples(t *testing.T) {
	want := map[string]string{ // what the examples come to
		"sqm":     "sqm 0; sqm 1; sqm 2; sqm 3; sqm 4",
		"esa":     "score 35 mqm 5; score 85 mqm 1; score 60 mqm 5; score 100 mqm 0",
		"mqm":     "mqm 5; mqm 5; mqm 1; mqm 0.1",
		"inspect": "difficulty 3; difficulty 4; ", "reference": "; ; ", "review": "; ; ",
		"terms": "; ; ", "culture": "share 1; share 0; share 0",
		"rate": "accuracy 15 fluency 98 rate 5 rate_mqm 5 rate_esa 56.5; accuracy 75 fluency 100 rate 3 rate_mqm 1 rate_esa 87.5; accuracy 98 fluency 55 rate 4 rate_mqm 2 rate_esa 76.5; accuracy 80 fluency 97 rate 3 rate_mqm 1 rate_esa 88.5",
	}
	for _, id := range IDs() {
		p := lookup(t, id)
		var got, languages []string
		for _, e := range p.Guide.Examples {
			var values []string
			for _, v := range p.Values(e.Rating()) {
				values = append(values, v.Name+" "+strconv.FormatFloat(v.Score, 'f', -1, 64))
			}
			got = append(got, strings.Join(values, " "))
			languages = append(languages, e.SourceLang, e.TargetLang)
			if (e.SourceLang == "en") != (e.Gloss == "") || (e.Translation == "" || e.TargetLang == "en") != (e.Reads == "") {
				t.Errorf("%s: %q has no English beside it, or needs none", id, e.Source)
			}
		}
		if s := strings.Join(got, "; "); s != want[id] {
			t.Errorf("%s: the examples come to %s, want %s", id, s, want[id])
		}
		slices.Sort(languages)
		if n := len(slices.Compact(languages)); n < 4 {
			t.Errorf("%s: the examples are in %d languages", id, n)
		}
	}
}

// TestExampleOfSeverity: a severity that a campaign does not offer is not shown in
// an example.
func TestExampleOfSeverity(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "custom.json"))
	if err != nil {
		t.Fatal(err)
	}
	example := `{"source_lang": "en", "source": "a b", "target_lang": "de", "translation": "c d", "reads": "-", "why": "-", "scores": {"ease": 1}, "marks": [{"words": "c", "severity": "scandal", "category": "Sense", "subcategory": "Wrong"}]}`
	withExample := func(old, now string) (*Protocol, error) {
		x := strings.Replace(example, old, now, 1)
		return Read(strings.NewReader(strings.Replace(string(text), `"hints"`, `"examples": [`+x+`], "hints"`, 1)))
	}
	p, err := withExample("", "")
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]int{"yes": 1, "no": 0} {
		if n := len(p.With(Options{Settings: map[string]string{"critical": setting}}).Guide.Examples); n != want {
			t.Errorf("critical=%s: %d examples, want %d", setting, n, want)
		}
	}
	for _, tt := range []struct{ old, now, want string }{
		{`"words": "c"`, `"words": "x"`, "line 52: guide.examples[0].marks[0].words: must stand once in the target, not 0 times"},
		{`"c d"`, `"c c"`, "line 52: guide.examples[0].marks[0].words: must stand once in the target, not 2 times"},
		{`"words": "c"`, `"words": ""`, "line 52: guide.examples[0].marks[0].words: must stand once in the target, not 4 times"},
		{`"scandal"`, `"grim"`, "line 52: guide.examples[0].marks[0].severity: "},
		{`"Wrong"`, `"Right"`, "line 52: guide.examples[0].marks[0].subcategory: "},
		{`"ease": 1`, `"ease": 8`, "line 52: guide.examples[0].ease: "},
		{`"scores": {"ease": 1}, `, ``, "line 52: guide.examples[0]: needs a score"},
		{`"why": "-"`, `"why": ""`, "line 52: guide.examples[0].why: missing"},
		{`"reads"`, `"read"`, "line 52: guide.examples[0].read: there is no such field; correct its name, or leave it out"},
	} {
		if _, err := withExample(tt.old, tt.now); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.now, err, tt.want)
		}
	}
}

// TestGuideMarkdown: nothing of a guide is lost when it becomes a text.
func TestGuideMarkdown(t *testing.T) {
	for _, id := range IDs() {
		p := lookup(t, id)
		got := p.Markdown()
		for _, want := range append(append([]string{p.About}, p.Guide.Intro...), p.Guide.Hints...) {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", id, want, got)
			}
		}
		for _, e := range p.Guide.Examples {
			if !strings.Contains(got, "> "+wording.Markdown(e.Source)) || slices.ContainsFunc(e.Targets(), func(t ExampleTarget) bool {
				return !strings.Contains(got, "> "+t.Labelled()+"\n") && !strings.Contains(got, "> "+t.Labelled()+" (")
			}) || !strings.Contains(got, "- "+e.Why+"\n") {
				t.Errorf("%s: the example %q is not in\n%s", id, e.Source, got)
			}
		}
	}
	p := &Protocol{Name: "X", About: "a *b* [c] <d>", Guide: Guide{Intro: []string{"one\ntwo"}}}
	if got, want := p.Markdown(), "**a \\*b\\* \\[c\\] &lt;d&gt;**\n\none two\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
