package segments

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

// spanOver marks the first place with these words.
func spanOver(t *testing.T, side protocol.Side, text, words, severity, category string) protocol.ErrorSpan {
	t.Helper()
	before, _, ok := strings.Cut(text, words)
	if !ok {
		t.Fatalf("no %q in %q", words, text)
	}
	kind, sub, _ := strings.Cut(category, "/")
	start := codepoint.Len(before)
	return protocol.ErrorSpan{Side: side, Start: start, End: start + codepoint.Len(words), Text: words, Severity: severity, Category: kind, Subcategory: sub}
}

func judged(login string, round int, scores map[string]float64, spans ...protocol.ErrorSpan) campaign.Rating {
	return campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: scores, Spans: spans}}
}

func markedView(t *testing.T, p *protocol.Protocol, source string, translations ...campaign.Translation) SegmentView {
	t.Helper()
	return SegmentView{Page: pagetest.LeadPage("lead"), ID: "r1", Protocol: p, Settings: campaign.DefaultSettings(p), Source: templates.Lang{Lang: "zh", Dir: "ltr"}, Target: templates.Lang{Lang: "ar", Dir: "rtl"},
		Segment: campaign.Segment{DocID: "d", SegmentID: "s", Source: source, Status: campaign.Agreed, Translations: translations}}
}

const hostileText = `<b>&amp;</b> "x' é 👩🏽‍🚀 سلام` + "\n\nend"

// TestMarksOverText: two annotators' marks over one copy of the text, overlapping,
// nested, at a gap, and on both sides.
func TestMarksOverText(t *testing.T) {
	p := pagetest.Lookup(t, "mqm")
	gap := spanOver(t, protocol.Target, hostileText, "سلام", "minor", "Fluency/Punctuation")
	gap.Start, gap.Text = gap.End, ""
	v := markedView(t, p, "源文<i>", campaign.Translation{System: "A", Text: hostileText, Ratings: []campaign.Rating{
		judged("ben", 1, nil,
			spanOver(t, protocol.Target, hostileText, "<b>&amp;</b> \"x'", "major", "Accuracy/Mistranslation"),
			spanOver(t, protocol.Target, hostileText, "amp", "neutral", "Other"), gap),
		judged("ann", 1, nil,
			spanOver(t, protocol.Target, hostileText, "\"x' é 👩🏽‍🚀", "minor", "Style/Awkward"),
			spanOver(t, protocol.Source, "源文<i>", "文<i>", "minor", "Accuracy/Omission")),
	}})
	doc, html := pagetest.Written(t, Segment(v))
	texts := doc.Find("#t1 .marked")
	if texts.Length() != 2 || texts.Eq(0).Text() != hostileText || texts.Eq(1).Text() != "源文<i>" {
		t.Fatalf("the texts are not what was imported: %q", texts.Text())
	}
	if doc.Find("b, i").Length() != 0 || strings.Contains(html, "style=") {
		t.Error("a text was not escaped, or a style stands in the page")
	}
	for i, want := range []templates.Lang{{Lang: "ar", Dir: "rtl"}, {Lang: "zh", Dir: "ltr"}} {
		if got := (templates.Lang{Lang: texts.Eq(i).AttrOr("lang", ""), Dir: texts.Eq(i).AttrOr("dir", "")}); got != want {
			t.Errorf("text %d is in %v, want %v", i, got, want)
		}
	}
	pieces := texts.Eq(0).Find("mark").Map(func(_ int, s *goquery.Selection) string {
		return s.Text() + "|" + strings.ReplaceAll(s.AttrOr("title", ""), "\n", "; ")
	})
	want := []string{
		"<b>&|B1: Major, Accuracy / Mistranslation",
		"amp|B1: Major, Accuracy / Mistranslation; B2: Neutral, Other",
		";</b> |B1: Major, Accuracy / Mistranslation",
		`"x'|B1: Major, Accuracy / Mistranslation; A1: Minor, Style / Awkward`,
		" é 👩🏽‍🚀|A1: Minor, Style / Awkward",
		"|B3: Minor, Fluency / Punctuation, at a gap",
	}
	if strings.Join(pieces, "\n") != strings.Join(want, "\n") {
		t.Errorf("pieces:\n%s\nwant\n%s", strings.Join(pieces, "\n"), strings.Join(want, "\n"))
	}
	both := texts.Eq(0).Find("mark").Eq(3).Find(".u")
	if both.Length() != 2 || !both.Eq(0).HasClass("sv-double") || !both.Eq(0).HasClass("l0") || !both.Eq(1).HasClass("sv-single") || !both.Eq(1).HasClass("l1") {
		t.Errorf("where two marks overlap there are the lines %s", strings.Join(both.Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("class", "") }), ", "))
	}
	if !texts.Eq(0).HasClass("lines-2") || !texts.Eq(1).HasClass("lines-1") {
		t.Error("there is no room for the lines")
	}
	if !texts.Eq(0).Find(".gap").HasClass("sv-single") {
		t.Error("the caret does not show its severity")
	}
}

// TestMarksLead: the number of every mark leads to its entry, which leads back, and names the mark that it goes with.
func TestMarksLead(t *testing.T) {
	p := pagetest.Lookup(t, "rate")
	a := spanOver(t, protocol.Target, "one two", "one", "5", "Other")
	a.ID, a.Link, a.Comment = "x", "y", "<u>see</u>"
	b := spanOver(t, protocol.Target, "one two", "two", "1", "Inconsistency")
	b.ID = "y"
	c := spanOver(t, protocol.Source, "源", "源", "3", "Omission")
	c.Link = "gone"
	v := markedView(t, p, "源", campaign.Translation{System: "A", Text: "one two", Ratings: []campaign.Rating{judged("ben", 1, map[string]float64{"accuracy": 70, "fluency": 60}, c, b, a)}})
	doc, _ := pagetest.Written(t, Segment(v))
	doc.Find("#t1 .ref").Each(func(_ int, ref *goquery.Selection) {
		number := doc.Find("#t1 .marks > " + ref.AttrOr("href", "")).Find("a.mark-number")
		if number.AttrOr("href", "") != "#"+ref.AttrOr("id", "") || pagetest.Words(number) != "Mark "+ref.AttrOr("data-n", "") {
			t.Errorf("%s leads to %q", ref.AttrOr("data-n", ""), pagetest.Words(number))
		}
	})
	entries := doc.Find(".marks > li").Map(func(_ int, s *goquery.Selection) string { return pagetest.Words(s) })
	want := "Mark A1 5 Critical Other one <u>see</u> goes with A2\nMark A2 1 Negligible Inconsistency two\n" +
		"Mark A3 3 Moderate Omission in the source 源 goes with “gone”, a mark in another segment or one that was removed"
	if got := strings.Join(entries, "\n"); got != want {
		t.Errorf("entries:\n%s\nwant\n%s", got, want)
	}
	if got := pagetest.Words(doc.Find(".judge .values")); got != "Accuracy 70 Fluency 60 derived RATE 9 RATE MQM 6 RATE ESA 65" {
		t.Errorf("scores: %s", got)
	}
}

// TestMarksUnknown: what the protocol does not have is shown as it is, and said.
func TestMarksUnknown(t *testing.T) {
	p := pagetest.Lookup(t, "esa").With(protocol.Options{Own: protocol.Own{Severities: []string{"awful"}}})
	v := markedView(t, p, "源", campaign.Translation{System: "A", Text: "one two", Ratings: []campaign.Rating{
		judged("ben", 1, map[string]float64{"score": 3, "taste": 2}, spanOver(t, protocol.Target, "one two", "one", "awful", "Taste/Bitter"),
			spanOver(t, protocol.Target, "one two", "two", "minor", ""), protocol.ErrorSpan{Side: protocol.Target, Start: 7, End: 7, Severity: "minor", Subcategory: "missing punctuation"},
			protocol.ErrorSpan{Side: protocol.Target, Start: 90, End: 99, Severity: "", Text: "far out"})}})
	doc, _ := pagetest.Written(t, Segment(v))
	if got := doc.Find("#t1 .marked").Text(); got != "one two" {
		t.Errorf("text %q", got)
	}
	got := doc.Find(".marks > li").Map(func(_ int, s *goquery.Selection) string { return pagetest.Words(s) })
	want := []string{
		"Mark A1 awful Taste / Bitter severity and category not part of ESA one",
		"Mark A2 Minor two",
		"Mark A3 Minor missing punctuation at a gap, no words",
		"Mark A4 no severity far out",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("entries:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !doc.Find("#t1 .marked .u").First().HasClass("sv-own") {
		t.Error("an unknown severity is drawn like a known one")
	}
	if got := pagetest.Words(doc.Find(".judge .values")); got != "Score 3 taste 2 derived MQM from spans 2" {
		t.Errorf("scores: %s", got)
	}
	if got := pagetest.Words(doc.Find(".severity-key")); got != "Minor Major awful" {
		t.Errorf("key: %s", got)
	}
}

func TestMarksRounds(t *testing.T) {
	p := pagetest.Lookup(t, "mqm")
	v := markedView(t, p, "源", campaign.Translation{System: "A", Text: "one two", Ratings: []campaign.Rating{
		judged("ben", 1, nil, spanOver(t, protocol.Target, "one two", "one", "minor", "Other")),
		judged("ben", 2, nil, spanOver(t, protocol.Target, "one two", "two", "minor", "Other")),
		judged("ann", 1, nil)}}, campaign.Translation{System: "B", Ratings: []campaign.Rating{judged("ann", 1, nil)}})
	for _, tt := range []struct {
		shown MarksShown
		want  string
		query string // of the way to the next segment
	}{
		{MarksShown{}, "B ben; B1", ""},
		{MarksShown{Round: 1}, "A ann; B ben; B1; A ann", "?round=1"},
		{MarksShown{Round: EveryRound, Apart: true}, "A ann round 1; B ben round 1; B′ ben round 2; B1; B′1; A ann round 1", "?marks=apart&round=all"},
	} {
		v.Shown, v.After = tt.shown, "/next"
		doc, _ := pagetest.Written(t, Segment(v))
		var got []string
		doc.Find(".judged").Each(func(_ int, s *goquery.Selection) {
			s.Find(".judge h4").Each(func(_ int, s *goquery.Selection) { got = append(got, pagetest.Words(s)) })
			s.Find(".ref").Each(func(_ int, s *goquery.Selection) { got = append(got, s.AttrOr("data-n", "")) })
		})
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%+v: %s, want %s", tt.shown, strings.Join(got, "; "), tt.want)
		}
		if got := doc.Find("a[rel=next]").AttrOr("href", ""); got != "/next"+tt.query {
			t.Errorf("%+v: the next segment is at %s", tt.shown, got)
		}
		if n := doc.Find(".switch a[aria-current=true]").Length(); n != 2 {
			t.Errorf("%+v: %d choices are marked as present, want one of how and one of which round", tt.shown, n)
		}
		if got := ParseMarksShown(tt.shown.query()); got != tt.shown {
			t.Errorf("%+v is read from its address as %+v", tt.shown, got)
		}
	}
	v.Shown = MarksShown{}
	doc, _ := pagetest.Written(t, Segment(v))
	if got := pagetest.Words(doc.Find("#t2 .no-errors")) + "|" + pagetest.Words(doc.Find("#t2 .marked-texts")); got != "Not rated|(no translation)" {
		t.Errorf("a translation nobody rated in the round: %s", got)
	}
}

// query is what ParseMarksShown reads.
func (s MarksShown) query() (marks, round string) {
	address := string(s.at(""))
	for pair := range strings.SplitSeq(strings.TrimPrefix(address, "?"), "&") {
		switch key, value, _ := strings.Cut(pair, "="); key {
		case "marks":
			marks = value
		case "round":
			round = value
		}
	}
	return marks, round
}

func TestStyleOf(t *testing.T) {
	p := &protocol.Marking{Severities: []protocol.Severity{{ID: "slip"}, {ID: "fault"}, {ID: "Major"}, {ID: "disaster"}, {ID: "new", Own: true}}}
	for id, want := range map[string]string{"slip": "sv-w1", "fault": "sv-w2", "Major": "sv-double", "disaster": "sv-w5", "new": "sv-own", "other": "sv-own", "": "sv-own"} {
		if got := templates.StyleOf(p, id); got != want {
			t.Errorf("%q is drawn as %s, want %s", id, got, want)
		}
	}
	rate := pagetest.Lookup(t, "rate").Spans
	for i, s := range rate.Severities {
		if got, want := templates.StyleOf(rate, s.ID), "sv-w"+string(rune('1'+i)); got != want {
			t.Errorf("RATE %s is drawn as %s, want %s", s.ID, got, want)
		}
	}
	if got := templates.StyleOf(&protocol.Marking{Severities: []protocol.Severity{{ID: "error"}}}, "error"); got != "sv-w3" {
		t.Errorf("the only severity is drawn as %s", got)
	}
}

// TestMarksOfReference: the marks of a reference lie over it.
func TestMarksOfReference(t *testing.T) {
	const reference = "We sat in the majlis."
	v := markedView(t, pagetest.Lookup(t, "terms"), "جلسنا في المجلس.", campaign.Translation{Ratings: []campaign.Rating{
		judged("ann", 1, nil, spanOver(t, protocol.Source, "جلسنا في المجلس.", "المجلس", "", "social"), spanOver(t, protocol.Reference, reference, "majlis", "", "social")),
	}})
	v.Segment.References = []campaign.Reference{{Name: "refA", Text: reference}}
	doc, _ := pagetest.Written(t, Segment(v))
	texts := doc.Find("#t1 .marked")
	if texts.Length() != 2 || texts.Eq(0).Text() != reference || texts.Eq(0).Find("mark, .mark").Text() != "majlis" {
		html, _ := texts.Parent().Html()
		t.Errorf("the marks do not lie over the reference: %s", html)
	}
	if label := doc.Find("#t1 .label").First().Text(); label != "Reference" {
		t.Errorf("the marked text is called %q", label)
	}
}
