package report_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/report"
)

// A mark is a rating of a translation: who gave it, the score, and the characters of each error.
type mark struct {
	who    string
	scores map[string]float64
	errors [][2]int
}

func esa(who string, score float64, errors ...[2]int) mark {
	return mark{who, map[string]float64{"score": score}, errors}
}

func rate(who string, accuracy, fluency float64, errors ...[2]int) mark {
	return mark{who, map[string]float64{"accuracy": accuracy, "fluency": fluency}, errors}
}

// besideSegment is a segment in gold, with the ratings of each system A, B, ….
func besideSegment(id, severity string, systems ...[]mark) campaign.Segment {
	s := campaign.Segment{DocID: "d", SegmentID: id, Source: "The source of " + id, Domain: "news", Status: campaign.Agreed, Round: 1, Complete: 1}
	for i, marks := range systems {
		t := campaign.Translation{System: string(rune('A' + i)), Text: "a translation"}
		for _, m := range marks {
			r := campaign.Rating{Rating: protocol.Rating{Scores: m.scores}, Annotator: m.who, Round: 1, Seconds: 10 * float64(i+1)}
			for _, e := range m.errors {
				r.Spans = append(r.Spans, protocol.ErrorSpan{Side: protocol.Target, Severity: severity, Start: e[0], End: e[1]})
			}
			t.Ratings = append(t.Ratings, r)
		}
		s.Translations = append(s.Translations, t)
	}
	return s
}

func segmentsOf(all ...campaign.Segment) func(func(campaign.Segment, error) bool) {
	return func(yield func(campaign.Segment, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// besideReport compares an ESA campaign of two segments by three systems with the given ones.
func besideReport(t *testing.T, others ...report.Side) report.Report {
	t.Helper()
	c := newCampaign(t, "esa")
	first := segmentsOf(
		besideSegment("s1", "minor", []mark{esa("ann", 90), esa("bob", 80, [2]int{0, 2})}, []mark{esa("ann", 70, [2]int{2, 5}), esa("bob", 60, [2]int{4, 8})}, []mark{esa("ann", 20), esa("bob", 10)}),
		besideSegment("s2", "major", []mark{esa("ann", 50)}, []mark{esa("ann", 40)}, []mark{esa("ann", 30)}))
	sides := append([]report.Side{{Label: "first", Campaign: c, Segments: first}}, others...)
	r, err := report.Compute(context.Background(), report.Input{Campaign: c, Segments: judged(c, first), Sides: sides, Options: report.Options{Resamples: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tableOf(t *testing.T, s report.Section, id string) report.Table {
	t.Helper()
	i := slices.IndexFunc(s.Tables, func(t report.Table) bool { return t.ID == id })
	if i < 0 {
		t.Fatalf("there is no table %s", id)
	}
	return s.Tables[i]
}

// row checks the values of a row, which begins with a name.
func checkRow(t *testing.T, table report.Table, name string, want ...float64) {
	t.Helper()
	for _, row := range table.Rows {
		if row.Cells[0].Text != name {
			continue
		}
		var got []float64
		for _, c := range row.Cells[1:] {
			got = append(got, c.Value)
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s of %s: got %v, want %v", table.ID, name, got, want)
		}
		return
	}
	t.Errorf("%s has no row %s", table.ID, name)
}

// Only what both campaigns have counts: segment s1, systems A to C.
func TestSideBySide(t *testing.T) {
	other := report.Side{Label: "second", Campaign: newCampaign(t, "rate"), Segments: segmentsOf(
		besideSegment("s1", "5", []mark{rate("ann", 100, 80)}, []mark{rate("cid", 70, 50, [2]int{3, 6}, [2]int{9, 12})}, []mark{rate("cid", 80, 60)}),
		besideSegment("s3", "5", []mark{rate("ann", 1, 1)}))}
	apart := report.Side{Label: "third", Campaign: newCampaign(t, "sqm"), Segments: segmentsOf(besideSegment("s9", ""))}
	s, ok := besideReport(t, other, apart).Section(report.BesideSection)
	if !ok {
		t.Fatal("there is no section")
	}
	words := strings.Join(s.Paragraphs, " ")
	if want := "The campaigns first (ESA) and second (RATE) share 3 translations with a human score, of 1 segment by 3 systems. All of this section is over these. third shares no translation with first and is left out of this section."; words != want {
		t.Errorf("got  %s\nwant %s", words, want)
	}
	// A table or a figure that leaves alone says what the section says of all.
	scope := "Over the 3 translations of 1 segment by 3 systems that first and second share."
	tables := s.Tables
	for _, f := range s.Figures {
		tables = append(tables, f.Table)
		if !strings.HasSuffix(f.Words, scope) {
			t.Errorf("figure %s is described as %q", f.ID, f.Words)
		}
	}
	for _, table := range tables {
		var latex, markdown strings.Builder
		if err := errors.Join(report.LaTeX(&latex, table), report.Markdown(&markdown, table)); err != nil || !strings.Contains(latex.String(), scope+"}\n\\label") || !strings.Contains(markdown.String(), scope+"\n") {
			t.Errorf("%s does not say what it is over: %v\n%s\n%s", table.ID, err, latex.String(), markdown.String())
		}
		if strings.Contains(table.Caption, scope) {
			t.Errorf("%s says on the page again what its section says", table.ID)
		}
	}
	systems := tableOf(t, s, "beside-systems")
	// ESA, MQM from spans; RATE, accuracy, fluency, RATE MQM and RATE ESA in the protocol's order.
	if got := systems.Columns[1].Group; !slices.Equal(got, []string{"first", "ESA score"}) {
		t.Errorf("the first score is %v", got)
	}
	for _, row := range systems.Rows {
		want := map[string]float64{"A": 85, "B": 65, "C": 15}[row.Cells[0].Text]
		if row.Cells[1].Value != want {
			t.Errorf("%s has the mean %v, want %v", row.Cells[0].Text, row.Cells[1].Value, want)
		}
	}
	checkRow(t, tableOf(t, s, "beside-work"), "first", 2, 6, 20, 20, 3./6, 0, 3./6, 3./6)
	checkRow(t, tableOf(t, s, "beside-work"), "second", 2, 3, 20, 20, 2./3, 2./3, 0, 2./3)
	// A of first, B of second, different people: of translation A only bob and ann, whose spans are {0-2} and
	// none; of B ann {2-5} and bob {4-8} with cid {3-6, 9-12}; of C ann and bob with cid, none at all.
	checkRow(t, tableOf(t, s, "beside-overlap"), "first", (0+1+1+1+1+1)/6., (1+.5+.5+1+1)/5)
	checkRow(t, tableOf(t, s, "beside-overlap"), "second", (0+1+1+1+1)/5., math.NaN())
	matches := tableOf(t, s, "beside-spans").Rows[0]
	// Matches: {2-5} and {3-6} share 2 of 3; {4-8} and {3-6} share 2 of 4 and of 3. So 2 of 3 and 4 spans.
	if got, want := []float64{matches.Cells[2].Value, matches.Cells[5].Value}, []float64{5, 2 * 2 / (3. + 4)}; got[0] != want[0] || math.Abs(got[1]-want[1]) > 1e-9 {
		t.Errorf("comparisons and matches: got %v, want %v", got, want)
	}
	// ann and bob agree on the order in a straight line. No pair across campaigns has three translations.
	checkRow(t, tableOf(t, s, "beside-agreement"), "first", 1, math.NaN())
	ranks := tableOf(t, s, "beside-ranks")
	at := slices.IndexFunc(ranks.Columns, func(c report.Column) bool { return c.Name == "second: Accuracy" })
	if at < 0 {
		t.Fatalf("columns are %+v", ranks.Columns)
	}
	// A, B, C are 85, 65, 15 by ESA and 100, 70, 80 by accuracy: ranks 3 2 1 and 3 1 2.
	if got := ranks.Rows[0].Cells[at].Value; math.Abs(got-.5) > 1e-9 {
		t.Errorf("ρ is %v, want 0.5", got)
	}
	if got := ranks.Rows[at-1].Cells[1].Value; math.Abs(got-1./3) > 1e-9 {
		t.Errorf("tau-b is %v, want 1/3", got)
	}
	if len(s.Figures) != 2 {
		t.Errorf("%d figures, want one of the scores from 0 to 100 and one of sums over errors", len(s.Figures))
	}
}

// A judge and the annotators of two campaigns: the judge has judged in the second alone, and is compared with
// both. Severities 5 and 2 are a major and a minor error, and 1 is neither.
func TestJudgesAndTimesBeside(t *testing.T) {
	s1 := besideSegment("s1", "5", []mark{rate("cid", 50, 50, [2]int{0, 4}, [2]int{6, 8}, [2]int{9, 12})})
	s1.Translations[0].Ratings[0].Spans[1].Severity = "2"
	s1.Translations[0].Ratings[0].Spans[2].Severity = "1"
	s1.Translations[0].Judgements = []campaign.Judgement{{Judge: "j", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{{Side: protocol.Target, Start: 1, End: 7}}}}
	s2 := besideSegment("s2", "5", []mark{rate("cid", 50, 50)})
	s2.Translations[0].Ratings[0].Seconds = 40
	s2.Translations[0].Judgements = []campaign.Judgement{{Judge: "j", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{}}}
	c := newCampaign(t, "esa")
	first1, first2 := besideSegment("s1", "minor", []mark{esa("ann", 90, [2]int{8, 9}), esa("bob", 90)}), besideSegment("s2", "major", []mark{esa("ann", 50, [2]int{0, 2})})
	first2.Domain = "speech"
	r, err := report.Compute(context.Background(), report.Input{Campaign: c, Segments: judged(c, segmentsOf(first1, first2)), Options: report.Options{Resamples: 10},
		Sides: []report.Side{{Label: "first", Campaign: c}, {Label: "second", Campaign: newCampaign(t, "rate"), Segments: segmentsOf(s1, s2)}}})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := r.Section(report.BesideSection)
	// Against ann and bob in s1, and ann in s2; against cid in s1 and s2.
	checkRow(t, tableOf(t, s, "beside-overlap"), "j", (0+1+0)/3., (2./3+1)/2)
	checkRow(t, tableOf(t, s, "beside-work"), "first", 2, 3, 10, 10, 2./3, 1./3, 1./3, 1./3)
	checkRow(t, tableOf(t, s, "beside-work"), "second", 1, 2, 25, 25, 3./2, 1./2, 1./2, 1./2)
	times := tableOf(t, s, "beside-times")
	checkRow(t, times, "news", 10, 10)
	checkRow(t, times, "speech", 10, 40)
	checkRow(t, times, "All", 10, 25)
}

// The annotators of the first campaign mark nothing in the source, so that errors there count for presence alone.
func TestSourceErrorsBeside(t *testing.T) {
	other := besideSegment("s1", "5", []mark{rate("cid", 100, 80, [2]int{0, 2}, [2]int{4, 9})}, []mark{rate("cid", 70, 50, [2]int{0, 1})}, []mark{rate("cid", 80, 60)})
	other.Translations[0].Ratings[0].Spans[1].Side = protocol.Source
	other.Translations[1].Ratings[0].Spans[0].Side = protocol.Source
	r := besideReport(t, report.Side{Label: "second", Campaign: newCampaign(t, "rate"), Segments: segmentsOf(other)})
	s, _ := r.Section(report.BesideSection)
	row := tableOf(t, s, "beside-spans").Rows[0]
	// Of the six comparisons, ann and bob with cid, only ann's of A differs in presence. Characters in the translation: bob's two of A are cid's
	// two; ann's three and bob's four of B meet none. cid's count twice.
	if got, want := []float64{row.Cells[3].Value, row.Cells[4].Value}, []float64{5. / 6, 2 * 2. / (2 + 3 + 4 + 2*2)}; math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 {
		t.Errorf("presence and F1 of characters: got %v, want %v", got, want)
	}
}

// Ids do not matter, since formats number segments differently. A translation with another text is another
// translation.
func TestSidesAreJoinedByTexts(t *testing.T) {
	renamed := besideSegment("s1", "minor", []mark{esa("dan", 5)}, []mark{esa("dan", 6)})
	renamed.DocID, renamed.SegmentID, renamed.Source = "other", "17", " The source  of s1"
	renamed.Translations[1].Text = "another translation"
	again := besideSegment("s1", "minor", []mark{esa("dan", 7)})
	r := besideReport(t, report.Side{Label: "second", Campaign: newCampaign(t, "esa"), Segments: segmentsOf(renamed, again)})
	s, _ := r.Section(report.BesideSection)
	if len(s.Paragraphs) == 0 || !strings.Contains(s.Paragraphs[0], "share 1 translation with a human score, of 1 segment by 1 system. All of this section is over these. 1 translation of the same system and source is left out because the texts differ.") {
		t.Fatalf("got %v", s.Paragraphs)
	}
	if got := tableOf(t, s, "beside-systems").Rows[0].Cells[5].Value; got != 5 {
		t.Errorf("the score of the second campaign is %v, want that of the first segment with the source, 5", got)
	}
}

// A report of one campaign, or of campaigns that share nothing, has no such section.
// Translations are counted by domain in each campaign, and summed, whether the campaigns share them or not.
func TestTranslationsByCampaign(t *testing.T) {
	shared, other, speech := besideSegment("s1", "minor", []mark{esa("ann", 1)}, nil), besideSegment("s8", "minor", nil, nil, nil), besideSegment("s9", "minor", nil)
	speech.Domain = "speech"
	r := besideReport(t, report.Side{Label: "second", Campaign: newCampaign(t, "esa"), Segments: segmentsOf(shared, other, speech)})
	table := tableOf(t, r.Sections[0], "domains-campaigns")
	checkRow(t, table, "news", 6, 5, 11)
	checkRow(t, table, "speech", 0, 1, 1)
	checkRow(t, table, "All", 6, 6, 12)
	// Without domains there is nothing but the sum.
	none := besideSegment("s1", "minor", []mark{esa("ann", 1)})
	none.Domain = ""
	c := newCampaign(t, "esa")
	of := segmentsOf(none)
	r, err := report.Compute(t.Context(), report.Input{Campaign: c, Segments: judged(c, of), Options: report.Options{Resamples: 10},
		Sides: []report.Side{{Label: "first", Campaign: c, Segments: of}, {Label: "second", Campaign: c, Segments: of}}})
	if err != nil {
		t.Fatal(err)
	}
	if rows := tableOf(t, r.Sections[0], "domains-campaigns").Rows; len(rows) != 1 {
		t.Errorf("there are %d rows", len(rows))
	}
	checkRow(t, tableOf(t, r.Sections[0], "domains-campaigns"), "All", 1, 1, 2)
}

func TestNothingBeside(t *testing.T) {
	if _, ok := besideReport(t).Section(report.BesideSection); ok {
		t.Error("a report of one campaign compares campaigns")
	}
	apart := report.Side{Label: "other", Campaign: newCampaign(t, "esa"), Segments: segmentsOf(besideSegment("s9", "minor", []mark{esa("ann", 5)}))}
	if _, ok := besideReport(t, apart).Section(report.BesideSection); ok {
		t.Error("campaigns that share nothing are compared")
	}
}

// Two campaigns that each share something with the first, but nothing with each other, have no common translation.
func TestNothingInCommon(t *testing.T) {
	side := func(label, segment string) report.Side {
		return report.Side{Label: label, Campaign: newCampaign(t, "esa"), Segments: segmentsOf(besideSegment(segment, "minor", []mark{esa("ann", 5)}))}
	}
	s, ok := besideReport(t, side("x", "s1"), side("y", "s2")).Section(report.BesideSection)
	if !ok || len(s.Tables) > 0 || !strings.Contains(s.Paragraphs[0], "share 0 translations") {
		t.Errorf("got %v %+v", ok, s)
	}
}

func TestSideThatFails(t *testing.T) {
	c := newCampaign(t, "esa")
	broken := errors.New("disk is gone")
	fails := func(yield func(campaign.Segment, error) bool) { yield(campaign.Segment{}, broken) }
	_, err := report.Compute(context.Background(), report.Input{Campaign: c, Segments: segmentsOf(),
		Sides: []report.Side{{Label: "a", Campaign: c}, {Label: "b", Campaign: c, Segments: fails}}})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the other campaign", err)
	}
}
