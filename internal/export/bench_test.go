package export_test

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
)

// BenchmarkExport writes 10,000 segments with ten translations of 200
// characters, each rated twice.
func BenchmarkExport(b *testing.B) {
	text := strings.Repeat("The starter has outlived \"three\" of them, 说实话. ", 4)
	s := campaign.Segment{DocID: "d", SegmentID: "s", SourceLang: "zh", TargetLang: "en", Source: text, Status: campaign.Agreed, Round: 1}
	for i := range 10 {
		r := rated("lin", 1, 2)
		r.Comment, r.Seconds, r.SubmittedAt = text, 12.5, at
		q := r
		q.Annotator = "mara"
		s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprint("system_", i), Text: text, Ratings: []campaign.Rating{r, q}, Gold: &campaign.Gold{Score: 2}})
	}
	var segments iter.Seq2[campaign.Segment, error] = func(yield func(campaign.Segment, error) bool) {
		for range 10_000 {
			if !yield(s, nil) {
				return
			}
		}
	}
	p := sqm(b)
	for name, write := range map[string]func() error{
		"jsonl":   func() error { return export.JSONL(io.Discard, segments) },
		"ratings": func() error { return export.Ratings(io.Discard, p, segments) },
		"ment": func() error {
			_, err := export.MENT(io.Discard, export.MENTOptions{Annotators: []string{"lin", "mara"}}, segments)
			return err
		},
		"csv": func() error { return export.CSV(io.Discard, p, segments) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
