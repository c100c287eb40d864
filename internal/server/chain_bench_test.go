package server

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

const (
	chainSegments = 100_000
	chainTaken    = chainSegments * 19 / 20 // settled before the later campaign took segments over
)

// BenchmarkLargeChain renders the pages of a chain: a campaign that has inspected 100,000 sentences, and one that has taken over what it
// has kept of most of them. It gives p50 and p95 of each page in milliseconds. The bar is a p95 of 100.
func BenchmarkLargeChain(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { largeChain(b, storetest.Open(b)) })
	b.Run("postgres", func(b *testing.B) { largeChain(b, storetest.Postgres(b)) })
}

func largeChain(b *testing.B, db *storetest.DB) {
	ctx := b.Context()
	raw := storetest.Campaign(b, db.Store, storetest.Slug("raw"), storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(2))
	next := storetest.Campaign(b, db.Store, storetest.Slug("next"), storetest.Protocol("reference"), storetest.Segments(0), storetest.Annotators(1))
	storetest.Must(db.Intake.ImportSegments(ctx, raw.Campaign.ID, func(yield func(campaign.SegmentLine, error) bool) {
		for i := range chainSegments {
			g := campaign.Segment{DocID: fmt.Sprintf("d%05d", i/10), SegmentID: fmt.Sprintf("s%06d", i), Source: fmt.Sprint("A raw sentence, number ", i), Translations: campaign.ItselfOnly()}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: g}, nil) {
				return
			}
		}
	}, intake.ImportOptions{File: "bench.jsonl"}))(b)
	storetest.Must(db.Intake.ImportScores(ctx, raw.Campaign.ID, func(yield func(campaign.MetricScore, error) bool) {
		for i := range chainSegments {
			s := campaign.MetricScore{Metric: "hard", DocID: fmt.Sprintf("d%05d", i/10), SegmentID: fmt.Sprintf("s%06d", i), Score: float64(i % 997)}
			if !yield(s, nil) {
				return
			}
		}
	}, intake.ImportOptions{}))(b)
	rate := func(from, to int) {
		storetest.Must(db.Intake.ImportRatings(ctx, raw.Campaign.ID, func(yield func(campaign.RatingLine, error) bool) {
			for i := from; i < to; i++ {
				for k, who := range raw.Annotators {
					r := protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "phenomena": {Several: []string{"idiom"}}, "cleaned": {Text: fmt.Sprint("A cleaned sentence, number ", i)}}, Scores: map[string]float64{"difficulty": float64(1 + (i+k*(i%3))%5)}}
					if i%5 < 2 {
						r = protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "no"}, "reason": {Text: "noise"}}}
					}
					line := campaign.RatingLine{DocID: fmt.Sprintf("d%05d", i/10), SegmentID: fmt.Sprintf("s%06d", i), Rating: campaign.Rating{Annotator: who.Login, Round: 1, Rating: r}}
					if !yield(line, nil) {
						return
					}
				}
			}
		}, intake.ImportOptions{}))(b)
	}
	rule := storetest.Must(campaign.NewFollow(raw.Campaign.Rules, []string{"keep=yes", "difficulty>=3"}, []string{"source", "answers"}))(b)
	storetest.Check(b, db.Intake.Follow(ctx, next.Campaign.ID, raw.Campaign.ID, rule, raw.Lead.ID))
	rate(0, chainTaken)
	storetest.Must(db.Intake.TakeOver(ctx, next.Campaign.ID, raw.Lead.ID))(b)
	rate(chainTaken, chainSegments)
	_, rejected, err := db.Desk.Segments(ctx, raw.Campaign.ID, desk.SegmentFilter{Step: campaign.StepBehind + ":next", Limit: 1})
	storetest.Check(b, err)
	following := storetest.Must(db.Intake.Following(ctx, next.Campaign))(b)
	b.Logf("%d segments stay behind, %d are ready and not taken over", rejected, following.Ready)

	srv, err := New(Config{}, db.Store)
	storetest.Check(b, err)
	lead := srv.visitor(b, db.Store, raw.Lead)
	nextLead := srv.visitor(b, db.Store, next.Lead)
	storetest.Check(b, db.Accounts.AddMember(ctx, raw.Campaign.ID, next.Lead.Login, campaign.Lead, ""))
	for _, page := range []struct{ name, path, cookie string }{
		{"segments", "/campaigns/raw/segments", lead},
		{"ready", "/campaigns/raw/segments?step=ready:next", lead},
		{"ready, a later page", "/campaigns/raw/segments?step=ready:next&page=600", lead},
		{"behind", "/campaigns/raw/segments?step=behind:next", lead},
		{"behind for a reason", "/campaigns/raw/segments?step=behind:next:does+not+meet+difficulty%3E%3D3", lead},
		{"taken over", "/campaigns/raw/segments?step=taken:next", lead},
		{"by annotators' difficulty", "/campaigns/raw/segments?metric=question/raw/difficulty&sort=score", lead},
		{"by a metric", "/campaigns/raw/segments?metric=hard&sort=score", lead},
		{"of a metric", "/campaigns/raw/segments?metric=hard", lead},
		{"limited by a metric", "/campaigns/raw/segments?metric=hard&least=500", lead},
		{"later, by annotators' difficulty", "/campaigns/next/segments?metric=question/raw/difficulty&sort=score", nextLead},
		{"take over", "/campaigns/next/import", nextLead},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took timing
			for b.Loop() {
				req := httptest.NewRequest("GET", page.path, nil)
				req.Header.Set("Cookie", page.cookie)
				w := httptest.NewRecorder()
				took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
				if w.Code != 200 {
					b.Fatalf("%s answered %d", page.path, w.Code)
				}
			}
			took.report(b)
		})
	}
}
