package intake_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// breaks are the line breaks that readers and databases like to change.
var breaks = []string{"\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\t", ""}

// spanned makes a random text to mark errors in; never empty.
func spanned(r *rand.Rand) string {
	return "x" + storetest.RandomText(r) + breaks[r.IntN(len(breaks))] + storetest.RandomText(r)
}

// randomSpans marks errors of p, and of kinds that p does not have, in texts.
func randomSpans(r *rand.Rand, p *protocol.Protocol, t protocol.Texts) []protocol.ErrorSpan {
	spans := make([]protocol.ErrorSpan, r.IntN(6))
	for i := range spans {
		s := protocol.ErrorSpan{Side: protocol.Target, Severity: p.Spans.Severities[r.IntN(len(p.Spans.Severities))].ID}
		text := t.Translation
		if r.IntN(3) == 0 {
			s.Side, text = protocol.Source, t.Source
		}
		n := codepoint.Len(text)
		s.Start = r.IntN(n + 1)
		s.End = s.Start + r.IntN(n-s.Start+1)
		s.Text, _ = codepoint.Slice(text, s.Start, s.End)
		if r.IntN(8) == 0 {
			s.Severity = "grave"
		}
		switch {
		case r.IntN(8) == 0:
			s.Category, s.Subcategory = "Rhyme", "Metre"
		case len(p.Spans.Categories) > 0:
			c := p.Spans.Categories[r.IntN(len(p.Spans.Categories))]
			if s.Category = c.Name; len(c.Sub) > 0 {
				s.Subcategory = c.Sub[r.IntN(len(c.Sub))].Name
			}
		}
		if r.IntN(3) == 0 {
			s.Comment = storetest.RandomText(r)
		}
		if r.IntN(4) > 0 {
			s.ID = fmt.Sprint("s", i)
		}
		if i > 0 && spans[i-1].ID != "" && r.IntN(3) == 0 {
			s.Link = spans[i-1].ID
		}
		spans[i] = s
	}
	if len(spans) == 0 {
		return nil
	}
	return spans
}

func randomScores(r *rand.Rand, p *protocol.Protocol) map[string]float64 {
	scores := map[string]float64{}
	for _, s := range p.Scores {
		scores[s.Name] = float64(s.Min + r.IntN(s.Max-s.Min+1))
	}
	return scores
}

// TestSpansComeBack: whatever the texts hold, spans, links, comments and scores
// come back as they were imported, and with the words they cover.
func TestSpansComeBack(t *testing.T) {
	for _, id := range []string{"esa", "mqm", "rate"} {
		t.Run(id, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *storetest.DB) {
				r := rand.New(rand.NewPCG(3, 7))
				s := storetest.Campaign(t, db.Store, storetest.Protocol(id), storetest.Segments(0))
				var segments []campaign.Segment
				var file []campaign.RatingLine
				want := map[string]campaign.Rating{}
				for i := range 60 {
					seg := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: spanned(r)}
					for _, system := range []string{"A", "B"} {
						text := spanned(r)
						seg.Translations = append(seg.Translations, campaign.Translation{System: system, Text: text})
						for _, annotator := range []string{"x", "y"} {
							given := protocol.Rating{Scores: randomScores(r, s.Campaign.Rules), Comment: storetest.RandomText(r),
								Spans: randomSpans(r, s.Campaign.Rules, protocol.Texts{Source: seg.Source, Translation: text})}
							rating := campaign.Rating{Annotator: annotator, Round: 1, Seconds: r.Float64(), SubmittedAt: storetest.Start, Rating: given}
							want[fmt.Sprint(i, system, annotator)] = rating
							rating.Spans = slices.Clone(given.Spans)
							for k := range rating.Spans {
								if r.IntN(3) == 0 {
									rating.Spans[k].Text = "" // to be filled in
								}
							}
							file = append(file, campaign.RatingLine{DocID: "d", SegmentID: seg.SegmentID, System: system, Rating: rating})
						}
					}
					segments = append(segments, seg)
				}
				storetest.ImportSegments(t, s, segments...)
				report := storetest.ImportRatings(t, s, file...)
				if !slices.Equal(report.OwnSeverities, []string{"grave"}) || !slices.Equal(report.OwnCategories, []string{"Rhyme/Metre"}) {
					t.Errorf("the report names %q and %q", report.OwnSeverities, report.OwnCategories)
				}
				s.Reload(t)
				n := 0
				for i, seg := range s.All(t) {
					for _, tr := range seg.Translations {
						for _, got := range tr.Ratings {
							n++
							if w := want[fmt.Sprint(i, tr.System, got.Annotator)]; !reflect.DeepEqual(got, w) {
								t.Fatalf("%s of %s by %s came back as\n%+v, want\n%+v", tr.System, seg.SegmentID, got.Annotator, got, w)
							}
							for _, span := range got.Spans {
								if _, bad := (protocol.Texts{Source: seg.Source, Translation: tr.Text}).Place(span); bad != nil {
									t.Fatalf("%+v: %s", span, bad.Msg)
								}
							}
						}
						if tr.Gold != nil {
							checkGold(t, s.Campaign.Rules, tr)
						}
					}
				}
				if n != len(file) {
					t.Errorf("%d ratings came back, want %d", n, len(file))
				}
			})
		})
	}
}

// checkGold: gold is the mean of the gate scores that the ratings have.
func checkGold(t *testing.T, p *protocol.Protocol, tr campaign.Translation) {
	t.Helper()
	var gates []float64
	for _, r := range tr.Ratings {
		gate, _ := p.GateScore(r.Rating)
		gates = append(gates, gate)
	}
	if want, _ := campaign.Mean(gates); tr.Gold.Score != want {
		t.Errorf("gold is %v, want %v", tr.Gold.Score, want)
	}
}

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
		want  []string
	}{
		{"words", []protocol.ErrorSpan{storetest.Span(0, 11, "Translation", "major", "Other"), storetest.Span(1, 12, "Translation", "minor", "Odd")},
			[]string{`2 spans[1].text says "Translation", but characters 1 to 12 of the translation are "ranslation "`}},
		{"beyond the end", []protocol.ErrorSpan{storetest.Span(0, 500, "", "major", "Other")}, []string{"2 spans[0].end 500 lies outside the translation, which has 27 characters"}},
		{"start beyond the end", []protocol.ErrorSpan{storetest.Span(28, 29, "", "major", "Other")}, []string{"2 spans[0].start 28 lies outside"}},
		{"before the start", []protocol.ErrorSpan{storetest.Span(-1, 2, "", "major", "Other")}, []string{"2 spans[0].start -1 lies outside"}},
		{"backwards", []protocol.ErrorSpan{storetest.Span(5, 2, "", "major", "Other")}, []string{"2 spans[0].end 2 lies before the start"}},
		{"bytes of the source", []protocol.ErrorSpan{{Side: protocol.Source, Start: 0, End: 13, Severity: "major"}}, []string{"2 spans[0].end 13 lies outside the source, which has 6 characters"}},
		{"side", []protocol.ErrorSpan{nowhere}, []string{`2 spans[0].side must be "source" or "target"`}},
		{"no severity", []protocol.ErrorSpan{storetest.Span(0, 1, "T", "", "Other")}, []string{"2 spans[0].severity missing"}},
		{"not storable", []protocol.ErrorSpan{nul}, []string{"2 spans[0].comment must be UTF-8"}},
		{"several", []protocol.ErrorSpan{storetest.Span(0, 1, "Y", "major", "Other"), onSource, storetest.Span(0, 99, "", "major", "Other")},
			[]string{`2 spans[0].text says "Y"`, "2 spans[2].end 99 lies outside"}},
	}
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for i, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug(fmt.Sprint("c", i)))
				before, terms := storetest.RowCounts(t, db), storetest.Query[string](t, db, "SELECT own_terms FROM campaigns ORDER BY slug")
				good := storetest.MarkedRating("s1", "sys-001", storetest.Span(0, 11, "Translation", "dreadful", "Odd"))
				_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(good, storetest.MarkedRating("s1", "sys-002", tt.spans...)), intake.ImportOptions{})
				storetest.WantProblems(t, err, tt.want...)
				if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
					t.Errorf("a refused import left rows: %v, before %v", after, before)
				}
				if after := storetest.Query[string](t, db, "SELECT own_terms FROM campaigns ORDER BY slug"); !slices.Equal(after, terms) {
					t.Errorf("a refused import left terms: %v, before %v", after, terms)
				}
				storetest.ImportRatings(t, s, good) // it was not refused for its own sake
			})
		}
	})
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

// A span-only rating without spans is finished: the translation has no errors.
func TestImportWithoutErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(1))
		if report := storetest.ImportRatings(t, s, storetest.MarkedRating("s1", "sys-001")); report.Ratings != 1 || report.OwnSeverities != nil || report.OwnCategories != nil || report.Notes != nil {
			t.Errorf("report %+v", report)
		}
		if tr := s.All(t)[0].Translations[0]; len(tr.Ratings) != 1 || tr.Gold == nil || tr.Gold.Score != 0 {
			t.Errorf("stored as %+v", tr)
		}
	})
}

// Names are compared without case and by alias; what is left is the campaign's own
// from the first span on, and a second import finds it.
func TestOwnTerms(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(1))
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
	})
}

func TestOwnTermsAreBounded(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Systems(1))
	var spans []protocol.ErrorSpan
	for i := range 1001 {
		spans = append(spans, storetest.Span(0, 1, "", "major", fmt.Sprint("free text ", i)))
	}
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(storetest.MarkedRating("s1", "sys-001", spans...)), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 spans[1000].category more than 1000")
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
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Definition(rubric), storetest.Segments(1), storetest.Systems(1))
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
	})
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

// Both rounds of a segment come back, each with its spans, and the gate runs on
// what the spans derive.
func TestImportRoundsWithSpans(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(1), storetest.Set("gate=on"))
		turn := func(annotator string, round int, errors ...int) (out []campaign.RatingLine) {
			for i, n := range errors {
				r := storetest.MarkedRating("s1", s.Systems[i], slices.Repeat([]protocol.ErrorSpan{storetest.Span(0, 1, "T", "major", "Other")}, n)...)
				r.Annotator, r.Round, r.SubmittedAt = annotator, round, storetest.Start.Add(time.Duration(round)*time.Hour)
				out = append(out, r)
			}
			return out
		}
		storetest.ImportRatings(t, s, append(turn("x", 1, 0, 1, 2), turn("y", 1, 2, 1, 0)...)...)
		if seg := s.All(t)[0]; seg.Status != campaign.Reannotate || seg.Round != 2 {
			t.Fatalf("the segment is %s in round %d, want it sent back", seg.Status, seg.Round)
		}
		storetest.Exec(t, db, "UPDATE assignments SET state = 'submitted' WHERE round = 2") // as if x and y had found nothing to do in the browser
		storetest.ImportRatings(t, s, append(turn("x", 2, 0, 1, 2), turn("y", 2, 0, 1, 3)...)...)
		seg := s.All(t)[0]
		if seg.Status != campaign.Agreed || seg.Round != 2 {
			t.Errorf("the segment is %s in round %d, want it agreed upon", seg.Status, seg.Round)
		}
		for i, want := range []struct {
			spans []int // by round and annotator
			gold  float64
		}{{[]int{0, 2, 0, 0}, 0}, {[]int{1, 1, 1, 1}, -5}, {[]int{2, 0, 2, 3}, -12.5}} {
			tr := seg.Translations[i]
			var spans []int
			for _, r := range tr.Ratings {
				spans = append(spans, len(r.Spans))
			}
			if !slices.Equal(spans, want.spans) || tr.Gold.Score != want.gold {
				t.Errorf("%s has %v spans and gold %v, want %+v", tr.System, spans, tr.Gold.Score, want)
			}
		}
	})
}
