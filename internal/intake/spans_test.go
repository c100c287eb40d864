package intake_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// Nothing of a file with one wrong span is stored, not even its other ratings,
// its annotators or the categories it came with.
func TestImportRefusesSpans(t *testing.T) {
	onSource := storetest.Span(0, 2, "源文", "major", "Accuracy/Omission")
	onSource.Side = protocol.Source
	nul := storetest.Span(0, 1, "T", "major", "Other")
	nul.Comment = "a\x00b"
	nowhere := storetest.Span(0, 1, "T", "major", "Other")
	nowhere.Side = "left"
	tests := []struct {
		name  string
		spans []protocol.ErrorSpan
		want  string
	}{
		{"words", []protocol.ErrorSpan{storetest.Span(0, 11, "Translation", "major", "Other"), storetest.Span(1, 12, "Translation", "minor", "Odd")},
			`2 spans[1].text says "Translation", but characters 1 to 12 of the translation are "ranslation "`},
		{"beyond the end", []protocol.ErrorSpan{storetest.Span(0, 500, "", "major", "Other")}, "2 spans[0].end 500 lies outside the translation, which has 27 characters"},
		{"start beyond the end", []protocol.ErrorSpan{storetest.Span(28, 29, "", "major", "Other")}, "2 spans[0].start 28 lies outside"},
		{"before the start", []protocol.ErrorSpan{storetest.Span(-1, 2, "", "major", "Other")}, "2 spans[0].start -1 lies outside"},
		{"backwards", []protocol.ErrorSpan{storetest.Span(5, 2, "", "major", "Other")}, "2 spans[0].end 2 lies before the start"},
		{"bytes of the source", []protocol.ErrorSpan{{Side: protocol.Source, Start: 0, End: 13, Severity: "major"}}, "2 spans[0].end 13 lies outside the source, which has 6 characters"},
		{"side", []protocol.ErrorSpan{nowhere}, `2 spans[0].side must be "source" or "target"`},
		{"no severity", []protocol.ErrorSpan{storetest.Span(0, 1, "T", "", "Other")}, "2 spans[0].severity missing"},
		{"not storable", []protocol.ErrorSpan{nul}, "2 spans[0].comment must be UTF-8"},
		{"several", []protocol.ErrorSpan{storetest.Span(0, 1, "Y", "major", "Other"), onSource, storetest.Span(0, 99, "", "major", "Other")},
			`2 spans[0].text says "Y"` + "\n" + "2 spans[2].end 99 lies outside"},
	}
	db := storetest.Open(t)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug(fmt.Sprint("c", i)))
			before, terms := storetest.RowCounts(t, db), storetest.Query[string](t, db, "SELECT own_terms FROM campaigns ORDER BY slug")
			good := storetest.MarkedRating("s1", "sys-001", storetest.Span(0, 11, "Translation", "dreadful", "Odd"))
			_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(good, storetest.MarkedRating("s1", "sys-002", tt.spans...)), intake.ImportOptions{})
			storetest.WantProblems(t, err, strings.Split(tt.want, "\n")...)
			if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
				t.Errorf("a refused import left rows: %v, before %v", after, before)
			}
			if after := storetest.Query[string](t, db, "SELECT own_terms FROM campaigns ORDER BY slug"); !slices.Equal(after, terms) {
				t.Errorf("a refused import left terms: %v, before %v", after, terms)
			}
			storetest.ImportRatings(t, s, good) // it was not refused for its own sake
		})
	}
}

func TestImportRefusesScoresAndSpansOfOtherProtocols(t *testing.T) {
	db := storetest.Open(t)
	sqm := storetest.Campaign(t, db.Store)
	withSpan := storetest.RatingLine("s1", "sys-001", "x", 1, 3)
	withSpan.Spans = []protocol.ErrorSpan{storetest.Span(0, 1, "T", "major", "")}
	_, err := db.Intake.ImportRatings(t.Context(), sqm.Campaign.ID, storetest.NumberedRatings(withSpan), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 spans SQM has no error spans")

	mqm := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug("mqm"))
	_, err = db.Intake.ImportRatings(t.Context(), mqm.Campaign.ID, storetest.NumberedRatings(storetest.RatingLine("s1", "sys-001", "x", 1, 3)), intake.ImportOptions{})
	storetest.WantProblems(t, err, `1 sqm MQM has no score named "sqm"`)

	rate := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Slug("rate"))
	half := storetest.MarkedRating("s1", "sys-001")
	half.Scores = map[string]float64{"accuracy": 90}
	_, err = db.Intake.ImportRatings(t.Context(), rate.Campaign.ID, storetest.NumberedRatings(half), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 scores needs a score for Fluency")
}

// Names are compared without case and by alias; what is left is the campaign's own
// from the first span on, and a second import finds it.
func TestOwnTerms(t *testing.T) {
	_, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(1))
	first := storetest.MarkedRating("s1", "sys-001",
		storetest.Span(0, 1, "", "MAJOR", "terminology/INCONSISTENT"), storetest.Span(0, 1, "", "Critical", "Accuracy/Mistranslation"),
		storetest.Span(0, 1, "", "Trivial", "accuracy/Creative Reinterpretation"), storetest.Span(0, 1, "", "trivial", "ACCURACY/creative reinterpretation"),
		storetest.Span(0, 1, "", "minor", "Fluency/punctuation"), storetest.Span(0, 1, "", "minor", "Verse"), storetest.Span(0, 1, "", "minor", "verse"))
	report := storetest.ImportRatings(t, s, first)
	if !slices.Equal(report.OwnSeverities, []string{"Trivial", "critical"}) || !slices.Equal(report.OwnCategories, []string{"Accuracy/Creative Reinterpretation", "Verse"}) {
		t.Errorf("the report names %q and %q", report.OwnSeverities, report.OwnCategories)
	}
	wantNotes := []string{
		`severity "Trivial" of 2 errors, first at r.jsonl:1, is none of MQM's and costs nothing`,
		`severity "critical" of 1 error, first at r.jsonl:1, costs nothing until critical=yes`,
		`category "Accuracy/Creative Reinterpretation" of 2 errors, first at r.jsonl:1, is none of MQM's and costs nothing, whatever the severity`,
		`category "Verse" of 2 errors, first at r.jsonl:1, is none of MQM's`,
	}
	if !slices.Equal(report.Notes, wantNotes) {
		t.Errorf("notes %q, want %q", report.Notes, wantNotes)
	}
	s.Reload(t)
	tr := s.All(t)[0].Translations[0]
	var got []string
	for _, span := range tr.Ratings[0].Spans {
		got = append(got, span.Severity+" "+span.Category+"/"+span.Subcategory)
	}
	want := []string{"major Terminology/Inconsistent use", "critical Accuracy/Mistranslation", "Trivial Accuracy/Creative Reinterpretation",
		"Trivial Accuracy/Creative Reinterpretation", "minor Fluency/Punctuation", "minor Verse/", "minor Verse/"}
	if !slices.Equal(got, want) {
		t.Errorf("stored as %q, want %q", got, want)
	}
	// 5 + 0 + 0 + 0 + 0.1 + 1 + 1, in WMT's sign.
	if tr.Gold == nil || tr.Gold.Score != -7.1 {
		t.Errorf("gold is %+v, want -7.1", tr.Gold)
	}
	again := storetest.ImportRatings(t, s, storetest.MarkedRating("s1", "sys-002", storetest.Span(0, 1, "", "TRIVIAL", "VERSE"), storetest.Span(0, 1, "", "dire", "Verse")))
	if !slices.Equal(again.OwnSeverities, []string{"dire"}) || again.OwnCategories != nil {
		t.Errorf("the second report names %q and %q", again.OwnSeverities, again.OwnCategories)
	}
	s.Reload(t)
	if want := []string{"critical", "Trivial", "dire"}; !slices.Equal(s.Campaign.Own.Severities, want) {
		t.Errorf("own severities %q, want %q", s.Campaign.Own.Severities, want)
	}
	if severity, ok := s.Campaign.Rules.Spans.Severity("dire"); !ok || !severity.Own {
		t.Errorf("the rules have %+v", severity)
	}
}

func TestOwnTermsAreBounded(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(1))
	var own protocol.Own
	for i := range 999 {
		own.Categories = append(own.Categories, fmt.Sprint("free text ", i))
	}
	storetest.Exec(t, db, "UPDATE campaigns SET own_terms = ?", string(storetest.Must(json.Marshal(own))(t)))
	spans := []protocol.ErrorSpan{storetest.Span(0, 1, "", "major", "one more"), storetest.Span(0, 1, "", "major", "one too many")}
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(storetest.MarkedRating("s1", "sys-001", spans...)), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 spans[1].category more than 1000")
}

// Texts longer in all than what is kept between lines, met in an order that asks
// for each of them again.
func TestSpansInLongTexts(t *testing.T) {
	db := storetest.Open(t)
	const segments = 12
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
	var texts []campaign.Segment
	var file []campaign.RatingLine
	for i := range segments {
		seg := campaign.Segment{DocID: "d1", SegmentID: fmt.Sprint("s", i), Source: strings.Repeat("源", 200_000), Translations: []campaign.Translation{
			{System: "A", Text: strings.Repeat("a", 300_000) + fmt.Sprint(i)}, {System: "B", Text: strings.Repeat("é", 200_000) + fmt.Sprint(i)}}}
		texts = append(texts, seg)
	}
	storetest.ImportSegments(t, s, texts...)
	for _, system := range []string{"A", "B"} {
		for i := range segments {
			n := codepoint.Len(texts[i].Translations[strings.Index("AB", system)].Text)
			file = append(file, storetest.MarkedRating(fmt.Sprint("s", i), system, storetest.Span(n-2, n, "", "major", "Other")))
		}
	}
	storetest.ImportRatings(t, s, file...)
	for i, seg := range s.All(t) {
		for _, tr := range seg.Translations {
			last := tr.Text[len(tr.Text)-1:]
			if got := tr.Ratings[0].Spans[0].Text; !strings.HasSuffix(got, last) || codepoint.Len(got) != 2 {
				t.Errorf("s%d by %s: the span covers %q", i, tr.System, got)
			}
		}
	}
}

// rubric is a protocol of nobody's but this test's: a score of 1 to 7 and marks
// whose worst severity only some campaigns offer.
const rubric = `{"id": "rubric", "name": "Rubric", "about": "Mark slips, then give a grade.",
	"scores": [{"name": "grade", "label": "Grade", "min": 1, "max": 7, "human": "grade"}],
	"spans": {"severities": [{"id": "slip", "name": "Slip", "text": "-"}, {"id": "blunder", "name": "Blunder", "text": "-", "setting": "critical"}], "links": true},
	"derived": [{"name": "cost", "label": "Cost", "human": "cost", "lower_is_better": true, "weights": [{"severity": "slip", "weight": 0.5}, {"severity": "blunder", "weight": 10}]}],
	"gate": "cost", "gate_by_default": "report", "tolerance": 1, "guide": {"intro": ["-"]}}`

// A campaign with a protocol of its own imports, judges and gives back as one of
// those that come with the program.
func TestCustomProtocol(t *testing.T) {
	db, s := storetest.New(t, storetest.Definition(rubric), storetest.Segments(1), storetest.Systems(1))
	if s.Campaign.Protocol != "rubric" || s.Campaign.Definition != rubric || s.Campaign.Rules.Name != "Rubric" || s.Campaign.Settings.Tolerance != 1 {
		t.Fatalf("created %+v", s.Campaign)
	}
	var file []campaign.RatingLine
	for _, annotator := range []string{"x", "y"} {
		r := storetest.MarkedRating("s1", "sys-001", storetest.Span(0, 11, "Translation", "slip", ""), storetest.Span(12, 13, "1", "SLIP", ""))
		r.Annotator, r.Scores = annotator, map[string]float64{"grade": 6}
		r.Spans[0].ID, r.Spans[1].ID, r.Spans[1].Link = "a", "b", "a"
		file = append(file, r)
	}
	report := storetest.ImportRatings(t, s, file...)
	if report.Decided[campaign.Agreed] != 1 {
		t.Errorf("decided %v", report.Decided)
	}
	tr := s.All(t)[0].Translations[0]
	if tr.Gold == nil || tr.Gold.Score != -1 || tr.Ratings[1].Spans[1].Link != "a" || tr.Ratings[1].Spans[1].Severity != "slip" {
		t.Errorf("stored as %+v", tr)
	}
	bad := storetest.MarkedRating("s1", "sys-001")
	bad.Annotator, bad.Scores = "z", map[string]float64{"grade": 8}
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(bad), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 grade from 1 to 7")
}

func TestCreateCampaignRefusesProtocols(t *testing.T) {
	db := storetest.Open(t)
	for name, c := range map[string]campaign.Campaign{
		"no JSON":           {Protocol: "rubric", Definition: "{"},
		"of another id":     {Protocol: "other", Definition: rubric},
		"of a known id":     {Protocol: "mqm", Definition: strings.Replace(rubric, `"id": "rubric"`, `"id": "mqm"`, 1)},
		"not to be stored":  {Protocol: "rubric", Definition: strings.Replace(rubric, "Mark slips", "Mark \xff slips", 1)},
		"a gate not scored": {Protocol: "rubric", Definition: strings.Replace(rubric, `"gate": "cost"`, `"gate": "price"`, 1)},
	} {
		p, _ := protocol.Lookup("sqm")
		c.Slug, c.Title, c.Settings = "c", "c", campaign.DefaultSettings(p)
		_, err := db.Accounts.CreateCampaign(t.Context(), c, "")
		storetest.WantInvalid(t, err, "protocol")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
