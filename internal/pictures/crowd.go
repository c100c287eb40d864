package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// crowded is the slug of a campaign with many annotators, whose numbers are drawn
// at random: the lead's pages must hold them.
const crowded = "crowded"

// A rater is an annotator of the crowd with their ways.
type rater struct {
	login, name string
	bias        float64 // added to every score
	late        float64 // added to the last third
	noise       float64
}

var raters = []rater{
	{"amal", "أمل الحداد", 0, 0, 6}, {"bao", "包晓明", -4, 0, 8}, {"carla", "Carla", 3, 0, 7}, {"dmitri", "Дмитрий", 0, 0, 30},
	{"eva", "Eva-Maria Oberhollenzer-Schmidt", -8, 0, 9}, {"farid", "فريد", 5, 25, 8}, {"gita", "गीता", 0, 0, 10}, {"hugo", "", 0, 0, 12},
	{"ines", "Inês", 2, 0, 5}, {"jun", "純", -2, 0, 9}, {"kofi", "Kofi", 0, 0, 14}, {"lena", "Lena", 6, 0, 10},
}

// crowd makes a campaign of 180 segments, each rated by two of twelve people who
// work in three groups, so that not every two share segments.
func crowd(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	p, _ := protocol.Lookup("esa")
	settings := must(campaign.DefaultSettings(p).WithPairs([]string{"gate=on", "quota=60", "threshold=0.5"}))
	c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: crowded, Title: "A crowd of twelve, English to Arabic", Protocol: "esa", SourceLang: "en", TargetLang: "ar", Settings: settings,
	}, lead.ID))
	for _, r := range raters {
		must(st.Accounts.AddUser(ctx, r.login, r.name, accounts.Member))
		check(st.Accounts.AddMember(ctx, c.ID, r.login, campaign.Annotator, lead.ID))
	}
	const segments, rated = 180, 140
	systems := []string{"Aster", "Birch", "Cedar", "Dune", "Ember"}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for i := range segments {
			s := campaign.Segment{DocID: fmt.Sprintf("d%02d", i/6), SegmentID: fmt.Sprintf("s%03d", i), Domain: []string{"news", "social", "speech", "literary"}[i/6%4], Source: fmt.Sprintf("Sentence number %d of the crowd’s campaign.", i)}
			for _, system := range systems {
				s.Translations = append(s.Translations, campaign.Translation{System: system, Text: fmt.Sprintf("الجملة %d", i)})
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: s}, nil) {
				return
			}
		}
	}
	must(st.Intake.ImportSegments(ctx, c.ID, lines, intake.ImportOptions{File: "crowd.jsonl", ByID: lead.ID}))
	rng := rand.New(rand.NewPCG(12, 12))
	ratings := func(yield func(campaign.NumberedRating, error) bool) {
		line := 0
		for i := range rated {
			group := i % 3 * 4
			a, b := group+i/3%4, group+(i/3+1+i%2)%4
			if i%20 == 0 {
				b = (a + 4) % len(raters) // a bridge between the groups
			}
			for k, system := range systems {
				truth := 88 - 13*float64(k) + 12*rng.NormFloat64()
				for _, who := range []int{a, b} {
					r := raters[who]
					score := truth + r.bias + r.noise*rng.NormFloat64()
					if i > rated*2/3 {
						score += r.late
					}
					line++
					at := now.Add(-time.Duration(rated-i) * 90 * time.Minute).Truncate(time.Minute)
					ok := yield(campaign.NumberedRating{File: "crowd.ratings.jsonl", Line: line, Rating: campaign.RatingLine{
						DocID: fmt.Sprintf("d%02d", i/6), SegmentID: fmt.Sprintf("s%03d", i), System: system,
						Rating: campaign.Rating{Annotator: r.login, Round: 1, Seconds: 20 + 15*rng.ExpFloat64(), SubmittedAt: at,
							Rating: protocol.Rating{Scores: map[string]float64{"score": math.Round(max(0, min(100, score)))}}},
					}}, nil)
					if !ok {
						return
					}
				}
			}
		}
	}
	must(st.Intake.ImportRatings(ctx, c.ID, ratings, intake.ImportOptions{File: "crowd.ratings.jsonl", ByID: lead.ID}))
}
