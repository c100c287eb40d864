package evaluation_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/intake"
	"annotate/internal/metaeval"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// withReferences makes a campaign of two segments with references refA and refB. Systems
// A, refA and refB have a human score and the scores of Kiwi-src; the metrics of each
// reference have scores of A and the other reference. Gap-src lacks one score of refB.
func withReferences(t *testing.T, st *store.Store) *evaluation.Source {
	t.Helper()
	c := newCampaign(t, st, "mqm", "en-de")
	var scores []campaign.MetricScore
	var lines []campaign.Segment
	for i := range 2 {
		seg := campaign.Segment{DocID: "d", SegmentID: string(rune('1' + i)), Source: "s", References: []campaign.Reference{{Name: "refA", Text: "abcdef"}, {Name: "refB", Text: "uvwxyz"}}}
		for k, system := range []string{"A", "refA", "refB"} {
			tr := campaign.Translation{System: system, Text: []string{"abcxyz", "abcdef", "uvwxyz"}[k], HumanScores: []campaign.HumanScore{{Name: "wmt", Score: float64(i + k)}}}
			for _, metric := range []string{"BLEURT-refA", "BLEURT-refB", "BLEURT-other", "COMET-refA", "COMET-refB", "COMET-other", "Gap-src", "Kiwi-src"} {
				if !strings.HasSuffix(metric, "-"+system) && (metric != "Gap-src" || system != "refB" || i == 0) {
					scores = append(scores, campaign.MetricScore{Metric: metric, System: system, DocID: "d", SegmentID: seg.SegmentID, Score: float64(i * k)})
				}
			}
			seg.Translations = append(seg.Translations, tr)
		}
		lines = append(lines, seg)
	}
	storetest.Must(st.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	storetest.Must(st.Intake.ImportScores(t.Context(), c.ID, storetest.ScoreLines(scores), intake.ImportOptions{}))(t)
	return storetest.Must(evaluation.Open(t.Context(), st, c))(t)
}

// A campaign judges the metrics of the standard reference, whatever other references names
// of metrics end in, and no built-in metric compares a reference with itself.
func TestCampaignReferences(t *testing.T) {
	s := withReferences(t, storetest.Open(t).Store)
	const builtin = " BLEU-ref chrF++-ref chrF-ref"
	for name, tt := range map[string]struct {
		choice           metaeval.Choice
		metrics, systems string
	}{
		// Gap-src lacks a score of refB, and no metric of refA has scores of refA.
		"nothing chosen":          {metaeval.Choice{}, "BLEURT-refA COMET-refA Gap-src Kiwi-src" + builtin, "A"},
		"every score is there":    {metaeval.Choice{Metrics: []string{"COMET", "Kiwi"}}, "COMET-refA Kiwi-src", "A refB"},
		"built-in, with refB":     {metaeval.Choice{Metrics: []string{"chrF"}}, "chrF-ref", "A refB"},
		"refA is a system":        {metaeval.Choice{Include: []string{"refA"}, Metrics: []string{"chrF", "COMET"}}, "COMET-refB chrF-ref", "A refA"},
		"both are systems":        {metaeval.Choice{Include: []string{"refA", "refB"}, Metrics: []string{"chrF", "Kiwi"}}, "Kiwi-src", "A refA refB"},
		"a reference of no texts": {metaeval.Choice{Reference: "other", Metrics: []string{"COMET"}}, "COMET-other", "A refA refB"},
	} {
		plan, err := s.Plan(tt.choice)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, notes, err := s.Read(t.Context(), plan, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := metaeval.Evaluate(t.Context(), data, metaeval.Task{Permutations: 2}.WithPlan(plan))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var metrics []string
		for _, m := range r.Metrics {
			metrics = append(metrics, m.Name)
		}
		slices.Sort(metrics)
		want := strings.Fields(tt.metrics)
		slices.Sort(want)
		if !slices.Equal(metrics, want) || strings.Join(r.Systems, " ") != tt.systems {
			t.Errorf("%s: judges %v of %v, want %v of %s; notes %q, %v", name, metrics, r.Systems, want, tt.systems, notes, r.NoSystem)
		}
	}
}
