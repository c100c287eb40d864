package desk_test

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// BenchmarkJudgeAgreement measures the comparison of two judges with two annotators in 10,000
// translations, and the reading of the state that tells whether a kept result still holds.
func BenchmarkJudgeAgreement(b *testing.B) {
	db := storetest.Open(b)
	s := storetest.Campaign(b, db.Store, storetest.Segments(0), storetest.Systems(10), storetest.Annotators(2))
	const segments, perDocument = 1000, 10
	if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.Lines(segments, perDocument, s.Systems), intake.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
	each := func(yield func(doc, segment, system string, x float64) bool) {
		for i := range segments {
			for k, system := range s.Systems {
				if !yield(fmt.Sprintf("d%d", i/perDocument+1), fmt.Sprintf("s%d", i+1), system, float64((7*i+3*k+i*k)%5)) {
					return
				}
			}
		}
	}
	_, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
		for _, login := range []string{"ann1", "ann2"} {
			each(func(doc, segment, system string, x float64) bool {
				rating := storetest.RatingLine(segment, system, login, 1, x)
				rating.DocID = doc
				return yield(campaign.NumberedRating{Line: 1, Rating: rating}, nil)
			})
		}
	}, intake.ImportOptions{})
	if err != nil {
		b.Fatal(err)
	}
	_, err = db.Intake.ImportJudgements(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedJudgement, error) bool) {
		for _, judge := range []string{"a", "b"} {
			each(func(doc, segment, system string, x float64) bool {
				return yield(campaign.NumberedJudgement{Line: 1, Judgement: campaign.JudgementLine{DocID: doc, SegmentID: segment, System: system,
					Judgement: campaign.Judgement{Judge: judge, Status: campaign.JudgementOK, Score: &x}}}, nil)
			})
		}
	}, intake.ImportOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			got, err := db.Desk.JudgeAgreement(b.Context(), s.Campaign, false)
			if err != nil || len(got.Pairs) != 5 {
				b.Fatalf("%d pairs, %v", len(got.Pairs), err)
			}
		}
	})
	b.Run("state", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.Desk.JudgedState(b.Context(), s.Campaign.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
}
