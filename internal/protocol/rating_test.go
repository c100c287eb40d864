package protocol

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/codepoint"
)

// Texts with what offsets are easily miscounted over: an emoji of two UTF-16
// units, a combining mark, a line break.
//
//	source       好的🙂，明天见            0 好 1 的 2 🙂 3 ， 4 明 5 天 6 见  (7 characters)
//	translation  OK 🙂\nsee you tomorow   0 O 1 K 2 _ 3 🙂 4 \n 5 see 9 you 13 tomorow  (20 characters)
var texts = Texts{Source: "好的🙂，明天见", Translation: "OK 🙂\nsee you tomorow"}

// target and source mark [start, end) with the words that stand there.
func target(id string, start, end int, severity string, category ...string) ErrorSpan {
	return mark(Target, texts.Translation, id, start, end, severity, category...)
}

func source(id string, start, end int, severity string, category ...string) ErrorSpan {
	return mark(Source, texts.Source, id, start, end, severity, category...)
}

func mark(side Side, text, id string, start, end int, severity string, category ...string) ErrorSpan {
	words, _ := codepoint.Slice(text, start, end)
	s := ErrorSpan{ID: id, Side: side, Start: start, End: end, Text: words, Severity: severity}
	if len(category) > 0 {
		s.Category = category[0]
	}
	if len(category) > 1 {
		s.Subcategory = category[1]
	}
	return s
}

// but is s with a change.
func but(s ErrorSpan, change func(*ErrorSpan)) ErrorSpan {
	change(&s)
	return s
}

func link(id string) func(*ErrorSpan)    { return func(s *ErrorSpan) { s.Link = id } }
func words(text string) func(*ErrorSpan) { return func(s *ErrorSpan) { s.Text = text } }

func rating(spans ...ErrorSpan) Rating { return Rating{Spans: spans} }

// campaignOf is a protocol as it is in a campaign with the usual settings.
func campaignOf(t *testing.T, id string, settings ...string) *Protocol {
	o := Options{MaxErrors: 5, Settings: map[string]string{"critical": "no", "source_error": "zero"}}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		o.Settings[key] = value
	}
	return lookup(t, id).With(o)
}

func violations(list []Violation) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Field+": "+v.Msg)
	}
	return out
}

func TestCheckScores(t *testing.T) {
	whole := func(what, is string) string {
		return fmt.Sprintf("%s must be a whole number from 0 to 4, not %s", what, is)
	}
	tests := []struct {
		name   string
		rating Rating
		want   string
	}{
		{"lowest", Rating{Scores: map[string]float64{"sqm": 0}}, ""},
		{"highest", Rating{Scores: map[string]float64{"sqm": 4}}, ""},
		{"nothing yet", Rating{}, ""},
		{"below", Rating{Scores: map[string]float64{"sqm": -1}}, "sqm: " + whole("Score", "-1")},
		{"above", Rating{Scores: map[string]float64{"sqm": 5}}, "sqm: " + whole("Score", "5")},
		{"half a point", Rating{Scores: map[string]float64{"sqm": 2.5}}, "sqm: " + whole("Score", "2.5")},
		{"not a number", Rating{Scores: map[string]float64{"sqm": math.NaN()}}, "sqm: " + whole("Score", "NaN")},
		{"infinite", Rating{Scores: map[string]float64{"sqm": math.Inf(1)}}, "sqm: " + whole("Score", "+Inf")},
		{"unknown", Rating{Scores: map[string]float64{"esa": 50, "sqm": 9}}, `esa: SQM has no score named "esa"` + "\n" + "sqm: " + whole("Score", "9")},
		{"long comment", Rating{Comment: strings.Repeat("x", MaxComment+3)}, "comment: the comment is too long; shorten it by 3 characters"},
		// 10,001 bytes: the last letter begins at byte 9,999 and does not fit.
		{"long comment of two bytes a letter", Rating{Comment: "x" + strings.Repeat("я", MaxComment/2)}, "comment: the comment is too long; shorten it by 1 character"},
		{"comment just fits", Rating{Comment: strings.Repeat("я", MaxComment/2)}, ""},
		{"spans", rating(target("a", 0, 2, "minor")), "spans: under SQM no errors are marked; give scores only"},
		{"no errors", Rating{NoErrors: true}, "spans: under SQM no errors are marked; give scores only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(violations(lookup(t, "sqm").Check(tt.rating, texts)), "\n"); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestCheckSpans(t *testing.T) {
	const (
		accuracy = "Addition, Omission, Mistranslation, Untranslated text"
		top      = "Accuracy, Fluency, Terminology, Style, Locale convention, Other, Source error, Non-translation"
		rate     = "Mistranslation, Undertranslation, Overtranslation, Omission, Grammar, Fluency, Style, Inconsistency, Named entity, Do not translate, Other"
		outside  = "lies outside the translation, which has 20 characters; count Unicode code points from 0"
		ownWords = "offsets count Unicode code points of the text exactly as it was imported"
	)
	whole := target("n", 0, 20, "major", "Non-translation")
	spelling := func(id string) ErrorSpan { return target(id, 13, 20, "minor", "Fluency", "Spelling") }
	tests := []struct {
		name, protocol string
		rating         Rating
		want           string
	}{
		// Places.
		{"a word after an emoji and a line break", "esa", rating(target("a", 13, 20, "minor")), ""},
		{"the emoji alone", "esa", rating(target("a", 3, 4, "minor")), ""},
		{"the whole text", "esa", rating(target("a", 0, 20, "major")), ""},
		{"the source", "esa", rating(source("a", 4, 6, "major")), ""},
		{"the words are not given", "esa", rating(but(target("a", 13, 20, "minor"), words(""))), ""},
		{"overlapping, nested, and twice the same", "esa", rating(target("a", 5, 12, "minor"), target("b", 9, 20, "minor"), target("c", 9, 12, "major"), target("d", 9, 12, "major")), ""},
		{"starts before the text", "esa", rating(but(target("a", 0, 2, "minor"), func(s *ErrorSpan) { s.Start = -1 })), "spans[0].start: -1 " + outside},
		{"starts after the text", "esa", rating(but(target("a", 0, 2, "minor"), func(s *ErrorSpan) { s.Start, s.End = 21, 22 })), "spans[0].start: 21 " + outside},
		{"ends after the text", "esa", rating(target("a", 13, 20, "minor"), but(target("b", 13, 20, "minor"), func(s *ErrorSpan) { s.End = 21 })), "spans[1].end: 21 " + outside},
		{"ends after the source, not the translation", "esa", rating(but(source("a", 0, 2, "minor"), func(s *ErrorSpan) { s.End = 8 })), "spans[0].end: 8 lies outside the source, which has 7 characters; count Unicode code points from 0"},
		{"ends before it starts", "esa", rating(but(target("a", 5, 8, "minor"), func(s *ErrorSpan) { s.End = 4 })), "spans[0].end: 4 lies before the start, 5; correct one of them"},
		{"no side", "esa", rating(but(target("a", 5, 8, "minor"), func(s *ErrorSpan) { s.Side = "" })), `spans[0].side: must be "source" or "target", not ""`},
		{"counted in UTF-16 units", "esa", rating(but(target("a", 14, 20, "minor"), words("tomorow"))), `spans[0].text: says "tomorow", but characters 14 to 20 of the translation are "omorow"; ` + ownWords},
		{"words of the other side", "esa", rating(but(source("a", 0, 2, "minor"), words("OK"))), `spans[0].text: says "OK", but characters 0 to 2 of the source are "好的"; ` + ownWords},
		{"words composed otherwise", "esa", rating(but(target("a", 13, 20, "minor"), words("tomoro\u0308w"))), "spans[0].text: says \"tomoro\u0308w\", but characters 13 to 20 of the translation are \"tomorow\"; " + ownWords},

		// Marks without words.
		{"empty", "esa", rating(target("a", 4, 4, "minor")), "spans[0].end: the mark covers nothing; select at least one character"},
		{"missing punctuation in ESA", "esa", rating(target("a", 20, 20, "minor", "", "missing punctuation")), ""},
		{"missing punctuation in RATE", "rate", rating(target("a", 2, 2, "2", "Grammar", "missing punctuation")), ""},
		{"missing punctuation in RATE, changed", "rate", rating(target("a", 2, 2, "4", "Style", "missing punctuation")), ""},
		{"missing punctuation of an unknown category", "rate", rating(target("a", 2, 2, "2", "Commas", "missing punctuation")), `spans[0].category: there is no category "Commas"; choose one of: ` + rate},
		{"missing punctuation outside the text", "esa", rating(target("a", 21, 21, "minor", "", "missing punctuation")), "spans[0].start: 21 " + outside},
		{"MQM marks words only", "mqm", rating(target("a", 20, 20, "minor", "Fluency", "Punctuation")), "spans[0].end: the mark covers nothing; select at least one character"},

		// Severities and categories.
		{"unknown severity", "esa", rating(target("a", 0, 2, "critical")), `spans[0].severity: there is no severity "critical"; choose one of: Minor, Major`},
		{"severity in another case", "esa", rating(target("a", 0, 2, "Minor")), `spans[0].severity: there is no severity "Minor"; choose one of: Minor, Major`},
		{"critical is not offered", "mqm", rating(target("a", 0, 2, "critical", "Style", "Awkward")), `spans[0].severity: there is no severity "critical"; choose one of: Neutral, Minor, Major`},
		{"category under ESA", "esa", rating(target("a", 0, 2, "minor", "Style")), "spans[0].category: errors have no category here; remove it"},
		{"no category yet", "mqm", rating(target("a", 0, 2, "minor")), ""},
		{"no subcategory yet", "mqm", rating(target("a", 0, 2, "minor", "Accuracy")), ""},
		{"unknown category", "mqm", rating(target("a", 0, 2, "minor", "Wit")), `spans[0].category: there is no category "Wit"; choose one of: ` + top},
		{"subcategory of another category", "mqm", rating(target("a", 0, 2, "minor", "Accuracy", "Spelling")), `spans[0].subcategory: the category Accuracy has no subcategory "Spelling"; choose one of: ` + accuracy},
		{"subcategory where there are none", "rate", rating(target("a", 0, 2, "1", "Style", "Awkward")), `spans[0].subcategory: the category Style has no subcategories; remove "Awkward"`},
		{"subcategory alone", "mqm", rating(target("a", 0, 2, "minor", "", "Spelling")), "spans[0].category: choose a category: " + top},

		// Ids, links, comments.
		{"no id", "esa", rating(target("", 0, 2, "minor")), "spans[0].id: every error needs an id of 1 to 64 bytes"},
		{"long id", "esa", rating(target(strings.Repeat("i", 65), 0, 2, "minor")), "spans[0].id: every error needs an id of 1 to 64 bytes"},
		{"one id twice", "esa", rating(target("a", 0, 2, "minor"), target("a", 5, 8, "minor")), `spans[1].id: two errors have the id "a"; give each its own`},
		{"linked both ways", "rate", rating(
			but(target("a", 0, 2, "3", "Inconsistency"), link("b")),
			but(target("b", 5, 8, "3", "Inconsistency"), link("a"))), ""},
		{"linked to nothing", "rate", rating(but(target("a", 0, 2, "3", "Inconsistency"), link("b"))), `spans[0].link: the error that "OK" is linked to does not exist, or was removed; choose another one, or remove the link`},
		{"linked to itself", "rate", rating(but(target("a", 0, 2, "3", "Inconsistency"), link("a"))), "spans[0].link: an error can't be linked to itself; choose another one, or remove the link"},
		{"linked under MQM", "mqm", rating(spelling("a"), but(target("b", 0, 2, "minor", "Style", "Awkward"), link("a"))), "spans[1].link: under MQM errors are not linked; remove the link"},
		{"long comment", "esa", rating(but(target("a", 0, 2, "minor"), func(s *ErrorSpan) { s.Comment = strings.Repeat("语", 3334) })), "spans[0].comment: the comment is too long; shorten it by 1 character"},
		{"no errors and an error", "esa", Rating{NoErrors: true, Spans: []ErrorSpan{target("a", 0, 2, "minor")}}, "no_errors: the translation is said to have no errors, but some are marked; take back one or the other"},
		{"no errors", "mqm", Rating{NoErrors: true}, ""},

		// The limit.
		{"five errors", "mqm", rating(spelling("a"), spelling("b"), spelling("c"), spelling("d"), spelling("e")), ""},
		{"one error too many", "mqm", rating(spelling("a"), spelling("b"), spelling("c"), spelling("d"), spelling("e"), spelling("f")), "spans: 6 errors are marked, and the limit is 5; keep the gravest and remove 1"},
		{"source errors lie outside the limit", "mqm", rating(spelling("a"), spelling("b"), source("x", 0, 2, "minor", "Source error"), spelling("c"), spelling("d"), spelling("e"), source("y", 4, 6, "major", "Source error")), ""},
		{"RATE has no limit", "rate", rating(target("a", 0, 2, "1", "Style"), target("b", 0, 2, "1", "Style"), target("c", 0, 2, "1", "Style"), target("d", 0, 2, "1", "Style"), target("e", 0, 2, "1", "Style"), target("f", 0, 2, "1", "Style")), ""},

		// Rules of single categories.
		{"source error in the source", "mqm", rating(source("a", 0, 2, "minor", "Source error")), ""},
		{"source error in the translation", "mqm", rating(target("a", 0, 2, "minor", "Source error")), "spans[0].side: a source error is marked in the source, not in the translation"},
		{"non-translation", "mqm", rating(whole), ""},
		{"non-translation of a part", "mqm", rating(target("a", 0, 4, "major", "Non-translation")), "spans[0].end: a non-translation spans the whole translation; mark all of it"},
		{"non-translation in the source", "mqm", rating(source("a", 0, 7, "major", "Non-translation")), "spans[0].end: a non-translation spans the whole translation; mark all of it"},
		{"minor non-translation", "mqm", rating(but(whole, func(s *ErrorSpan) { s.Severity = "minor" })), "spans[0].severity: a non-translation is always major; change the severity"},
		{"an error beside a non-translation", "mqm", rating(spelling("a"), whole), "spans: a non-translation stands alone; remove either it or the other errors"},
		{"a source error beside a non-translation", "mqm", rating(whole, source("a", 0, 2, "minor", "Source error")), "spans: a non-translation stands alone; remove either it or the other errors"},
		{"two non-translations", "mqm", rating(whole, but(whole, func(s *ErrorSpan) { s.ID = "m" })), "spans: a non-translation stands alone; remove either it or the other errors"},

		// Everything is told at once, in the order of the rating.
		{"several", "rate", Rating{Scores: map[string]float64{"accuracy": 101, "fluency": 70.5}, Spans: []ErrorSpan{target("a", 0, 2, "6", "Style"), but(target("a", 0, 2, "1", "Style"), words("KO"))}}, "accuracy: Accuracy must be a whole number from 0 to 100, not 101\n" +
			"fluency: Fluency must be a whole number from 0 to 100, not 70.5\n" +
			`spans[0].severity: there is no severity "6"; choose one of: 1 Negligible, 2 Slight, 3 Moderate, 4 Serious, 5 Critical` + "\n" +
			`spans[1].id: two errors have the id "a"; give each its own` + "\n" +
			`spans[1].text: says "KO", but characters 0 to 2 of the translation are "OK"; ` + ownWords},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(violations(campaignOf(t, tt.protocol).Check(tt.rating, texts)), "\n"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// A link leads to a span of the same rating, or to one of those elsewhere that may be linked
// to. Under a protocol without links it never does.
func TestLinksElsewhere(t *testing.T) {
	linked := func(id, link string) ErrorSpan {
		return but(target(id, 0, 2, "3", "Inconsistency"), func(s *ErrorSpan) { s.Link = link })
	}
	r := rating(linked("a", "b"), linked("b", "far"), linked("c", "gone"), linked("d", "far"), linked("e", ""))
	within := texts
	within.Linkable = map[string]bool{"far": true, "further": true}
	want := []string{`spans[2].link: the error that "OK" is linked to does not exist, or was removed; choose another one, or remove the link`}
	if got := violations(campaignOf(t, "rate").Check(r, within)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := r.LinksElsewhere(); !slices.Equal(got, []string{"far", "gone"}) {
		t.Errorf("links elsewhere are %q", got)
	}
	kept, n := r.KeepLinks(within.Linkable)
	if got := violations(campaignOf(t, "rate").Check(kept, within)); len(got) > 0 || n != 1 || kept.Spans[0].Link != "b" || kept.Spans[3].Link != "far" || r.Spans[2].Link != "gone" {
		t.Errorf("%d links left out: %+v, %q", n, kept.Spans, got)
	}
	if got := violations(campaignOf(t, "esa").Check(rating(but(target("a", 0, 2, "minor"), link("far"))), within)); len(got) != 1 {
		t.Errorf("under ESA a link is refused with %q", got)
	}
}

// TestCheckEmptyTranslation: a translation without text can be called no
// translation, and nothing else can be marked in it.
func TestCheckEmptyTranslation(t *testing.T) {
	p, empty := campaignOf(t, "mqm"), Texts{Source: "好的"}
	none := ErrorSpan{ID: "a", Side: Target, Severity: "major", Category: "Non-translation"}
	if got := p.Check(rating(none), empty); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	none.Category, none.Subcategory = "Accuracy", "Omission"
	if got := p.Check(rating(none), empty); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestCheckTooManySpans(t *testing.T) {
	spans := make([]ErrorSpan, MaxSpans+1)
	for i := range spans {
		spans[i] = target(fmt.Sprint(i), 0, 2, "1", "Style")
	}
	p := campaignOf(t, "rate")
	if got := p.Check(rating(spans[:MaxSpans]...), texts); len(got) > 0 {
		t.Errorf("%d errors: %v", MaxSpans, got[0])
	}
	want := []string{"spans: 1001 errors are marked, and no more than 1000 can be kept; keep the gravest"}
	if got := violations(p.Check(rating(spans...), texts)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMissing(t *testing.T) {
	scores := map[string]float64{"accuracy": 80, "fluency": 90}
	comment := func(text string) ErrorSpan {
		return but(target("a", 13, 20, "1", "Other"), func(s *ErrorSpan) { s.Comment = text })
	}
	tests := []struct {
		name, protocol string
		rating         Rating
		want           string
	}{
		{"SQM untouched", "sqm", Rating{}, "a score"},
		{"SQM with words only", "sqm", Rating{Comment: "only words"}, "a score"},
		{"SQM done", "sqm", Rating{Scores: map[string]float64{"sqm": 0}}, ""},
		{"ESA untouched", "esa", Rating{}, "a score"},
		{"ESA marked, not scored", "esa", rating(target("a", 0, 2, "minor")), "a score"},
		{"ESA without errors, not scored", "esa", Rating{NoErrors: true}, "a score"},
		{"ESA scored without marks", "esa", Rating{Scores: map[string]float64{"score": 100}}, ""},
		{"MQM untouched", "mqm", Rating{}, `an error, or "no errors"`},
		{"MQM with words only", "mqm", Rating{Comment: "fine"}, `an error, or "no errors"`},
		{"MQM without errors", "mqm", Rating{NoErrors: true}, ""},
		{"ESA without severity", "esa", rating(target("a", 13, 20, "")), `a severity for "tomorow"`},
		{"MQM without severity and category", "mqm", rating(target("a", 13, 20, "")), `a severity for "tomorow"`},
		{"MQM without category", "mqm", rating(target("a", 13, 20, "minor")), `a category for "tomorow"`},
		{"MQM without kind", "mqm", rating(target("a", 13, 20, "minor", "Fluency")), `a kind of Fluency for "tomorow"`},
		{"MQM category without kinds", "mqm", rating(target("a", 13, 20, "minor", "Other")), ""},
		{"MQM done", "mqm", rating(target("a", 13, 20, "minor", "Fluency", "Spelling")), ""},
		{"MQM, the second is not done", "mqm", rating(target("a", 13, 20, "minor", "Fluency", "Spelling"), source("b", 4, 6, "major", "Accuracy")), `a kind of Accuracy for "明天"`},
		{"RATE untouched", "rate", Rating{}, "a score for Accuracy"},
		{"RATE without fluency", "rate", Rating{Scores: map[string]float64{"accuracy": 80}}, "a score for Fluency"},
		{"RATE scored without marks", "rate", Rating{Scores: scores}, ""},
		{"RATE without category", "rate", Rating{Scores: scores, Spans: []ErrorSpan{target("a", 13, 20, "1")}}, `a category for "tomorow"`},
		{"RATE Other without comment", "rate", Rating{Scores: scores, Spans: []ErrorSpan{comment("")}}, `a comment that explains "tomorow", marked as Other`},
		{"RATE Other with a blank comment", "rate", Rating{Scores: scores, Spans: []ErrorSpan{comment(" \n")}}, `a comment that explains "tomorow", marked as Other`},
		{"RATE Other with comment", "rate", Rating{Scores: scores, Spans: []ErrorSpan{comment("a play on words")}}, ""},
		{"RATE missing punctuation", "rate", Rating{Scores: scores, Spans: []ErrorSpan{target("a", 2, 2, "2", "Grammar", "missing punctuation")}}, ""},
		{"RATE missing punctuation as Other", "rate", Rating{Scores: scores, Spans: []ErrorSpan{target("a", 2, 2, "2", "Other", "missing punctuation")}}, "a comment that explains the missing punctuation, marked as Other"},
		{"RATE missing punctuation of no category", "rate", Rating{Scores: scores, Spans: []ErrorSpan{target("a", 2, 2, "2", "", "missing punctuation")}}, "a category for the missing punctuation"},
		{"ESA missing punctuation", "esa", Rating{Scores: map[string]float64{"score": 99}, Spans: []ErrorSpan{target("a", 20, 20, "minor", "", "missing punctuation")}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := campaignOf(t, tt.protocol)
			if v := p.Check(tt.rating, texts); len(v) > 0 {
				t.Fatalf("refused: %v", v)
			}
			if got := p.Missing(tt.rating); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMissingLongWords: a long stretch is named by its beginning.
func TestMissingLongWords(t *testing.T) {
	s := ErrorSpan{Side: Target, End: 100, Text: strings.Repeat("话", 100), Severity: "major"}
	if got, want := campaignOf(t, "mqm").Missing(rating(s)), `a category for "`+strings.Repeat("话", 60)+`"…`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
