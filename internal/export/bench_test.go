package export_test

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
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
		"ratings": func() error { return alone(export.Ratings(io.Discard, p, segments)) },
		"ment": func() error {
			_, _, err := export.MENT(io.Discard, export.MENTOptions{Annotators: []string{"lin", "mara"}}, segments)
			return err
		},
		"csv": func() error { return alone(export.CSV(io.Discard, p, export.CSVOptions{}, segments)) },
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

// marks yields segments of ten systems with two ratings of each translation, a
// span in the first and none in the second, until there are n ratings.
func marks(p *protocol.Protocol, n int) export.Source {
	text := strings.Repeat("The starter has outlived \"three\" of them, 说实话. ", 4)
	return func(yield func(campaign.Segment, error) bool) {
		for i := range n / 20 {
			s := campaign.Segment{DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint(i), Source: text, Status: campaign.Agreed, Round: 1}
			for j := range 10 {
				r := campaign.Rating{Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{}}}
				for k, score := range p.Scores {
					r.Scores[score.Name] = float64((i + j + k) % (score.Max + 1))
				}
				q := r
				q.Annotator = "mara"
				if p.Spans != nil {
					r.Spans = []protocol.ErrorSpan{{ID: "s", Side: protocol.Target, Start: 4, End: 11, Text: "starter", Severity: p.Spans.Severities[i%2].ID, Category: "Fluency", Subcategory: "Punctuation"}}
				}
				s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprint("system_", j), Text: text, Ratings: []campaign.Rating{r, q}, Gold: &campaign.Gold{}})
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// void is a tree that keeps nothing.
type void struct{}

func (void) Create(string) (io.Writer, error) { return io.Discard, nil }

// BenchmarkMarks writes 100,000 ratings with spans, the making of the segments
// included.
func BenchmarkMarks(b *testing.B) {
	for _, id := range []string{"mqm", "rate"} {
		p := lookup(b, id)
		for name, write := range map[string]func(export.Source) error{
			"none": func(s export.Source) error {
				for range s {
				}
				return nil
			},
			"ratings": func(s export.Source) error { return alone(export.Ratings(io.Discard, p, s)) },
			"rate":    func(s export.Source) error { _, err := export.Rate(io.Discard, p, s); return err },
			"mqm-tsv": func(s export.Source) error {
				_, err := export.MQM(io.Discard, p, s)
				return err
			},
			"csv": func(s export.Source) error { return alone(export.CSV(io.Discard, p, export.CSVOptions{}, s)) },
			"mtme": func(s export.Source) error {
				_, err := export.MTME(void{}, p, export.MTMEOptions{LanguagePair: "en-de"}, s)
				return err
			},
		} {
			if name == "rate" && id != "rate" {
				continue
			}
			b.Run(id+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := write(marks(p, 100_000)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
