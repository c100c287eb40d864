package report_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/report"
)

// many yields a campaign of random ratings, two of each translation, by twenty
// annotators: segments times ten systems times two.
func many(id string, segments int) (campaign.Campaign, iter.Seq2[campaign.Segment, error]) {
	rules, _ := protocol.Lookup(id)
	c := campaign.Campaign{ID: "c", Slug: "c", Title: "C", Protocol: id, Rules: rules, Settings: campaign.DefaultSettings(rules)}
	return c, func(yield func(campaign.Segment, error) bool) {
		random := rand.New(rand.NewPCG(1, 2))
		for k := range segments {
			s := campaign.Segment{DocID: fmt.Sprint("d", k/10), SegmentID: fmt.Sprint("s", k), Domain: []string{"news", "social", "speech", "literary"}[k%4],
				Source: "A source of some length, as they are.", Status: campaign.Ungated, Round: 1}
			a := random.IntN(20)
			b := (a + 1 + random.IntN(19)) % 20
			for i := range 10 {
				t := campaign.Translation{System: fmt.Sprint("system", i), Text: "A translation of some length, as they are."}
				for _, who := range []int{a, b} {
					t.Ratings = append(t.Ratings, campaign.Rating{Rating: someRating(random, rules, i), Annotator: fmt.Sprint("annotator", who), Round: 1, Seconds: 10 + 100*random.Float64()})
				}
				s.Translations = append(s.Translations, t)
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// someRating falls with the number of the system.
func someRating(random *rand.Rand, rules *protocol.Protocol, system int) protocol.Rating {
	r := protocol.Rating{Scores: map[string]float64{}}
	for _, s := range rules.Scores {
		r.Scores[s.Name] = float64(s.Min + random.IntN(s.Max-s.Min+1-system*(s.Max-s.Min)/20))
	}
	if rules.Spans != nil {
		for n := range random.IntN(6) {
			c := rules.Spans.Categories[random.IntN(len(rules.Spans.Categories))]
			start := random.IntN(30)
			r.Spans = append(r.Spans, protocol.ErrorSpan{ID: fmt.Sprint(n), Side: protocol.Target, Start: start, End: start + 1 + random.IntN(10),
				Severity: rules.Spans.Severities[random.IntN(len(rules.Spans.Severities))].ID, Category: c.Name})
		}
	}
	return r
}

// A report of 1,000,000 ratings. Segments are generated while they are read, so that the
// memory is that of the report alone. The time includes their generation, which is also
// measured separately.
func BenchmarkMillionRatings(b *testing.B) {
	const segments = 50_000
	for _, id := range []string{"sqm", "rate"} {
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				c, data := many(id, segments)
				if _, err := report.Compute(b.Context(), report.Input{Campaign: c, Segments: judged(c, data)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("reading", func(b *testing.B) {
		for b.Loop() {
			_, data := many("rate", segments)
			for range data {
			}
		}
	})
}
