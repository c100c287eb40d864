package report_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/report"
)

func newCampaign(t *testing.T, id string) campaign.Campaign {
	t.Helper()
	rules, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return campaign.Campaign{ID: "c", Slug: "c", Title: "C", Protocol: id, Rules: rules, Settings: campaign.DefaultSettings(rules)}
}

// sqmSegment is rated by annotators a, b, … with scores by system.
func sqmSegment(id string, status campaign.Status, scores ...[]float64) campaign.Segment {
	s := campaign.Segment{DocID: id, SegmentID: id, Source: "source", Status: status, Round: 1}
	for system := range scores[0] {
		tr := campaign.Translation{System: string(rune('A' + system)), Text: "text"}
		for who := range scores {
			tr.Ratings = append(tr.Ratings, campaign.Rating{Rating: protocol.Rating{Scores: map[string]float64{"sqm": scores[who][system]}}, Annotator: string(rune('a' + who)), Round: 1})
		}
		s.Translations = append(s.Translations, tr)
	}
	return s
}

// evaluations returns evaluations of metrics.
func evaluations(all ...report.Evaluation) func(context.Context) ([]report.Evaluation, error) {
	return func(context.Context) ([]report.Evaluation, error) { return all, nil }
}

// Sections say in a sentence what is missing, and undefined values are not 0.
func TestWhatThereIsNot(t *testing.T) {
	unrated := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Pending, Round: 1, Translations: []campaign.Translation{{System: "A"}}}
	discarded := sqmSegment("s1", campaign.Discarded, []float64{0, 2, 4}, []float64{4, 2, 0})
	for _, tt := range []struct {
		name, protocol string
		segments       []campaign.Segment
		says           map[string]string
		tables         []string // that are there
	}{
		{"nothing", "sqm", nil, map[string]string{
			report.DataSection:      "The campaign has no segments yet.",
			report.AgreementSection: "Nobody has rated anything yet, so that there is no agreement to report.",
			report.SystemsSection:   "No system has a human score yet: no segment is in gold, and no averages were imported.",
			report.MetricsSection:   "No metric was judged: that requires a human score, at least one metric with scores, and systems to compare.",
			report.ErrorsSection:    "No rating is in gold yet, so there are no errors and scores to describe.",
		}, nil},
		{"nothing rated", "rate", []campaign.Segment{unrated}, map[string]string{
			report.DataSection:   "No translation has been rated yet.",
			report.ErrorsSection: "No rating is in gold yet, so there are no errors and scores to describe.",
		}, []string{"domains", "statuses", "systems-data"}},
		{"one annotator", "sqm", []campaign.Segment{sqmSegment("s1", campaign.Ungated, []float64{1, 2, 3})}, map[string]string{
			report.AgreementSection: "All ratings are by one annotator, a, so that there is no agreement to report.",
			report.SystemsSection:   "By SQM score, over 1 segment, C has the highest mean, 3.00; no line can be drawn between the 3 systems.",
			report.ErrorsSection:    "Under SQM no errors are marked. This section describes the scores.",
		}, []string{"systems-sqm"}},
		{"one system", "sqm", []campaign.Segment{sqmSegment("s1", campaign.Ungated, []float64{1}, []float64{2})}, map[string]string{
			report.AgreementSection: "At system level r is undefined for every pair of annotators. At segment level r is undefined for every pair of annotators.",
			report.SystemsSection:   "By SQM score, over 1 segment, A is the only system: its mean is 1.50.",
		}, []string{"agreement-pairs"}},
		{"strangers", "sqm", []campaign.Segment{
			sqmSegment("s1", campaign.Ungated, []float64{1, 2, 3}),
			{DocID: "s2", SegmentID: "s2", Source: "x", Status: campaign.Ungated, Round: 1, Translations: []campaign.Translation{{System: "A", Ratings: []campaign.Rating{{Rating: protocol.Rating{Scores: map[string]float64{"sqm": 1}}, Annotator: "z", Round: 1}}}}},
		}, map[string]string{
			report.AgreementSection: "No two annotators have rated the same translation in the same round, so that there is no agreement to report.",
		}, nil},
		{"all discarded", "sqm", []campaign.Segment{discarded}, map[string]string{
			report.AgreementSection: "Of 1 segment whose round 1 is complete and has a pair of annotators, 100.0% (1 of 1) fail in round 1 by the ratings that count now. 1 segment was given a second look, of which 1 is settled. 1 segment was discarded: 100.0% of all segments, and of those whose second look is over 100.0% (1 of 1).",
			report.SystemsSection:   "No system has a human score yet: no segment is in gold, and no averages were imported.",
			report.ErrorsSection:    "No rating is in gold yet, so there are no errors and scores to describe.",
		}, []string{"gate", "gate-reasons", "agreement-pairs", "agreement-others"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compute(t, report.Input{Campaign: newCampaign(t, tt.protocol), Segments: all(tt.segments), Options: report.Options{Resamples: 10}})
			if got, want := len(r.Sections), 6; got != want {
				t.Errorf("%d sections, want %d", got, want)
			}
			for id, words := range tt.says {
				s, _ := r.Section(id)
				if !slices.Contains(s.Paragraphs, words) {
					t.Errorf("section %s says %q, want %q", id, s.Paragraphs, words)
				}
			}
			for _, id := range tt.tables {
				if !slices.ContainsFunc(r.Tables(), func(t report.Table) bool { return t.ID == id }) {
					t.Errorf("there is no table %s", id)
				}
			}
		})
	}
}

// Of three first rounds one agrees, one fails and one has no pair to judge. The one that
// failed was sent back, and a lead discarded the segment before the second look was complete.
func TestFirstLooks(t *testing.T) {
	segments := []campaign.Segment{
		sqmSegment("s1", campaign.Agreed, []float64{0, 2, 4}, []float64{1, 2, 3}),
		sqmSegment("s2", campaign.Discarded, []float64{0, 2, 4}, []float64{4, 2, 0}),
		sqmSegment("s3", campaign.Ungated, []float64{0, 2, 4}),
		sqmSegment("s4", campaign.Pending, []float64{0, 2, 4}), // not complete
	}
	r := compute(t, report.Input{Campaign: newCampaign(t, "sqm"), Segments: all(segments), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("gate", "Failed in round 1, of those judged", "Share", 1.0/2)
	c.want("gate", "Agreed in round 1, of those judged", "Share", 1.0/2)
	c.want("gate", "Without a pair, of those whose round 1 is complete", "Share", 1.0/3)
	c.want("gate", "Discarded, of those whose second look is over", "Share", 1)
	c.want("gate-reasons", "r below the threshold|no", "Pairs", 1)
	s, _ := r.Section(report.AgreementSection)
	const words = "Of 2 segments whose round 1 is complete and has a pair of annotators, 50.0% (1 of 2) fail in round 1 by the ratings that count now. 1 segment is not judged, since no two annotators rated the same translation. 1 segment was given a second look, of which 1 is settled. 1 segment was discarded: 25.0% of all segments, and of those whose second look is over 100.0% (1 of 1)."
	if !slices.Contains(s.Paragraphs, words) {
		t.Errorf("got %q, want %q", s.Paragraphs, words)
	}
	methods, _ := r.Section(report.MethodsSection)
	if all := strings.Join(methods.Paragraphs, " "); !strings.Contains(all, "; 50.0% (1 of 2) of the segments whose complete first round has a pair did.") {
		t.Errorf("the methods say %q", all)
	}
}

func TestNoErrorsMarked(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Ungated, Round: 1}
	for i, system := range []string{"A", "B"} {
		s.Translations = append(s.Translations, campaign.Translation{System: system, Text: "t", Ratings: []campaign.Rating{{
			Rating: protocol.Rating{Scores: map[string]float64{"score": float64(50 + i)}, NoErrors: true}, Annotator: "a", Round: 1}}})
	}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all([]campaign.Segment{s}), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("errors-systems", "All", "Errors", 0)
	c.want("errors-systems", "All", "Errors a rating|All", 0)
	c.want("errors-systems", "All", "Faultless", 1)
	c.want("errors-correlation", "All errors", "ESA score|τ", math.NaN())
	c.want("systems-esa", "A", "95% interval|Low", math.NaN()) // of one segment
	if s, _ := r.Section(report.DataSection); !slices.Contains(s.Paragraphs, "How long the ratings took is not known.") {
		t.Errorf("nothing says that times are not known: %q", s.Paragraphs)
	}
}

// One of two annotators marks an error and the other none. The report does not say that the other marked it,
// although the translation counts in full in one of the two directions of the overlap.
func TestOverlapWithoutErrors(t *testing.T) {
	marked := protocol.Rating{Scores: map[string]float64{"score": 50}, Spans: []protocol.ErrorSpan{{ID: "1", Side: protocol.Target, Start: 0, End: 3, Severity: "major"}}}
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.BelowThreshold, Round: 1, Translations: []campaign.Translation{{System: "A", Text: "some text", Ratings: []campaign.Rating{
		{Rating: marked, Annotator: "a", Round: 1}, {Rating: protocol.Rating{Scores: map[string]float64{"score": 90}, NoErrors: true}, Annotator: "b", Round: 1}}}}}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all([]campaign.Segment{s}), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("span-overlap", "a", "B|b", 1)
	c.want("span-overlap", "b", "B|a", 0)
	section, _ := r.Section(report.AgreementSection)
	const words = "The overlap of spans, in which a translation where the other annotator marked nothing counts as 100%, is 50.0% on average over the translations of all ordered pairs. Over all pairs the F1 of characters is 0.00, that of matching spans 0.00."
	if !slices.Contains(section.Paragraphs, words) {
		t.Errorf("got %q, want %q", section.Paragraphs, words)
	}
}

// A pair of annotators counts by the translations that both rated, as in the agreement of appendix A of Popov et al. 2025:
// a and b overlap in none of one translation, a and c in all of two.
func TestOverlapCountsTranslations(t *testing.T) {
	rated := func(who string, start int) campaign.Rating {
		return campaign.Rating{Annotator: who, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 50}, Spans: []protocol.ErrorSpan{{ID: "1", Side: protocol.Target, Start: start, End: start + 3, Severity: "major"}}}}
	}
	segment := func(id string, ratings ...campaign.Rating) campaign.Segment {
		return campaign.Segment{DocID: "d", SegmentID: id, Source: "x", Status: campaign.Agreed, Round: 1, Translations: []campaign.Translation{{System: "A", Text: "some text", Ratings: ratings}}}
	}
	segments := []campaign.Segment{segment("s", rated("a", 0), rated("b", 5)), segment("t", rated("a", 0), rated("c", 1)), segment("u", rated("a", 0), rated("c", 1))}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all(segments), Options: report.Options{Resamples: 10}})
	section, _ := r.Section(report.AgreementSection)
	if words := strings.Join(section.Paragraphs, " "); !strings.Contains(words, "counts as 100%, is 66.7% on average over the translations of all ordered pairs.") {
		t.Errorf("got %q", words)
	}
}

// Two annotators mark no error. The report does not say that their spans overlap.
func TestOverlapWithoutSpans(t *testing.T) {
	clean := protocol.Rating{Scores: map[string]float64{"score": 90}, NoErrors: true}
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Agreed, Round: 1, Translations: []campaign.Translation{{System: "A", Text: "some text", Ratings: []campaign.Rating{
		{Rating: clean, Annotator: "a", Round: 1}, {Rating: clean, Annotator: "b", Round: 1}}}}}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all([]campaign.Segment{s}), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	for _, row := range []string{"a|b", "All"} {
		c.want("span-agreement", row, "Presence", 1)
		for _, column := range []string{"F1|Characters", "F1|Matches", "F1 with severity|Characters", "F1 with severity|Matches"} {
			c.want("span-agreement", row, column, math.NaN())
		}
	}
	section, _ := r.Section(report.AgreementSection)
	const words = "No annotator marked an error in a translation that two of them rated, so that the overlap of spans and their F1 are undefined."
	if !slices.Contains(section.Paragraphs, words) {
		t.Errorf("got %q, want %q", section.Paragraphs, words)
	}
	if slices.ContainsFunc(section.Tables, func(t report.Table) bool { return t.ID == "span-overlap" }) {
		t.Error("the overlap of no spans has a table")
	}
}

// A metric marked the first of two errors of a, and something else; b marked the
// same as the metric. Each annotator counts.
func TestSpansOfAMetric(t *testing.T) {
	span := func(start, end int, severity string) protocol.ErrorSpan {
		return protocol.ErrorSpan{ID: "1", Side: protocol.Target, Start: start, End: end, Severity: severity}
	}
	rating := func(who string, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Rating: protocol.Rating{Scores: map[string]float64{"score": 50}, Spans: spans}, Annotator: who, Round: 1}
	}
	marked := []protocol.ErrorSpan{span(0, 10, "major"), span(50, 52, "minor")}
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Ungated, Round: 1, Translations: []campaign.Translation{
		{System: "A", Text: strings.Repeat("x", 60), Suggested: &protocol.Suggestions{Origin: "XCOMET", Spans: marked},
			Ratings: []campaign.Rating{rating("a", span(0, 8, "minor"), span(20, 30, "major")), rating("b", marked...)}},
		{System: "B", Text: "not looked at", Ratings: []campaign.Rating{rating("a", span(0, 3, "major"))}},
	}}
	s.Translations[0].Ratings[1].Suggestions = []protocol.Outcome{{ID: "1", Became: protocol.Accepted}, {ID: "2", Became: protocol.Rejected}}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all([]campaign.Segment{s}), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("suggestions", "Annotator|b", "Kept", 1.0/2)
	c.want("suggestions", "Origin|XCOMET", "Accepted", 1)
	const row = "XCOMET|metric"
	c.want("span-detection", row, "Comparisons", 2)
	c.want("span-detection", row, "Spans|Marked", 4)
	c.want("span-detection", row, "Spans|Of annotators", 4)
	c.want("span-detection", row, "Precision", 3.0/4)
	c.want("span-detection", row, "Recall", 3.0/4)
	c.want("span-detection", row, "With severity|F1", 2.0/4)
	c.want("span-detection", row, "F1|Characters", 2*(8+12.0)/(12+18+12+12))
	c.want("figure spans-f1", "0.8", "XCOMET", 3.0/4) // 8 of 10
	c.want("figure spans-f1", "0.9", "XCOMET", 2.0/4)
	section, _ := r.Section(report.ErrorsSection)
	if words := strings.Join(section.Paragraphs, " "); !strings.Contains(words, "not independent") {
		t.Errorf("nothing says that the spans were suggested: %s", words)
	}
}

// In an adjudicated segment a metric is compared only with the adjudicator's spans, and
// annotators are not compared.
func TestSpansOfAnAdjudication(t *testing.T) {
	rating := func(who string, round int, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Rating: protocol.Rating{Scores: map[string]float64{"score": 50}, Spans: spans}, Annotator: who, Round: round}
	}
	span := func(start, end int) protocol.ErrorSpan {
		return protocol.ErrorSpan{ID: "1", Side: protocol.Target, Start: start, End: end, Severity: "major"}
	}
	judged := rating("judge", 0, span(0, 10), span(20, 30))
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Adjudicated, Round: 1, Complete: 1, Translations: []campaign.Translation{{
		System: "A", Text: strings.Repeat("x", 60), Suggested: &protocol.Suggestions{Origin: "XCOMET", Spans: []protocol.ErrorSpan{span(0, 10)}},
		Ratings: []campaign.Rating{rating("a", 1, span(40, 50)), rating("b", 1, span(40, 50))}, Adjudication: &judged, Gold: &campaign.Gold{Score: 50, Adjudicated: true, Entered: true}}}}
	r := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: all([]campaign.Segment{s}), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("span-detection", "XCOMET|metric", "Comparisons", 1)
	c.want("span-detection", "XCOMET|metric", "Precision", 1)
	c.want("span-detection", "XCOMET|metric", "Recall", 0.5)
	c.want("errors-annotators", "judge (adjudicator)", "Errors", 2)
	c.want("scores", "judge (adjudicator)", "Ratings", 1)
	section, _ := r.Section(report.ErrorsSection)
	for _, table := range section.Tables {
		for _, row := range table.Rows {
			if table.ID == "span-detection" && len(row.Cells) > 1 && strings.Contains(row.Cells[1].Text, "annotator") {
				t.Errorf("an annotator is compared: %+v", row)
			}
		}
	}
}

func TestImportedAverages(t *testing.T) {
	var segments []campaign.Segment
	for k := range 20 {
		s := campaign.Segment{DocID: "d", SegmentID: string(rune('a' + k)), Source: "x", Status: campaign.Pending, Round: 1}
		for i, system := range []string{"A", "B", "C"} {
			tr := campaign.Translation{System: system, Text: "t"}
			if system != "C" {
				tr.HumanScores = []campaign.HumanScore{{Name: "ment", Score: float64(i) + float64(k%2)/2}}
			}
			s.Translations = append(s.Translations, tr)
		}
		segments = append(segments, s)
	}
	r := compute(t, report.Input{Campaign: newCampaign(t, "sqm"), Segments: all(segments), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("systems-imported-ment", "A", "Mean", 0.25)
	c.want("systems-imported-ment", "B", "Mean", 1.25)
	c.want("systems-imported-ment", "B", "Segments", 20)
	c.want("systems-imported-ment", "A", "Cluster", 2)
	s, _ := r.Section(report.SystemsSection)
	if !slices.Contains(s.Paragraphs, "Without a human score: C.") {
		t.Errorf("nothing says that C has no score: %q", s.Paragraphs)
	}
}

// Different names with the same slug have tables with different ids.
func TestNamesAlikeAndForeign(t *testing.T) {
	var segments []campaign.Segment
	for k, domain := range []string{"诗歌", "散文"} {
		s := sqmSegment(domain, campaign.Ungated, []float64{1, 2, 3})
		s.Domain = domain
		for i := range s.Translations {
			for _, name := range []string{"a.b", "a-b", "质量", "A.B"} {
				s.Translations[i].HumanScores = append(s.Translations[i].HumanScores, campaign.HumanScore{Name: name, Score: float64(i + k)})
			}
		}
		segments = append(segments, s)
	}
	evaluation := report.Evaluation{Label: "l", Report: metaeval.Report{Preset: metaeval.MENT, Human: "sqm", Metrics: []metaeval.Result{{Name: "X", Rank: 1}}}}
	for _, domain := range []string{"散文", "诗歌"} {
		evaluation.Report.Domains = append(evaluation.Report.Domains, metaeval.DomainReport{Domain: domain, Metrics: []metaeval.Result{{Name: "X", Rank: 1}}})
	}
	r := compute(t, report.Input{Campaign: newCampaign(t, "sqm"), Segments: all(segments), Metrics: evaluations(evaluation), Options: report.Options{Resamples: 10}})
	ids := map[string]bool{}
	for _, table := range r.Tables() {
		ids[table.ID] = true
	}
	for _, id := range []string{"systems-imported-a-b", "systems-imported-a-b-2", "systems-imported-a-b-3", "systems-imported-x", "metrics-domain-x", "metrics-domain-x-2"} {
		if !ids[id] {
			t.Errorf("there is no table %s among %v", id, ids)
		}
	}
}

// Two language pairs: the meta score over both is the mean of all statistics.
func TestCampaignsSideBySide(t *testing.T) {
	result := func(name string, v float64, rank int) metaeval.Result {
		return metaeval.Result{Name: name, Meta: v, Rank: rank, System: metaeval.SystemStats{Acc: v, Pearson: v, Spearman: v, Kendall: v, SPA: v, Agree: 1, Pairs: 2},
			Segment: metaeval.SegmentStats{AccT: v, AccTPooled: v, Pearson: v, Spearman: v, Kendall: v}}
	}
	evaluation := func(label string, results ...metaeval.Result) report.Evaluation {
		return report.Evaluation{Label: label, Report: metaeval.Report{LanguagePair: label, Human: "sqm", Preset: metaeval.MENT, Systems: []string{"A", "B"}, Segments: 3, Metrics: results,
			LeftOut: []metaeval.LeftOut{{Metric: "W", Systems: []string{"B"}}}}}
	}
	both := []report.Evaluation{
		evaluation("zh-en", result("X", 0.8, 1), result("Y", 0.6, 2), result("Z", 0.1, 3)),
		evaluation("en-zh", result("Y", 0.7, 1), result("X", 0.3, 2)),
	}
	c := campaign.Campaign(newCampaign(t, "sqm"))
	r := compute(t, report.Input{Campaign: c, Segments: all(nil), Metrics: evaluations(both...)})
	check := newChecker(t, r)
	check.want("metrics", "Y", "Rank", 1)
	check.want("metrics", "Y", "Meta", 0.65)
	check.want("metrics", "X", "Meta", 0.55)
	check.want("metrics", "Z", "Meta", math.NaN())
	check.want("metrics", "Z", "en-zh|System level|Acc.", math.NaN())
	check.want("metrics", "X", "zh-en|Segment level|Acc-t (pooled)", 0.8)
	table := check.tables["metrics"]
	marks := map[string]report.Mark{}
	for _, row := range table.Rows {
		marks[row.Cells[1].Text] = row.Cells[4].Mark // zh-en's accuracy
	}
	if want := map[string]report.Mark{"X": report.Best, "Y": report.Second, "Z": report.Third}; marks["X"] != want["X"] || marks["Y"] != want["Y"] || marks["Z"] != want["Z"] {
		t.Errorf("marks: got %v, want %v", marks, want)
	}
	s, _ := r.Section(report.MetricsSection)
	for _, words := range []string{"Over all 2, Y has the highest meta score, 65.0.", "zh-en: W is left out, since it lacks scores of B."} {
		if !slices.Contains(s.Paragraphs, words) {
			t.Errorf("metrics say %q, want %q", s.Paragraphs, words)
		}
	}
	// With different presets there is no overall meta score.
	both[1].Report.Preset = metaeval.WMT23
	r = compute(t, report.Input{Campaign: c, Segments: all(nil), Metrics: evaluations(both...)})
	check = newChecker(t, r)
	check.want("metrics", "X", "zh-en||Meta", 0.8)
	check.want("metrics", "X", "en-zh||Meta", 0.3)
}

func TestMarksOfEquals(t *testing.T) {
	// 0.1 + 0.2 and 0.3 are the same to a reader, and share a mark.
	tenths := []float64{0.1, 0.2}
	evaluation := report.Evaluation{Label: "l", Report: metaeval.Report{Preset: metaeval.MENT, Human: "sqm"}}
	for i, v := range []float64{tenths[0] + tenths[1], 0.3, 0.2, 0.1, 0.05} {
		m := metaeval.Result{Name: string(rune('A' + i)), Meta: v, Rank: i + 1}
		evaluation.Report.Metrics = append(evaluation.Report.Metrics, m)
	}
	r := compute(t, report.Input{Campaign: newCampaign(t, "sqm"), Segments: all(nil), Metrics: evaluations(evaluation)})
	var marks []report.Mark
	for _, row := range newChecker(t, r).tables["metrics"].Rows {
		marks = append(marks, row.Cells[2].Mark)
	}
	if want := []report.Mark{report.Best, report.Best, report.Second, report.Third, report.NoMark}; !slices.Equal(marks, want) {
		t.Errorf("got %v, want %v", marks, want)
	}
}

// The seed 0 is not replaced by the default.
func TestSeedOfZero(t *testing.T) {
	in := report.Input{Campaign: newCampaign(t, "sqm"), Segments: all([]campaign.Segment{sqmSegment("s1", campaign.Ungated, []float64{1, 2})})}
	if r := compute(t, in); r.Stamp.Seed != 0 {
		t.Errorf("the report was computed with seed %d", r.Stamp.Seed)
	}
}

func TestComputeStops(t *testing.T) {
	broken := errors.New("the disk is full")
	failing := func(yield func(campaign.Segment, error) bool) {
		if yield(sqmSegment("s1", campaign.Ungated, []float64{1, 2}), nil) {
			yield(campaign.Segment{}, broken)
		}
	}
	if _, err := report.Compute(t.Context(), report.Input{Campaign: newCampaign(t, "sqm"), Segments: judged(newCampaign(t, "sqm"), failing)}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	segments := all([]campaign.Segment{sqmSegment("s1", campaign.Ungated, []float64{1, 2})})
	if _, err := report.Compute(ctx, report.Input{Campaign: newCampaign(t, "sqm"), Segments: segments}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := report.Compute(t.Context(), report.Input{Campaign: newCampaign(t, "sqm"), Segments: segments}); err == nil {
		t.Error("segments without their decisions were taken")
	}
	bare := newCampaign(t, "sqm")
	bare.Rules = nil
	if _, err := report.Compute(t.Context(), report.Input{Campaign: bare, Segments: segments}); err == nil {
		t.Error("a campaign without rules was taken")
	}
}
